/**
 * Intents: what is about to be paid, written durably before it is sent, so that one intent is sent at most once
 * and an accepted job is never lost.
 *
 * Where the process may die, and what the next one finds:
 * 1. before the intent is written: nothing was sent, nothing is known; the call is new.
 * 2. after it is written, before, while or after the request is sent, also while the answer is being written and the
 *    job polled for the first time: `intended` of a dead owner. Nobody knows whether the request arrived, so it becomes `unknown` and is said, never sent again by itself; with an idempotency key the
 *    same call asks again by that key.
 * 3. after the answer was written: `submitted` with its job id; the same call is attached and the job polled.
 * 4. after the end and its result were written, in one transaction, before it was delivered: `finished` or `lost`;
 *    the same call gets it. Where the service has the job they are written up to 20 ms later: before that it is 3.
 * 5. after delivery, before that was written, up to 20 ms later: `finished` or 3; a repeat gets the old result, unpaid.
 *
 * A process that is stopped instead, at any of these, holds no lock: each step is one statement or one batch. It sends
 * nothing after its deadline, and what it writes late changes only states that the change may come from.
 */
import type { Database, QueuedBatch } from '../../store/database.ts';
import type { Statement } from '../../store/statement.ts';
import type { Outcome, Refused } from '../interface/outcomes.ts';
import type { Principal } from '../interface/principal.ts';
import { callHash, type PaidCall } from './canonical.ts';
import { IntentQueries } from './intent-queries.ts';
import { type AcceptedIntent, IntentStatements } from './intent-statements.ts';
import { type BeginOptions, newIntent } from './new-intent.ts';
import { isGone, thisProcess } from './owner.ts';
import type { GatewaySchema, IntentRow } from './schema.ts';
import { closesAt } from './states.ts';
import { nothingSpent, type Spent, type Terms } from './terms.ts';

export type Intent = IntentRow;

export type BeginResult =
  /** `new`: to be sent now, by this process; `replaces` is the one in doubt that it goes past. */
  | { readonly kind: 'new'; readonly intent: Intent; readonly replaces: string | undefined }
  /** `attached`: under way or finished. `unknown`: blocked. */
  | { readonly kind: 'attached' | 'unknown'; readonly intent: Intent }
  | { readonly kind: 'refused'; readonly outcome: Outcome<Refused> }
  /** A new intent would be written, but its terms are not known. */
  | { readonly kind: 'terms-needed' };

/** Why the service refused. */
export interface Reason {
  readonly code: string;
  readonly message: string;
  readonly balance?: unknown;
}

/** The end of a job, as the service tells it. */
export interface End {
  readonly jobId: string;
  readonly outcome: 'completed' | 'failed';
  /** 0 for a failed job, which the service refunds. */
  readonly charged: number;
  readonly durationMs: number | null;
}

/** Reads of the intents, and every change of them. */
export class Intents extends IntentQueries {
  readonly #serviceKey: string;
  readonly #statements: IntentStatements;

  constructor(database: Database<GatewaySchema>, principal: Principal) {
    super(database, principal);
    this.#serviceKey = principal.serviceKey;
    this.#statements = new IntentStatements(database.engine);
  }

  /**
   * Finds the open intent of the same call or writes a new one. Without `terms` it only finds: a call that attaches
   * needs no price. A rejection leaves open whether the intent was written: see `abandon`.
   */
  async begin(call: PaidCall, options: BeginOptions, terms: Terms | undefined): Promise<BeginResult> {
    const hash = callHash(call);
    let replaced: Intent | undefined;
    for (;;) {
      // A refusal whatever was spent spares the write; a call that attaches does not hear of it.
      const refusal = terms?.findRefusal(nothingSpent);
      if (terms !== undefined && refusal === undefined) {
        const intent = await this.#insert(call, hash, options, terms, replaced);
        if (intent !== undefined) return { kind: 'new', intent, replaces: replaced?.id };
      }
      const { open, spent } = await this.#find(hash);
      if (open !== undefined && open.state !== 'unknown') return { kind: 'attached', intent: open };
      // With its idempotency key the service can be asked again for free, which is better than to resubmit.
      const isBlocked = !options.resubmit || (options.keyed && open?.keyed === 1);
      if (open !== undefined && isBlocked) return { kind: 'unknown', intent: open };
      if (terms === undefined) return { kind: 'terms-needed' };
      if (refusal !== undefined) {
        // The second names what was spent.
        return { kind: 'refused', outcome: terms.findRefusal(spent) ?? refusal };
      }
      // Too much was spent, which the terms refuse; or another process was faster and has already finished.
      const outcome = terms.findRefusal(spent);
      if (outcome !== undefined) return { kind: 'refused', outcome };
      replaced = open;
    }
  }

