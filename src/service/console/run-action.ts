/** Runs an action: the params are checked, the price is confirmed, and the run is submitted once. */
import { randomUUID } from 'node:crypto';
import { html } from 'hono/html';
import * as z from 'zod';
import { creditsText } from '../../contract/price.ts';
import type { Html } from '../../http/page.ts';
import type { ListedAction, ListedCatalog } from '../catalog/listing.ts';
import { actionResource } from '../catalog/resources.ts';
import { notFound } from '../foundation/request-error.ts';
import { parseIdempotencyKey } from '../operations/idempotency.ts';
import { listIdentities } from '../operations/identities.ts';
import { getJobRecord } from '../operations/job-history.ts';
import { findParamIssues } from '../operations/param-issues.ts';
import { submitTask } from '../operations/submit-task.ts';
import { buttonLink, cut, emptyState, hiddenField, price, sentence, tooExpensive } from './html.ts';
import { csrfField, type Problem, type Visitor } from './layout.ts';
import { form, page, type Visit } from './pages.ts';
import { getCatalogPath, getConnectPath, getJobPath, getRunPath } from './paths.ts';
import { type FormEntries, hiddenParams, paramInputs, readParams, typeParams } from './schema-form.ts';

/** An account that the action can be run with. */
interface Account {
  readonly credentialId: string;
  readonly name: string;
}

interface RunData {
  readonly catalog: ListedCatalog;
  readonly action: ListedAction;
  readonly accounts: readonly Account[];
  readonly typed: FormEntries;
  /** Empty: without an account. */
  readonly credentialId: string;
  /** Set once the person is asked to confirm. */
  readonly confirm?: Confirm;
}

interface Confirm {
  readonly params: Readonly<Record<string, unknown>>;
  /** The same confirmation sent twice is one run. */
  readonly nonce: string;
}

const Params = z.record(z.string(), z.unknown());

/** With `?job=` the params of that job. Refuses with `NOT_FOUND` for what the visitor does not see. */
async function load(visit: Visit): Promise<RunData> {
  const { context, userId } = visit;
  const listedAction = await visit.findAction(visit.part('id'));
  if (listedAction === undefined) throw notFound('action');
  const accounts = await listAccounts(visit, listedAction.catalog.id);
  const jobId = visit.query('job');
  const params =
    jobId === '' ? {} : Params.parse(JSON.parse((await getJobRecord(context, userId, jobId)).params));
  const typed = typeParams(listedAction.action.definition.parameters, params);
  return { ...listedAction, accounts, typed, credentialId: accounts[0]?.credentialId ?? '' };
}

/** Signed-in accounts, the default one first. */
async function listAccounts({ context, userId }: Visit, catalogId: string): Promise<Account[]> {
  const { identities } = await listIdentities(context, userId, { catalog_id: catalogId });
  const accounts = identities.flatMap(({ name, is_default, credentials }) =>
    credentials
      .filter(({ status }) => status === 'active')
      .slice(-1)
      .map(({ id }) => ({ credentialId: id, name, is_default })),
  );
  return accounts.sort((a, b) => Number(b.is_default) - Number(a.is_default));
}

export const runPage = page<RunData>({
  path: '/console/actions/:id/run',
  section: 'Catalogs',
  title: ({ action }) => `Run: ${action.definition.name}`,
  parent: ({ catalog: { definition } }) => ({
    path: getCatalogPath(definition.slug),
    name: definition.name,
  }),
  load,
  view: (data, { visitor }) =>
    data.confirm === undefined ? paramsView(data, visitor) : confirmView(data, data.confirm, visitor),
});

function paramsView({ action, catalog, accounts, typed, credentialId }: RunData, visitor: Visitor): Html {
  const { auth_mode: mode, action_id, description, parameters } = action.definition;
  if (mode === 'required' && accounts.length === 0)
    return emptyState(
      'This action needs an account.',
      buttonLink(getConnectPath(catalog.definition.slug), 'Connect an account'),
    );
  return html`<p>${description ?? ''}</p>
<form class="card" method="post" action="${getRunPath(action_id)}">${csrfField(visitor)}
${paramInputs(parameters, typed)}
${mode === 'none' ? '' : accountInput(accounts, mode, credentialId)}
<button name="step" value="confirm">Continue</button>
<p class="quiet">The next page shows the price. Nothing runs before you confirm.</p></form>`;
}

