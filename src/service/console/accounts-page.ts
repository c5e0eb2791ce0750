import { html } from 'hono/html';
import { listCatalogs } from '../operations/catalogs.ts';
import type { Context } from '../operations/context.ts';
import { listIdentities } from '../operations/identities.ts';
import { slicePage } from '../operations/page.ts';
import { type Html, pageLinks, table, tag } from './html.ts';
import { credentialRows } from './identity-row.ts';
import { layout, type Visitor } from './layout.ts';

/** All connected accounts, and the sites where one could be connected. */
export async function accountsPage(context: Context, visitor: Visitor, page: number): Promise<Html> {
  const { catalog: catalogs } = await listCatalogs(context, visitor.user.id, {});
  const all = (await listIdentities(context, visitor.user.id, {})).identities;
  const identities = slicePage(all, page);
  const byId = new Map(catalogs.map((catalog) => [catalog.id, catalog]));
  const rows = identities.rows.map((identity) => {
    const catalog = byId.get(identity.catalog_id);
    const site =
      catalog === undefined
        ? html`<span class="quiet">Catalog no longer available</span>`
        : html`<a href="/connect/${encodeURIComponent(catalog.slug)}">${catalog.name}</a>`;
    return html`<tr><th scope="row">${identity.name} ${identity.is_default ? tag('Default') : ''}</th><td>${site}</td>
${credentialRows(identity)}</tr>`;
  });
  const others = catalogs.filter(
    (catalog) => catalog.auth_types.length > 0 && !all.some((identity) => identity.catalog_id === catalog.id),
  );
  return layout(
    { title: 'Accounts', visitor, section: 'Accounts' },
    html`<h1>Accounts</h1>
<p>Accounts at other sites that actions may use for you. Passwords are not kept; sessions are stored encrypted.</p>
${
  rows.length === 0
    ? html`<p>No account is connected yet.</p>`
    : table(
        'Accounts',
        html`<tr><th scope="col">Account</th><th scope="col">Site</th><th scope="col">State</th><th scope="col" class="wide">Last used</th></tr>`,
        rows,
      )
}
${pageLinks(identities, '/console/accounts?page=')}
${
  others.length === 0
    ? ''
    : html`<h2>Connect an account</h2><ul>${others
        .slice(0, 200)
        .map(
          (catalog) =>
            html`<li><a href="/connect/${encodeURIComponent(catalog.slug)}">${catalog.name}</a></li>`,
        )}</ul>`
}`,
  );
}
