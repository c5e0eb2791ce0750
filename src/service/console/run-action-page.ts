/** Running an action in two steps: its params, and the confirmation of its price. */
import { html } from 'hono/html';
import type { ListedAction, ListedCatalog } from '../listing/listing.ts';
import { hiddenParams, paramInputs, type Typed } from './action-form.ts';
import { credits, cut, type Html } from './html.ts';
import { csrfField, errorSummary, layout, type Visitor } from './layout.ts';

export const runPath = (actionId: string): string => `/console/actions/${encodeURIComponent(actionId)}/run`;

/** An account that the action can be run with. */
export interface Account {
  readonly credentialId: string;
  readonly name: string;
}

export interface RunForm {
  readonly catalog: ListedCatalog;
  readonly action: ListedAction;
  readonly accounts: readonly Account[];
  readonly typed: Typed;
  /** Empty: without an account. */
  readonly credentialId: string;
}

const frame = (
  visitor: Visitor,
  { catalog, action }: RunForm,
  problem: string | undefined,
  content: Html,
): Html => {
  const { name } = action.definition;
  const slug = encodeURIComponent(catalog.definition.slug);
  return layout(
    { title: `${problem === undefined ? '' : 'Error: '}Run ${name}`, visitor, section: 'Catalogs' },
    html`<p class="quiet"><a href="/console/catalogs/${slug}">${catalog.definition.name}</a></p>
<h1>Run: ${name}</h1>
${problem === undefined ? '' : errorSummary(problem)}
${content}`,
  );
};

export function paramsPage(visitor: Visitor, form: RunForm, problem?: string): Html {
  const { action, catalog, accounts, typed, credentialId } = form;
  const { auth_mode: mode, action_id, description, parameters } = action.definition;
  if (mode === 'required' && accounts.length === 0) {
    return frame(
      visitor,
      form,
      problem,
      html`<p>This action needs an account. <a href="/connect/${encodeURIComponent(catalog.definition.slug)}">Connect an account</a></p>`,
    );
  }
  return frame(
    visitor,
    form,
    problem,
    html`<p>${description ?? ''}</p>
<form class="card" method="post" action="${runPath(action_id)}">${csrfField(visitor.csrfToken)}
${paramInputs(parameters, typed)}
${mode === 'none' ? '' : accountInput(accounts, mode, credentialId)}
<button name="step" value="confirm">Continue</button>
<p class="quiet">The next page shows the price. Nothing runs before you confirm.</p></form>`,
  );
}

const accountInput = (accounts: readonly Account[], mode: string, chosen: string): Html =>
  html`<div class="field"><label for="credential">Account</label><select id="credential" name="credential_id">
${mode === 'optional' ? html`<option value="">Without an account</option>` : ''}
${accounts.map(
  ({ credentialId, name }) =>
    html`<option value="${credentialId}"${credentialId === chosen ? html` selected` : ''}>${cut(name, 100)}</option>`,
)}</select></div>`;

/** `nonce`: the same confirmation sent twice is one run. */
export function confirmPage(
  visitor: Visitor,
  form: RunForm,
  {
    params,
    nonce,
    notice,
  }: { params: Readonly<Record<string, unknown>>; nonce: string; notice?: string | undefined },
): Html {
  const { action, accounts, typed, credentialId } = form;
  const {
    action_id,
    credits_per_call: price,
    credits_expression: expression,
    credits_max: most,
  } = action.definition;
  const account = accounts.find((candidate) => candidate.credentialId === credentialId);
  const submitHint =
    expression === undefined
      ? ''
      : `; the final price is computed${most === undefined ? '' : ` and at most ${credits(most)}`}`;
  return frame(
    visitor,
    form,
    notice,
    html`<dl>
<dt>Price</dt><dd>${credits(price)}${submitHint}; refunded if the run fails</dd>
<dt>Balance</dt><dd>${credits(visitor.user.balance)}</dd>
${account === undefined ? '' : html`<dt>Account</dt><dd>${account.name}</dd>`}
<dt>Parameters</dt><dd><pre tabindex="0">${cut(JSON.stringify(params, undefined, 2), 10_000)}</pre></dd>
</dl>
<form method="post" action="${runPath(action_id)}">${csrfField(visitor.csrfToken)}${hiddenParams(typed)}
<input type="hidden" name="credential_id" value="${credentialId}">
<input type="hidden" name="nonce" value="${nonce}">
<input type="hidden" name="price" value="${String(price)}">
<button name="step" value="run">Run for ${credits(price)}</button>
<button name="step" value="change" class="small">Change</button></form>`,
  );
}
