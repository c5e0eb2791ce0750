/** Reads the paid rows of one principal: jobs, durations, costs and spending. Changes none. */
import { type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../../store/database.ts';
import { databaseNow, dayStartText, nowText } from '../../store/database-time.ts';
import { statement } from '../../store/statement.ts';
import type { Principal } from '../interface/principal.ts';
import type { GatewaySchema, PaidRow } from '../store/schema.ts';
import { unansweredMs } from '../store/states.ts';
import { callHash, type PaidCall, parseObject } from './call-identity.ts';
import { clockToleranceMs } from './owner.ts';
import type { AcceptedRow } from './row-statements.ts';
import { chargedSql } from './spending-limits.ts';

const dayMs = 24 * 60 * 60_000;
/** How many rows of earlier processes are followed for their cost; further ones count with their reserve. */
const maxFollowed = 50;

/** Bytes of a result that may be an empty one. */
const maxSmallBytes = 2_000;

export interface SeenRun extends Pick<PaidRow, 'outcome' | 'duration_ms'> {
  /** JSON text of the answer; null where it is large or not kept. */
  readonly body: Uint8Array | null;
}

/** Credits and runs of one action, or of builds for one website. */
export interface SpentOn {
  readonly kind: PaidRow['kind'];
  readonly subject: string;
  readonly runs: number;
  readonly spent: number;
  readonly spentToday: number;
}

export interface SpentDay {
  /** The UTC day, such as `2026-11-22`. */
  readonly day: string;
  readonly runs: number;
  readonly spent: number;
}

export interface SpentOnDay extends SpentDay, Pick<SpentOn, 'kind' | 'subject'> {
  /** Actions and websites of that day. */
  readonly subjects: number;
}

/** The newest paid work: a call, or a group, whose rows are part of its entry. */
export interface RecentJob {
  readonly kind: 'call' | 'group';
  readonly id: string;
}

// A literal: databases use a partial index only where they see that its condition holds.
const isOpen = (row: ExpressionBuilder<GatewaySchema, 'gateway_intent'>) =>
  row('open', '=', row.lit(1)) satisfies { expressionType?: SqlBool | undefined };
const completed = sql.lit('completed' as const);
/** In thousandths: sums of credits would show the dust of binary fractions. */
const charged = sql.raw<number>(chargedSql);
const toSpent = ({ runs, spent }: { readonly runs: number; readonly spent: number }) => ({
  runs: Number(runs),
  spent: Number(spent) / 1000,
});

const toDay = (day: number): string => new Date(Number(day) * dayMs).toISOString().slice(0, 10);

export class RowQueries {
  readonly #database: Database<GatewaySchema>;
  readonly #principal: string;
  readonly #serviceKey: string;

  constructor(database: Database<GatewaySchema>, { id, serviceKey }: Principal) {
    this.#database = database;
    this.#principal = id;
    this.#serviceKey = serviceKey;
  }

  get #rows() {
    return this.#database.query
      .selectFrom('gateway_intent')
      .selectAll()
      .where('principal', '=', this.#principal);
  }

  /** The newest row of a job: a service may give one id twice. */
  byJob(jobId: string): Promise<PaidRow | undefined> {
    return this.#rows.where('job_id', '=', jobId).orderBy('created_at', 'desc').executeTakeFirst();
  }

  /** Whether the job comes from a call of any principal. */
  async isOfAnyone(jobId: string): Promise<boolean> {
    const row = await this.#database.query
      .selectFrom('gateway_intent')
      .select('id')
      .where('job_id', '=', jobId)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** The newest row of the same call that was made after this one. */
  other({ id, call_hash, created_at }: AcceptedRow): Promise<PaidRow | undefined> {
    return this.#rows
      .where('call_hash', '=', call_hash)
      .where('id', '!=', id)
      .where('created_at', '>=', created_at)
      .orderBy('created_at', 'desc')
      .executeTakeFirst();
  }

  /** Open calls without a key whose answer is not known, or not yet. */
  inDoubt(kind: PaidRow['kind']): Promise<PaidRow[]> {
    return this.#rows
      .where(isOpen)
      .where('kind', '=', kind)
      .where('state', 'in', ['intended', 'unknown'])
      .where('keyed', '=', 0)
      .execute();
  }

  /** Rows of today whose end nobody has read yet. */
  async runningToday(): Promise<readonly PaidRow[]> {
    const { engine } = this.#database;
    // Each call under a daily limit asks. The first condition is that of the index of the few rows that run, and with the
    // plus no engine reads all of the day instead.
    return this.#database.read(
      statement<PaidRow>(
        `select * from gateway_intent
          where state in ('intended', 'submitted', 'unknown') and service_key = $1
            and state = 'submitted' and principal = $2 and open = 1 and kind = 'run'
            and +created_at >= ${dayStartText(engine)} and +created_at <= ${nowText(engine)} + ${clockToleranceMs}
          order by +created_at desc limit ${maxFollowed}`,
        this.#serviceKey,
        this.#principal,
      ),
    );
  }

  /** Durations in milliseconds of the newest runs of an action that ended well. */
  async durations(subject: string, count: number): Promise<number[]> {
    // One row, because each costs as much as finding them all.
    const [row] = await this.#database.read(
      statement<{ durations: string | null }>(
        `select string_agg(cast(duration_ms as text), ' ') as durations from (
          select duration_ms from gateway_intent where principal = $1 and subject = $2 and outcome = 'completed'
            and duration_ms is not null order by created_at desc limit $3) as newest`,
        this.#principal,
        subject,
        count,
      ),
    );
    return (row?.durations ?? '').split(' ').filter(Boolean).map(Number);
  }

  /** The newest runs of an action that ended, with their results where those are small, as empty ones are. */
  newestRuns(subject: string, count: number): Promise<SeenRun[]> {
    return this.#database.query
      .selectFrom('gateway_intent')
      .leftJoin('gateway_result', (join) =>
        join
          .onRef('gateway_result.principal', '=', 'gateway_intent.principal')
          .onRef('gateway_result.job_id', '=', 'gateway_intent.id')
          .on('gateway_result.size', '<=', maxSmallBytes),
      )
      .select(['outcome', 'duration_ms', 'body'])
      .where('gateway_intent.principal', '=', this.#principal)
      .where('kind', '=', 'run')
      .where('subject', '=', subject)
      .where('outcome', 'is not', null)
      .orderBy('created_at', 'desc')
      .limit(count)
      .execute();
  }

  /** The newest completed runs of an action that ended before a moment, with their verdicts. */
  judgedRuns(
    subject: string,
    before: number,
    count: number,
  ): Promise<Pick<PaidRow, 'job_id' | 'call_hash' | 'drift' | 'finished_at'>[]> {
    return this.#database.query
      .selectFrom('gateway_intent')
      .select(['job_id', 'call_hash', 'drift', 'finished_at'])
      .where('principal', '=', this.#principal)
      .where('kind', '=', 'run')
      .where('subject', '=', subject)
      .where('outcome', '=', completed)
      .where('finished_at', '<', before)
      .orderBy('finished_at', 'desc')
      .limit(count)
      .execute();
  }

  /** Credits that the newest completed calls have cost, the newest first; `base`: only those at this base price. */
  costs(subject: string, count: number, base?: number): Promise<number[]> {
    return base === undefined
      ? this.#costs('subject = $3', count, subject)
      : this.#costs("subject = $3 and kind = 'run' and price = $4", count, subject, base);
  }

  /** Credits that the newest builds have cost. */
  buildCosts(count: number): Promise<number[]> {
    return this.#costs("kind = 'build'", count);
  }

  async #costs(where: string, count: number, ...parameters: readonly unknown[]): Promise<number[]> {
    const rows = await this.#database.read(
      statement<Pick<PaidRow, 'charged'>>(
        `select charged from gateway_intent where principal = $1 and outcome = 'completed' and ${where}
          order by created_at desc limit $2`,
        this.#principal,
        count,
        ...parameters,
      ),
    );
    return rows.map(({ charged }) => charged);
  }

  /**
   * The newest completed run of the same call that ended within `maxAgeMs` and whose result is kept. One that has ended in
   * the future, while the clock was ahead, is not fresh, nor is one of another `version` of its action.
   */
  completedSame(call: PaidCall, maxAgeMs: number, version: PaidRow['version']): Promise<PaidRow | undefined> {
    const now = databaseNow(this.#database.engine);
    return (
      this.#rows
        .where('subject', '=', call.subject)
        .where('outcome', '=', completed)
        // Bounds the search by the index; no run is waited for longer than this.
        .where('created_at', '>=', sql<number>`${now} - ${maxAgeMs + unansweredMs}`)
        .where('call_hash', '=', callHash(call))
        .where('finished_at', '>=', sql<number>`${now} - ${maxAgeMs}`)
        .where('finished_at', '<=', this.#soon)
        .where('version', version === null ? 'is' : '=', version)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('gateway_result as kept')
              .select('kept.job_id')
              .whereRef('kept.principal', '=', 'gateway_intent.principal')
              .whereRef('kept.job_id', '=', 'gateway_intent.id'),
          ),
        )
        .orderBy('created_at', 'desc')
        .executeTakeFirst()
    );
  }

  /** The newest rows, the newest first. */
  newest(limit: number): Promise<PaidRow[]> {
    return this.#rows.orderBy('created_at', 'desc').limit(limit).execute();
  }

  /** A page of the newest jobs, the newest first, and how many there are. */
  async recentJobs(limit: number, offset: number): Promise<{ jobs: readonly RecentJob[]; total: number }> {
    const all = `select 'call' as kind, call.id, call.created_at from gateway_intent as call
        where call.principal = $1 and (call.paid_for is null
          or not exists (select 1 from gateway_group as one where one.id = call.paid_for))
      union all select 'group' as kind, id, created_at from gateway_group where principal = $1`;
    const page = `select kind, id from (${all}) as jobs order by created_at desc, id limit $2 offset $3`;
    const jobs = await this.#database.read(statement<RecentJob>(page, this.#principal, limit, offset));
    const [row] = await this.#database.read(
      statement<{ total: number }>(`select count(*) as total from (${all}) as jobs`, this.#principal),
    );
    return { jobs, total: Number(row?.total ?? 0) };
  }

  /** What was spent on what since a moment, and of it since `today`, the dearest first. */
  async spentOn(since: number, today: number, limit: number): Promise<SpentOn[]> {
    const ofToday = sql<number>`sum(case when created_at >= ${today} then ${charged} else 0 end)`;
    const rows = await this.#spending(since)
      .select(['kind', 'subject', ofToday.as('today')])
      .groupBy(['kind', 'subject'])
      .orderBy('spent', 'desc')
      .orderBy('subject')
      .limit(limit)
      .execute();
    return rows.map(({ kind, subject, today: ofNow, ...row }) => ({
      kind,
      subject,
      ...toSpent(row),
      spentToday: Number(ofNow) / 1000,
    }));
  }

  /** Credits that the newest completed runs of actions have cost, the newest first. */
  async lastCosts(subjects: readonly string[], count: number): Promise<ReadonlyMap<string, number[]>> {
    const costs = new Map<string, number[]>(subjects.map((subject) => [subject, []]));
    if (subjects.length === 0) return costs;
    const newest = this.#database.query
      .selectFrom('gateway_intent')
      .select(['subject', 'charged'])
      .select(sql<number>`row_number() over (partition by subject order by created_at desc)`.as('place'))
      .where('principal', '=', this.#principal)
      .where('outcome', '=', completed)
      .where('subject', 'in', subjects);
    const rows = await this.#database.query
      .selectFrom(newest.as('newest'))
      .select(['subject', 'charged'])
      .where('place', '<=', count)
      .orderBy('place')
      .execute();
    for (const { subject, charged: credits } of rows) costs.get(subject)?.push(credits);
    return costs;
  }

  /** What was spent on each UTC day since a moment, the newest first. */
  async spentByDay(since: number): Promise<SpentDay[]> {
    const day = sql<number>`created_at / ${sql.lit(dayMs)}`;
    const rows = await this.#spending(since)
      .select(day.as('day'))
      .groupBy(day)
      .orderBy('day', 'desc')
      .execute();
    return rows.map((row) => ({
      day: toDay(row.day),
      ...toSpent(row),
    }));
  }

  /** The `count` dearest of each UTC day since a moment, and how many the day has; the newest day first. */
  async dearestByDay(since: number, count: number): Promise<SpentOnDay[]> {
    const day = sql<number>`created_at / ${sql.lit(dayMs)}`;
    const ofDays = this.#spending(since)
      .select(['kind', 'subject', day.as('day')])
      .groupBy([day, 'kind', 'subject']);
    const ranked = this.#database.query
      .selectFrom(ofDays.as('of_days'))
      .selectAll()
      .select([
        sql<number>`row_number() over (partition by day order by spent desc, subject)`.as('place'),
        sql<number>`count(*) over (partition by day)`.as('subjects'),
      ]);
    const rows = await this.#database.query
      .selectFrom(ranked.as('ranked'))
      .selectAll()
      .where('place', '<=', count)
      .orderBy('day', 'desc')
      .orderBy('place')
      .execute();
    return rows.map(({ kind, subject, ...row }) => ({
      kind,
      subject,
      day: toDay(row.day),
      subjects: Number(row.subjects),
      ...toSpent(row),
    }));
  }

  #spending(since: number) {
    return this.#database.query
      .selectFrom('gateway_intent')
      .select(({ fn }) => [fn.countAll<number>().as('runs'), sql<number>`sum(${charged})`.as('spent')])
      .where('principal', '=', this.#principal)
      .where('created_at', '>=', since)
      .where('created_at', '<=', this.#soon)
      .where('state', 'not in', ['refused', 'planned']);
  }

  /** Rows that were written later than this were written while the clock was ahead. */
  get #soon() {
    return sql<number>`${databaseNow(this.#database.engine)} + ${sql.lit(clockToleranceMs)}`;
  }

  /** The last balance that a refusal of the service named within a week. */
  async lastBalance(): Promise<{ balance: number; at: number } | undefined> {
    const row = await this.#rows
      .where('created_at', '>=', sql<number>`${databaseNow(this.#database.engine)} - ${7 * dayMs}`)
      .where('created_at', '<=', this.#soon)
      .where('refusal', 'like', '%"balance":%')
      .orderBy('created_at', 'desc')
      .executeTakeFirst();
    if (row === undefined || row.refusal === null) return undefined;
    const { balance } = parseObject(row.refusal);
    return typeof balance === 'number' ? { balance, at: row.created_at } : undefined;
  }
}
