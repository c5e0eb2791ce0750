/** All connected accounts as cards, and the sites where one could be connected. */
import { html } from 'hono/html';
import type { CatalogEntry, Identity } from '../../contract/resources.ts';
import type { Html } from '../../http/page.ts';
import { listCatalogs } from '../operations/catalogs.ts';
import { listIdentities } from '../operations/identities.ts';
import { slicePage } from '../operations/list-page.ts';
import { buttonLink, count, emptyState, factList, relativeTime, siteName, tag } from './html.ts';
import { page } from './pages.ts';
import { accountsPath, actionsPath, getConnectPath } from './paths.ts';
import { dataTable, pageLinks, type TableColumn } from './table.ts';

const maxOffered = 200;

export const accountsPage = page({
  path: accountsPath,
  section: 'Accounts',
  async load({ context, userId, pageNumber }) {
    const { catalog: catalogs } = await listCatalogs(context, userId, {});
    const { identities } = await listIdentities(context, userId, {});
    const connectedIds = new Set(identities.map(({ catalog_id }) => catalog_id));
    return {
      identities: slicePage(identities, pageNumber),
      catalogs: new Map(catalogs.map((catalog) => [catalog.id, catalog])),
      others: catalogs.filter(({ id, auth_types }) => auth_types.length > 0 && !connectedIds.has(id)),
    };
  },
  view: ({
    identities,
    catalogs,
    others,
  }) => html`<p>Accounts at other sites that actions may use for you. Passwords are not kept; sessions are stored encrypted.</p>
${
  identities.rows.length > 0
    ? html`<ul class="cards-list">${identities.rows.map((identity) => accountCard(identity, catalogs.get(identity.catalog_id)))}</ul>`
    : emptyState(
        'No account is connected yet.',
        ...(others.length > 0 ? [] : [buttonLink(actionsPath, 'Look at the actions')]),
      )
}
${pageLinks(identities, accountsPath)}
${others.length === 0 ? '' : html`<h2>Connect an account</h2>${dataTable('Sites without an account', siteColumns, others.slice(0, maxOffered))}${others.length > maxOffered ? html`<p class="quiet">and ${count(others.length - maxOffered, 'more site')}; <a href="${actionsPath}">look for yours among the actions</a></p>` : ''}`}`,
});

const siteColumns: readonly TableColumn<CatalogEntry>[] = [
  { name: 'Site', kind: 'head', cell: ({ name }) => name },
  { name: 'Address', cell: (catalog) => siteName(catalog) },
  {
    name: 'Account',
    cell: ({ slug, auth_required }) =>
      html`<a href="${getConnectPath(slug)}">Connect</a> ${auth_required ? tag('Needed', 'wait') : ''}`,
  },
];

const accountCard = (identity: Identity, catalog: CatalogEntry | undefined): Html =>
  html`<li class="card"><h3>${identity.name} ${identity.is_default ? tag('Default') : ''}</h3>
<p class="quiet">${catalog === undefined ? 'Catalog no longer available' : catalog.name}</p>
${factList({ State: accountState(identity), 'Last used': lastUse(identity) })}
${catalog === undefined ? '' : buttonLink(getConnectPath(catalog.slug), 'Manage')}</li>`;

const kinds: Readonly<Record<string, string>> = {
  credentials: 'by login',
  browser_state: 'in a browser',
};

/** A line for each sign-in. */
export const accountState = ({ credentials }: Identity): Html | string =>
  credentials.length === 0
    ? 'Not connected'
    : html`${credentials.map(
        ({ credential_type, status }) =>
          html`<div>${status === 'active' ? tag('Signed in', 'good') : tag('Sign-in expired', 'bad')} <span class="nowrap">${kinds[credential_type] ?? credential_type}</span></div>`,
      )}`;

/** Of its sign-ins the newest use. */
export function lastUse({ credentials }: Identity): Html | string {
  const uses = credentials.flatMap(({ last_used_at, created_at }) =>
    last_used_at === null || last_used_at === created_at ? [] : [last_used_at],
  );
  const last = uses.sort().at(-1);
  return last === undefined ? 'never' : relativeTime(last);
}
