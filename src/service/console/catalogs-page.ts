import { html } from 'hono/html';
import { connectedCatalogs } from '../credentials/credentials.ts';
import { listCatalogs } from '../operations/catalogs.ts';
import type { Context } from '../operations/context.ts';
import { slicePage } from '../operations/page.ts';
import { cut, type Html, pageLinks, tag } from './html.ts';
import { layout, type Visitor } from './layout.ts';

/** The console's first page. */
export async function catalogsPage(context: Context, visitor: Visitor, page: number): Promise<Html> {
  const { catalog: all } = await listCatalogs(context, visitor.user.id, {});
  const connected = await connectedCatalogs(context.database, context.keys, visitor.user.id);
  const catalogs = slicePage(all, page);
  const cards = catalogs.rows.map((catalog) => {
    const account =
      catalog.auth_types.length === 0
        ? ''
        : connected.has(catalog.id)
          ? tag('Account connected', 'good')
          : tag(catalog.auth_required ? 'Needs an account' : 'Account optional', 'wait');
    return html`<li class="card">
<h2><a href="/console/catalogs/${encodeURIComponent(catalog.slug)}">${catalog.name}</a></h2>
<p class="quiet">${catalog.domain}</p>
<p>${cut(catalog.description, 300)}</p>
<div class="tags">${tag(`${catalog.action_count} ${catalog.action_count === 1 ? 'action' : 'actions'}`)}${account}</div>
</li>`;
  });
  return layout(
    { title: 'Catalogs', visitor, section: 'Catalogs' },
    html`<h1>Catalogs</h1>
${
  all.length === 0
    ? html`<p>There are no catalogs yet. Request a build, or put catalog files into the data folder.</p>`
    : html`<ul class="cards">${cards}</ul>${pageLinks(catalogs, '/?page=')}`
}`,
  );
}
