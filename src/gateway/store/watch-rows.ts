/**
 * Watches in the store. What is paid for them are paid rows; what becomes of those is theirs.
 *
 * Where the process may die, and what the next one finds:
 * 1. before a due time is written: it is still due. The run of that time, its planned paid row and the next due time are
 *    one transaction, and the primary key is why no due time is planned twice, by however many processes.
 * 2. after that, before the paid row is claimed: a run without an outcome, whose row any serving process of the principal
 *    claims; after an hour nobody does, and the run is told as skipped.
 * 3. after the claim: as of every paid row (`paid/rows.ts`). A doubt is asked about by its key, or is the run's outcome; it
 *    blocks no other due time, because a due time names its call.
 * 4. after the end of the paid row was written, before the outcome: any serving process reads the kept result and writes
 *    the outcome. Outcome, difference and what the watch has become are one transaction, under the version that they were
 *    made from, so that no difference is told twice.
 * 5. a new watch: its row, its first run, the planned paid row and the consent are one transaction. Where the answer is
 *    lost, the same call is the same watch.
 */
import { randomUUID } from 'node:crypto';
import type { Database } from '../../store/database.ts';
import { nowText } from '../../store/database-time.ts';
import type { Encrypted } from '../../store/encryption.ts';
import { type Statement, statement } from '../../store/statement.ts';
import type { GatewaySchema, WatchRow, WatchRunRow } from './schema.ts';
import { maxWatches, type WatchQueries } from './watch-queries.ts';

/** Two orders to run a watch at once within so many milliseconds are one. */
const sameOrderMs = 1_000;

export type NewWatch = Omit<WatchRow, 'created_at' | 'version' | 'principal'>;
export type WatchChange = Partial<Omit<WatchRow, 'id' | 'principal' | 'created_at' | 'version'>>;
/** What becomes of a run, but for its place in the order of what is told. */
export type RunEnd = Pick<WatchRunRow, 'outcome' | 'told' | 'summary' | 'difference' | 'previous_row'>;

/** What a run pays. */
export interface PlannedPayment {
  readonly rowId: string;
  /** Of the service key. */
  readonly lock: Statement;
  /** The one that plans its row, where the run was written, and what uses a consent up. */
  readonly statements: readonly Statement[];
  /** The condition that its consent has paid for nothing yet. `parameter` adds a value to a statement. */
  readonly unused: (parameter: (value: unknown) => string) => string;
}

export class WatchRows {
  readonly #database: Database<GatewaySchema>;
  readonly #principal: string;
  readonly #queries: WatchQueries;
  readonly #now: string;

  constructor(database: Database<GatewaySchema>, principal: string, queries: WatchQueries) {
    this.#database = database;
    this.#principal = principal;
    this.#queries = queries;
    this.#now = nowText(database.engine);
  }

