/**
 * Intents: what is about to be paid, written durably before it is sent, so that one intent is sent at most once
 * and an accepted job is never lost.
 *
 * Where the process may die, and what the next one finds:
 * 1. before the intent is written: nothing was sent, nothing is known; the call is new.
 * 2. after it is written, before, while or after the request is sent: `intended` of a dead owner. Nobody knows
 *    whether it arrived, so it becomes `unknown` and is said, never sent again by itself.
 * 3. after the answer was written: `submitted` with its job id; the same call is attached and the job polled.
 * 4. after the end and its result were written, in one transaction, before it was delivered: `finished` or `lost`;
 *    the same call gets it.
 * 5. after delivery, before that was written: `finished`; a repeat within the hour gets the old result, unpaid.
 */
import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Database } from '../../store/database.ts';
import { wholeCharacters } from '../results/preview.ts';
import type { GatewaySchema, IntentRow } from '../store/schema.ts';
import { callHash, canonicalJson, type PaidCall } from './canonical.ts';
import { isGone, thisProcess } from './owner.ts';

/** An `unknown` blocks the same call this long. */
export const unknownBlockMs = 24 * 60 * 60_000;
/** A result that was not delivered waits this long for the same call. */
export const undeliveredMs = 60 * 60_000;
/** A job that nobody asked for since it was accepted, this long ago, is not what a new call means. */
export const unansweredMs = 24 * 60 * 60_000;

export type Intent = IntentRow;

export interface Begun {
  /** `new`: to be sent now, by this process. `attached`: under way or finished. `unknown`: blocked. */
  readonly kind: 'new' | 'attached' | 'unknown';
  readonly intent: Intent;
}

export class Intents {
  readonly #database: Database<GatewaySchema>;
  readonly #principal: string;

  constructor(database: Database<GatewaySchema>, principal: string) {
    this.#database = database;
    this.#principal = principal;
  }

  /**
   * Finds the open intent of the same call or writes a new one, in one transaction. `admit` may ask
   * what was spent today and rejects to refuse a new one; it is not asked where the call attaches.
   */
  begin(
    call: PaidCall,
    options: {
      price: number;
      /** Milliseconds within which the request will have been answered or given up. */
      submitWithinMs: number;
      resubmit: boolean;
      /** As of `IntentRow`. */
      account?: string | null;
      admit: (spentToday: () => Promise<number>) => Promise<void>;
    },
  ): Promise<Begun> {
    const hash = callHash(call);
    const now = Date.now();
    return this.#database.transaction(async (transaction) => {
      // One at a time for a principal, so that what was spent is read after what others are about to spend.
      await this.#database.lock(transaction, `intents of ${this.#principal}`);
      const open = await transaction
        .selectFrom('gateway_intent')
        .selectAll()
        .where('principal', '=', this.#principal)
        .where('call_hash', '=', hash)
        // A literal: SQLite uses a partial index only where it sees that its condition holds.
        .where((row) => row('open', '=', row.lit(1)))
        .executeTakeFirst();
      const current = open === undefined ? undefined : await this.#settled(transaction, open, now);
      if (current !== undefined && current.open === 1) {
        if (current.state !== 'unknown') return { kind: 'attached', intent: current };
        if (!options.resubmit) return { kind: 'unknown', intent: current };
        await this.#update(transaction, current.id, { open: 0 });
      }
      await options.admit(() => spentSince(transaction, this.#principal, startOfDay(now)));
      const intent: Intent = {
        id: randomUUID(),
        principal: this.#principal,
        kind: call.kind,
        subject: call.subject,
        call_hash: hash,
        open: 1,
        state: 'intended',
        price: options.price,
        charged: options.price,
        owner: thisProcess,
        deadline: now + options.submitWithinMs,
        job_id: null,
        duration_ms: null,
        outcome: null,
        created_at: now,
        submitted_at: null,
        finished_at: null,
        delivered_at: null,
        account: options.account ?? null,
        params: shortParams(call.params),
        refusal: null,
      };
      await transaction.insertInto('gateway_intent').values(intent).execute();
      return { kind: 'new', intent };
    });
  }

  /** The intent as it is now; an `intended` whose sender is gone has become `unknown`. */
  async reread(id: string): Promise<Intent | undefined> {
    const row = await this.#one('id', id);
    return row === undefined ? undefined : this.#current(row);
  }

  byJob(jobId: string): Promise<Intent | undefined> {
    return this.#one('job_id', jobId);
  }

  submitted(id: string, jobId: string): Promise<void> {
    return this.#change(id, { state: 'submitted', job_id: jobId, submitted_at: Date.now() });
  }

  /** Not taken by the service: nothing was or will be charged. `reason` is kept for who reads the job later. */
  refused(id: string, reason: { code: string; message: string }): Promise<void> {
    const refusal = JSON.stringify({ code: reason.code, message: reason.message });
    return this.#change(id, { state: 'refused', open: 0, charged: 0, refusal });
  }

  unknown(id: string): Promise<void> {
    return this.#change(id, { state: 'unknown' });
  }

  /**
   * The job's end; `charged` is 0 for a failed job, which the service refunds. It is not synced to the disk: until
   * it is, the service still has the job. `transaction` is one that keeps its result too.
   */
  async finished(
    id: string,
    end: {
      jobId: string;
      outcome: 'completed' | 'failed';
      charged: number;
      durationMs: number | null;
      endedAt?: number;
    },
    transaction?: Transaction<GatewaySchema>,
  ): Promise<void> {
    if (transaction === undefined) {
      return this.#database.unsyncedTransaction((own) => this.finished(id, end, own));
    }
    const now = Date.now();
    await transaction
      .updateTable('gateway_intent')
      .set(({ fn, val }) => ({
        state: 'finished',
        job_id: end.jobId,
        outcome: end.outcome,
        charged: end.charged,
        duration_ms: end.durationMs,
        submitted_at: fn.coalesce('submitted_at', val(now)),
        finished_at: end.endedAt ?? now,
      }))
      .where('id', '=', id)
      .where('finished_at', 'is', null)
      .execute();
  }

  /**
   * The end, also a loss, was written to a client that had neither cancelled nor gone: a repeat is a new run, by
   * the caller's will.
   */
  async delivered(id: string): Promise<void> {
    await this.#database.unsyncedTransaction((transaction) =>
      transaction
        .updateTable('gateway_intent')
        .set((row) => ({
          state: row
            .case()
            .when('state', '=', 'finished')
            .then('delivered' as const)
            .else('lost' as const)
            .end(),
          open: 0,
          delivered_at: Date.now(),
        }))
        .where('id', '=', id)
        .where('state', 'in', ['finished', 'lost'])
        .execute(),
    );
  }

