/** The row of a call that is about to be paid. */
import { wholeCharacters } from '../foundation/whole-characters.ts';
import { canonicalJson, type PaidCall } from './canonical.ts';
import { thisProcess } from './owner.ts';
import type { IntentRow } from './schema.ts';
import type { Terms } from './terms.ts';

export interface BeginOptions {
  /** The id of the new intent, if one is inserted. */
  readonly id: string;
  /** Milliseconds within which the request will have been answered or given up. */
  readonly submitWithinMs: number;
  readonly resubmit: boolean;
  /** Whether the request will carry the intent's id as its idempotency key. */
  readonly keyed: boolean;
  /** As of `IntentRow`. */
  readonly account?: string | null;
}

/** Its times are the database's when it is written. */
export type NewIntentRow = Omit<IntentRow, 'created_at' | 'deadline'>;

const maxShortParams = 200;

export function newIntent(
  call: PaidCall,
  hash: string,
  options: BeginOptions & Terms & { readonly principal: string; readonly serviceKey: string },
): NewIntentRow {
  const { id, principal, serviceKey, price, reserved, keyed, account = null } = options;
  return {
    id,
    principal,
    service_key: serviceKey,
    kind: call.kind,
    subject: call.subject,
    call_hash: hash,
    open: 1,
    state: 'intended',
    price,
    charged: reserved,
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
    params: shortParams(call.params),
    refusal: null,
  };
}

/** Params for a list: whole where they are short, else their beginning. */
function shortParams(params: unknown): string {
  const text = canonicalJson(params ?? {});
  return text.length <= maxShortParams ? text : `${wholeCharacters(text, maxShortParams - 1)}…`;
}
