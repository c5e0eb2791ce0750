/** The catalogs, and one of them with its actions. */
import { html } from 'hono/html';
import type { Action, CatalogEntry } from '../../contract/resources.ts';
import type { Html } from '../../http/page.ts';
import { connectedCatalogs } from '../accounts/credentials.ts';
import { getCatalog, listCatalogs } from '../operations/catalogs.ts';
import { slicePage } from '../operations/list-page.ts';
import { listBuiltActions } from '../operations/manage-builds.ts';
import {
  buttonLink,
  count,
  cut,
  emptyState,
  pageLinks,
  price,
  siteLink,
  siteName,
  spoken,
  tag,
} from './html.ts';
import { changeSection } from './own-actions.ts';
import { page, type Visit } from './pages.ts';
import { getCatalogPath, getConnectPath, getRunPath, newActionPath } from './paths.ts';
import { paramTable } from './schema-form.ts';

/** With fewer catalogs the page shows no filter. */
const minFiltered = 7;

const readConnected = ({ context, userId }: Visit): Promise<ReadonlySet<string>> =>
  connectedCatalogs(context.database, context.keys, userId);

/** The console's first page. */
export const catalogsPage = page({
  path: '/',
  section: 'Catalogs',
  title: 'Catalogs',
  async load(visit) {
    const { catalog: all, catalog_problems: problems = [] } = await listCatalogs(
      visit.context,
      visit.userId,
      {},
    );
    const filter = visit.query('q').slice(0, 200);
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
    const found = all.filter((catalog) => {
      const { name, category, description } = catalog;
      const text = [name, siteName(catalog), category, description].join('\n').toLowerCase();
      return words.every((word) => text.includes(word));
    });
    const connected = await readConnected(visit);
    return { all, filter, catalogs: slicePage(found, visit.pageNumber), connected, problems };
  },
  view({ all, filter, catalogs, connected, problems }) {
    if (all.length === 0 && problems.length === 0)
      return emptyState(
        'There are no catalogs yet. Build an action, or put catalog files into the data folder.',
        buttonLink(newActionPath, 'Build an action'),
      );
    return html`${problemList(problems)}${all.length < minFiltered ? '' : filterForm(filter)}
${
  catalogs.rows.length === 0
    ? emptyState('No catalog has all these words.', buttonLink('/', 'Show all catalogs'))
    : html`<ul class="cards">${catalogs.rows.map((catalog) => catalogCard(catalog, connected))}</ul>`
}
${pageLinks(catalogs, `/?${filter === '' ? '' : `${new URLSearchParams({ q: filter })}&`}page=`)}`;
  },
});

/** For their owner. */
const problemList = (problems: readonly string[]): Html | string =>
  problems.length === 0
    ? ''
    : html`<section class="card"><h2>Catalog files that are not used as they stand</h2>
<ul>${problems.map((problem) => html`<li>${problem}</li>`)}</ul></section>`;

const filterForm = (filter: string): Html =>
  html`<form class="tools" role="search" action="/"><label>${spoken('Filter catalogs')}<input type="search" name="q" value="${filter}" placeholder="Filter catalogs" maxlength="200"></label><button class="small">Filter</button></form>`;

function catalogCard(catalog: CatalogEntry, connected: ReadonlySet<string>): Html {
  const account =
    catalog.auth_types.length === 0
      ? ''
      : connected.has(catalog.id)
        ? tag('Account connected', 'good')
        : tag(catalog.auth_required ? 'Needs an account' : 'Account optional', 'wait');
  return html`<li class="card">
<h2><a href="${getCatalogPath(catalog.slug)}">${catalog.name}</a></h2>
<p class="quiet">${siteName(catalog)}</p>
<p>${cut(catalog.description, 300)}</p>
<div class="tags">${tag(count(catalog.action_count, 'action'))}${account}</div>
</li>`;
}

/** A catalog with its actions, their prices and parameters. */
export const catalogPage = page({
  path: '/console/catalogs/:slug',
  section: 'Catalogs',
  async load(visit) {
    const { context, userId } = visit;
    const { catalog, actions } = await getCatalog(context, userId, visit.part('slug'));
    const own = await listBuiltActions(context.database, { userId });
    return {
      catalog,
      actions: slicePage(actions, visit.pageNumber),
      isConnected: (await readConnected(visit)).has(catalog.id),
      ownIds: new Set(own.map(({ actionId }) => actionId)),
    };
  },
  title: ({ catalog }) => catalog.name,
  parent: () => ({ path: '/', name: 'Catalogs' }),
  view({ catalog, actions, isConnected, ownIds }, { visitor }) {
    const account = html`<p>${isConnected ? tag('Account connected', 'good') : tag('No account connected', 'wait')}
<a href="${getConnectPath(catalog.slug)}">${isConnected ? 'Manage accounts' : 'Connect an account'}</a></p>`;
    return html`<p class="quiet">${siteLink(catalog)} · ${catalog.category}</p>
<p>${catalog.description}</p>
${catalog.auth_types.length === 0 ? '' : account}
<h2>Actions</h2>
${actions.rows.map((action) => actionCard(action, ownIds.has(action.action_id) ? changeSection(action, visitor) : ''))}
${pageLinks(actions, `${getCatalogPath(catalog.slug)}?page=`)}`;
  },
});

const accountNeeds: Readonly<Record<string, string>> = {
  required: 'Needs an account',
  optional: 'Account optional',
};

function actionCard(action: Action, changes: Html | string): Html {
  const needs = accountNeeds[action.auth_mode];
  return html`<article class="card">
<h3>${action.name}</h3>
<p class="quiet"><code>${action.action_id}</code></p>
<div class="tags">${tag(price(action))}${tag(action.mode === 'sync' ? 'Answers at once' : 'Runs as a job')}${
    needs === undefined ? '' : tag(needs, 'wait')
  }${action.owner_user_id === null ? '' : tag('Private')}${
    action.status === 'pending_review' ? tag('Waits for review', 'wait') : ''
  }</div>
<p>${action.description ?? ''}</p>
${action.unavailable_reason === undefined ? '' : html`<p>${tag('Unavailable', 'wait')} ${action.unavailable_reason}</p>`}
${paramTable(action.name, action.parameters)}
<p>${buttonLink(getRunPath(action.action_id), html`Run${spoken(` ${action.name}`)}`)}</p>
${changes}
</article>`;
}
