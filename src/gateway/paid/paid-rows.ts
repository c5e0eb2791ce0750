/**
 * Paid rows: what is about to be paid, written durably before it is sent, so that one row is sent at most once and an
 * accepted job is never lost.
 *
 * Where the process may die, and what the next one finds:
 * 1. before the row is written, also while the call waits for a run that shows the cost: nothing was sent, nothing is known; the
 *    call is new.
 * 2. after it was planned, as rows of groups are: nothing was sent; who meets the row may claim it, within an hour.
 * 3. after it is written as `intended` or claimed, before, while or after the request is sent, and until the answer is on the
 *    disk, which is begun at once, or up to 5 ms later where a first look may find the end: `intended` of a dead owner. Nobody
 *    knows whether the request arrived, so it becomes `unknown` and is said, never sent again by itself; with an idempotency
 *    key the same call asks again by that key. Nobody was told of the job yet.
 * 4. after the answer was written: `submitted` with its job id; the same call is attached and the job polled. Also while the
 *    end is being written, which need not wait for the disk, because the service has the job.
 * 5. after the end and its result were written, in one transaction, before it was delivered: `finished` or `lost`; the same
 *    call gets it. Where the first look found the end, that transaction says too that the service took the request, and is on
 *    the disk before the answer is told: no 4 comes before.
 * 6. after delivery, before that was written: `finished` or 4; a repeat gets the old result, unpaid.
 *
 * A database may lose what it had committed: it was restored from a backup. A process that knows of a request that was sent
 * puts its row back with the next change of it; what was planned is gone, and is not sent.
 *
 * A process that stands still at any of these holds no lock: each step is one statement or one batch. It sends nothing
 * after its deadline, and what it writes late changes only states that the change may come from. That nothing was sent, or
 * nothing is known, it says only of its own claim: where another one has asked by the row's key since, that one's holds.
 */
import type { Database } from '../../store/database.ts';
import { databaseNow } from '../../store/database-time.ts';
import type { Statement } from '../../store/statement.ts';
import type { Principal } from '../interface/principal.ts';
import type { RunVerdict } from '../results/job-body.ts';
import type { GatewaySchema, PaidRow } from '../store/schema.ts';
import { droppedInput, notSent } from '../store/states.ts';
import { callHash, type PaidCall } from './call-identity.ts';
import { clockToleranceMs, createOwner, isGone } from './owner.ts';
import { type AcceptedRow, RowStatements } from './row-statements.ts';
import type { Spender } from './spending-limits.ts';

/** Why a call was refused. */
export interface Reason {
  readonly code: string;
  readonly message: string;
  readonly balance?: unknown;
}

/** The end of a job, as the service tells it. */
export interface EndRecord {
  readonly jobId: string;
  readonly outcome: 'completed' | 'failed';
  /** 0 for a failed job, which the service refunds. */
  readonly charged: number;
  readonly durationMs: number | null;
  readonly verdict?: RunVerdict | undefined;
}

/** Reads of one row by its call or id, and every change of a row once it is written (`order-rows.ts`). */
export class PaidRows {
  readonly #database: Database<GatewaySchema>;
  readonly #statements: RowStatements;
  readonly #spender: Spender;

  constructor(database: Database<GatewaySchema>, { id, serviceKey }: Principal) {
    this.#database = database;
    this.#statements = new RowStatements(database.engine);
    this.#spender = { principal: id, serviceKey };
  }

  /** The open row of a call, after what time has done to it. */
  async findOpen(call: PaidCall): Promise<PaidRow | undefined> {
    const find = this.#statements.findOpen(this.#spender.principal, callHash(call));
    const [row] = await this.#database.read(find);
    if (row === undefined) return undefined;
    const { now, closes_at: closesAt, ...open } = row;
    const current = await this.#current(open);
    if (current?.open !== 1) return undefined;
    if (closesAt === null || current.state !== open.state || now < closesAt) return current;
    if (current.state === 'planned') await this.drop(current.id, notSent);
    else await this.#database.batch([this.#statements.close(current.id, current.state)]);
    return undefined;
  }

