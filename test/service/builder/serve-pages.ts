/** The builder on web servers of a test's own. */
import { readFileSync } from 'node:fs';
import { afterEach } from 'vitest';
import { createBuilder } from '../../../src/service/builder/builder.ts';
import { Fetcher } from '../../../src/service/fetch/fetcher.ts';
import type {
  ActionDefinition,
  BuildChoice,
  BuildOutcome,
  BuildTask,
  PreviewOutcome,
  RepairOutcome,
  RepairTask,
} from '../../../src/service/foundation/ports.ts';
import { RecipeRunner } from '../../../src/service/recipes/runner.ts';
import { analysisPool, parsePool } from '../../support/page-pools.ts';
import { startWebServer } from '../../support/web-server.ts';

/** Closed after each test, the last one first. */
export const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A page of `pages/`, which the index of page sets lists, or of `sites/`, where several pages belong together. */
export const readPage = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');

/** The page without the rows that lack the text. Each row has a line of its own. */
export const withRowsOf = (page: string, text: string): string =>
  page
    .split('\n')
    .filter((line) => !line.startsWith('<li class="boat"') || line.toLowerCase().includes(text.toLowerCase()))
    .join('\n');

export function toolsFor(origin: string) {
  const fetcher = new Fetcher({ allowOrigins: [origin] });
  const runner = new RecipeRunner({ fetcher, parsePool });
  const builder = createBuilder({ fetcher, runner, pool: analysisPool });
  closers.push(() => fetcher.close());
  const signal = new AbortController().signal;
  const steps: string[] = [];
  return {
    steps,
    preview: (path: string, candidate?: string, choose?: BuildChoice): Promise<PreviewOutcome> =>
      builder.preview({ websiteUrl: origin + path, candidate, choose }, { signal }),
    previewGoal: (path: string, goal: string): Promise<PreviewOutcome> =>
      builder.preview({ websiteUrl: origin + path, goal }, { signal }),
    build: (
      path: string,
      goal: string,
      choose?: BuildChoice,
      kept?: BuildTask['kept'],
    ): Promise<BuildOutcome> =>
      builder.build(
        {
          websiteUrl: origin + path,
          domain: 'site.example',
          goal,
          catalog: undefined,
          choose,
          kept,
          onProgress: (step) => steps.push(step),
        },
        { signal },
      ),
    repair: (action: ActionDefinition, good: RepairTask['good']): Promise<RepairOutcome | undefined> =>
      builder.repair?.({ action, good }, { signal }) ?? Promise.resolve(undefined),
    run: async (outcome: BuildOutcome, params: Record<string, unknown>) => {
      if (!outcome.built) throw new Error(outcome.message);
      const { data } = await runner.run({ recipe: outcome.action.recipe, params }, { signal });
      return data;
    },
  };
}

const typeOf = (body: string) => {
  if (body.startsWith('{')) return 'application/json';
  if (!body.startsWith('<?xml')) return 'text/html';
  return body.includes('<OpenSearchDescription')
    ? 'application/opensearchdescription+xml'
    : 'application/xml';
};

/** `answer`: the body or the status for a path and query, with the number of times that it was asked for. */
export async function serve(answer: (path: string, times: number) => string | number) {
  const times = new Map<string, number>();
  const server = await startWebServer(({ path }, response) => {
    const asked = (times.get(path) ?? 0) + 1;
    times.set(path, asked);
    const body = path === '/robots.txt' ? 404 : answer(path, asked);
    if (typeof body === 'number') response.writeHead(body).end();
    else response.writeHead(200, { 'content-type': typeOf(body) }).end(body);
  });
  closers.push(() => server.close());
  return { server, ...toolsFor(server.origin) };
}
