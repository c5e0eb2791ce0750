/**
 * The states of a paid call and every change between them. A change names the states it may come from, and is written
 * as a compare-and-set: where another process was faster, nothing is changed.
 *
 *     intended ──accept──▶ submitted ──finish──▶ finished ──deliver──▶ delivered
 *        │ │                   └──────lose─────▶ lost
 *        │ └──refuse──▶ refused
 *        └──doubt──▶ unknown ──(accept, refuse, finish: an answer that came late; askAgain: with an idempotency key)
 */
import type { IntentRow, IntentState } from './schema.ts';

interface ChangeRule {
  readonly from: readonly IntentState[];
  readonly to: IntentState;
  /** After it the same call is a new one. */
  readonly closes?: true;
}

const changes = {
  /** The service took the request. */
  accept: { from: ['intended', 'unknown'], to: 'submitted' },
  /** The service did not take it, or it was never sent: nothing is charged. */
  refuse: { from: ['intended', 'unknown'], to: 'refused', closes: true },
  /** Nobody knows whether the service took it. */
  doubt: { from: ['intended'], to: 'unknown' },
  /** The service is asked again by the same idempotency key, so that it is not charged twice. */
  askAgain: { from: ['unknown'], to: 'intended' },
  /** The job ended, and its result is kept. */
  finish: { from: ['intended', 'unknown', 'submitted'], to: 'finished' },
  /** The service does not know the job any more. */
  lose: { from: ['submitted'], to: 'lost' },
  /** The end reached the caller: a repeat is a new run, by the caller's will. */
  deliver: { from: ['finished'], to: 'delivered', closes: true },
  /** The loss was told to the caller. */
  deliverLoss: { from: ['lost'], to: 'lost', closes: true },
} as const satisfies Record<string, ChangeRule>;

export type Change = keyof typeof changes;
export const changeRule = (change: Change): ChangeRule => changes[change];

/** An `unknown` blocks the same call this long, in milliseconds since it was intended. */
export const unknownBlockMs = 24 * 60 * 60_000;
/** An answer written to a client that left at once, without a sign that it was read, waits this long. */
const unconfirmedMs = 2 * 60_000;
/** A result that was not delivered waits this long for the same call. */
export const undeliveredMs = 60 * 60_000;
/** A job that was accepted this long ago, and not asked for since, does not attach a new call. */
export const unansweredMs = 24 * 60 * 60_000;

/** When an open call of this state stops to attach or block; undefined where only a change ends that. */
export function closesAt(intent: IntentRow): number | undefined {
  switch (intent.state) {
    case 'unknown':
      return intent.created_at + unknownBlockMs;
    case 'submitted':
      return (intent.submitted_at ?? intent.created_at) + unansweredMs;
    case 'finished':
    case 'lost':
      return intent.answered_at === null
        ? (intent.finished_at ?? 0) + undeliveredMs
        : intent.answered_at + unconfirmedMs;
    default:
      return undefined;
  }
}
