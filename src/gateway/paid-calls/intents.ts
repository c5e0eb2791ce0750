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
import { sql, type Transaction } from 'kysely';
import type { Database } from '../../store/database.ts';
import type { Clock } from '../clock.ts';
import type { Outcome, Refused } from '../outcomes.ts';
import type { Principal } from '../principal.ts';
import { wholeCharacters } from '../results/preview.ts';
import type { GatewaySchema, IntentRow } from '../store/schema.ts';
import { callHash, canonicalJson, type PaidCall } from './canonical.ts';
import { isGone, thisProcess } from './owner.ts';
import { type Change, changeRule, closesAt } from './states.ts';

export type Intent = IntentRow;

/** Credits spent since the start of the UTC day, what is under way included. */
export interface Spent {
  readonly byPrincipal: number;
  /** By all principals that act with the same service key. */
  readonly byKey: number;
}

/** What a new intent costs, and whether it may be written. */
export interface Terms {
  /** The base price in credits. */
  readonly price: number;
  /** What counts against the day's budget until the end, in credits. */
  readonly reserved: number;
  /** Whether `admit` asks what was spent; it gets 0 otherwise. */
  readonly readsSpent: boolean;
  /** Throws to refuse a new intent, or returns the question to a person. Not asked where the call attaches. */
  readonly admit: (spent: Spent) => Outcome<Refused> | undefined;
}

export interface BeginOptions {
  /** Milliseconds within which the request will have been answered or given up. */
  readonly submitWithinMs: number;
  readonly resubmit: boolean;
  /** As of `IntentRow`. */
  readonly account?: string | null;
}

export type Begun =
  /** `new`: to be sent now, by this process. `attached`: under way or finished. `unknown`: blocked. */
  | { readonly kind: 'new' | 'attached' | 'unknown'; readonly intent: Intent }
  | { readonly kind: 'question'; readonly outcome: Outcome<Refused> }
  /** A new intent would be written, but its terms are not known. */
  | { readonly kind: 'terms-needed' };

export class Intents {
  readonly #database: Database<GatewaySchema>;
  readonly #principal: string;
  readonly #serviceKey: string;
  readonly #clock: Clock;

  constructor(database: Database<GatewaySchema>, principal: Principal, clock: Clock) {
    this.#database = database;
    this.#principal = principal.id;
    this.#serviceKey = principal.serviceKey;
    this.#clock = clock;
  }