  /** Changes of the watches of a principal wait for each other. */
  get #lock(): Statement {
    return this.#database.lockStatement(`watches of ${this.#principal}`);
  }

  async markSeen(id: string, seq: number): Promise<void> {
    await this.#database.batch(
      [statement('update gateway_watch set seen_seq = $2 where id = $1 and seen_seq < $2', id, seq)],
      { synced: false },
    );
  }

  /**
   * Takes the next try to tell the webhook what a watch told after `sent`; until `until` no other process does. Undefined:
   * another one has it. Else how many tries there were, with this one.
   */
  async takeSend(id: string, sent: number, until: number): Promise<number | undefined> {
    const [{ rows }] = await this.#database.batch([
      statement<{ send_tries: number }>(
        `update gateway_watch set send_at = $3, send_tries = send_tries + 1
          where id = $1 and sent_seq = $2 and send_at <= ${this.#now} returning send_tries`,
        id,
        sent,
        until,
      ),
    ]);
    return rows[0]?.send_tries;
  }

  /** What became of a try. `sent`: what the webhook knew before. */
  async endSend(
    id: string,
    sent: number,
    { sent_seq, send_at, send_tries }: Pick<WatchRow, 'sent_seq' | 'send_at' | 'send_tries'>,
  ): Promise<void> {
    await this.#database.batch([
      statement(
        'update gateway_watch set sent_seq = $3, send_at = $4, send_tries = $5 where id = $1 and sent_seq = $2',
        id,
        sent,
        sent_seq,
        send_at,
        send_tries,
      ),
    ]);
  }

  /**
   * Writes a watch with its first run, and `key` for the time when its caller is away. False: the same one exists, the principal has as many as it may have, or the consent
   * was used up; then nothing was written.
   */
  async create(watch: NewWatch, payment: PlannedPayment, key?: Encrypted): Promise<boolean> {
    const { rowId, statements, lock, unused } = payment;
    const values = { ...watch, principal: this.#principal, version: randomUUID() };
    const names = Object.keys(values);
    const parameters: unknown[] = [...Object.values(values), this.#principal];
    const isUnused = unused((value) => `$${parameters.push(value)}`);
    const insert = statement<{ id: string }>(
      `insert into gateway_watch (created_at, ${names.join(', ')})
        select ${this.#now}, ${names.map((_, index) => `$${index + 1}`).join(', ')}
        where (select count(*) from gateway_watch where principal = $${names.length + 1} and state <> 'ended') < ${maxWatches}
          and ${isUnused}
        on conflict do nothing returning id`,
      ...parameters,
    );
    const run = this.#insertRun(
      { watch_id: watch.id, due_at: watch.anchor, row_id: rowId, reason: 'due', missed: 0 },
      'exists (select 1 from gateway_watch where id = $1)',
    );
    const keep = key === undefined ? [] : [this.#keepKey(watch.id, key)];
    const all = [this.#lock, lock, insert, run, ...statements, ...keep] as const;
    const [, , { rows }, { rows: runs }] = await this.#database.batch(all);
    return rows.length > 0 && runs.length > 0;
  }

  /** Takes back a watch whose first run failed at once. */
  async discard(id: string): Promise<void> {
    await this.#database.batch([
      this.#lock,
      statement('delete from gateway_watch_run where watch_id = $1', id),
      statement('delete from gateway_watch where id = $1 and principal = $2', id, this.#principal),
      this.#forgetKey(),
    ]);
  }

  /**
   * Writes a due run and what the watch goes on with, if it is still due at `dueOf`. False: another process was faster.
   * `payment` is absent where nothing is to be paid, as the outcome says.
   */
  async planDue(
    { id }: Pick<WatchRow, 'id'>,
    due: {
      readonly of: 'next_at' | 'extra_at';
      readonly expected: number;
      readonly run: Pick<WatchRunRow, 'due_at' | 'reason' | 'missed'>;
      readonly change: WatchChange;
    },
    payment: PlannedPayment | { readonly skipped: RunEnd },
  ): Promise<boolean> {
    const row_id = 'rowId' in payment ? payment.rowId : null;
    const condition = `exists (select 1 from gateway_watch where id = $1 and ${due.of} = ${Math.trunc(due.expected)}
      and state in ('active', 'failing'))`;
    const run = this.#insertRun({ watch_id: id, row_id, ...due.run }, condition);
    const [, { rows }, { changes }] = await this.#database.batch([
      this.#lock,
      run,
      // Whoever ended or paused it meanwhile is not overruled.
      this.#changeStatement(
        id,
        due.change,
        `${due.of} = ${Math.trunc(due.expected)} and state in ('active', 'failing')`,
      ),
      ...('rowId' in payment
        ? payment.statements
        : [this.#endStatement(id, due.run.due_at, payment.skipped)]),
    ]);
    return rows.length > 0 && changes > 0;
  }

  /** Writes a run that somebody ordered; undefined where one was ordered a moment ago, or the watch has ended. */
  async planAsked(id: string, { rowId, statements }: PlannedPayment): Promise<WatchRunRow | undefined> {
    const values = { watch_id: id, row_id: rowId, reason: 'asked', missed: 0 } as const;
    const [, { rows }] = await this.#database.batch([
      this.#lock,
      this.#insertRun(
        { ...values, due_at: undefined },
        `exists (select 1 from gateway_watch where id = $1 and state <> 'ended')
          and not exists (select 1 from gateway_watch_run where watch_id = $1 and reason = 'asked'
            and due_at > ${this.#now} - ${sameOrderMs})`,
      ),
      ...statements,
    ]);
    return rows[0];
  }

  /** Writes what became of a run, and of its watch; false where the watch has changed since `version`, or the run has ended. */
  async conclude(
    { id, version }: Pick<WatchRow, 'id' | 'version'>,
    dueAt: number,
    end: RunEnd,
    change: WatchChange,
  ): Promise<boolean> {
    const next = randomUUID();
    const isOpen = `exists (select 1 from gateway_watch_run where watch_id = $1 and due_at = ${Math.trunc(dueAt)} and outcome is null)`;
    const [, { changes }] = await this.#database.batch([
      this.#lock,
      this.#changeStatement(id, change, `version = '${version}' and ${isOpen}`, next),
      this.#endStatement(
        id,
        dueAt,
        end,
        `exists (select 1 from gateway_watch where id = $1 and version = '${next}')`,
      ),
      this.#forgetKey(),
    ]);
    return changes > 0;
  }

  /** Tells something that no run tells, such as the end of the watch; false where the watch has changed since `version`. */
  async tell(
    { id, version }: Pick<WatchRow, 'id' | 'version'>,
    end: RunEnd,
    change: WatchChange,
  ): Promise<boolean> {
    const next = randomUUID();
    const isOurs = `exists (select 1 from gateway_watch where id = $1 and version = '${next}')`;
    const at = await this.#queries.now();
    const [, { changes }] = await this.#database.batch([
      this.#lock,
      this.#changeStatement(id, change, `version = '${version}'`, next),
      this.#insertRun({ watch_id: id, due_at: at, row_id: null, reason: 'asked', missed: 0 }, isOurs),
      this.#endStatement(id, at, end, isOurs),
      this.#forgetKey(),
    ]);
    return changes > 0;
  }

  /**
   * Changes the settings or the state; false where the watch has changed since `version`. `use`: what uses a consent up, by the
   * version that is written.
   */
  async change(
    { id, version }: Pick<WatchRow, 'id' | 'version'>,
    change: WatchChange,
    use: (version: string) => readonly Statement[] = () => [],
  ): Promise<boolean> {
    const next = randomUUID();
    const [, { changes }] = await this.#database.batch([
      this.#lock,
      this.#changeStatement(id, change, `version = '${version}'`, next),
      ...use(next),
    ]);
    return changes > 0;
  }

  /** What runs the watches of a client that has left; where the watch was written, in the same transaction. */
  #keepKey(watchId: string, { keyId, data }: Encrypted): Statement {
    return statement(
      `insert into gateway_watch_key (principal, key_id, encrypted_key)
        select $1, $2, $3 where exists (select 1 from gateway_watch where id = $4)
        on conflict (principal) do update set key_id = excluded.key_id, encrypted_key = excluded.encrypted_key`,
      this.#principal,
      keyId,
      data,
      watchId,
    );
  }

  /** With the last watch, and the end of its last run: until then somebody has to follow that. */
  #forgetKey(): Statement {
    return statement(
      `delete from gateway_watch_key where principal = $1
        and not exists (select 1 from gateway_watch where principal = $1 and state <> 'ended')
        and not exists (select 1 from gateway_watch_run as run join gateway_watch as watch on watch.id = run.watch_id
          where watch.principal = $1 and run.outcome is null)`,
      this.#principal,
    );
  }

  /** `due_at` undefined: now. Its condition may name the watch as `$1`. */
  #insertRun(
    run: Pick<WatchRunRow, 'watch_id' | 'row_id' | 'reason' | 'missed'> & {
      readonly due_at: number | undefined;
    },
    condition: string,
  ): Statement<WatchRunRow> {
    const { watch_id, row_id, reason, missed, due_at } = run;
    const due = due_at === undefined ? this.#now : String(Math.trunc(due_at));
    return statement(
      `insert into gateway_watch_run (watch_id, due_at, row_id, reason, missed)
        select $1, ${due}, $2, $3, $4 where ${condition} on conflict do nothing returning *`,
      watch_id,
      row_id,
      reason,
      missed,
    );
  }

  #endStatement(id: string, dueAt: number, end: RunEnd, condition = '1 = 1'): Statement {
    const { outcome, told, summary, difference, previous_row } = end;
    const seq =
      told === null
        ? 'null'
        : '(select coalesce(max(other.seq), 0) + 1 from gateway_watch_run as other where other.watch_id = $1)';
    return statement(
      `update gateway_watch_run set outcome = $3, told = $4, summary = $5, difference = $6, previous_row = $7,
          seq = ${seq}, ended_at = ${this.#now}
        where watch_id = $1 and due_at = $2 and outcome is null and ${condition}`,
      id,
      dueAt,
      outcome,
      told,
      summary,
      difference,
      previous_row,
    );
  }

  #changeStatement(
    id: string,
    change: WatchChange,
    condition: string,
    version: string = randomUUID(),
  ): Statement {
    const names = Object.keys(change);
    return statement(
      `update gateway_watch set version = $2, ${names.map((name, index) => `${name} = $${index + 3}`).join(', ')}${
        names.length === 0 ? 'state = state' : ''
      } where id = $1 and ${condition}`,
      id,
      version,
      ...Object.values(change),
    );
  }
}
