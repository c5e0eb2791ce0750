/** Watches and what they told, as the store has them. */
import { sql } from 'kysely';
import type { Database } from '../../store/database.ts';
import { nowText } from '../../store/database-time.ts';
import { statement } from '../../store/statement.ts';
import type { GatewaySchema, ToldKind, WatchRow, WatchRunRow } from './schema.ts';

/** Watches of a principal that have not ended. */
export const maxWatches = 50;
/** Watches that are listed: those that have ended last. */
export const maxListedWatches = 2 * maxWatches;

export interface WatchesNow {
  readonly watches: readonly WatchRow[];
  /** Runs without an outcome. */
  readonly running: readonly WatchRunRow[];
  /** The store's clock. */
  readonly now: number;
}

/** `seq`: of what it told last; 0: nothing yet. */
export interface WatchHead extends Pick<WatchRow, 'id' | 'action_id' | 'state' | 'seen_seq' | 'sent_seq'> {
  readonly seq: number;
}

/** What one watch told and nobody has read, by what it told together. */
export interface UnreadNews extends Pick<WatchRunRow, 'watch_id' | 'told'> {
  readonly runs: number;
}

export interface WatchTotals {
  readonly changes: number;
  readonly credits: number;
  /** Whether a run has no outcome yet. */
  readonly isRunning: boolean;
}

/** A run that brought no version. */
export interface UnreadableRun extends Pick<WatchRunRow, 'watch_id' | 'outcome' | 'summary' | 'ended_at'> {
  /** The paid row of its watch's last run that failed, where the watch is failing. */
  readonly failed_row: string | null;
}

export class WatchQueries {
  readonly #database: Database<GatewaySchema>;
  readonly #principal: string;
  readonly #now: string;

  constructor(database: Database<GatewaySchema>, principal: string) {
    this.#database = database;
    this.#principal = principal;
    this.#now = nowText(database.engine);
  }

  async now(): Promise<number> {
    const [row] = await this.#database.read(statement<{ now: number }>(`select ${this.#now} as now`));
    return Number(row?.now);
  }

