/** What is bought: one object from the tool to the row. A new fact of a call passes the tool's input, `Order` and the row. */
import { randomUUID } from 'node:crypto';
import type { ApiError } from '../../client/errors.ts';
import type { ListedPrice } from '../../contract/price.ts';
import type { SearchResult } from '../../contract/resources.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import type { GatewayError } from '../foundation/errors.ts';
import { wholeCharacters } from '../foundation/text.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import type { GroupRow, PaidRow } from '../store/schema.ts';
import { callHash, canonicalJson, type PaidCall, type StoredInput } from './call-identity.ts';
import type { Look } from './kind.ts';
import type { CallPrice } from './limit-refusals.ts';
import { thisProcess } from './owner.ts';
import type { Spender, SpendLimits } from './spending-limits.ts';

/** An action, as its caller found it. */
export interface Offer {
  readonly action: SearchResult;
  readonly snapshot: Snapshot;
}

/** A run or a build that is to be paid, alone or in a group. */
export interface Order extends PaidCall {
  readonly params: JsonObject;
  /** As of `PaidRow`. */
  readonly account: string | null;
  /** The account as the caller named it. */
  readonly identity?: string | undefined;
  /** Of a run. */
  readonly offer?: Offer | undefined;
  /** For a person. */
  readonly name: string;
  /** What a further one costs, and this one where nothing newer is known. */
  readonly listed: ListedPrice;
  /** `max_credits` of a single call. */
  readonly maxCredits?: number | undefined;
  /** The group that pays it; undefined: a single call. */
  readonly group?: GroupAgreement | undefined;
  /** Whether it goes past a doubt. */
  readonly resubmit: boolean;
  /** Milliseconds within which the request will have been answered or given up. */
  readonly submitWithinMs: number;
  /** The progress message while it is sent. */
  readonly announcement: string;
  /** Sends the request once, with the row's id as its key where `row.keyed`. Rejects with an `ApiError`. */
  send(row: PaidRow, timeoutMs: number): Promise<Acceptance>;
  /** The refusal for an error after which nothing was charged. */
  refusal(error: ApiError): GatewayError | Promise<GatewayError>;
}

/** What was agreed for a group or a watch, all its rows together. */
export interface GroupAgreement extends Pick<GroupRow, 'allowance' | 'confirmed'> {
  /** Of the group, or of the watch whose due times are paid together. */
  readonly groupId: string;
  /** Of a watch: each of its runs is within the limits of a single call, at the price that was agreed to. */
  readonly watch?: { readonly price: number | undefined } | undefined;
}

/** What the service answered; `end` where that was the job's end already (a sync action). */
export interface Acceptance {
  readonly jobId?: string;
  readonly end?: Look;
}

/** What an order costs now, and which limits its insert or claim has to keep. */
export interface Quote {
  readonly priced: CallPrice;
  readonly limits: SpendLimits;
  /** False while a limit applies and nothing says what a call costs: one run goes first and shows it. */
  readonly isCostKnown: boolean;
  /** The person's answer that the insert or the claim uses up. */
  readonly consent?: string | undefined;
}

/** A row before it is written: its times are the database's. */
export type UnwrittenRow = Omit<PaidRow, 'created_at' | 'deadline'>;

/** The row of an order that is to be claimed later. It costs nothing yet. */
export function toPlannedRow(order: Order, spender: Spender): UnwrittenRow {
  const { params, credentialId, signedIn, listed } = order;
  const input = JSON.stringify({ params, credentialId, signedIn } satisfies StoredInput);
  return { ...newRow(order, spender), id: randomUUID(), state: 'planned', price: listed.base, input };
}

/** The row of an order that this process is about to send. */
export function toRow(
  order: Order,
  { id, price, reserve, keyed }: { id: string; price: number; reserve: number; keyed: boolean },
  spender: Spender,
): UnwrittenRow {
  return { ...newRow(order, spender), id, state: 'intended', price, charged: reserve, keyed: keyed ? 1 : 0 };
}

const newRow = (order: Order, { principal, serviceKey }: Spender) => ({
  principal,
  service_key: serviceKey,
  kind: order.kind,
  subject: order.subject,
  call_hash: callHash(order),
  open: 1,
  charged: 0,
  owner: thisProcess,
  keyed: 0,
  job_id: null,
  duration_ms: null,
  outcome: null,
  submitted_at: null,
  finished_at: null,
  answered_at: null,
  delivered_at: null,
  account: order.account,
  // A build in doubt is found by its whole goal.
  params: order.kind === 'build' ? canonicalJson(order.params) : toShortParams(order.params),
  refusal: null,
  input: null,
  paid_for: order.group?.groupId ?? null,
  version: order.offer?.action.wheel_version ?? null,
  drift: null,
});

const maxShortParams = 200;

/** Params for a list: whole where they are short, else their beginning. */
function toShortParams(params: JsonObject): string {
  const text = canonicalJson(params);
  return text.length <= maxShortParams ? text : `${wholeCharacters(text, maxShortParams - 1)}…`;
}
