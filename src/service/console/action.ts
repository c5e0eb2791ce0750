/** One action: what it does, and its form. The params are checked, the price is confirmed, and the run is submitted once. */
import { randomUUID } from 'node:crypto';
import { html } from 'hono/html';
import * as z from 'zod';
import { creditsText } from '../../contract/price.ts';
import { formField, type Html } from '../../http/page.ts';
import type { ListedAction, ListedCatalog } from '../catalog/listing.ts';
import { actionResource } from '../catalog/resources.ts';
import { notFound } from '../foundation/request-error.ts';
import { parseIdempotencyKey } from '../operations/idempotency.ts';
import { listIdentities } from '../operations/identities.ts';
import { getJobRecord } from '../operations/job-history.ts';
import { listBuiltActions } from '../operations/manage-builds.ts';
import { findParamIssues } from '../operations/param-issues.ts';
import { submitTask } from '../operations/submit-task.ts';
import { postForm } from './form.ts';
import { buttonLink, cut, emptyState, factList, notice, price, sentence, tooExpensive } from './html.ts';
import type { Problem } from './layout.ts';
import { changeSection } from './own-actions.ts';
import { form, page, type Visit } from './pages.ts';
import { actionsPath, getConnectPath, getJobPath, getRunPath, getSitePath } from './paths.ts';
import { type FormEntries, paramInputs, readParams, schemaDetails, typeParams } from './schema-form.ts';
import type { Visitor } from './sessions.ts';

/** An account that the action can be run with. */
interface Account {
  readonly credentialId: string;
  readonly name: string;
}