  /** Whether the row is a loss that was told. */
  async wasLossTold({ id, state }: PaidRow): Promise<boolean> {
    return state === 'lost' && (await this.#database.read(this.#statements.toldLoss(id))).length > 0;
  }

  /** Rows by their ids, each as it is now. */
  async getAll(ids: readonly string[]): Promise<ReadonlyMap<string, PaidRow>> {
    if (ids.length === 0) return new Map();
    const stored = await this.#database.query
      .selectFrom('gateway_intent')
      .selectAll()
      .select(databaseNow(this.#database.engine).as('now'))
      .where('principal', '=', this.#spender.principal)
      .where('id', 'in', ids)
      .execute();
    const rows = new Map<string, PaidRow>();
    for (const { now, ...row } of stored) {
      const mayBeGone = row.state === 'intended' && (now > row.deadline || isGone(row));
      rows.set(row.id, mayBeGone ? ((await this.#current(row)) ?? row) : row);
    }
    return rows;
  }

  /** The row as it is now; an `intended` whose sender is gone has become `unknown`. */
  async get(id: string): Promise<PaidRow | undefined> {
    const row = await this.#database.query
      .selectFrom('gateway_intent')
      .selectAll()
      .where('id', '=', id)
      .where('principal', '=', this.#spender.principal)
      .executeTakeFirst();
    return row && this.#current(row);
  }

  /** Applies the passing of time to an `intended`: a dead sender leaves `unknown`. */
  async #current(row: PaidRow): Promise<PaidRow | undefined> {
    if (row.state !== 'intended') return row;
    const expire = this.#statements.change(row.id, 'doubt', () => ({
      where: `deadline + ${clockToleranceMs} < ${this.#statements.now}`,
    }));
    const [, { rows }] = await this.#database.batch([expire, this.#statements.byId(row.id)], {
      synced: false,
    });
    const [current] = rows;
    return current !== undefined && isGone(current) ? ((await this.doubt(current)) ?? current) : current;
  }

  /** True where this process may send the request of its row once more, by its key. */
  async renew({ id, owner }: Pick<PaidRow, 'id' | 'owner'>, submitWithinMs: number): Promise<boolean> {
    const { now } = this.#statements;
    const renew = this.#statements.change(id, 'renew', (parameter) => ({
      set: { deadline: this.#statements.within(submitWithinMs, parameter) },
      where: `owner = ${parameter(owner)} and deadline >= ${now}`,
    }));
    const [{ rows }] = await this.#database.batch([renew], { synced: false });
    return rows.length > 0;
  }