  /**
   * Finds the open intent of the same call or writes a new one, in one transaction. Without `terms` it only finds: a
   * call that attaches needs no price.
   */
  begin(call: PaidCall, options: BeginOptions, terms: Terms | undefined): Promise<Begun> {
    const hash = callHash(call);
    const now = this.#clock.now();
    return this.#database.transaction(async (transaction) => {
      // One at a time for a key, so that what was spent is read after what others are about to spend.
      await this.#database.lock(transaction, `intents of ${this.#serviceKey}`);
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
        if (terms === undefined) return { kind: 'terms-needed' };
        await this.#update(transaction, current.id, { open: 0 });
      }
      if (terms === undefined) return { kind: 'terms-needed' };
      const spent = terms.readsSpent ? await this.#spentSince(transaction, startOfDay(now)) : nothingSpent;
      const question = terms.admit(spent);
      if (question !== undefined) return { kind: 'question', outcome: question };
      const intent = newIntent(call, hash, now, {
        ...options,
        ...terms,
        principal: this.#principal,
        serviceKey: this.#serviceKey,
      });
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
    return this.#change(id, 'accept', { job_id: jobId, submitted_at: this.#clock.now() });
  }

  /** Not taken by the service: nothing was or will be charged. `reason` is kept for who reads the job later. */
  refused(id: string, reason: { code: string; message: string; balance?: unknown }): Promise<void> {
    const { code, message, balance } = reason;
    // The only place where a service without the extension `usage` names the balance.
    const refusal = JSON.stringify({ code, message, ...(typeof balance === 'number' && { balance }) });
    return this.#change(id, 'refuse', { charged: 0, refusal });
  }

  unknown(id: string): Promise<void> {
    return this.#change(id, 'doubt', {});
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
    const now = this.#clock.now();
    const { from, to } = changeRule('finish');
    await transaction
      .updateTable('gateway_intent')
      .set(({ fn, val }) => ({
        state: to,
        job_id: end.jobId,
        outcome: end.outcome,
        charged: end.charged,
        duration_ms: end.durationMs,
        submitted_at: fn.coalesce('submitted_at', val(now)),
        finished_at: end.endedAt ?? now,
      }))
      .where('id', '=', id)
      .where('state', 'in', from)
      .execute();
  }

  /** The end, also a loss, was written to a client that had neither cancelled nor gone. */
  async delivered(id: string): Promise<void> {
    const fields = { delivered_at: this.#clock.now() };
    await this.#database.unsyncedTransaction(async (transaction) => {
      await this.#apply(transaction, id, 'deliver', fields);
      await this.#apply(transaction, id, 'deliverLoss', fields);
    });
  }

  /** The service does not know the job any more. The same call hears of it before it may run again. */
  lost(id: string): Promise<void> {
    return this.#change(id, 'lose', { finished_at: this.#clock.now() });
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

  /** Credits that the newest completed runs of an action at this base price have cost. */
  async costs(subject: string, base: number, count: number): Promise<number[]> {
    const rows = await this.#database.query
      .selectFrom('gateway_intent')
      .select('charged')
      .where('principal', '=', this.#principal)
      .where('subject', '=', subject)
      // A literal: databases use a partial index only where they see that its condition holds.
      .where('outcome', '=', sql.lit('completed'))
      .where('price', '=', base)
      .where('kind', '=', 'run')
      .orderBy('created_at', 'desc')
      .limit(count)
      .execute();
    return rows.map((row) => row.charged);
  }

  /** The newest first, each as it is now. */
  async recent(limit: number, offset = 0): Promise<Intent[]> {
    const rows = await this.#database.query
      .selectFrom('gateway_intent')
      .selectAll()
      .where('principal', '=', this.#principal)
      .orderBy('created_at', 'desc')
      .limit(limit)
      .offset(offset)
      .execute();
    return Promise.all(rows.map((row) => this.#current(row)));
  }

  async count(): Promise<number> {
    const row = await this.#database.query
      .selectFrom('gateway_intent')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('principal', '=', this.#principal)
      .executeTakeFirst();
    return Number(row?.count ?? 0);
  }

  /** Credits spent since the start of the UTC day. */
  spentToday(): Promise<Spent> {
    return this.#spentSince(this.#database.query, startOfDay(this.#clock.now()));
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
    if (row.state !== 'intended' || !isGone(row, this.#clock.now())) return row;
    return this.#database.transaction(async (transaction) => {
      const now = await transaction
        .selectFrom('gateway_intent')
        .selectAll()
        .where('id', '=', row.id)
        .executeTakeFirst();
      return now === undefined ? row : this.#settled(transaction, now, this.#clock.now());
    });
  }

  /** What time has done to an open intent: a dead sender leaves `unknown`, and nothing blocks for ever. */
  async #settled(transaction: Transaction<GatewaySchema>, row: Intent, now: number): Promise<Intent> {
    const current =
      row.state === 'intended' && isGone(row, now) ? { ...row, state: changeRule('doubt').to } : row;
    const end = closesAt(current);
    const settled = end !== undefined && now >= end ? { ...current, open: 0 } : current;
    if (settled !== row) {
      await this.#update(transaction, row.id, { state: settled.state, open: settled.open });
    }
    return settled;
  }

  async #spentSince(query: Pick<Transaction<GatewaySchema>, 'selectFrom'>, since: number): Promise<Spent> {
    const row = await query
      .selectFrom('gateway_intent')
      .select(({ fn }) => [
        fn.sum<number | null>('charged').as('by_key'),
        fn.sum<number | null>('charged').filterWhere('principal', '=', this.#principal).as('by_principal'),
      ])
      .where('service_key', '=', this.#serviceKey)
      .where('created_at', '>=', since)
      .executeTakeFirst();
    return { byPrincipal: row?.by_principal ?? 0, byKey: row?.by_key ?? 0 };
  }

  #change(id: string, change: Change, fields: Partial<Intent>): Promise<void> {
    return this.#apply(this.#database.query, id, change, fields);
  }

  /** Does nothing where the intent is in no state that the change may come from. */
  async #apply(
    query: Pick<Transaction<GatewaySchema>, 'updateTable'>,
    id: string,
    change: Change,
    fields: Partial<Intent>,
  ): Promise<void> {
    const { from, to, closes } = changeRule(change);
    await query
      .updateTable('gateway_intent')
      .set({ ...fields, state: to, ...(closes === true && { open: 0 }) })
      .where('id', '=', id)
      .where('state', 'in', from)
      .execute();
  }

  async #update(transaction: Transaction<GatewaySchema>, id: string, change: Partial<Intent>): Promise<void> {
    await transaction.updateTable('gateway_intent').set(change).where('id', '=', id).execute();
  }
}

const nothingSpent: Spent = { byPrincipal: 0, byKey: 0 };

function newIntent(
  call: PaidCall,
  hash: string,
  now: number,
  of: BeginOptions & Terms & { readonly principal: string; readonly serviceKey: string },
): Intent {
  const { principal, serviceKey, price, reserved, submitWithinMs, account = null } = of;
  return {
    id: randomUUID(),
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
    deadline: now + Math.ceil(submitWithinMs),
    job_id: null,
    duration_ms: null,
    outcome: null,
    created_at: now,
    submitted_at: null,
    finished_at: null,
    delivered_at: null,
    account,
    params: shortParams(call.params),
    refusal: null,
  };
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