  /**
   * After a `begin` that failed in a way that leaves open whether the intent was written: nothing was sent, so it is
   * refused, should it be there or still come. Rejects while it may still come.
   */
  async abandon(id: string, reason: Reason, mayStillCome: boolean): Promise<void> {
    const written = await this.refused(id, reason);
    if (written === undefined && mayStillCome) throw new Error('The intent may still be written');
  }

  /** True where the request may be sent now; it then has its whole time to be answered in. */
  async claim(id: string, submitWithinMs: number): Promise<boolean> {
    // Of an intent that was written a moment ago nothing has to be changed for that.
    const isReady = this.#statements.isReady(id, thisProcess, submitWithinMs);
    if ((await this.database.read(isReady)).length > 0) return true;
    const claim = this.#statements.claim(id, thisProcess, submitWithinMs);
    const [{ rows }] = await this.database.batch([claim], { synced: false });
    return rows.length > 0;
  }

  /** True where this process is to ask the service by the key of an intent in doubt. */
  async askAgain(id: string, submitWithinMs: number): Promise<boolean> {
    const ask = this.#statements.askAgain(id, thisProcess, submitWithinMs);
    const [{ rows }] = await this.database.batch([ask]);
    return rows.length > 0;
  }

  /** The intent as it is now; an `intended` whose sender is gone has become `unknown`. */
  async reread(id: string): Promise<Intent | undefined> {
    const row = await this.selectOne('id', id);
    return row === undefined ? undefined : this.#current(row);
  }