  /** Resolves to the row in doubt where this process is to ask the service by its key. */
  askAgain(id: string, submitWithinMs: number): Promise<PaidRow | undefined> {
    return this.#change(id, 'askAgain', (parameter) => ({
      set: { owner: parameter(createOwner()), deadline: this.#statements.within(submitWithinMs, parameter) },
      where: 'open = 1',
    }));
  }

  /**
   * A change of a row whose request was sent. Where it changes nothing the database may have lost the row: then it is put back,
   * and changed.
   */
  changeSent<Changed>(
    row: PaidRow,
    change: () => Promise<Changed | undefined>,
  ): Promise<Changed | undefined> {
    const changeAgain = async () => {
      const [{ rows }] = await this.#database.batch([this.#statements.putBack(row)]);
      return rows.length === 0 ? undefined : change();
    };
    return change().then((changed) => changed ?? changeAgain());
  }

  /** Resolves to the row; undefined where it was no longer to be accepted. An older row with that job's id loses it. */
  async accept(id: string, jobId: string): Promise<AcceptedRow | undefined> {
    const accept = this.#statements.change<AcceptedRow>(
      id,
      'accept',
      (parameter) => ({ set: { job_id: parameter(jobId), submitted_at: this.#statements.now } }),
      'id, state, open, call_hash, created_at',
    );
    const [{ rows }] = await this.#database.batch([accept, this.#forget(id, jobId)]);
    return rows[0];
  }

  #forget(id: string, jobId: string): Statement {
    return this.#statements.forgetId({ id, service_key: this.#spender.serviceKey }, jobId);
  }

  /**
   * Not taken by the service: nothing was or will be charged. `reason` is kept for who reads the job later. Only what `owner`
   * sent, or did not send: whoever has claimed the row since, or asks by its key, may be about to be charged.
   */
  refuse({ id, owner }: Pick<PaidRow, 'id' | 'owner'>, reason: Reason): Promise<PaidRow | undefined> {
    return this.#change(id, 'refuse', (parameter) => ({
      set: { charged: '0', refusal: parameter(toRefusalText(reason)) },
      where: `owner = ${parameter(owner)}`,
    }));
  }

  /** A planned row that is not to be sent. */
  drop(id: string, reason: Reason): Promise<PaidRow | undefined> {
    return this.#change(id, 'drop', (parameter) => ({
      set: { refusal: parameter(toRefusalText(reason)), input: parameter(droppedInput) },
    }));
  }

  /** Nobody knows what became of the request that `owner` had to send. */
  doubt({ id, owner }: Pick<PaidRow, 'id' | 'owner'>): Promise<PaidRow | undefined> {
    return this.#change(id, 'doubt', (parameter) => ({ where: `owner = ${parameter(owner)}` }));
  }

  /** The service knows a lost job again, and it runs. */
  async recover(id: string): Promise<void> {
    const recover = this.#statements.change(id, 'recover', () => ({
      set: { finished_at: 'null', answered_at: 'null', delivered_at: 'null' },
      where: 'job_id is not null',
    }));
    await this.#database.batch([recover], { synced: false });
  }

  /** The job is still gone after its loss was told: the same call is a new one. */
  async closeLoss(id: string): Promise<void> {
    await this.#database.batch([this.#statements.change(id, 'closeLoss')]);
  }

  /** The service does not know the job any more. The same call hears of it before it may run again. */
  lose(id: string): Promise<PaidRow | undefined> {
    return this.#change(id, 'lose', () => ({ set: { finished_at: this.#statements.now } }));
  }

  /**
   * The job's end with the statement that keeps its result. `first`: nothing else tells that the service took the request, or
   * has its result, so it is synced. Undefined where the row was no longer to be finished.
   */
  finish(
    id: string,
    { jobId, outcome, charged, durationMs, verdict }: EndRecord,
    {
      keep,
      profile,
      first = false,
    }: { keep?: Statement | undefined; profile?: Statement | undefined; first?: boolean } = {},
  ): Promise<true | undefined> {
    const { now } = this.#statements;
    // It may be the first sign that the service took the request, or that a lost job is there again.
    const finish = this.#statements.change(
      id,
      'finish',
      (parameter) => ({
        set: {
          job_id: parameter(jobId),
          outcome: parameter(outcome),
          charged: parameter(charged),
          duration_ms: parameter(durationMs),
          drift: parameter(verdict === undefined ? null : JSON.stringify(verdict)),
          finished_at: now,
          submitted_at: `coalesce(submitted_at, ${now})`,
          answered_at: 'null',
          delivered_at: 'null',
        },
        // Not where its id was given to another row.
        where: "(state <> 'lost' or job_id is not null)",
      }),
      '',
    );
    const statements = [
      finish,
      ...(first ? [this.#forget(id, jobId)] : []),
      ...(keep === undefined ? [] : [keep]),
      ...(profile === undefined ? [] : [profile]),
    ];
    return this.#database
      .batch(statements, { synced: first })
      .then(([finished]) => ((finished?.changes ?? 0) > 0 ? true : undefined));
  }

  /** The end, also a loss, reached the client. What is begun after it finds it done. False where it had before. */
  async deliver(id: string): Promise<boolean> {
    const [delivered] = await this.#database.batch([this.#statements.deliver(id)], { synced: false });
    return (delivered?.changes ?? 0) > 0;
  }

  /** A caller that acts on what the runs of an action said has read it: no further call joins them. */
  async deliverRuns(actionId: string): Promise<void> {
    const deliver = this.#statements.deliverRuns(this.#spender.principal, actionId);
    await this.#database.batch([deliver], { synced: false });
  }

  /** The end that was delivered had not been read. */
  async takeBack(id: string): Promise<void> {
    await this.#database.batch([this.#statements.takeBack(id)], { synced: false });
  }

  /** The end was written to a client that left before anything showed that it had read it. */
  async answered(id: string): Promise<void> {
    await this.#database.batch([this.#statements.answered(id)], { synced: false });
  }

  async #change(...change: Parameters<RowStatements['change']>): Promise<PaidRow | undefined> {
    const [{ rows }] = await this.#database.batch([this.#statements.change(...change)]);
    return rows[0];
  }
}

/** The only place where a service without the extension `usage` names the balance. */
const toRefusalText = ({ code, message, balance }: Reason): string =>
  JSON.stringify({ code, message, ...(typeof balance === 'number' && { balance }) });
