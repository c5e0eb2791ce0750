/** All actions that a user may run, by whose they are, as tables. */
import { html } from 'hono/html';
import type { Action, CatalogEntry } from '../../contract/resources.ts';
import type { Html } from '../../http/page.ts';
import { connectedCatalogs } from '../accounts/credentials.ts';
import { builtSource } from '../catalog/definition-rows.ts';
import { practiceSource } from '../catalog/publication.ts';
import { actionResource, catalogEntry } from '../catalog/resources.ts';
import { readSuccessRates } from '../operations/job-history.ts';
import { slicePage } from '../operations/list-page.ts';
import { listBuiltActions } from '../operations/manage-builds.ts';
import { filterForm } from './form.ts';
import { buttonLink, cut, emptyState, price, relativeTime, siteLink, siteName, tag } from './html.ts';
import { page, type Visit } from './pages.ts';
import { actionsPath, getConnectPath, getRunPath, getSitePath, newActionPath } from './paths.ts';
import { dataTable, pageLinks, type TableColumn } from './table.ts';

const groups = ['Yours', 'Public', 'Practice'] as const;

interface Row {
  readonly action: Action;
  readonly catalog: CatalogEntry;
  readonly group: (typeof groups)[number];
  readonly isConnected: boolean;
  readonly lastAt: Date | undefined;
  /** `9 of 10`; empty before the first end. */
  readonly success: string;
}

async function listRows({ context, userId }: Visit): Promise<readonly Row[]> {
  const { database, keys, publication } = context;
  const [listing, connected, success, built] = await Promise.all([
    publication.current(),
    connectedCatalogs(database, keys, userId),
    readSuccessRates(context, userId),
    listBuiltActions(database, { userId }),
  ]);
  const ownIds = new Set(built.map(({ actionId }) => actionId));
  return listing.visibleTo(userId).flatMap((visible) => {
    const catalog = catalogEntry(visible);
    return visible.actions.map((listed) => {
      const action = actionResource(listed);
      const { lastAt, ended, completed } = success.get(action.action_id) ?? {};
      const isOwn = ownIds.has(action.action_id) || action.owner_user_id === userId;
      const isPractice = listed.source !== builtSource && listed.source.startsWith(practiceSource);
      return {
        action,
        catalog,
        lastAt,
        group: isOwn ? 'Yours' : isPractice ? 'Practice' : 'Public',
        isConnected: connected.has(catalog.id),
        success: ended ? `${completed} of ${ended}` : '',
      };
    });
  });
}

export const actionsPage = page({
  path: actionsPath,
  section: 'Actions',
  async load(visit) {
    const filter = visit.queries('q', 'site');
    const words = filter.q.toLowerCase().split(/\s+/).filter(Boolean);
    const all = await listRows(visit);
    const found = all
      .filter(({ catalog }) => filter.site === '' || catalog.slug === filter.site)
      .filter(({ action, catalog }) => {
        const { name, action_id, description } = action;
        const parts = [name, action_id, description ?? '', catalog.name, siteName(catalog), catalog.category];
        const text = parts.join('\n').toLowerCase();
        return words.every((word) => text.includes(word));
      })
      .sort((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group));
    return { all, filter, rows: slicePage(found, visit.pageNumber) };
  },
  view({ all, filter, rows }) {
    const build = buttonLink(newActionPath, 'Build a new action');
    if (all.length === 0)
      return emptyState(
        'There are no actions yet. Build one, or put catalog files into the data folder.',
        build,
      );
    const sites = new Map(all.map(({ catalog }) => [catalog.slug, cut(catalog.name, 60)]));
    const catalog = filter.site === '' ? undefined : rows.rows[0];
    return html`<p>${build}</p>
${filterForm(actionsPath, [
  { name: 'q', label: 'Search', value: filter.q },
  { name: 'site', label: 'Site', value: filter.site, choices: [...sites] },
])}
${catalog === undefined ? '' : siteSection(catalog)}
${
  rows.rows.length === 0
    ? emptyState('No action has all these words.', buttonLink(actionsPath, 'Show all actions'))
    : groups.map((group) =>
        groupSection(
          group,
          rows.rows.filter((row) => row.group === group),
        ),
      )
}
${pageLinks(rows, actionsPath, filter)}`;
  },
});

function groupSection(group: string, rows: readonly Row[]): Html | string {
  return rows.length === 0 ? '' : html`<h2>${group}</h2>${dataTable(`${group} actions`, columns, rows)}`;
}

const columns: readonly TableColumn<Row>[] = [
  {
    name: 'Action',
    kind: 'head',
    cell: ({ action }) =>
      html`<a href="${getRunPath(action.action_id)}">${cut(action.name, 200)}</a><span class="quiet">${cut(action.description ?? '', 120)}</span>`,
  },
  {
    name: 'Site',
    cell: ({ catalog }) =>
      html`<a href="${getSitePath(catalog.slug)}">${cut(catalog.name, 80)}</a><span class="quiet">${siteName(catalog)}</span>`,
  },
  { name: 'Needs', cell: (row) => needs(row) },
  { name: 'Price', kind: 'number', cell: ({ action }) => price(action) },
  { name: 'Last run', cell: ({ lastAt }) => (lastAt === undefined ? '' : relativeTime(lastAt)) },
  { name: 'Completed', kind: 'number', cell: ({ success }) => success },
];

/** What stands between the user and a run. */
function needs({ action, isConnected, catalog }: Row): Html {
  const account =
    action.auth_mode === 'none'
      ? ''
      : isConnected
        ? tag('Account connected', 'good')
        : html`<a href="${getConnectPath(catalog.slug)}">${action.auth_mode === 'required' ? 'An account' : 'An account (optional)'}</a>`;
  const { unavailable_reason: reason, status } = action;
  return html`${account}${reason === undefined ? '' : html` ${tag('Unavailable', 'wait')}`}${status === 'pending_review' ? html` ${tag('Waits for review', 'wait')}` : ''}`;
}

const siteSection = ({ catalog, isConnected }: Pick<Row, 'catalog' | 'isConnected'>): Html =>
  html`<div class="card"><p><strong>${catalog.name}</strong> · ${siteLink(catalog)} · ${catalog.category}</p><p>${cut(catalog.description, 600)}</p>${
    catalog.auth_types.length === 0
      ? ''
      : html`<p><a href="${getConnectPath(catalog.slug)}">${isConnected ? 'Manage its accounts' : 'Connect an account'}</a></p>`
  }</div>`;
