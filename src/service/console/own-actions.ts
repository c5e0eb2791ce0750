/** What the owner of a built action does with it, and what the operator does with those that wait for a review. */
import type { Hono } from 'hono';
import { html } from 'hono/html';
import { buildCredits } from '../../contract/limits.ts';
import type { Action } from '../../contract/resources.ts';
import { notFound } from '../foundation/request-error.ts';
import { clientAddress, type Environment, type Request } from '../http/authentication.ts';
import { requestBuild } from '../operations/build-requests.ts';
import {
  type BuiltAction,
  deleteBuiltAction,
  getBuiltAction,
  listBuiltActions,
  renameBuiltAction,
  reviewBuiltAction,
} from '../operations/built-actions.ts';
import type { Context } from '../operations/context.ts';
import { operatorName } from '../users/users.ts';
import type { ConsoleOptions } from './console-options.ts';
import { credits, cut, externalLink, type Html } from './html.ts';
import { csrfField, type Visitor } from './layout.ts';
import type { SessionGuard } from './session-guard.ts';

const getChangePath = (actionId: string, change: string): string =>
  `/console/actions/${encodeURIComponent(actionId)}/${change}`;

export function ownActionForms({ action_id, name }: Action, visitor: Visitor): Html {
  const csrf = csrfField(visitor.csrfToken);
  return html`<details><summary>Change<span class="visually-hidden"> ${name}</span></summary>
<form method="post" action="${getChangePath(action_id, 'rename')}">${csrf}
<div class="field"><label for="name-${action_id}">Name</label>
<input id="name-${action_id}" name="name" value="${name}" maxlength="200" required autocomplete="off"></div>
<button class="small">Rename</button></form>
<form method="post" action="${getChangePath(action_id, 'rebuild')}">${csrf}
<p>Builds the action again for the same goal, under the same id. Costs ${credits(buildCredits)}, refunded if it fails.</p>
<button class="small">Rebuild for ${credits(buildCredits)}</button></form>
<form method="post" action="${getChangePath(action_id, 'delete')}">${csrf}
<p>The action is deleted permanently; the results of its jobs are kept.</p><button class="small">Delete ${name}</button></form></details>`;
}

/** Nothing where none waits, or where somebody else reviews. */
export async function reviewSection(context: Context, visitor: Visitor): Promise<Html | string> {
  if (visitor.user.name !== operatorName) return '';
  const waiting = (await listBuiltActions(context.database)).filter(({ state }) => state === 'waiting');
  if (waiting.length === 0) return '';
  return html`<h2>Waiting for your review</h2>
<p>If you approve an action, all users may run it. If you reject it, it stays private to the user who built it.</p>
${waiting.map((action) => reviewCard(action, visitor))}`;
}

const reviewCard = (action: BuiltAction, visitor: Visitor): Html =>
  html`<article class="card"><h3>${cut(action.name, 200)}</h3>
<p class="quiet"><code>${action.actionId}</code> by ${action.user}</p>
<p>${cut(action.goal, 1_000)}</p><p>${externalLink(action.websiteUrl, cut(action.websiteUrl, 200))}</p>
${(['approve', 'reject'] as const).map(
  (decision) =>
    html`<form method="post" action="${getChangePath(action.actionId, decision)}">${csrfField(visitor.csrfToken)}
<button class="small">${decision === 'approve' ? 'Approve' : 'Reject'}<span class="visually-hidden"> ${action.name}</span></button></form>`,
)}</article>`;

export function registerOwnActions(
  console: Hono<Environment>,
  sessionGuard: SessionGuard,
  { context, rateLimits, trustProxy }: ConsoleOptions,
): void {
  const { database } = context;
  const on = (
    change: string,
    work: (visitor: Visitor, id: string, form: URLSearchParams, request: Request) => Promise<string>,
  ) =>
    console.post(
      `/console/actions/:id/${change}`,
      sessionGuard.form(async (visitor, form, request) => {
        const id = request.req.param('id') ?? '';
        if (id.includes('\0')) throw notFound('built action');
        return request.redirect(await work(visitor, id, form, request), 303);
      }),
    );
  on('rename', async ({ user }, id, form) => {
    await renameBuiltAction(database, id, form.get('name') ?? '', user.id);
    return catalogPath(context, user.id, id);
  });
  on('delete', async ({ user }, id) => {
    await deleteBuiltAction(database, id, user.id);
    return '/';
  });
  on('rebuild', async ({ user }, id, _form, request) => {
    const { websiteUrl, goal, visibility, choose } = await getBuiltAction(database, id, user.id);
    await rateLimits.count('requestBuild', { userId: user.id, address: clientAddress(request, trustProxy) });
    const newVisibility = visibility === 'public' ? 'public' : 'private';
    const body = { website_url: websiteUrl, goal, choose, force: true, visibility: newVisibility } as const;
    await requestBuild(context, user.id, body, undefined);
    return '/console/builds';
  });
  for (const decision of ['approve', 'reject'] as const) {
    on(decision, async ({ user }, id) => {
      if (user.name !== operatorName) throw notFound('built action');
      await reviewBuiltAction(database, id, decision);
      return '/console/builds';
    });
  }
}

async function catalogPath({ publication }: Context, userId: string, actionId: string): Promise<string> {
  const action = (await publication.current()).action(actionId, userId);
  return action === undefined
    ? '/'
    : `/console/catalogs/${encodeURIComponent(action.catalog.definition.slug)}`;
}
