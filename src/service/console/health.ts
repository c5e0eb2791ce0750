/** For the operator: whether the service can do what it should, and what waits for somebody. */
import { html } from 'hono/html';
import manifest from '../../../package.json' with { type: 'json' };
import type { HealthCheck } from '../foundation/ports.ts';
import { findCatalogProblems, toProblemText } from '../operations/catalog-problems.ts';
import { listBuiltActions } from '../operations/manage-builds.ts';
import { countOpenJobs, readQueueAge } from '../operations/queue.ts';
import { buttonLink, count, duration, tag } from './html.ts';
import { page, type Visit } from './pages.ts';
import { buildsPath, healthPath } from './paths.ts';
import { dataTable, type TableColumn } from './table.ts';

/** Older than this, the oldest waiting job is a sign of too few places. */
const longWaitMs = 60_000;

async function readChecks({ context, userId }: Visit): Promise<readonly HealthCheck[]> {
  const { database, publication, healthChecks } = context;
  const startedAt = performance.now();
  const { queued, running } = await countOpenJobs(database);
  const answered = Math.round(performance.now() - startedAt);
  const waited = await readQueueAge(database);
  const problems = await findCatalogProblems(context, userId);
  const actions = (await publication.current()).visibleTo(userId).flatMap(({ actions }) => actions);
  const unavailable = actions.filter(({ problem }) => problem !== undefined);
  const waiting = queued === 0 ? '' : `, the oldest for ${duration(waited)}`;
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
    { name: 'catalog', ok: true, detail: count(actions.length, 'visible action') },
    ...problems.map((problem) => ({ name: 'catalog file', ok: false, detail: toProblemText(problem) })),
    ...unavailable.map(({ definition, problem }) => ({
      name: 'action',
      ok: false,
      detail: `${definition.action_id}: ${problem}`,
    })),
  ];
}

export const healthPage = page({
  path: healthPath,
  section: 'Health',
  title: 'Health',
  isOperators: true,
  async load(visit) {
    const built = await listBuiltActions(visit.context.database);
    const reviews = built.filter(({ state }) => state === 'waiting').length;
    return { checks: await readChecks(visit), reviews };
  },
  view: ({ checks, reviews }) => html`${dataTable('Checks', columns, checks)}
<h2>Reviews</h2>
${reviews === 0 ? html`<p>No action waits for your review.</p>` : html`<p>${count(reviews, 'action')} ${reviews === 1 ? 'waits' : 'wait'} for your review.</p>${buttonLink(buildsPath, 'Review')}`}
<p class="quiet">More checks, of the whole machine: <code>svc-mcp doctor</code>.</p>`,
});

const columns: readonly TableColumn<HealthCheck>[] = [
  { name: 'What', kind: 'head', cell: ({ name }) => name },
  {
    name: 'State',
    cell: ({ ok, note }) =>
      !ok ? tag('Fails', 'bad') : note === true ? tag('Note', 'wait') : tag('In order', 'good'),
  },
  { name: 'Detail', kind: 'long', cell: ({ detail }) => detail },
];
