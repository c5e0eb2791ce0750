/**
 * Handles: what a caller holds instead of waiting. One is a view of an intent, so it needs no care of its own: what the
 * service is asked, and what its answers mean, stands in `runs/` and `builds/`.
 *
 * Where the process may die, and what the next one finds:
 * 1. before the handle is written: the caller has no answer; the same call is attached to the intent, as ever.
 * 2. after it is written: the handle, and behind it the intent in whatever state it is.
 */
import { setMaxListeners } from 'node:events';
import * as z from 'zod';
import type { Builds } from '../builds/builds.ts';
import type { Clock } from '../clock.ts';
import { GatewayError } from '../errors.ts';
import type { CallContext, Handle, Handles } from '../gateway.ts';
import type { Jobs } from '../jobs.ts';
import { isFailure, isUnfinished, type JsonObject, type Outcome } from '../outcomes.ts';
import type { Intent } from '../paid-calls/intents.ts';
import { ownJobId } from '../paid-calls/job-ids.ts';
import { within } from '../paid-calls/within.ts';
import { defaultRunLimits, type RunLimits } from '../runs/limits.ts';
import { pollSchedule } from '../runs/poll-schedule.ts';
import type { Runs } from '../runs/runs.ts';
import type { GatewayStore, OpenStore } from '../store/gateway-store.ts';
import type { HandleRow } from '../store/schema.ts';
import { cleanText } from '../text.ts';
import type { Place } from './kept-handles.ts';

/** An answer that cost nothing need not be kept for long. */
/** The longest life of a handle on a paid call. */
export const paidMs = 7 * 24 * 60 * 60_000;
const unpaidMs = 60 * 60_000;
const leastMs = 1_000;
const pageSize = 50;
const fastestPollMs = 500;
const slowestPollMs = 30_000;
const buildPollMs = 2_000;

interface Parts {
  readonly store: GatewayStore;
  readonly runs: Runs;
  readonly builds: Builds;
  readonly jobs: Jobs;
  /** Turns what the parts throw into bodies. */
  readonly answering: (work: () => Promise<Outcome>) => Promise<Outcome>;
  readonly clock: Clock;
  readonly limits?: Partial<RunLimits> | undefined;
}

/** An intent whose end is waited for. */
interface Followed {
  /** Never rejects: nobody may be waiting for it. */
  end: Promise<void>;
  /** Those who wait for it now. */
  watching: number;
  lookedAt: number;
}

export class StoredHandles implements Handles {
  readonly #parts: Parts;
  /** The intents whose end is waited for, however many look for it. */
  readonly #followed = new Map<string, Followed>();
  readonly #closing = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
    setMaxListeners(0, this.#closing.signal);
  }

  async open(outcome: Outcome, { ttlMs }: { ttlMs?: number | undefined } = {}): Promise<Handle> {
    const store = await this.#parts.store.open();
    const { paidCall, body, view } = outcome;
    const longest = paidCall === undefined ? unpaidMs : paidMs;
    const row = await store.handles.add(
      paidCall === undefined
        ? { intent_id: null, answer: JSON.stringify(body), view: null }
        : { intent_id: paidCall, answer: null, view: view === undefined ? null : JSON.stringify(view) },
      {
        now: this.#parts.clock.now(),
        ttlMs: Math.trunc(Math.max(leastMs, Math.min(ttlMs ?? longest, longest))),
      },
    );
    const intent = await intentOf(row, store);
    if (intent !== undefined && isUnderWay(intent)) this.#follow(intent);
    return this.#shown(row, intent, store);
  }

