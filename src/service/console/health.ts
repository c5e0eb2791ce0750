/** For the operator: whether the service can do what it should, and what waits for somebody. */
import { html } from 'hono/html';
import type { HealthCheck } from '../foundation/ports.ts';
import { readHealth } from '../operations/health.ts';
import { listBuiltActions } from '../operations/manage-builds.ts';
import { buttonLink, count, tag } from './html.ts';
import { page } from './pages.ts';
import { buildsPath, healthPath } from './paths.ts';
import { dataTable, type TableColumn } from './table.ts';

export const healthPage = page({
  path: healthPath,
  section: 'Health',
  isOperators: true,
  async load(visit) {
    const built = await listBuiltActions(visit.context.database);
    const reviews = built.filter(({ state }) => state === 'waiting').length;
    return { checks: await readHealth(visit.context, visit.userId), reviews };
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
