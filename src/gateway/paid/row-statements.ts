/**
 * The SQL of what is written around a payment, for both engines: single statements that check and write at once, so
 * that no lock waits for this process. Times are the database's.
 */
import type { Engine } from '../../store/database.ts';
import { dayStartText, nowText } from '../../store/database-time.ts';
import { type Statement, statement } from '../../store/statement.ts';
import type { PaidRow } from '../store/schema.ts';
import { changeRule, closesAtSql, lossToldSql, plannedMs, type RowChange } from '../store/states.ts';
import { unusedSql } from './consents.ts';
import { limitsSql, type Spender, type SpendLimits, type SpentRow, spentSql } from './limits.ts';
import type { UnwrittenRow } from './order.ts';
import { clockToleranceMs } from './owner.ts';

/** How long other calls wait for the run that shows the cost, in milliseconds. */
export const probeMs = 10 * 60_000;

const list = (states: readonly string[]): string => states.map((state) => `'${state}'`).join(', ');

/** Assigned in the order of their names: names of the program's own, never text from outside. */
type Fields = Partial<Omit<PaidRow, 'id' | 'state' | 'open'>>;
type Times = Pick<PaidRow, 'created_at' | 'deadline'>;
export type AcceptedRow = Pick<PaidRow, 'id' | 'state' | 'open' | 'call_hash' | 'created_at'>;

/** A run that shows what its action costs. `age`: milliseconds since it was begun. */
export type Probe = PaidRow & { readonly age: number };

export class RowStatements {
  readonly #now: string;
  readonly #dayStart: string;

  constructor(engine: Engine) {
    this.#now = nowText(engine);
    this.#dayStart = dayStartText(engine);
  }

  /**
   * Writes the row unless the same call is open, its consent was used up, or it does not fit the limits. With `groupId` only
   * where that group was written before, in the same transaction.
   */
  insert(
    row: UnwrittenRow,
    submitWithinMs: number,
    {
      limits,
      consent,
      groupId,
    }: { limits: SpendLimits; consent?: string | undefined; groupId?: string | undefined },
  ): Statement<Times> {
    const names = Object.keys(row);
    const { parameters, parameter } = createParameters(Math.ceil(submitWithinMs), ...Object.values(row));
    const sql = `insert into gateway_intent (created_at, deadline, ${names.join(', ')})
      select ${this.#now}, ${this.#now} + $1, ${names.map((_, index) => `$${index + 2}`).join(', ')}
      where ${this.#fits(row.charged, limits, toSpender(row), parameter)}
        and ${unusedSql({ principal: row.principal, consent }, parameter)}${
          groupId === undefined
            ? ''
            : ` and exists (select 1 from gateway_group where id = ${parameter(groupId)})`
        }
      on conflict do nothing returning created_at, deadline`;
    return statement(sql, ...parameters);
  }

  /** Closes the row in doubt whose place `row` takes, under the condition of `insert`, which follows in the same transaction. */
  closeFor(
    row: UnwrittenRow,
    replaced: Pick<PaidRow, 'id'>,
    { limits, consent }: { limits: SpendLimits; consent: string | undefined },
  ): Statement {
    const { parameters, parameter } = createParameters(replaced.id);
    const sql = `update gateway_intent set open = 0 where id = $1 and state = 'unknown' and open = 1
      and ${unusedSql({ principal: row.principal, consent }, parameter)}
      and ${this.#fits(row.charged, limits, toSpender(row), parameter)}`;
    return statement(sql, ...parameters);
  }

  /** A planned row is to be sent by this process, if it fits the limits and, with `probe`, no run shows the cost just now. */
  claim(
    row: Pick<PaidRow, 'id' | 'principal' | 'service_key' | 'subject'>,
    fields: Pick<PaidRow, 'owner' | 'price' | 'charged' | 'keyed' | 'paid_for'>,
    submitWithinMs: number,
    { limits, consent, probe }: { limits: SpendLimits; consent: string | undefined; probe: boolean },
  ): Statement<PaidRow> {
    const { from, to } = changeRule('claim');
    const { parameters, parameter } = createParameters(row.id, Math.ceil(submitWithinMs));
    const written = Object.entries(fields).map(([name, value]) => `${name} = ${parameter(value)}`);
    const conditions = [
      `state in (${list(from)}) and open = 1 and created_at >= ${this.#now} - ${plannedMs}`,
      this.#fits(fields.charged, limits, toSpender(row), parameter),
      unusedSql({ principal: row.principal, consent }, parameter),
      ...(probe ? [`not exists (${this.#probesSql(row, fields.price, parameter)})`] : []),
    ];
    return statement(
      `update gateway_intent set state = '${to}', deadline = ${this.#now} + $2, created_at = ${this.#now}, input = null,
          ${written.join(', ')}
        where id = $1 and ${conditions.join(' and ')} returning *`,
      ...parameters,
    );
  }