  /** Those that have not ended, and what runs of them. */
  async readAll(): Promise<WatchesNow> {
    const [{ rows: watches }, { rows: running }, { rows: times }] = await this.#database.batch(
      [
        statement<WatchRow>(
          `select * from gateway_watch where principal = $1 and state <> 'ended' order by created_at, id`,
          this.#principal,
        ),
        statement<WatchRunRow>(
          `select run.* from gateway_watch_run as run join gateway_watch as watch on watch.id = run.watch_id
            where watch.principal = $1 and run.outcome is null order by run.due_at`,
          this.#principal,
        ),
        statement<{ now: number }>(`select ${this.#now} as now`),
      ],
      { synced: false },
    );
    return { watches, running, now: Number(times[0]?.now) };
  }

  /** Also those that have ended, after the others; the newest first. One more than are listed. */
  list(): Promise<readonly WatchRow[]> {
    return this.#inOrder()
      .selectAll()
      .limit(maxListedWatches + 1)
      .execute();
  }

  #inOrder() {
    return this.#database.query
      .selectFrom('gateway_watch')
      .where('principal', '=', this.#principal)
      .orderBy(sql`case when state = 'ended' then 1 else 0 end`)
      .orderBy('created_at', 'desc');
  }

  get(id: string): Promise<WatchRow | undefined> {
    return this.#database.query
      .selectFrom('gateway_watch')
      .selectAll()
      .where('principal', '=', this.#principal)
      .where('id', '=', id)
      .executeTakeFirst();
  }

  findByCall(callHash: string): Promise<WatchRow | undefined> {
    return this.#database.query
      .selectFrom('gateway_watch')
      .selectAll()
      .where('principal', '=', this.#principal)
      .where('call_hash', '=', callHash)
      .where('state', '<>', 'ended')
      .executeTakeFirst();
  }

  run(watchId: string, dueAt: number): Promise<WatchRunRow | undefined> {
    return this.#database.query
      .selectFrom('gateway_watch_run')
      .selectAll()
      .where('watch_id', '=', watchId)
      .where('due_at', '=', dueAt)
      .executeTakeFirst();
  }

  /** What is told after a place, in order. */
  told(watchId: string, after: number, limit: number): Promise<readonly WatchRunRow[]> {
    return this.#database.query
      .selectFrom('gateway_watch_run')
      .selectAll()
      .where('watch_id', '=', watchId)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(limit)
      .execute();
  }

  /** What is newest of each watch. */
  async heads(): Promise<readonly WatchHead[]> {
    const rows = await this.#inOrder()
      .select(['id', 'action_id', 'state', 'seen_seq', 'sent_seq'])
      .select((query) =>
        query
          .selectFrom('gateway_watch_run as run')
          .whereRef('run.watch_id', '=', 'gateway_watch.id')
          .where('run.seq', 'is not', null)
          .select(({ fn }) => fn.max('run.seq').as('seq'))
          .as('seq'),
      )
      .limit(maxListedWatches)
      .execute();
    return rows.map((row) => ({ ...row, seq: row.seq ?? 0 }));
  }

  /** The place of what a watch told last; 0: nothing yet. */
  async newest(id: string): Promise<number> {
    const [row] = await this.#database.read(
      statement<{ seq: number | null }>(
        'select max(seq) as seq from gateway_watch_run where watch_id = $1 and seq is not null',
        id,
      ),
    );
    return row?.seq ?? 0;
  }

  /** Which of these watches there are, of any principal. */
  async existing(ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.#database.query
      .selectFrom('gateway_watch')
      .select('id')
      .where('id', 'in', ids)
      .execute();
    return new Set(rows.map(({ id }) => id));
  }

  /** What was told and not read yet, of all watches, counted: there may be thousands. */
  async unread(): Promise<readonly UnreadNews[]> {
    const rows = await this.#database.read(
      statement<Pick<WatchRunRow, 'watch_id' | 'told'> & { readonly runs: number }>(
        `select run.watch_id, run.told, count(*) as runs from gateway_watch as watch
          join gateway_watch_run as run on run.watch_id = watch.id and run.seq is not null and run.seq > watch.seen_seq
          where watch.principal = $1 group by run.watch_id, run.told`,
        this.#principal,
      ),
    );
    return rows.map((row) => ({ ...row, runs: Number(row.runs) }));
  }

  /**
   * Of each watch, or of one, the newest due time that has an outcome, where it brought no version: it failed, is in doubt or
   * was skipped. The end of a watch is no run. The newest one of a watch that is failing is always such a run.
   */
  async unreadable(id: string | null = null): Promise<ReadonlyMap<string, UnreadableRun>> {
    const rows = await this.#database.read(
      statement<UnreadableRun>(
        `select run.watch_id, run.outcome, run.summary, run.ended_at,
            case when watch.state = 'failing' then (select failed.row_id from gateway_watch_run as failed
              where failed.watch_id = watch.id and failed.outcome = 'failed'
              order by failed.due_at desc limit 1) end as failed_row
          from gateway_watch as watch
          join gateway_watch_run as run on run.watch_id = watch.id and run.due_at =
            (select max(last.due_at) from gateway_watch_run as last where last.watch_id = watch.id
              and last.outcome is not null and (last.told is null or last.told not like '%"ended"%'))
          where watch.principal = $1 and (cast($2 as text) is null or watch.id = $2)
            and run.outcome in ('failed', 'unknown', 'skipped')`,
        this.#principal,
        id,
      ),
    );
    return new Map(rows.map((run) => [run.watch_id, run]));
  }

  /** Of each watch, or of one, how often a change was told, what its paid rows have cost, and whether a run is open. */
  async totals(id: string | null = null): Promise<ReadonlyMap<string, WatchTotals>> {
    const rows = await this.#database.read(
      statement<{ id: string; changes: number; open: number; credits: number | null }>(
        `select watch.id as id,
            (select count(*) from gateway_watch_run as run where run.watch_id = watch.id
              and run.outcome is null) as open,
            (select count(*) from gateway_watch_run as run where run.watch_id = watch.id
              and run.seq is not null and run.outcome = 'changed') as changes,
            (select sum(paid.charged) from gateway_intent as paid where paid.paid_for = watch.id) as credits
          from gateway_watch as watch where watch.principal = $1 and (cast($2 as text) is null or watch.id = $2)`,
        this.#principal,
        id,
      ),
    );
    return new Map(
      rows.map(({ id, changes, open, credits }) => [
        id,
        { changes: Number(changes), isRunning: Number(open) > 0, credits: Number(credits ?? 0) },
      ]),
    );
  }

  /** Whether a kind of news was told since a time. JSON of kinds is a list of texts in quotes. */
  async wasTold(id: string, kind: ToldKind, since: number): Promise<boolean> {
    const run = await this.#database.query
      .selectFrom('gateway_watch_run')
      .select('seq')
      .where('watch_id', '=', id)
      .where('ended_at', '>=', since)
      .where('told', 'like', `%"${kind}"%`)
      .limit(1)
      .executeTakeFirst();
    return run !== undefined;
  }

  lastAsked(id: string): Promise<WatchRunRow | undefined> {
    return this.#database.query
      .selectFrom('gateway_watch_run')
      .selectAll()
      .where('watch_id', '=', id)
      .where('reason', '=', 'asked')
      .orderBy('due_at', 'desc')
      .executeTakeFirst();
  }
}
