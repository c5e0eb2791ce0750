/** Runs an action from the console: the params are checked, the price is confirmed, and the run is submitted once. */
import { randomUUID } from 'node:crypto';
import type { Hono } from 'hono';
import { RequestError } from '../foundation/errors.ts';
import { notFound } from '../foundation/request-error.ts';
import type { Environment, Request } from '../http/authentication.ts';
import type { Context } from '../operations/context.ts';
import { parseIdempotencyKey } from '../operations/idempotency.ts';
import { listIdentities } from '../operations/identities.ts';
import { findParamIssues } from '../operations/param-issues.ts';
import { submitTask } from '../operations/submit-task.ts';
import { readParams } from './action-form.ts';
import type { Visitor } from './layout.ts';
import { type Account, confirmPage, paramsPage, type RunForm } from './run-action-page.ts';
import type { SessionGuard } from './session-guard.ts';

export function registerRunAction(
  console: Hono<Environment>,
  sessionGuard: SessionGuard,
  context: Context,
): void {
  const path = '/console/actions/:id/run';
  console.get(
    path,
    sessionGuard.page(async (visitor, request) =>
      paramsPage(visitor, await formFor(context, visitor, request)),
    ),
  );
  console.post(
    path,
    sessionGuard.form(async (visitor, posted, request) => {
      const start = await formFor(context, visitor, request);
      const { definition } = start.action;
      const { params, typed, problems } = readParams(definition.parameters, posted);
      const form = { ...start, typed, credentialId: posted.get('credential_id') ?? '' };
      const again = (problem: string, status: 422 | 200 = 422) =>
        request.html(paramsPage(visitor, form, problem), status);
      try {
        const issues = findParamIssues(definition, params).map(({ message }) => message);
        const wrong = [...problems, ...issues];
        if (wrong.length > 0) return await again(`${wrong.slice(0, 5).join('. ')}.`);
        if (posted.get('step') === 'change') return paramsPage(visitor, form);
        const nonce = readNonce(posted);
        if (posted.get('step') !== 'run') return confirmPage(visitor, form, { params, nonce });
        if (posted.get('price') !== String(definition.credits_per_call)) {
          const notice = 'The price has changed. Nothing was run; confirm the new price.';
          return confirmPage(visitor, form, { params, nonce: randomUUID(), notice });
        }
        return request.redirect(
          `/console/jobs/${await submit(context, visitor, form, { params, nonce })}`,
          303,
        );
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        return again(`${error.message.replace(/\.$/, '')}.`);
      }
    }),
  );
}

/** Refuses with `NOT_FOUND` for what the visitor does not see. */
async function formFor(context: Context, { user }: Visitor, request: Request): Promise<RunForm> {
  const id = request.req.param('id') ?? '';
  const listedAction = (await context.publication.current()).action(id, user.id);
  if (listedAction === undefined) throw notFound('action');
  const accounts = await listAccounts(context, user.id, listedAction.catalog.id);
  return { ...listedAction, accounts, typed: {}, credentialId: accounts[0]?.credentialId ?? '' };
}

/** Those that are signed in, the default one first. */
async function listAccounts(context: Context, userId: string, catalogId: string): Promise<Account[]> {
  const { identities } = await listIdentities(context, userId, { catalog_id: catalogId });
  const accounts = identities.flatMap(({ name, is_default, credentials }) =>
    credentials
      .filter(({ status }) => status === 'active')
      .slice(-1)
      .map(({ id }) => ({ credentialId: id, name, is_default })),
  );
  return accounts.sort((a, b) => Number(b.is_default) - Number(a.is_default));
}

/** The key belongs to one confirmation: sent twice, it is one run. */
async function submit(
  context: Context,
  { user }: Visitor,
  { action, credentialId }: RunForm,
  { params, nonce }: { params: Record<string, unknown>; nonce: string },
): Promise<string> {
  const body = {
    action_id: action.definition.action_id,
    params,
    ...(credentialId === '' ? {} : { credential_id: credentialId }),
  };
  const key = parseIdempotencyKey(`console-${nonce}`, 'task', body);
  return (await submitTask(context, user.id, body, key)).jobId;
}

const readNonce = (posted: URLSearchParams): string => {
  const nonce = posted.get('nonce') ?? '';
  return /^[\w-]{1,64}$/.test(nonce) ? nonce : randomUUID();
};
