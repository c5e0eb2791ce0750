/** The row of a call that is about to be paid, or is planned. */
import { wholeCharacters } from '../foundation/text.ts';
import type { PaidRow } from '../store/schema.ts';
import { type Agreement, callHash, canonicalJson, type PaidCall, type PlannedInput } from './call.ts';
import type { Spender, SpendLimits } from './limits.ts';
import { thisProcess } from './owner.ts';
import type { NewRow } from './row-statements.ts';

export interface Insertion {
  readonly id: string;
  readonly call: PaidCall;
  /** The base price in credits. */
  readonly price: number;
  /** What counts against the limits until the end, in credits. */
  readonly reserve: number;
  readonly limits: SpendLimits;
  /** Milliseconds within which the request will have been answered or given up. */
  readonly submitWithinMs: number;
  /** Whether the request will carry the row's id as its idempotency key. */
  readonly keyed: boolean;
  /** As of `PaidRow`. */
  readonly account: string | null;
  /** As of `PaidRow`. */
  readonly paidFor: string | null;
  readonly consent: string | undefined;
  /** As of `PlannedInput`. */
  readonly agreed?: Agreement | undefined;
  /** The row in doubt that a person overrides with `resubmit`. */
  readonly replaced?: PaidRow | undefined;
  /** Whether it waits for a lock that another process has. */
  readonly mayWait?: boolean | undefined;
}

/** A row to be claimed later. */
export type Plan = Pick<Insertion, 'id' | 'call' | 'price' | 'account' | 'paidFor' | 'agreed'>;

export function toRow(
  {
    id,
    call,
    price,
    reserve,
    keyed,
    account,
    paidFor,
    agreed,
  }: Omit<Insertion, 'limits' | 'submitWithinMs' | 'consent'>,
  { principal, serviceKey }: Spender,
  state: 'planned' | 'intended',
): NewRow {
  const { params, credentialId, signedIn } = call;
  const input: PlannedInput = { params: toObject(params), credentialId, signedIn, agreed };
  return {
    id,
    principal,
    service_key: serviceKey,
    kind: call.kind,
    subject: call.subject,
    call_hash: callHash(call),
    open: 1,
    state,
    price,
    charged: reserve,
    owner: thisProcess,
    keyed: keyed ? 1 : 0,
    job_id: null,
    duration_ms: null,
    outcome: null,
    submitted_at: null,
    finished_at: null,
    answered_at: null,
    delivered_at: null,
    account,
    // A build in doubt is found by its whole goal.
    params: call.kind === 'build' ? canonicalJson(params) : toShortParams(params),
    refusal: null,
    input: state === 'planned' ? JSON.stringify(input) : null,
    paid_for: paidFor,
    drift: null,
  };
}

const toObject = (params: unknown): PlannedInput['params'] =>
  typeof params === 'object' && params !== null ? { ...params } : {};

const maxShortParams = 200;

/** Params for a list: whole where they are short, else their beginning. */
function toShortParams(params: unknown): string {
  const text = canonicalJson(params ?? {});
  return text.length <= maxShortParams ? text : `${wholeCharacters(text, maxShortParams - 1)}…`;
}