interface ActionData {
  readonly catalog: ListedCatalog;
  readonly action: ListedAction;
  readonly accounts: readonly Account[];
  readonly typed: FormEntries;
  /** Nothing was typed yet. */
  readonly isFresh: boolean;
  /** The user built the action. */
  readonly isOwn: boolean;
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

/** With `?job=` the params and the account of that job. Refuses with `NOT_FOUND` for what the visitor does not see. */
async function load(visit: Visit): Promise<ActionData> {
  const { context, userId } = visit;
  const listedAction = await visit.findAction(visit.part('id'));
  if (listedAction === undefined) throw notFound('action');
  const actionId = listedAction.action.definition.action_id;
  const [accounts, built] = await Promise.all([
    listAccounts(visit, listedAction.catalog.id),
    listBuiltActions(context.database, { userId, actionId }),
  ]);
  const jobId = visit.query('job');
  const job = jobId === '' ? undefined : await getJobRecord(context, userId, jobId);
  const params = Params.parse(JSON.parse(job?.params ?? '{}'));
  const typed = typeParams(listedAction.action.definition.parameters, params);
  const rest = {
    isFresh: job === undefined,
    isOwn: built.length > 0,
    credentialId:
      (job === undefined ? accounts[0] : accounts.find(({ name }) => name === job.account))?.credentialId ??
      '',
  };
  return { ...listedAction, ...rest, accounts, typed };
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

export const actionPage = page<ActionData>({
  path: `${actionsPath}/:id/run`,
  section: 'Actions',
  title: ({ action }) => action.definition.name,
  load,
  view: (data, visit) =>
    data.confirm === undefined
      ? paramsView(data, visit.visitor)
      : confirmView(data, data.confirm, visit.visitor),
});

function paramsView(data: ActionData, visitor: Visitor): Html {
  const { action, catalog, isOwn } = data;
  const { name, action_id, description, parameters } = action.definition;
  const resource = actionResource(action);
  return html`<p>${description ?? ''}</p>
<p class="quiet"><a href="${getSitePath(catalog.definition.slug)}">${catalog.definition.name}</a> · <code>${action_id}</code></p>
${resource.unavailable_reason === undefined ? '' : notice('wait', 'This action cannot be run', resource.unavailable_reason)}
${paramsForm(data, visitor)}
${schemaDetails(name, parameters)}
${isOwn ? changeSection(resource, visitor) : ''}`;
}

function paramsForm(
  { action, catalog, accounts, typed, isFresh, credentialId }: ActionData,
  visitor: Visitor,
): Html {
  const { auth_mode: mode, action_id, parameters } = action.definition;
  if (mode === 'required' && accounts.length === 0)
    return emptyState(
      'This action needs an account.',
      buttonLink(getConnectPath(catalog.definition.slug), 'Connect an account'),
    );
  return postForm({
    action: getRunPath(action_id),
    visitor,
    kind: 'card',
    content: html`${paramInputs(parameters, typed, isFresh)}
${mode === 'none' ? '' : accountInput(accounts, mode, credentialId)}
<div class="buttons"><button name="step" value="confirm">Continue</button><span>${price(actionResource(action))}</span></div>
<p class="quiet">Nothing runs before you confirm on the next page.</p>`,
  });
}

const accountInput = (accounts: readonly Account[], mode: string, chosen: string): Html =>
  formField({
    id: 'credential',
    name: 'credential_id',
    label: 'Account',
    type: 'select',
    value: chosen,
    options: [
      ...(mode === 'optional' ? [['', 'Without an account'] as const] : []),
      // The account of an earlier run is gone: no other one takes its place unasked.
      ...(mode === 'required' && chosen === '' ? [['', 'Choose an account'] as const] : []),
      ...accounts.map(({ credentialId, name }) => [credentialId, cut(name, 100)] as const),
    ],
  });

function confirmView(data: ActionData, { params, nonce }: Confirm, visitor: Visitor): Html {
  const { action, accounts, typed, credentialId } = data;
  const { action_id, credits_per_call: base } = action.definition;
  const isAffordable = visitor.user.balance >= base;
  return html`${factList({
    Price: html`${price(actionResource(action))}; refunded if the run fails`,
    Account: accounts.find((candidate) => candidate.credentialId === credentialId)?.name,
    Parameters: html`<pre tabindex="0">${cut(JSON.stringify(params, undefined, 2), 10_000)}</pre>`,
  })}
${isAffordable ? '' : notice('bad', 'Too few credits', tooExpensive(base))}
${postForm({
  action: getRunPath(action_id),
  visitor,
  hidden: { ...typed, credential_id: credentialId, nonce, price: String(base) },
  content: html`<div class="buttons">${isAffordable ? html`<button name="step" value="run">Run for ${creditsText(base)}</button>` : ''}
<button name="step" value="change" class="small">Change</button></div>`,
})}`;
}

export const runForm = form({
  path: `${actionsPath}/:id/run`,
  async accept(visit, posted) {
    const { data, params, problems } = await readRun(visit, posted);
    const { definition } = data.action;
    const issues = findParamIssues(definition, params).map(({ message }) => message);
    const problem = toProblem([...problems, ...issues]);
    if (problem !== undefined) return visit.show(await actionPage.render(visit, data, problem), 422);
    const step = posted.get('step');
    if (step === 'change') return visit.show(await actionPage.render(visit, data));
    const nonce = readNonce(posted);
    if (step !== 'run')
      return visit.show(await actionPage.render(visit, { ...data, confirm: { params, nonce } }));
    if (posted.get('price') !== String(definition.credits_per_call)) {
      const message = 'The price has changed. Nothing was run; confirm the new price.';
      const confirm = { params, nonce: randomUUID() };
      return visit.show(await actionPage.render(visit, { ...data, confirm }, { message }));
    }
    return visit.goTo(getJobPath(await submit(visit, data, { params, nonce })));
  },
  again: async (visit, posted, problem) =>
    actionPage.render(visit, (await readRun(visit, posted)).data, problem),
});

async function readRun(visit: Visit, posted: URLSearchParams) {
  const start = await load(visit);
  const { params, typed, problems } = readParams(start.action.definition.parameters, posted);
  const data: ActionData = {
    ...start,
    typed,
    isFresh: false,
    credentialId: posted.get('credential_id') ?? '',
  };
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
  { action, credentialId }: ActionData,
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
