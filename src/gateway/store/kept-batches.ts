/**
 * Batches in the store: many inputs of one action, named before the first of them is paid.
 *
 * Where the process may die, and what the next one finds:
 * 1. before the batch is written: nothing was sent, nothing is known; the call is new.
 * 2. after it is written, before the intent of a row: that row is `not_sent`. The same call takes the batch over and
 *    runs what is left.
 * 3. after a row's intent is written: the row is that intent, whatever became of it (`paid-calls/intents.ts`), found by
 *    its call and its sender, also where the link was not written. It is not sent again.
 * 4. after the last row, before the end of the batch is written: as 2 and 3, with nothing left to run.
 * 5. after the end, before the answer was delivered: the same call gets the same rows for an hour.
 */

import { createHash, randomUUID } from 'node:crypto';
import { sql, type UpdateObject } from 'kysely';
import type { Database } from '../../store/database.ts';
import { databaseNow } from '../../store/database-time.ts';
import type { ErrorDetail, JsonObject } from '../interface/outcomes.ts';
import type { Principal } from '../interface/principal.ts';
import { batchPrefix } from './batch-terms.ts';
import type { Intent, Intents } from './intents.ts';
import { clockToleranceMs, isGone, thisProcess } from './owner.ts';
import type { BatchRow, BatchRowRow, GatewaySchema } from './schema.ts';
import { unansweredMs, undeliveredMs } from './states.ts';
import { parseError } from './stored-json.ts';

/** A runner that has not renewed its batch for so long is given up. */
const leaseMs = 20_000;

export interface BatchInput {
  readonly params: JsonObject;
  /** The paid call's hash, by `callHash`. */
  readonly hash: string;
}

export interface BatchProgress {
  readonly batch: KeptBatch;
  readonly state: 'under-way' | 'completed' | 'failed';
  readonly rows: readonly BatchRowRow[];
  /** The intents of the rows that were begun. */
  readonly intents: readonly Intent[];
  /** Rows that have ended, and those of them that completed. */
  readonly ended: number;
  readonly completed: number;
}

/** `now`: when it was read, by the clock that its times are of. */
export type KeptBatch = BatchRow & { readonly now: number };

export class KeptBatches {
  readonly #database: Database<GatewaySchema>;
  readonly #principal: string;
  readonly #intents: Intents;

  constructor(database: Database<GatewaySchema>, principal: Principal, intents: Intents) {
    this.#database = database;
    this.#principal = principal.id;
    this.#intents = intents;
  }

  /** The open batch of the same inputs, whose answer has not been delivered. */
  async openSame(inputs: readonly BatchInput[]): Promise<KeptBatch | undefined> {
    const batch = await this.#database.query
      .selectFrom('gateway_batch')
      .selectAll()
      .select(this.#now.as('now'))
      .where('principal', '=', this.#principal)
      .where('call_hash', '=', hashInputs(inputs))
      .where((row) => row('open', '=', row.lit(1)))
      .executeTakeFirst();
    if (batch === undefined) return undefined;
    const closesAt =
      batch.finished_at === null ? batch.deadline + unansweredMs : batch.finished_at + undeliveredMs;
    if (batch.now < closesAt) return batch;
    await this.#update(batch.id, { open: 0 });
    return undefined;
  }

  /** Writes a batch of this process with all its inputs; undefined where another process wrote the same first. */
  async add(actionId: string, inputs: readonly BatchInput[]): Promise<KeptBatch | undefined> {
    const now = this.#now;
    const batch = {
      id: `${batchPrefix}${randomUUID()}`,
      principal: this.#principal,
      action_id: actionId,
      call_hash: hashInputs(inputs),
      open: 1,
      owner: thisProcess,
      deadline: this.#leaseEnd,
      stopped: null,
      created_at: now,
      finished_at: null,
    };
    const rows = inputs.map(({ params, hash }, position) => ({
      batch_id: batch.id,
      position,
      params: JSON.stringify(params),
      call_hash: hash,
      intent_id: null,
      refusal: null,
    }));
    return this.#database.transaction(async (transaction) => {
      const inserted = await transaction
        .insertInto('gateway_batch')
        .values(batch)
        .onConflict((conflict) => conflict.doNothing())
        .returningAll()
        .executeTakeFirst();
      if (inserted === undefined) return undefined;
      await transaction.insertInto('gateway_batch_row').values(rows).execute();
      return { ...inserted, now: inserted.created_at };
    });
  }