  /** The service does not know the job any more. The same call hears of it before it may run again. */
  async lost(id: string): Promise<void> {
    await this.#database.query
      .updateTable('gateway_intent')
      .set({ state: 'lost', finished_at: Date.now() })
      .where('id', '=', id)
      .where('state', '=', 'submitted')
      .execute();
  }

  /** Durations in milliseconds of the newest runs of an action that ended well. */
  async durations(subject: string, count = 10): Promise<number[]> {
    const rows = await this.#database.query
      .selectFrom('gateway_intent')
      .select('duration_ms')
      .where('principal', '=', this.#principal)
      .where('subject', '=', subject)
      .where('duration_ms', 'is not', null)
      .orderBy('created_at', 'desc')
      .limit(count)
      .execute();
    return rows.flatMap((row) => (row.duration_ms === null ? [] : [row.duration_ms]));
  }

  /** The newest first, each as it is now. */
  async recent(limit: number): Promise<Intent[]> {
    const rows = await this.#database.query
      .selectFrom('gateway_intent')
      .selectAll()
      .where('principal', '=', this.#principal)
      .orderBy('created_at', 'desc')
      .limit(limit)
      .execute();
    return Promise.all(rows.map((row) => this.#current(row)));
  }

  spentToday(): Promise<number> {
    return spentSince(this.#database.query, this.#principal, startOfDay(Date.now()));
  }

  #one(column: 'id' | 'job_id', value: string): Promise<Intent | undefined> {
    return this.#database.query
      .selectFrom('gateway_intent')
      .selectAll()
      .where('principal', '=', this.#principal)
      .where(column, '=', value)
      .executeTakeFirst();
  }

  /** A row that was read outside a transaction may have changed: it is read again before it is settled. */
  async #current(row: Intent): Promise<Intent> {
    if (row.state !== 'intended' || !isGone(row, Date.now())) return row;
    return this.#database.transaction(async (transaction) => {
      const now = await transaction
        .selectFrom('gateway_intent')
        .selectAll()
        .where('id', '=', row.id)
        .executeTakeFirst();
      return now === undefined ? row : this.#settled(transaction, now, Date.now());
    });
  }

  /** What time has done to an open intent: a dead sender leaves `unknown`, and nothing blocks for ever. */
  async #settled(transaction: Transaction<GatewaySchema>, row: Intent, now: number): Promise<Intent> {
    const change: Partial<Intent> = {};
    if (row.state === 'intended' && isGone(row, now)) change.state = 'unknown';
    const blockedUntil = row.created_at + unknownBlockMs;
    if ((change.state ?? row.state) === 'unknown' && now >= blockedUntil) change.open = 0;
    if (row.state === 'submitted' && now >= (row.submitted_at ?? row.created_at) + unansweredMs)
      change.open = 0;
    const hasEnded = row.state === 'finished' || row.state === 'lost';
    if (hasEnded && now >= (row.finished_at ?? 0) + undeliveredMs) change.open = 0;
    if (Object.keys(change).length > 0) await this.#update(transaction, row.id, change);
    return { ...row, ...change };
  }

  async #change(id: string, change: Partial<Intent>): Promise<void> {
    await this.#database.query.updateTable('gateway_intent').set(change).where('id', '=', id).execute();
  }

  async #update(transaction: Transaction<GatewaySchema>, id: string, change: Partial<Intent>): Promise<void> {
    await transaction.updateTable('gateway_intent').set(change).where('id', '=', id).execute();
  }
}

const maxShortParams = 200;

/** Params for a list: whole where they are short, else their beginning. */
function shortParams(params: unknown): string {
  const text = canonicalJson(params ?? {});
  return text.length <= maxShortParams ? text : `${wholeCharacters(text, maxShortParams - 1)}…`;
}

/** Midnight UTC, when the day's budget starts anew. */
export function startOfDay(now: number): number {
  return Math.floor(now / 86_400_000) * 86_400_000;
}

async function spentSince(
  query: Pick<Transaction<GatewaySchema>, 'selectFrom'>,
  principal: string,
  since: number,
): Promise<number> {
  const row = await query
    .selectFrom('gateway_intent')
    .select(({ fn }) => fn.sum<number | null>('charged').as('spent'))
    .where('principal', '=', principal)
    .where('created_at', '>=', since)
    .executeTakeFirst();
  return row?.spent ?? 0;
}
