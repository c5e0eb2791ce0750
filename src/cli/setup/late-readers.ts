/** What reads websites for the embedded service. Loaded by the first job, build or sign-in: most starts need none of it. */
import { findRecipeProblem } from '../../service/recipes/recipe-problem.ts';
import type { ServiceOptions } from '../../service/service.ts';
import type { SiteReaders, SiteReading } from './site-readers.ts';

type LateReaders = Pick<ServiceOptions, 'runner' | 'logins' | 'builder' | 'signInBrowser' | 'fetchCount'> & {
  close(): Promise<void>;
};

export function startReadingLate(reading: SiteReading): LateReaders {
  let loading: Promise<SiteReaders> | undefined;
  const readers = () => {
    loading ??= import('./site-readers.ts').then(({ createSiteReaders }) =>
      createSiteReaders(reading, onFetch),
    );
    return loading;
  };
  const { windowPath } = reading.browser;
  let fetches = 0;
  const onFetch = () => {
    fetches += 1;
  };
  return {
    runner: {
      findProblem: findRecipeProblem,
      run: async (task, limits) => (await readers()).runner.run(task, limits),
    },
    logins: { login: async (task, limits) => (await readers()).logins.login(task, limits) },
    builder: {
      build: async (task, limits) => (await readers()).builder.build(task, limits),
      repair: async (task, limits) => (await readers()).builder.repair(task, limits),
      preview: async (task, limits) => (await readers()).builder.preview(task, limits),
    },
    signInBrowser:
      windowPath === undefined
        ? undefined
        : { signIn: async (request) => (await readers()).signInBrowser(windowPath).signIn(request) },
    fetchCount: () => fetches,
    close: async () => (await loading?.catch(() => undefined))?.close(),
  };
}
