/** For the operator: whether the service can do what it should. */
import manifest from '../../../package.json' with { type: 'json' };
import type { HealthCheck } from '../foundation/ports.ts';
import { findCatalogProblems, toProblemText } from './catalog-problems.ts';
import type { Context } from './context.ts';
import { countOpenJobs, readQueueAge } from './queue.ts';

/** Older than this, the oldest waiting job is a sign of too few places. */
const longWaitMs = 60_000;

/** Of the program, its parts, and the catalogs that the user sees. */
export async function readHealth(context: Context, userId: string): Promise<readonly HealthCheck[]> {
  const { database, publication, healthChecks } = context;
  const startedAt = performance.now();
  const { queued, running } = await countOpenJobs(database);
  const answered = Math.round(performance.now() - startedAt);
  const waited = await readQueueAge(database);
  const problems = await findCatalogProblems(context, userId);
  const actions = (await publication.current()).visibleTo(userId).flatMap(({ actions }) => actions);
  const unavailable = actions.filter(({ problem }) => problem !== undefined);
  const waiting = queued === 0 ? '' : `, the oldest for ${Math.round(waited / 1_000)} s`;
  return [
    { name: 'version', ok: true, detail: `svc-mcp ${manifest.version} on Node ${process.version}` },
    { name: 'database', ok: true, detail: `${database.engine} answered in ${answered} ms` },
    {
      name: 'queue',
      ok: true,
      note: waited > longWaitMs,
      detail: `${running} running, ${queued} waiting${waiting}`,
    },
    ...(await healthChecks()),
    { name: 'catalog', ok: true, detail: `visible actions: ${actions.length}` },
    ...problems.map((problem) => ({ name: 'catalog file', ok: false, detail: toProblemText(problem) })),
    ...unavailable.map(({ definition, problem }) => ({
      name: 'action',
      ok: false,
      detail: `${definition.action_id}: ${problem}`,
    })),
  ];
}
