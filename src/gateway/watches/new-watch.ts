/** A watch that is wanted, read and checked, and how it begins. */
import { randomUUID } from 'node:crypto';
import type { Api } from '../../contract/api.ts';
import { isReadingType } from '../catalog/action-tool.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { checkIdentity } from '../catalog/tool-arguments.ts';
import { actionNotFound } from '../catalog/unknown-names.ts';
import { GatewayError, stopIfCancelled } from '../foundation/errors.ts';
import { cleanText } from '../foundation/text.ts';
import type { CallContext, NewWatchInput } from '../interface/gateway.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import type { Offer } from '../paid/order.ts';
import type { ActingAccount, Runs } from '../paid/runs.ts';
import type { OpenStore } from '../paid/store.ts';
import type { NewWatch } from '../store/watch-rows.ts';
import { nextDue } from './schedule.ts';
import { clockworkOf, defaults, readSettings, watchHash } from './watch-input.ts';

const catalogMs = 20_000;

interface Dependencies {
  readonly api: Api;
  readonly catalog: Catalog;
  readonly runs: Runs;
}

/** What it runs, and for whom. */
export interface Wanted {
  readonly offer: Offer;
  readonly params: JsonObject;
  readonly account: ActingAccount;
  readonly callHash: string;
  readonly now: number;
}

/** Rejects as a run does, before anything is sent. */
export async function readWanted(
  input: NewWatchInput,
  { signal }: Pick<CallContext, 'signal'>,
  store: OpenStore,
  { api, catalog, runs }: Dependencies,
): Promise<Wanted> {
  const snapshot = await catalog.snapshotFor(input.action_id);
  const action = snapshot.action(input.action_id);
  if (action === undefined) throw actionNotFound(input.action_id, snapshot);
  checkIdentity(action, input.identity);
  const now = await store.watchQueries.now();
  readSettings(input, now);
  await refuseWrites({ action, snapshot }, api, signal);
  const params = await runs.check(action, input.params ?? {});
  const account = await runs.chooseAccount(action, { identity: input.identity }, signal);
  stopIfCancelled(signal);
  const callHash = watchHash(action, params, account.account);
  return { offer: { action, snapshot }, params, account, callHash, now };
}

/** Rejects with `WATCH_WRITES` unless somebody says that the action only reads. */
async function refuseWrites({ action, snapshot }: Offer, api: Api, signal: AbortSignal): Promise<void> {
  const known = snapshot.getType(action);
  if (isReadingType(known)) return;
  const isUnknown = known === undefined || known === '';
  const details = isUnknown
    ? await api.getCatalog(action.catalog_slug, { signal, timeoutMs: catalogMs }).catch(() => undefined)
    : undefined;
  const type = details?.actions.find(({ action_id }) => action_id === action.action_id)?.type ?? known;
  if (isReadingType(type)) return;
  const name = cleanText(action.action_id, 120);
  const reason =
    type === undefined || type === ''
      ? 'does not say that it only reads'
      : `is of type ${cleanText(type, 40)}, not one that only reads`;
  throw new GatewayError(
    'WATCH_WRITES',
    `${name} ${reason}, and what a clock runs must not change anything. Nothing was sent.`,
    {
      kind: 'find',
      what: 'action',
    },
  );
}

/** What the store adds. */
export const unwritten = {
  principal: '',
  version: '',
  created_at: 0,
  allowance: 0,
  confirmed: null,
  price: 0,
};

export function toDraft(
  input: NewWatchInput,
  { offer, params, callHash, now }: Wanted,
): Omit<NewWatch, 'allowance' | 'confirmed' | 'price'> {
  const settings = { every: '', ...defaults(now), ...readSettings(input, now) };
  const draft = {
    id: `watch-${randomUUID()}`,
    action_id: offer.action.action_id,
    call_hash: callHash,
    params: JSON.stringify(params),
    identity: input.identity ?? null,
    key_field: null,
    ignore: null,
    told_when: null,
    ...settings,
    anchor: now,
    next_at: now,
    extra_at: null,
    extra_reason: null,
    unsteady: '[]',
    base_row: null,
    first_row: null,
    suspect_row: null,
    compared_by: null,
    fields: null,
    state: 'active',
    problem: null,
    failures: 0,
    missed: 0,
    seen_seq: 0,
    sent_seq: 0,
    send_at: 0,
    send_tries: 0,
    last_run_at: null,
  } as const;
  return { ...draft, next_at: nextDue(clockworkOf({ ...draft, ...unwritten }), now) };
}