  /** Resolves to the intent; undefined where it was no longer to be accepted. */
  async submitted(id: string, jobId: string): Promise<AcceptedIntent | undefined> {
    const [{ rows }] = await this.database.batch([this.#statements.accept(id, jobId)]);
    return rows[0];
  }

  /** Not taken by the service: nothing was or will be charged. `reason` is kept for who reads the job later. */
  refused(id: string, reason: Reason): Promise<Intent | undefined> {
    const { code, message, balance } = reason;
    // The only place where a service without the extension `usage` names the balance.
    const refusal = JSON.stringify({ code, message, ...(typeof balance === 'number' && { balance }) });
    return this.#change(this.#statements.change(id, 'refuse', { charged: 0, refusal }));
  }

  unknown(id: string): Promise<Intent | undefined> {
    return this.#change(this.#statements.change(id, 'doubt', {}));
  }

  /**
   * The job's end, with the statements that keep its result. Where the service has the job it need not be synced to
   * the disk.
   */
  async finished(
    id: string,
    end: End,
    more: readonly Statement[] = [],
    synced = false,
  ): Promise<QueuedBatch> {
    const fields = {
      job_id: end.jobId,
      outcome: end.outcome,
      charged: end.charged,
      duration_ms: end.durationMs,
    };
    const finish = this.#statements.finish(id, fields);
    const statements = [...more, finish];
    if (!synced) return this.database.queue(statements);
    await this.database.batch(statements);
    return { landed: Promise.resolve() };
  }

  /** What a job cost that ended while nobody waited for it; its end is still to be read. */
  async charged(id: string, credits: number): Promise<void> {
    await this.database.batch([this.#statements.charge(id, credits)], { synced: false });
  }

  /** The end, also a loss, reached the client. */
  async delivered(id: string): Promise<void> {
    await this.database.batch([this.#statements.deliver(id)], { synced: false });
  }

  /** The same where nobody waits for it, after an end that may itself be queued. */
  queueDelivered(id: string): Promise<QueuedBatch> {
    return this.database.queue([this.#statements.deliver(id)]);
  }

  /** The end was written to a client that left before anything showed that it had read it. */
  async answered(id: string): Promise<void> {
    await this.database.batch([this.#statements.answered(id)], { synced: false });
  }

  /** The service does not know the job any more. The same call hears of it before it may run again. */
  lost(id: string): Promise<Intent | undefined> {
    return this.#change(this.#statements.change(id, 'lose', {}, 'finished_at'));
  }

  /** The newest first, each as it is now. */
  async recent(limit: number, offset = 0): Promise<Intent[]> {
    const rows = await this.selectRecent(limit, offset);
    return Promise.all(rows.map((row) => this.#current(row)));
  }

  /** Open calls of which nobody knows whether the service took them, and that no key can ask about. */
  async inDoubt(kind: Intent['kind']): Promise<Intent[]> {
    const rows = await this.selectDoubtful(kind);
    const current = await Promise.all(rows.map((row) => this.#current(row)));
    return current.filter(({ state }) => state === 'unknown');
  }

  /** Runs of today whose end nobody has read yet; at most 50. */
  async runningToday(): Promise<readonly Intent[]> {
    return this.database.read(this.#statements.runningToday(this.principal));
  }

  /** Credits spent since the start of the UTC day. */
  async spentToday(): Promise<Spent> {
    const [{ rows }] = await this.database.batch([this.#spent()], { synced: false });
    return sumSpent(rows);
  }

  /** What time has done to an `intended`: a dead sender leaves `unknown`. */
  async #current(row: Intent): Promise<Intent> {
    if (row.state !== 'intended') return row;
    const expire = this.#statements.expire(row.id);
    const [, { rows }] = await this.database.batch([expire, this.#statements.byId(row.id)], {
      synced: false,
    });
    const current = rows[0] ?? row;
    return isGone(current) ? ((await this.unknown(row.id)) ?? current) : current;
  }

  async #insert(
    call: PaidCall,
    hash: string,
    options: BeginOptions,
    terms: Terms,
    replaced: Intent | undefined,
  ): Promise<Intent | undefined> {
    const row = newIntent(call, hash, {
      ...options,
      ...terms,
      principal: this.principal,
      serviceKey: this.#serviceKey,
    });
    const { ceilings } = terms;
    const insert = this.#statements.insert(row, options.submitWithinMs, ceilings);
    if (replaced === undefined && ceilings.byPrincipal === undefined && ceilings.byKey === undefined) {
      const [{ rows }] = await this.database.batch([insert]);
      return rows[0] && { ...row, ...rows[0] };
    }
    // One at a time for a key, so that what was spent is read after what others are about to spend.
    const lock = this.database.lockStatement(`intents of ${this.#serviceKey}`);
    if (replaced === undefined) {
      const [, { rows }] = await this.database.batch([lock, insert]);
      return rows[0] && { ...row, ...rows[0] };
    }
    // Closed only together with the new one: a doubt that nothing takes the place of goes on blocking the call.
    const close = this.#statements.closeFor(row, replaced, ceilings);
    const [, , { rows }] = await this.database.batch([lock, close, insert]);
    return rows[0] && { ...row, ...rows[0] };
  }

  /** The open intent of a call, after what time has done to it, and what was spent today. */
  async #find(hash: string): Promise<{ open: Intent | undefined; spent: Spent }> {
    const statements = this.#statements;
    const principal = this.principal;
    const [, { rows }, { rows: spent }] = await this.database.batch(
      [statements.expireCall(principal, hash), statements.open(principal, hash), this.#spent()],
      { synced: false },
    );
    const [open] = rows;
    if (open === undefined) return { open, spent: sumSpent(spent) };
    const { now: readAt, ...row } = open;
    const current = isGone(row) ? ((await this.unknown(row.id)) ?? row) : row;
    const end = closesAt(current);
    if (end === undefined || readAt < end) return { open: current, spent: sumSpent(spent) };
    await this.database.batch([statements.close(current.id, current.state)]);
    return { open: undefined, spent: sumSpent(spent) };
  }

  #spent() {
    return this.#statements.spent(this.principal, this.#serviceKey);
  }

  async #change(change: Statement<Intent>): Promise<Intent | undefined> {
    const [{ rows }] = await this.database.batch([change]);
    return rows[0];
  }
}

const sumSpent = (rows: readonly Spent[]): Spent => ({
  byPrincipal: rows[0]?.byPrincipal ?? 0,
  byKey: rows[0]?.byKey ?? 0,
});
