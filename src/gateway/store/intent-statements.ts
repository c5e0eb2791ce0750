/**
 * The SQL of what is written around a payment, for both engines: single statements that check and write at once, so
 * that no lock waits for this process. Times are the database's.
 */
import type { Engine } from '../../store/database.ts';
import { dayStartText, nowText } from '../../store/database-time.ts';
import { type Statement, statement } from '../../store/statement.ts';
import type { NewIntentRow } from './new-intent.ts';
import { clockToleranceMs } from './owner.ts';
import type { IntentRow } from './schema.ts';
import { type Change, changeRule } from './states.ts';
import type { Ceilings, Spent } from './terms.ts';

/** How long after its deadline a request may still be answered: well below the tolerance after which it is given up. */
const nearlyMs = clockToleranceMs / 5;

/** Further ones count with what was reserved for them. */
const maxRunning = 50;

const list = (states: readonly string[]): string => states.map((state) => `'${state}'`).join(', ');

/** Assigns in the order of the names: values of the program's own, never text of the SQL. */
type Fields = Partial<Omit<IntentRow, 'id' | 'state' | 'open' | ChangedAt>>;
type ChangedAt = 'finished_at';

export type AcceptedIntent = Pick<IntentRow, 'id' | 'state' | 'open' | 'call_hash' | 'created_at'>;

export class IntentStatements {
  readonly #now: string;
  readonly #dayStart: string;

  constructor(engine: Engine) {
    this.#now = nowText(engine);
    this.#dayStart = dayStartText(engine);
  }

  /**
   * Writes the intent unless the same call is open, or more than `ceilings` was spent since the start of the day. Returns
   * its times.
   */
  insert(
    row: NewIntentRow,
    submitWithinMs: number,
    ceilings: Ceilings,
  ): Statement<Pick<IntentRow, 'created_at' | 'deadline'>> {
    const names = Object.keys(row);
    const parameters: unknown[] = [Math.ceil(submitWithinMs), ...Object.values(row)];
    const sql = `insert into gateway_intent (created_at, deadline, ${names.join(', ')})
      select ${this.#now}, ${this.#now} + $1, ${names.map((_, index) => `$${index + 2}`).join(', ')}
      where ${this.#isWithin(row, ceilings, parameters)}
      on conflict do nothing returning created_at, deadline`;
    return statement(sql, ...parameters);
  }

  /** Closes the intent whose place `row` takes, under the condition of `insert`, which follows in the same transaction. */
  closeFor(row: NewIntentRow, replaced: Pick<IntentRow, 'id' | 'state'>, ceilings: Ceilings): Statement {
    const parameters: unknown[] = [replaced.id, replaced.state];
    const sql = `update gateway_intent set open = 0 where id = $1 and state = $2 and open = 1
      and ${this.#isWithin(row, ceilings, parameters)}`;
    return statement(sql, ...parameters);
  }

