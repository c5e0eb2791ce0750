/**
 * The states of a paid row and every change between them. A change names the states it may come from, and is written as a
 * compare-and-set: where another process was faster, nothing is changed.
 *
 *     planned ──claim──▶ intended ──accept──▶ submitted ──finish──▶ finished ──deliver──▶ delivered ──(takeBack)
 *        └──drop──▶ refused  │ │                   └──────lose─────▶ lost ──(recover, finish: the job is there again)
 *                            │ └──refuse──▶ refused
 *                            └──doubt──▶ unknown ──(accept, refuse, finish: an answer that came late; askAgain: by its key)
 */
import type { PaidRow, RowState } from './schema.ts';

interface ChangeRule {
  readonly from: readonly RowState[];
  readonly to: RowState;
  /** After it the same call is a new one. */
  readonly closes?: true;
}

const changes = {
  /** One process is to send the request. */
  claim: { from: ['planned'], to: 'intended' },
  /** A planned row is not sent: nothing is charged. */
  drop: { from: ['planned'], to: 'refused', closes: true },
  /** The service took the request. */
  accept: { from: ['intended', 'unknown'], to: 'submitted' },
  /** The service did not take it, or it was never sent: nothing is charged. */
  refuse: { from: ['intended', 'unknown'], to: 'refused', closes: true },
  /** Nobody knows whether the service took it. */
  doubt: { from: ['intended'], to: 'unknown' },
  /** The service is asked again by the same idempotency key, so that it is not charged twice. */
  askAgain: { from: ['unknown'], to: 'intended' },
  /** The service is about to be asked once more, by the same key, by the same process. */
  renew: { from: ['intended'], to: 'intended' },
  /** The job ended, and its result is kept. */
  finish: { from: ['intended', 'unknown', 'submitted', 'lost'], to: 'finished' },
  /** The service does not know the job: a finding, not an end. */
  lose: { from: ['submitted'], to: 'lost' },
  /** The service knows the job again, and it runs. */
  recover: { from: ['lost'], to: 'submitted' },
  /** The end reached the caller: a repeat is a new run, by the caller's will. */
  deliver: { from: ['finished'], to: 'delivered', closes: true },
  /** The caller had not read it after all: its cancel crossed the answer. */
  takeBack: { from: ['delivered'], to: 'finished' },
  /** The loss was told to the caller: a repeat looks once more, and is a new run if the job is still gone. */
  deliverLoss: { from: ['lost'], to: 'lost' },
  /** A repeat found the job still gone after its loss was told. */
  closeLoss: { from: ['lost'], to: 'lost', closes: true },
} as const satisfies Record<string, ChangeRule>;

export type RowChange = keyof typeof changes;
export const allChanges = Object.keys(changes).filter((name): name is RowChange => name in changes);
export const changeRule = (change: RowChange): ChangeRule => changes[change];

/** The reason kept with a planned row that nobody claimed in time. */
export const notSent = { code: 'NOT_SENT', message: 'Nobody waited for it any more. It was not sent.' };
export const notSentText = JSON.stringify(notSent);

/** The input of a planned row that was closed without being sent. A claimed row has null instead. */
export const droppedInput = '{}';

/** Whether the row was planned, and closed before anybody claimed it. */
export const wasDropped = ({ state, input }: Pick<PaidRow, 'state' | 'input'>): boolean =>
  state === 'refused' && input !== null;

/** Whether whoever began it had gone before it was sent: others who want the call pay for it anew. */
export const wasCancelled = ({ state, input, refusal }: PaidRow): boolean =>
  state === 'refused' && input === null && Object(JSON.parse(refusal ?? 'null')).code === 'CANCELLED';

/** A planned row as it is where the database has lost it: closed without being sent. */
export const asDropped = (row: PaidRow): PaidRow => ({
  ...row,
  open: 0,
  state: 'refused',
  refusal: notSentText,
  input: droppedInput,
});

/** A planned row that nobody claims is closed after so many milliseconds. */
export const plannedMs = 60 * 60_000;
/** An `unknown` row blocks the same call this long, in milliseconds since it was claimed, even if nobody asks for it. */
export const unknownBlockMs = 24 * 60 * 60_000;
/** An answer that was written, without a sign that it was read, waits this long for the same call. */
const unreadMs = 2 * 60_000;
/** A result that was not delivered waits this long for the same call. */
export const undeliveredMs = 60 * 60_000;
/** A lost job is looked for by a repeat of its call this long. */
const lostMs = 30 * 24 * 60 * 60_000;
/** An accepted job that was not asked for since joins no repeat of its call after this. */
export const unansweredMs = 24 * 60 * 60_000;

/** When an open row stops to attach or block, as SQL in milliseconds since the epoch; null: only a change closes it. */
export const closesAtSql = `case state
  when 'planned' then created_at + ${plannedMs}
  when 'intended' then deadline + ${unknownBlockMs}
  when 'unknown' then created_at + ${unknownBlockMs}
  when 'submitted' then coalesce(submitted_at, created_at) + ${unansweredMs}
  when 'finished' then coalesce(answered_at + ${unreadMs}, finished_at + ${undeliveredMs})
  when 'lost' then finished_at + ${lostMs}
  end`;

/** Whether a loss was told, so that a repeat of the call need not hear of it again, as SQL. `now`: the store's clock. */
export const lossToldSql = (now: string): string =>
  `state = 'lost' and (delivered_at is not null or answered_at + ${unreadMs} <= ${now})`;

/** Whether the call is being sent or its job runs. */
export const isUnderWay = ({ state }: Pick<PaidRow, 'state'>): boolean =>
  state === 'intended' || state === 'submitted';
/** Whether the service can be asked for free, by the key of the request, what became of it. */
export const isAskable = ({ state, open, keyed }: Pick<PaidRow, 'state' | 'open' | 'keyed'>): boolean =>
  state === 'unknown' && open === 1 && keyed === 1;
export const isPlanned = ({ state }: Pick<PaidRow, 'state'>): boolean => state === 'planned';