  async look(id: string, { signal, waitMs }: Pick<CallContext, 'signal' | 'waitMs'>) {
    const store = await this.#parts.store.open();
    const row = await store.handles.find(id, this.#parts.clock.now());
    if (row === undefined) return undefined;
    let intent = await intentOf(row, store);
    if (row.given_up_at === null && intent !== undefined && isUnderWay(intent)) {
      await this.#watch(intent, waitMs, signal);
      // It may have ended, or been given up by another process.
      const now = await store.handles.find(id, this.#parts.clock.now());
      if (now === undefined) return undefined;
      row.given_up_at = now.given_up_at;
      intent = await intentOf(row, store);
    }
    const handle = await this.#shown(row, intent, store);
    if (handle.state === 'under-way') return { handle };
    const outcome = await this.#outcomeOf(row, intent);
    // An end is told once and for all, so not from a moment in which the service does not tell it.
    if (intent !== undefined && isUnfinished(outcome.body)) throw untold(intent);
    return { handle, outcome };
  }

  async giveUp(id: string) {
    const store = await this.#parts.store.open();
    const before = await store.handles.find(id, this.#parts.clock.now());
    if (before === undefined) return undefined;
    await store.handles.giveUp(id, this.#parts.clock.now());
    const row = (await store.handles.find(id, this.#parts.clock.now())) ?? before;
    const intent = await intentOf(row, store);
    const had = before.given_up_at === null && row.given_up_at !== null ? 'not-ended' : 'ended';
    return { handle: await this.#shown(row, intent, store), had } as const;
  }

  async list(cursor?: string) {
    const store = await this.#parts.store.open();
    const place = cursor === undefined ? undefined : placeOf(cursor);
    const rows = await store.handles.list(this.#parts.clock.now(), pageSize + 1, place);
    const page = rows.slice(0, pageSize);
    const handles = await Promise.all(
      page.map(async (row) => this.#shown(row, await intentOf(row, store), store)),
    );
    const last = page.at(-1);
    return {
      handles,
      ...(rows.length > pageSize && last !== undefined && { nextCursor: cursorAfter(last) }),
    };
  }

  /** Nobody is waited for any more. */
  close(): void {
    this.#closing.abort();
  }

  async #watch(intent: Intent, waitMs: number, signal: AbortSignal): Promise<void> {
    const followed = this.#follow(intent);
    followed.watching += 1;
    try {
      await within(followed.end, waitMs, signal, this.#closing.signal);
    } finally {
      followed.watching -= 1;
      followed.lookedAt = this.#parts.clock.monotonic();
    }
  }

  /** Waits for the end as long as somebody waits too, or looks now and then. */
  #follow(intent: Intent): Followed {
    const known = this.#followed.get(intent.id);
    if (known !== undefined) {
      known.lookedAt = this.#parts.clock.monotonic();
      return known;
    }
    const followed: Followed = {
      end: Promise.resolve(),
      watching: 0,
      lookedAt: this.#parts.clock.monotonic(),
    };
    followed.end = this.#awaitEnd(intent, followed)
      // A refusal to answer, or a store that fails, ends this wait; whoever looks next begins another.
      .catch(() => undefined)
      .finally(() => this.#followed.delete(intent.id));
    this.#followed.set(intent.id, followed);
    return followed;
  }

  /** Resolves when the end is written, or nobody looked for long. */
  async #awaitEnd(intent: Intent, followed: Readonly<Omit<Followed, 'end'>>): Promise<void> {
    const { runs, builds, store, clock, limits } = this.#parts;
    const { unwatchedMs } = { ...defaultRunLimits, ...limits };
    const { intents } = await store.open();
    for (;;) {
      const startedAt = clock.monotonic();
      const left = followed.watching > 0 ? unwatchedMs : followed.lookedAt + unwatchedMs - startedAt;
      const now = await intents.reread(intent.id);
      if (left <= 0 || this.#closing.signal.aborted || now === undefined || !isUnderWay(now)) return;
      const context: CallContext = {
        signal: this.#closing.signal,
        waitMs: left,
        progress: () => undefined,
        confirmation: 'cannot-ask',
      };
      try {
        const { body } = await (now.kind === 'build'
          ? builds.follow(now, context)
          : runs.follow(now, context));
        // It has ended, or waits are being ended: the process shuts down. Timers may be a moment early by the clock.
        if (!isUnfinished(body) || clock.monotonic() < startedAt + left - 50) return;
      } finally {
        await runs.written();
      }
    }
  }

  async #outcomeOf(row: HandleRow, intent: Intent | undefined): Promise<Outcome> {
    const { answering, jobs, builds } = this.#parts;
    if (row.given_up_at !== null) return { body: givenUp(intent).body };
    if (intent === undefined) return { body: parsed(row.answer) };
    const context: CallContext = {
      signal: this.#closing.signal,
      waitMs: 0,
      progress: () => undefined,
      confirmation: 'cannot-ask',
    };
    return answering(async () =>
      intent.kind === 'build'
        ? builds.follow(intent, context)
        : jobs.select(
            await jobs.get(intent.job_id ?? ownJobId(intent.id), {}, context, { asRun: true }),
            viewOf(row),
            context,
          ),
    );
  }

  async #shown(row: HandleRow, intent: Intent | undefined, { intents }: OpenStore): Promise<Handle> {
    const state = stateOf(row, intent);
    return {
      id: row.id,
      state,
      message: messageOf(state, intent),
      createdAt: row.created_at,
      updatedAt: row.given_up_at ?? intent?.finished_at ?? intent?.submitted_at ?? row.created_at,
      expiresAt: row.expires_at,
      pollMs:
        state === 'under-way' ? await pollMsOf(intent, intents, this.#parts.clock.now()) : fastestPollMs,
    };
  }
}

const View = z.object({ path: z.string().optional(), format: z.enum(['json', 'csv']).optional() });
const viewOf = ({ view }: HandleRow) => View.parse(JSON.parse(view ?? '{}'));

const isUnderWay = ({ state }: Intent): boolean => state === 'intended' || state === 'submitted';

const intentOf = async (row: HandleRow, { intents }: OpenStore): Promise<Intent | undefined> =>
  row.intent_id === null ? undefined : intents.reread(row.intent_id);

function stateOf(row: HandleRow, intent: Intent | undefined): Handle['state'] {
  if (row.given_up_at !== null) return 'given-up';
  if (intent === undefined) return isFailure(parsed(row.answer)) ? 'failed' : 'completed';
  if (isUnderWay(intent)) return 'under-way';
  return intent.outcome === 'completed' ? 'completed' : 'failed';
}

function messageOf(state: Handle['state'], intent: Intent | undefined): string {
  if (intent === undefined) return 'The call has been answered.';
  const what = `${intent.kind === 'build' ? 'The build for' : 'The run of'} ${cleanText(intent.subject, 120)}`;
  const job = intent.job_id === null ? '' : ` (job ${cleanText(intent.job_id, 120)})`;
  switch (state) {
    case 'under-way':
      return `${what}${job} is under way and paid for; it goes on by itself.`;
    case 'completed':
      return `${what}${job} has completed.`;
    case 'failed':
      return intent.state === 'unknown'
        ? `It is not known whether the service took ${cleanText(intent.subject, 120)}; it is not sent again by itself.`
        : `${what}${job} has failed.`;
    case 'given-up':
      return `Not waited for any more. ${what}${job} is paid for, goes on, and stays readable: ${reading(intent)}`;
  }
}

function reading(intent: Intent): string {
  return intent.kind === 'build'
    ? `list_build_requests ${JSON.stringify({ id: intent.job_id ?? undefined })}.`
    : `get_job ${JSON.stringify({ job_id: intent.job_id ?? ownJobId(intent.id) })}.`;
}

function givenUp(intent: Intent | undefined): GatewayError {
  return new GatewayError(
    'CANCELLED',
    intent === undefined ? 'It was cancelled.' : messageOf('given-up', intent),
    intent === undefined ? 'Call again if it is still wanted.' : `Call ${reading(intent)}`,
    intent?.job_id == null ? {} : { job_id: intent.job_id },
  );
}

function untold(intent: Intent): GatewayError {
  return new GatewayError(
    'SERVICE_UNREACHABLE',
    `The call has ended, but the service does not tell how just now; nothing is lost.`,
    `Ask again in a moment, or call ${reading(intent)}`,
    intent.job_id === null ? {} : { job_id: intent.job_id },
  );
}

async function pollMsOf(
  intent: Intent | undefined,
  intents: OpenStore['intents'],
  now: number,
): Promise<number> {
  if (intent?.kind === 'build') return buildPollMs;
  if (intent?.submitted_at == null || intent.state !== 'submitted') return fastestPollMs;
  const elapsed = Math.max(0, now - intent.submitted_at);
  const schedule = pollSchedule(await intents.durations(intent.subject));
  return Math.ceil(Math.min(slowestPollMs, Math.max(fastestPollMs, schedule.nextDelay(elapsed))));
}

/** Our own text, as it was written. */
function parsed(answer: string | null): JsonObject {
  const body: unknown = JSON.parse(answer ?? '{}');
  return typeof body === 'object' && body !== null ? { ...body } : {};
}

const cursorAfter = ({ created_at, id }: HandleRow): string =>
  Buffer.from(`${created_at}:${id}`).toString('base64url');

function placeOf(cursor: string): Place {
  const [, createdAt, id] =
    /^(\d{1,15}):([\w-]{1,64})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (createdAt !== undefined && id !== undefined) return { createdAt: Number(createdAt), id };
  throw new GatewayError(
    'INVALID_PARAMS',
    'The cursor is none of this list.',
    'List again without a cursor.',
  );
}