  /** No more than `ceilings` was spent since the start of the day. Adds its values to `parameters`. */
  #isWithin(row: NewIntentRow, ceilings: Ceilings, parameters: unknown[]): string {
    const parameter = (value: unknown) => `$${parameters.push(value)}`;
    const spent = (column: 'principal' | 'service_key', ceiling: number | undefined) =>
      ceiling === undefined
        ? []
        : [
            `(select coalesce(sum(charged), 0) from gateway_intent where ${column} = ${parameter(row[column])}
              and created_at >= ${this.#dayStart}) <= ${parameter(ceiling)}`,
          ];
    return [
      '1 = 1',
      ...spent('principal', ceilings.byPrincipal),
      ...spent('service_key', ceilings.byKey),
    ].join(' and ');
  }

  /** The open intent of a call, and the time at which it was read. */
  open(principal: string, hash: string): Statement<IntentRow & { readonly now: number }> {
    return statement(
      `select *, ${this.#now} as now from gateway_intent
        where principal = $1 and call_hash = $2 and open = 1`,
      principal,
      hash,
    );
  }

  byId(id: string): Statement<IntentRow> {
    return statement('select * from gateway_intent where id = $1', id);
  }

  /** An `intended` whose time is over becomes `unknown`. */
  expire(id: string): Statement {
    return statement(`${this.#expire} and id = $1`, id);
  }

  expireCall(principal: string, hash: string): Statement {
    return statement(`${this.#expire} and principal = $1 and call_hash = $2 and open = 1`, principal, hash);
  }

  get #expire(): string {
    const { from, to } = changeRule('doubt');
    return `update gateway_intent set state = '${to}'
      where state in (${list(from)}) and deadline + ${clockToleranceMs} < ${this.#now}`;
  }

  /** Before the request is sent: it is still to be sent, by this process, and has nearly its whole time. */
  isReady(id: string, owner: string, submitWithinMs: number): Statement<Pick<IntentRow, 'id'>> {
    return statement(
      `select id from gateway_intent
        where id = $1 and owner = $2 and state = 'intended' and deadline >= ${this.#now} + $3`,
      id,
      owner,
      Math.ceil(submitWithinMs) - nearlyMs,
    );
  }

  /** Before the request is sent: it is still to be sent, by this process, and has its whole time from now. */
  claim(id: string, owner: string, submitWithinMs: number): Statement<Pick<IntentRow, 'deadline'>> {
    return statement(
      `update gateway_intent set deadline = ${this.#now} + $1
        where id = $2 and owner = $3 and state = 'intended' and deadline >= ${this.#now} returning deadline`,
      Math.ceil(submitWithinMs),
      id,
      owner,
    );
  }

  /** Asks the service again by the same key: of several processes, one does. */
  askAgain(id: string, owner: string, submitWithinMs: number): Statement<Pick<IntentRow, 'id'>> {
    const { from, to } = changeRule('askAgain');
    return statement(
      `update gateway_intent set state = '${to}', owner = $3, deadline = ${this.#now} + $1
        where id = $2 and open = 1 and state in (${list(from)}) returning id`,
      Math.ceil(submitWithinMs),
      id,
      owner,
    );
  }

  /** The end, also a loss, reached the client. */
  deliver(id: string): Statement {
    const [result, loss] = [changeRule('deliver'), changeRule('deliverLoss')];
    return statement(
      `update gateway_intent set open = 0, delivered_at = ${this.#now},
          state = case when state in (${list(result.from)}) then '${result.to}' else '${loss.to}' end
        where id = $1 and state in (${list([...result.from, ...loss.from])})`,
      id,
    );
  }

  /** The service took the request. Returns no more than is needed, because every column costs time. */
  accept(id: string, jobId: string): Statement<AcceptedIntent> {
    const { from, to } = changeRule('accept');
    return statement(
      `update gateway_intent set state = '${to}', job_id = $2, submitted_at = ${this.#now}
        where id = $1 and state in (${list(from)}) returning id, state, open, call_hash, created_at`,
      id,
      jobId,
    );
  }

  /** A compare-and-set by the table of states; `timeColumn` is set to the current time. */
  change(id: string, change: Change, fields: Fields, timeColumn?: ChangedAt): Statement<IntentRow> {
    const { from, to, closes } = changeRule(change);
    const assignments = Object.keys(fields).map((name, index) => `${name} = $${index + 2}`);
    const closing = closes === true ? ['open = 0'] : [];
    const time = timeColumn === undefined ? [] : [`${timeColumn} = ${this.#now}`];
    return statement(
      `update gateway_intent set ${[`state = '${to}'`, ...closing, ...time, ...assignments].join(', ')}
        where id = $1 and state in (${list(from)}) returning *`,
      id,
      ...Object.values(fields),
    );
  }

  /** The end of a job, which may be the first that is heard of its acceptance. */
  finish(id: string, fields: Fields): Statement {
    const { from, to } = changeRule('finish');
    const assignments = Object.keys(fields).map((name, index) => `${name} = $${index + 2}`);
    const at = this.#now;
    return statement(
      `update gateway_intent set state = '${to}', finished_at = ${at}, submitted_at = coalesce(submitted_at, ${at}),
          ${assignments.join(', ')}
        where id = $1 and state in (${list(from)})`,
      id,
      ...Object.values(fields),
    );
  }

  charge(id: string, credits: number): Statement {
    return statement(
      `update gateway_intent set charged = $2 where id = $1 and state = 'submitted'`,
      id,
      credits,
    );
  }

  /** Runs of today whose end nobody has read yet, the newest first. */
  runningToday(principal: string): Statement<IntentRow> {
    return statement(
      `select * from gateway_intent where principal = $1 and kind = 'run' and state = 'submitted' and open = 1
        and created_at >= ${this.#dayStart} order by created_at desc limit ${maxRunning}`,
      principal,
    );
  }

  /** The end was written to a client that left before anything showed that it had read it. */
  answered(id: string): Statement {
    return statement(
      `update gateway_intent set answered_at = ${this.#now}
        where id = $1 and open = 1 and state in ('finished', 'lost') and answered_at is null`,
      id,
    );
  }

  close(id: string, state: IntentRow['state']): Statement {
    return statement(
      'update gateway_intent set open = 0 where id = $1 and state = $2 and open = 1',
      id,
      state,
    );
  }

  /** Credits since the start of the UTC day, what is under way included. */
  spent(principal: string, serviceKey: string): Statement<Spent> {
    return statement(
      `select coalesce(sum(charged), 0) as "byKey",
          coalesce(sum(case when principal = $1 then charged else 0 end), 0) as "byPrincipal"
        from gateway_intent where service_key = $2 and created_at >= ${this.#dayStart}`,
      principal,
      serviceKey,
    );
  }
}