  /** Makes this process the runner of a batch whose runner is gone; false where another one was faster. */
  async takeOver(batch: BatchRow): Promise<boolean> {
    // What the old runner had begun is found by its name, so it is linked first.
    for (const row of await this.listRows(batch.id)) await this.findIntent(row, batch);
    const { numUpdatedRows } = await this.#database.query
      .updateTable('gateway_batch')
      .set({ owner: thisProcess, deadline: this.#leaseEnd, stopped: null })
      .where('id', '=', batch.id)
      .where('owner', '=', batch.owner)
      .where('finished_at', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async find(id: string): Promise<KeptBatch | undefined> {
    return this.#database.query
      .selectFrom('gateway_batch')
      .selectAll()
      .select(this.#now.as('now'))
      .where('id', '=', id)
      .where('principal', '=', this.#principal)
      .executeTakeFirst();
  }

  /** In the order of the call. */
  listRows(id: string): Promise<BatchRowRow[]> {
    return this.#database.query
      .selectFrom('gateway_batch_row')
      .selectAll()
      .where('batch_id', '=', id)
      .orderBy('position')
      .execute();
  }

  /** Whether nothing of it will be started any more. */
  hasEnded(batch: KeptBatch): boolean {
    if (batch.finished_at !== null || isGone({ state: 'intended', owner: batch.owner })) return true;
    return batch.now > batch.deadline + clockToleranceMs;
  }

  /** The paid call of a row: the linked one, else the one that the batch's runner began for it. */
  async findIntent(row: BatchRowRow, batch: BatchRow): Promise<Intent | undefined> {
    if (row.intent_id !== null) return this.#intents.reread(row.intent_id);
    const intent = await this.#database.query
      .selectFrom('gateway_intent')
      .select('id')
      .where('principal', '=', this.#principal)
      .where('created_at', '>=', batch.created_at)
      .where('call_hash', '=', row.call_hash)
      .where('owner', '=', batch.owner)
      .orderBy('created_at')
      .limit(1)
      .executeTakeFirst();
    if (intent === undefined) return undefined;
    await this.link(batch.id, row.call_hash, intent.id);
    return this.#intents.reread(intent.id);
  }

  /** Equal inputs are one run, so all their rows are linked. */
  async link(id: string, hash: string, intentId: string): Promise<void> {
    await this.#database.query
      .updateTable('gateway_batch_row')
      .set({ intent_id: intentId })
      .where('batch_id', '=', id)
      .where('call_hash', '=', hash)
      .execute();
  }

  /** A row that was refused before anything of it was written. */
  async refuse(id: string, hash: string, error: ErrorDetail): Promise<void> {
    await this.#database.query
      .updateTable('gateway_batch_row')
      .set({ refusal: JSON.stringify(error) })
      .where('batch_id', '=', id)
      .where('call_hash', '=', hash)
      .execute();
  }

  /** Resolves to why another process wants it to stop. */
  async renew(id: string): Promise<ErrorDetail | undefined> {
    await this.#update(id, { deadline: this.#leaseEnd });
    const { stopped = null } = (await this.find(id)) ?? {};
    return stopped === null ? undefined : parseError(stopped);
  }

  /** Asks the process that runs it to start nothing more. */
  async requestStop(id: string, reason: ErrorDetail): Promise<void> {
    await this.#database.query
      .updateTable('gateway_batch')
      .set({ stopped: JSON.stringify(reason) })
      .where('id', '=', id)
      .where('finished_at', 'is', null)
      .execute();
  }

  /** How far it has come. Undefined: no such batch of this principal. */
  async progress(id: string): Promise<BatchProgress | undefined> {
    const batch = await this.find(id);
    if (batch === undefined) return undefined;
    const rows = await this.listRows(id);
    const rowIntents = await Promise.all(rows.map((row) => this.findIntent(row, batch)));
    const intents = rowIntents.filter((intent) => intent !== undefined);
    const runningIntents = intents.filter(({ state }) => state === 'intended' || state === 'submitted');
    const completed = intents.filter(({ outcome }) => outcome === 'completed').length;
    const state =
      runningIntents.length > 0 || !this.hasEnded(batch)
        ? 'under-way'
        : completed > 0
          ? 'completed'
          : 'failed';
    return { batch, state, rows, intents, completed, ended: intents.length - runningIntents.length };
  }

  /** `stopped`: why the rest was not sent. */
  finish(id: string, stopped: ErrorDetail | undefined): Promise<void> {
    return this.#update(id, {
      finished_at: this.#now,
      stopped: stopped === undefined ? null : JSON.stringify(stopped),
    });
  }

  /** The rows reached the caller: the same call is a new batch, unless the process died before the last of them. */
  async delivered(id: string): Promise<void> {
    await this.#database.query
      .updateTable('gateway_batch')
      .set({ open: 0 })
      .where('id', '=', id)
      .where('finished_at', 'is not', null)
      .execute();
  }

  get #now() {
    return databaseNow(this.#database.engine);
  }

  get #leaseEnd() {
    return sql<number>`${this.#now} + ${leaseMs}`;
  }

  async #update(id: string, change: UpdateObject<GatewaySchema, 'gateway_batch'>): Promise<void> {
    await this.#database.query.updateTable('gateway_batch').set(change).where('id', '=', id).execute();
  }
}

/** The order counts: it is the order of the answer's rows. */
const hashInputs = (inputs: readonly BatchInput[]): string =>
  createHash('sha256')
    .update(inputs.map(({ hash }) => hash).join('\n'))
    .digest('hex');