const accountInput = (accounts: readonly Account[], mode: string, chosen: string): Html =>
  html`<div class="field"><label for="credential">Account</label><select id="credential" name="credential_id">
${mode === 'optional' ? html`<option value="">Without an account</option>` : ''}
${accounts.map(
  ({ credentialId, name }) =>
    html`<option value="${credentialId}"${credentialId === chosen ? html` selected` : ''}>${cut(name, 100)}</option>`,
)}</select></div>`;

function confirmView(data: RunData, { params, nonce }: Confirm, visitor: Visitor): Html {
  const { action, accounts, typed, credentialId } = data;
  const { action_id, credits_per_call: base } = action.definition;
  const account = accounts.find((candidate) => candidate.credentialId === credentialId);
  const { balance } = visitor.user;
  const isAffordable = balance >= base;
  return html`<dl>
<dt>Price</dt><dd>${price(actionResource(action))}; refunded if the run fails</dd>
<dt>Balance</dt><dd>${creditsText(balance)}</dd>
${account === undefined ? '' : html`<dt>Account</dt><dd>${account.name}</dd>`}
<dt>Parameters</dt><dd><pre tabindex="0">${cut(JSON.stringify(params, undefined, 2), 10_000)}</pre></dd>
</dl>
${isAffordable ? '' : html`<div class="message"><p>${tooExpensive(base)}</p></div>`}
<form method="post" action="${getRunPath(action_id)}">${csrfField(visitor)}${hiddenParams(typed)}
${hiddenField('credential_id', credentialId)}${hiddenField('nonce', nonce)}${hiddenField('price', String(base))}
<div class="buttons">${isAffordable ? html`<button name="step" value="run">Run for ${creditsText(base)}</button>` : ''}
<button name="step" value="change" class="small">Change</button></div></form>`;
}

export const runForm = form({
  path: '/console/actions/:id/run',
  async accept(visit, posted) {
    const { data, params, problems } = await readRun(visit, posted);
    const { definition } = data.action;
    const issues = findParamIssues(definition, params).map(({ message }) => message);
    const problem = toProblem([...problems, ...issues]);
    if (problem !== undefined) return visit.show(await runPage.render(visit, data, problem), 422);
    const step = posted.get('step');
    if (step === 'change') return visit.show(await runPage.render(visit, data));
    const nonce = readNonce(posted);
    if (step !== 'run')
      return visit.show(await runPage.render(visit, { ...data, confirm: { params, nonce } }));
    if (posted.get('price') !== String(definition.credits_per_call)) {
      const message = 'The price has changed. Nothing was run; confirm the new price.';
      const confirm = { params, nonce: randomUUID() };
      return visit.show(await runPage.render(visit, { ...data, confirm }, { message }));
    }
    return visit.goTo(getJobPath(await submit(visit, data, { params, nonce })));
  },
  again: async (visit, posted, problem) =>
    runPage.render(visit, (await readRun(visit, posted)).data, problem),
});

async function readRun(visit: Visit, posted: URLSearchParams) {
  const start = await load(visit);
  const { params, typed, problems } = readParams(start.action.definition.parameters, posted);
  const data: RunData = { ...start, typed, credentialId: posted.get('credential_id') ?? '' };
  return { data, params, problems };
}

/** One sentence for each problem. */
function toProblem(texts: readonly string[]): Problem | undefined {
  const [first, ...others] = texts.slice(0, 10).map((text) => sentence(cut(text, 300)));
  if (first === undefined) return undefined;
  return others.length === 0
    ? { message: first }
    : {
        message: 'Nothing was run.',
        more: html`<ul>${[first, ...others].map((text) => html`<li>${text}</li>`)}</ul>`,
      };
}

/** The idempotency key belongs to one confirmation: sent twice, it is one run. */
async function submit(
  { context, userId }: Visit,
  { action, credentialId }: RunData,
  { params, nonce }: Confirm,
): Promise<string> {
  const body = {
    action_id: action.definition.action_id,
    params,
    ...(credentialId === '' ? {} : { credential_id: credentialId }),
  };
  const key = parseIdempotencyKey(`console-${nonce}`, 'task', body);
  return (await submitTask(context, userId, body, key)).jobId;
}

const readNonce = (posted: URLSearchParams): string => {
  const nonce = posted.get('nonce') ?? '';
  return /^[\w-]{1,64}$/.test(nonce) ? nonce : randomUUID();
};
