/** All connected accounts, and the sites where one could be connected. */
import { html } from 'hono/html';
import type { CatalogEntry, Identity } from '../../contract/resources.ts';
import type { Html } from '../../http/page.ts';
import { listCatalogs } from '../operations/catalogs.ts';
import { listIdentities } from '../operations/identities.ts';
import { slicePage } from '../operations/list-page.ts';
import { buttonLink, dataTable, emptyState, pageLinks, tag, time } from './html.ts';
import { page } from './pages.ts';
import { getConnectPath } from './paths.ts';

const maxOffered = 200;

export const accountsPage = page({
  path: '/console/accounts',
  section: 'Accounts',
  title: 'Accounts',
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
    ? dataTable(
        'Accounts',
        [['Account'], ['Site'], ['State'], ['Last used', 'wide']],
        identities.rows.map((identity) => accountRow(identity, catalogs.get(identity.catalog_id))),
      )
    : emptyState(
        'No account is connected yet.',
        ...(others.length > 0 ? [] : [buttonLink('/', 'Look at the catalogs')]),
      )
}
${pageLinks(identities, '/console/accounts?page=')}
${
  others.length === 0
    ? ''
    : html`<h2>Connect an account</h2><ul>${others
        .slice(0, maxOffered)
        .map(({ slug, name }) => html`<li><a href="${getConnectPath(slug)}">${name}</a></li>`)}</ul>`
}`,
});

function accountRow(identity: Identity, catalog: CatalogEntry | undefined): Html {
  const site =
    catalog === undefined
      ? html`<span class="quiet">Catalog no longer available</span>`
      : html`<a href="${getConnectPath(catalog.slug)}">${catalog.name}</a>`;
  return html`<tr><th scope="row">${identity.name} ${identity.is_default ? tag('Default') : ''}</th><td>${site}</td>
${credentialCells(identity)}</tr>`;
}

const kinds: Readonly<Record<string, string>> = {
  credentials: 'signed in',
  browser_state: 'browser cookies',
};

/** The cells `State` and `Last used` of an identity's row: a line for each credential. */
export function credentialCells({ credentials }: Identity): Html {
  const states = credentials.map(
    ({ credential_type, status }) =>
      html`<div>${
        status === 'active' ? tag('Active', 'good') : tag('Expired', 'bad')
      } <span class="quiet">${kinds[credential_type] ?? credential_type}</span></div>`,
  );
  const uses = credentials.map(
    ({ last_used_at, created_at }) =>
      html`<div>${last_used_at === null || last_used_at === created_at ? 'never' : time(last_used_at)}</div>`,
  );
  return html`<td>${states.length === 0 ? 'Not connected' : states}</td><td class="wide">${uses}</td>`;
}
