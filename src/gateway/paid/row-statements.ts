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
import type { UnwrittenRow } from './order.ts';
import { clockToleranceMs } from './owner.ts';
import { limitsSql, type Spender, type SpendLimits, type SpentRow, spentSql } from './spending-limits.ts';

/** How long other calls wait for the run that shows the cost, in milliseconds; then the next one shows it. */
const probeMs = 10 * 60_000;

const list = (states: readonly string[]): string => states.map((state) => `'${state}'`).join(', ');

type Times = Pick<PaidRow, 'created_at' | 'deadline'>;
export type AcceptedRow = Pick<PaidRow, 'id' | 'state' | 'open' | 'call_hash' | 'created_at'>;

/** A run at a price. */
export type PricedRow = Pick<PaidRow, 'id' | 'service_key' | 'subject' | 'price'>;

/** The conditions of an insert, beside that the same call is not open. */
interface InsertTerms {
  readonly limits: SpendLimits;
  /** It was not used up. */
  readonly consent?: string | undefined;
  /** No other run shows the cost just now. */
  readonly probe?: boolean;
  /** That group was written before, in the same transaction. */
  readonly groupId?: string | undefined;
  /** The run of a watch that names the row was written before, in the same transaction. */
  readonly isOfRun?: boolean;
}

type Parameter = (value: unknown) => string;

/** What a change writes beside the state, as SQL by column, and under which further condition. */
interface Writing {
  readonly set?: Readonly<Partial<Record<keyof PaidRow, string>>>;
  readonly where?: string | undefined;
}

export class RowStatements {
  readonly #now: string;
  readonly #dayStart: string;

  constructor(engine: Engine) {
    this.#now = nowText(engine);
    this.#dayStart = dayStartText(engine);
  }

  /** Writes the row unless the same call is open, where the terms allow it. */
  insert(
    row: UnwrittenRow,
    submitWithinMs: number,
    { limits, consent, probe = false, groupId, isOfRun = false }: InsertTerms,
  ): Statement<Times> {
    const names = Object.keys(row);
    const { parameters, parameter } = createParameters(Math.ceil(submitWithinMs), ...Object.values(row));
    const conditions = [
      this.#fits(row.charged, limits, toSpender(row), parameter),
      unusedSql({ principal: row.principal, consent }, parameter),
      ...(probe ? [`not exists (${this.#probesSql(row, parameter)})`] : []),
      ...(groupId === undefined
        ? []
        : [`exists (select 1 from gateway_group where id = ${parameter(groupId)})`]),
      ...(isOfRun ? [`exists (select 1 from gateway_watch_run where row_id = ${parameter(row.id)})`] : []),
    ];
    const sql = `insert into gateway_intent (created_at, deadline, ${names.join(', ')})
      select ${this.#now}, ${this.#now} + $1, ${names.map((_, index) => `$${index + 2}`).join(', ')}
      where ${conditions.join(' and ')} on conflict do nothing returning created_at, deadline`;
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
    { limits, consent, probe = false }: InsertTerms,
  ): Statement<PaidRow> {
    return this.change(row.id, 'claim', (parameter) => {
      const written = Object.entries(fields).map(([name, value]) => [name, parameter(value)]);
      const conditions = [
        `open = 1 and created_at >= ${this.#now} - ${plannedMs}`,
        this.#fits(fields.charged, limits, toSpender(row), parameter),
        unusedSql({ principal: row.principal, consent }, parameter),
        ...(probe ? [`not exists (${this.#probesSql({ ...row, price: fields.price }, parameter)})`] : []),
      ];
      return {
        set: {
          ...Object.fromEntries(written),
          created_at: this.#now,
          deadline: this.within(submitWithinMs, parameter),
          input: 'null',
        },
        where: conditions.join(' and '),
      };
    });
  }

  /** Runs that show what their action costs at this price. */
  probes(row: PricedRow): Statement<PaidRow> {
    const { parameters, parameter } = createParameters();
    return statement(this.#probesSql(row, parameter), ...parameters);
  }

  #probesSql({ id, service_key, subject, price }: PricedRow, parameter: Parameter): string {
    return `select other.* from gateway_intent as other
      where other.state in ('intended', 'submitted') and other.service_key = ${parameter(service_key)}
        and other.subject = ${parameter(subject)} and other.price = ${parameter(price)} and other.id <> ${parameter(id)}
        and other.created_at between ${this.#now} - ${probeMs} and ${this.#now} + ${clockToleranceMs}`;
  }

  #fits(reserve: number, limits: SpendLimits, spender: Spender, parameter: Parameter): string {
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

  /** The moment so many milliseconds from now, for a text of a statement. */
  within(ms: number, parameter: Parameter): string {
    return `${this.#now} + ${parameter(Math.ceil(ms))}`;
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

  /**
   * A compare-and-set by the table of states: `build` says what else is written, and under which further condition. Columns
   * that are returned cost time: none where the count of changes is enough.
   */
  change<Row = PaidRow>(
    id: string,
    change: RowChange,
    build: (parameter: Parameter) => Writing = () => ({}),
    returning = '*',
  ): Statement<Row> {
    const { from, to, closes } = changeRule(change);
    const { parameters, parameter } = createParameters(id);
    const { set = {}, where = '1 = 1' } = build(parameter);
    const assignments = Object.entries({
      state: `'${to}'`,
      ...(closes === true && { open: '0' }),
      ...set,
    }).map(([name, value]) => `${name} = ${value}`);
    return statement(
      `update gateway_intent set ${assignments.join(', ')}
        where id = $1 and state in (${list(from)}) and ${where}${returning && ` returning ${returning}`}`,
      ...parameters,
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

  /** The ends of an action's runs reached their caller. */
  deliverRuns(principal: string, actionId: string): Statement {
    const { from, to } = changeRule('deliver');
    return statement(
      `update gateway_intent set delivered_at = ${this.#now}, open = 0, state = '${to}'
        where principal = $1 and subject = $2 and kind = 'run' and open = 1 and state in (${list(from)})`,
      principal,
      actionId,
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

  /** The caller of a delivered end, also a loss, had not read it; where the same call was begun anew it stays delivered. */
  takeBack(id: string): Statement {
    const { from, to } = changeRule('takeBack');
    return statement(
      `update gateway_intent set delivered_at = null, answered_at = ${this.#now}, open = 1,
          state = case when state in (${list(from)}) then '${to}' else state end
        where id = $1 and (state in (${list(from)}) or state = 'lost' and open = 1 and delivered_at is not null)
          and not exists (select 1 from gateway_intent as other where other.principal = gateway_intent.principal
            and other.call_hash = gateway_intent.call_hash and other.open = 1 and other.id <> gateway_intent.id)`,
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
