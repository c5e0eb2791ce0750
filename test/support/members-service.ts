/** A service whose jobs and builds take as long and end as they are asked to, for tests that kill it. */
import { setTimeout as delay } from 'node:timers/promises';
import pino from 'pino';
import { RunError } from '../../src/service/foundation/errors.ts';
import { openServiceDatabase, type RunningService, startServiceOn } from '../../src/service/service.ts';
import { type OnCommit, withCommitHook } from './commit-hook.ts';
import { Random } from './random.ts';
import { action, catalog, sourceOf } from './service-fixtures.ts';

export interface MembersServiceOptions {
  readonly dataDir: string;
  readonly databaseUrl?: string | undefined;
  readonly onCommit?: OnCommit | undefined;
  /** Milliseconds that a run of `work` takes at most; `params.ms` outranks it. */
  readonly runMs?: number | undefined;
  /** Of the times that runs take. */
  readonly seed?: number | undefined;
  /** Milliseconds that a build takes. */
  readonly buildMs?: number | undefined;
  /** A build ends its process. */
  readonly buildKills?: boolean | undefined;
  readonly leaseDuration?: number | undefined;
  /** Logs no errors, where many are expected. */
  readonly quiet?: boolean | undefined;
}

const members = catalog({
  slug: 'members',
  auth_types: ['credentials'],
  login: { fields: [], recipe: {} },
  actions: [
    action({ action_id: 'work', credits_per_call: 3 }),
    action({ action_id: 'counted', credits_per_call: 3, credits_expression: 'cost' }),
    action({ action_id: 'quick', credits_per_call: 2, mode: 'sync' }),
    action({ action_id: 'inbox', auth_mode: 'required' }),
  ],
});

export async function startMembersService(options: MembersServiceOptions): Promise<RunningService> {
  const random = new Random(options.seed ?? 0);
  const database = await openServiceDatabase(options);
  const { onCommit } = options;
  return startServiceOn(onCommit === undefined ? database : withCommitHook(database, onCommit), {
    dataDir: options.dataDir,
    databaseUrl: options.databaseUrl,
    catalogs: sourceOf(members),
    logger: pino(
      { level: options.quiet === true ? 'silent' : 'error' },
      pino.destination({ dest: 2, sync: true }),
    ),
    jobs: { leaseDuration: options.leaseDuration ?? 1_000, concurrencyPerSite: 8 },
    logins: { login: async () => ({ verified: true, cookies: 'session', expiresAt: undefined }) },
    builder: {
      build: async ({ websiteUrl, goal, onProgress }, { signal }) => {
        onProgress?.('Fetching the page');
        if (options.buildKills === true) process.kill(process.pid, 'SIGKILL');
        await delay(options.buildMs ?? 0, undefined, { signal });
        if (goal === 'fail')
          return { built: false, errorType: 'NO_DATA_FOUND', message: 'As it was asked to' };
        const { actions: _, ...head } = catalog({ slug: 'built', url: websiteUrl, actions: [] });
        return { built: true, catalog: head, action: action({ action_id: 'built' }) };
      },
      preview: async () => ({ ok: false, errorType: 'NO_DATA_FOUND', message: 'No' }),
    },
    runner: {
      run: async ({ params, cookies }, { signal }) => {
        const { ms, fail, cost } = params;
        await delay(typeof ms === 'number' ? ms : random.next() * (options.runMs ?? 0), undefined, {
          signal,
        });
        if (fail === true) throw new RunError('As it was asked to');
        return { data: { pid: process.pid, cookies: cookies ?? null, cost: cost ?? 0 } };
      },
    },
  });
}