  /** Runs that show what their action costs at this price: under way or in doubt. */
  probes(row: Pick<PaidRow, 'id' | 'service_key' | 'subject'>, price: number): Statement<Probe> {
    const { parameters, parameter } = createParameters();
    return statement(this.#probesSql(row, price, parameter), ...parameters);
  }

  #probesSql(
    { id, service_key, subject }: Pick<PaidRow, 'id' | 'service_key' | 'subject'>,
    price: number,
    parameter: (value: unknown) => string,
  ): string {
    return `select other.*, ${this.#now} - other.created_at as age from gateway_intent as other
      where other.state in ('intended', 'submitted', 'unknown') and other.service_key = ${parameter(service_key)} and other.subject = ${parameter(subject)}
        and other.price = ${parameter(price)} and other.id <> ${parameter(id)}
        and (other.state <> 'unknown' or other.open = 1)
        and other.created_at between ${this.#now} - 86400000 and ${this.#now} + ${clockToleranceMs}`;
  }

  #fits(
    reserve: number,
    limits: SpendLimits,
    spender: Spender,
    parameter: (value: unknown) => string,
  ): string {
    return limitsSql(reserve, limits, spender, { parameter, dayStart: this.#dayStart });
  }

  spent({ principal, serviceKey }: Spender, { allowance }: SpendLimits): Statement<SpentRow> {
    return statement(spentSql(this.#now, this.#dayStart), principal, serviceKey, allowance?.groupId ?? '');
  }

  /** The open row of a call, when it was read, and when it stops to attach the call. */
  findOpen(
    principal: string,
    hash: string,
  ): Statement<PaidRow & { readonly now: number; readonly closes_at: number | null }> {
    return statement(
      `select *, ${this.#now} as now, ${closesAtSql} as closes_at from gateway_intent
        where principal = $1 and call_hash = $2 and open = 1`,
      principal,
      hash,
    );
  }

  /** A row, where it is a loss that was told. */
  toldLoss(id: string): Statement<Pick<PaidRow, 'id'>> {
    return statement(`select id from gateway_intent where id = $1 and ${lossToldSql(this.#now)}`, id);
  }

  /** The time of the store, for a text of a statement. */
  get now(): string {
    return this.#now;
  }

  byId(id: string): Statement<PaidRow> {
    return statement('select * from gateway_intent where id = $1', id);
  }

  /** A row that the database has lost, as this process knows it; closed where the same call was begun anew. */
  putBack(row: PaidRow): Statement<Pick<PaidRow, 'id'>> {
    const { open, ...kept } = row;
    const { parameters, parameter } = createParameters();
    const values = Object.values(kept).map(parameter);
    const isOpen = `case when exists (select 1 from gateway_intent where principal = ${parameter(row.principal)}
      and call_hash = ${parameter(row.call_hash)} and open = 1) then 0 else ${parameter(open)} end`;
    return statement(
      `insert into gateway_intent (${Object.keys(kept).join(', ')}, open)
        select ${values.join(', ')}, ${isOpen} on conflict do nothing returning id`,
      ...parameters,
    );
  }

  /** An `intended` whose time is over becomes `unknown`. */
  expire(id: string): Statement {
    const { from, to } = changeRule('doubt');
    return statement(
      `update gateway_intent set state = '${to}'
        where id = $1 and state in (${list(from)}) and deadline + ${clockToleranceMs} < ${this.#now}`,
      id,
    );
  }

  /** Before the service is asked again by the key: the row is still this process's, and its time is not over. */
  renew(id: string, owner: string, submitWithinMs: number): Statement<Pick<PaidRow, 'id'>> {
    return statement(
      `update gateway_intent set deadline = ${this.#now} + $3
        where id = $1 and owner = $2 and state = 'intended' and deadline >= ${this.#now} returning id`,
      id,
      owner,
      Math.ceil(submitWithinMs),
    );
  }

  /** Asks the service again by the same key: of several processes, one does. */
  askAgain(id: string, owner: string, submitWithinMs: number): Statement<Pick<PaidRow, 'id'>> {
    const { from, to } = changeRule('askAgain');
    return statement(
      `update gateway_intent set state = '${to}', owner = $2, deadline = ${this.#now} + $3
        where id = $1 and open = 1 and state in (${list(from)}) returning id`,
      id,
      owner,
      Math.ceil(submitWithinMs),
    );
  }

  /** The service took the request. Returns no more than is needed, because every column costs time. */
  accept(id: string, jobId: string): Statement<AcceptedRow> {
    const { from, to } = changeRule('accept');
    return statement(
      `update gateway_intent set state = '${to}', job_id = $2, submitted_at = ${this.#now}
        where id = $1 and state in (${list(from)}) returning id, state, open, call_hash, created_at`,
      id,
      jobId,
    );
  }

  /** The service has given the job's id to another row: what it shows under it from now on is that one's. */
  forgetId({ id, service_key }: Pick<PaidRow, 'id' | 'service_key'>, jobId: string): Statement {
    const { from, to } = changeRule('lose');
    return statement(
      `update gateway_intent set job_id = null, finished_at = coalesce(finished_at, ${this.#now}),
          state = case when state in (${list(from)}) then '${to}' else state end
        where job_id = $2 and id <> $1 and service_key = $3
          and exists (select 1 from gateway_intent where id = $1 and job_id = $2)`,
      id,
      jobId,
      service_key,
    );
  }

  /** The service knows a lost job again. */
  recover(id: string): Statement {
    const { from, to } = changeRule('recover');
    return statement(
      `update gateway_intent set state = '${to}', finished_at = null, answered_at = null, delivered_at = null
        where id = $1 and state in (${list(from)}) and job_id is not null`,
      id,
    );
  }

  /** Undoes a claim that may or may not have been written; nothing was sent after it. */
  unclaim(id: string, owner: string, refusal: string): Statement<Pick<PaidRow, 'id'>> {
    const { from, to } = changeRule('refuse');
    return statement(
      `update gateway_intent set state = '${to}', open = 0, charged = 0, refusal = $3
        where id = $1 and owner = $2 and state in (${list(from)}) returning id`,
      id,
      owner,
      refusal,
    );
  }

  /** A compare-and-set by the table of states; `finished_at` is set where `hasEnded`. */
  change(id: string, change: RowChange, fields: Fields = {}, hasEnded = false): Statement<PaidRow> {
    const { from, to, closes } = changeRule(change);
    const assignments = [
      `state = '${to}'`,
      ...(closes === true ? ['open = 0'] : []),
      ...(hasEnded ? [`finished_at = ${this.#now}`] : []),
      ...Object.keys(fields).map((name, index) => `${name} = $${index + 2}`),
    ];
    return statement(
      `update gateway_intent set ${assignments.join(', ')} where id = $1 and state in (${list(from)}) returning *`,
      id,
      ...Object.values(fields),
    );
  }

  /**
   * The end of a job; it may be the first sign that the service accepted the request, or that a lost job is there again. Not
   * where its id was given to another row.
   */
  finish(id: string, fields: Fields): Statement {
    const { from, to } = changeRule('finish');
    const assignments = Object.keys(fields).map((name, index) => `${name} = $${index + 2}`);
    return statement(
      `update gateway_intent set state = '${to}', finished_at = ${this.#now},
          submitted_at = coalesce(submitted_at, ${this.#now}), answered_at = null, delivered_at = null,
          ${assignments.join(', ')}
        where id = $1 and state in (${list(from)}) and (state <> 'lost' or job_id is not null)`,
      id,
      ...Object.values(fields),
    );
  }

  /** The end, also a loss, reached the client. */
  deliver(id: string): Statement {
    const [result, loss] = [changeRule('deliver'), changeRule('deliverLoss')];
    return statement(
      `update gateway_intent set delivered_at = ${this.#now},
          open = case when state in (${list(result.from)}) then 0 else open end,
          state = case when state in (${list(result.from)}) then '${result.to}' else '${loss.to}' end
        where id = $1 and state in (${list([...result.from, ...loss.from])})`,
      id,
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

  close(id: string, state: PaidRow['state']): Statement {
    return statement(
      'update gateway_intent set open = 0 where id = $1 and state = $2 and open = 1',
      id,
      state,
    );
  }
}

const toSpender = ({ principal, service_key }: Pick<PaidRow, 'principal' | 'service_key'>): Spender => ({
  principal,
  serviceKey: service_key,
});

function createParameters(...first: readonly unknown[]) {
  const parameters: unknown[] = [...first];
  return { parameters, parameter: (value: unknown) => `$${parameters.push(value)}` };
}
