import { html } from 'hono/html';
import type { Action } from '../../contract/resources.ts';
import { connectedCatalogs } from '../credentials/credentials.ts';
import { listBuiltActions } from '../operations/built-actions.ts';
import { getCatalog } from '../operations/catalogs.ts';
import type { Context } from '../operations/context.ts';
import { slicePage } from '../operations/page.ts';
import { credits, externalLink, type Html, pageLinks, tag } from './html.ts';
import { layout, type Visitor } from './layout.ts';
import { ownActionForms } from './own-actions.ts';
import { parameters } from './parameters.ts';
import { runPath } from './run-action-page.ts';

/** A catalog with its actions, their prices and parameters. Refuses with `NOT_FOUND`. */
export async function catalogPage(
  context: Context,
  visitor: Visitor,
  slug: string,
  page: number,
): Promise<Html> {
  const { catalog, actions: all } = await getCatalog(context, visitor.user.id, slug);
  const connected = await connectedCatalogs(context.database, context.keys, visitor.user.id);
  const actions = slicePage(all, page);
  const ownActionIds = new Set(
    (await listBuiltActions(context.database, { userId: visitor.user.id })).map(({ actionId }) => actionId),
  );
  const address = encodeURIComponent(slug);
  return layout(
    { title: catalog.name, visitor, section: 'Catalogs' },
    html`<p class="quiet"><a href="/">Catalogs</a></p>
<h1>${catalog.name}</h1>
<p class="quiet">${externalLink(catalog.url, catalog.domain)} · ${catalog.category}</p>
<p>${catalog.description}</p>
${
  catalog.auth_types.length === 0
    ? ''
    : html`<p>${connected.has(catalog.id) ? tag('Account connected', 'good') : tag('No account connected', 'wait')}
<a href="/connect/${address}">${connected.has(catalog.id) ? 'Manage accounts' : 'Connect an account'}</a></p>`
}
<h2>Actions</h2>
${actions.rows.map((action) => actionCard(action, ownActionIds.has(action.action_id) ? ownActionForms(action, visitor) : ''))}
${pageLinks(actions, `/console/catalogs/${address}?page=`)}`,
  );
}

const accountNeeds: Readonly<Record<string, string>> = {
  required: 'Needs an account',
  optional: 'Account optional',
};

function actionCard(action: Action, changes: Html | string): Html {
  const needs = accountNeeds[action.auth_mode];
  return html`<article class="card">
<h3>${action.name}</h3>
<p class="quiet"><code>${action.action_id}</code></p>
<div class="tags">${tag(credits(action.credits_per_call))}${tag(action.mode === 'sync' ? 'Answers at once' : 'Runs as a job')}${
    needs === undefined ? '' : tag(needs, 'wait')
  }${action.owner_user_id === null ? '' : tag('Private')}${
    action.status === 'pending_review' ? tag('Waits for review', 'wait') : ''
  }</div>
<p>${action.description ?? ''}</p>
${parameters(action.name, action.parameters)}
<p><a class="button" href="${runPath(action.action_id)}">Run<span class="visually-hidden"> ${action.name}</span></a></p>
${changes}
</article>`;
}
