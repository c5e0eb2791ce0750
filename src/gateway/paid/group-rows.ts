/**
 * Groups in the store: the inputs of one batch, each a member that points to its paid row.
 *
 * Where the process may die, and what the next one finds:
 * 1. before the group, its planned rows and the consent to it are written, in one transaction: nothing is known; the call
 *    is new, and the consent unused. A continuation and its consent likewise: the group is as it was.
 * 2. after that: members with rows in whatever state they are. Who waits for the group claims those that are planned.
 * 3. after the last row ended, before the answer was delivered: the same batch gets the same rows for an hour.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { groupPrefix } from '../../contract/job-id.ts';
import type { Database } from '../../store/database.ts';
import { nowText } from '../../store/database-time.ts';
import { type Statement, statement } from '../../store/statement.ts';
import { callCancelled } from '../foundation/errors.ts';
import type { ErrorDetail } from '../interface/outcomes.ts';
import type { Principal } from '../interface/principal.ts';
import type { GatewaySchema, GroupRow, MemberRow, PaidRow } from '../store/schema.ts';
import { closesAtSql } from '../store/states.ts';
import { groupHash } from './call-identity.ts';
import { unusedSql } from './consents.ts';
import type { GroupAgreement, Order } from './order.ts';
import type { OrderRows } from './order-rows.ts';
import type { PaidRows } from './paid-rows.ts';

/** A member with its row, as it is now. */
export interface Member {
  readonly member: MemberRow;
  readonly row: PaidRow | undefined;
}

/** A new member: its input, and its row. */
export interface NewMember {
  readonly order: Order;
  /** The row of an earlier result; undefined: the open row of the call, or a new one where none is open by then. */
  readonly cached: string | undefined;
}

/** What a call agrees to pay for a group. */
export interface GroupTerms {
  /** Credits that it may cost in all. */
  readonly allowance: number | undefined;
  /** As of `GroupRow`. */
  readonly confirmed: number | undefined;
  /** The answer of a person that this uses up. */
  readonly consent: string | undefined;
}

export class GroupRows {
  readonly #database: Database<GatewaySchema>;
  readonly #principal: string;
  readonly #rows: PaidRows;
  readonly #orders: OrderRows;

  constructor(database: Database<GatewaySchema>, { id }: Principal, rows: PaidRows, orders: OrderRows) {
    this.#database = database;
    this.#principal = id;
    this.#rows = rows;
    this.#orders = orders;
  }

  get #groups() {
    return this.#database.query
      .selectFrom('gateway_group')
      .selectAll()
      .where('principal', '=', this.#principal);
  }

  find(id: string): Promise<GroupRow | undefined> {
    return this.#groups.where('id', '=', id).executeTakeFirst();
  }

  byIds(ids: readonly string[]): Promise<GroupRow[]> {
    return ids.length === 0 ? Promise.resolve([]) : this.#groups.where('id', 'in', ids).execute();
  }

  /** The open group of the same inputs, with a row that still attaches the same call; any other is closed. */
  async findOpen(hashes: readonly string[]): Promise<GroupRow | undefined> {
    const group = await this.#groups
      .where('call_hash', '=', groupHash(hashes))
      // A literal: databases use a partial index only where they see that its condition holds.
      .where((row) => row('open', '=', row.lit(1)))
      .executeTakeFirst();
    if (group === undefined) return undefined;
    const [row] = await this.#database.read(
      statement<{ one: number }>(
        `select 1 as one from gateway_intent where open = 1
            and (${closesAtSql} is null or ${closesAtSql} > ${this.#nowText})
            and id in (select row_id from gateway_member where group_id = $1) limit 1`,
        group.id,
      ),
    );
    if (row !== undefined) return group;
    await this.deliver(group.id);
    return undefined;
  }

  /**
   * Writes a group, its members and what is planned, in one transaction. Undefined where the same group is open, or the
   * consent was used up.
   */
  async insert(
    {
      actionId,
      hashes,
      allowance,
      confirmed,
      consent,
    }: GroupTerms & { readonly actionId: string; readonly hashes: readonly string[] },
    members: readonly NewMember[],
  ): Promise<GroupRow | undefined> {
    const id = `${groupPrefix}${randomUUID()}`;
    const values: unknown[] = [
      id,
      this.#principal,
      actionId,
      groupHash(hashes),
      allowance ?? null,
      confirmed ?? null,
    ];
    const isUnused = unusedSql({ principal: this.#principal, consent }, (value) => `$${values.push(value)}`);
    const group = statement<GroupRow>(
      `insert into gateway_group (id, principal, action_id, call_hash, open, allowance, confirmed, stopped, created_at)
        select $1, $2, $3, $4, 1, $5, $6, null, ${this.#nowText} where ${isUnused} on conflict do nothing returning *`,
      ...values,
    );
    const agreement = { groupId: id, allowance: allowance ?? null, confirmed: confirmed ?? null };
    const [, { rows }] = await this.#database.batch([
      this.#orders.lock,
      group,
      ...this.#orders.useConsent(consent, { group: id }),
      ...this.#memberStatements(agreement, members, hashes),
    ]);
    return rows[0];
  }

  /**
   * Each inserts only if the group was inserted: of two processes that begin the same batch, one writes its members.
   */
  #memberStatements(
    group: GroupAgreement,
    members: readonly NewMember[],
    hashes: readonly string[],
  ): readonly Statement[] {
    // In the order of the calls' hashes: two processes that plan the same calls never wait for each other in a circle.
    const plans = members
      .map((member, position) => ({ ...member, hash: hashes[position] ?? '' }))
      .filter(({ cached }) => cached === undefined)
      .sort((one, other) => (one.hash < other.hash ? -1 : 1))
      .map(({ order }) => this.#orders.planStatement({ ...order, group }, true));
    const inputs = members.map(({ order, cached }, position) =>
      statement(
        `insert into gateway_member (group_id, position, params, row_id, error)
          select $1, $2, $3, paid.id, null from gateway_group as one left join gateway_intent as paid on paid.principal = $4
            and ${cached === undefined ? 'paid.call_hash = $5 and paid.open = 1' : 'paid.id = $5'}
          where one.id = $1`,
        group.groupId,
        position,
        JSON.stringify(order.params),
        this.#principal,
        cached ?? hashes[position],
      ),
    );
    return [...plans, ...inputs];
  }

  /** In the order of the call, each with its row as it is now. Of an `intended` whose sender is gone the row is in doubt. */
  async members(id: string): Promise<Member[]> {
    const members = await this.#database.query
      .selectFrom('gateway_member')
      .selectAll()
      .where('group_id', '=', id)
      .orderBy('position')
      .execute();
    const rows = await this.#readRows(members);
    return members.map((member) => ({ member, row: rows.get(member.row_id ?? '') }));
  }

  /** The members of several groups, as they are stored. */
  async membersOf(ids: readonly string[]): Promise<ReadonlyMap<string, readonly Member[]>> {
    if (ids.length === 0) return new Map();
    const members = await this.#database.query
      .selectFrom('gateway_member')
      .selectAll()
      .where('group_id', 'in', ids)
      .orderBy('position')
      .execute();
    const rows = await this.#readRows(members);
    const byGroup = new Map<string, Member[]>(ids.map((id) => [id, []]));
    for (const member of members) {
      byGroup.get(member.group_id)?.push({ member, row: rows.get(member.row_id ?? '') });
    }
    return byGroup;
  }

  #readRows(members: readonly MemberRow[]): Promise<ReadonlyMap<string, PaidRow>> {
    return this.#rows.getAll([...new Set(members.map(({ row_id }) => row_id).filter((id) => id !== null))]);
  }

  /** A row for one input that has none yet, or for the inputs of a row that was closed unsent. */
  async setRow(id: string, of: { position: number } | { closed: string }, row: PaidRow): Promise<void> {
    const members = this.#database.query
      .updateTable('gateway_member')
      .set({ row_id: row.id, error: null })
      .where('group_id', '=', id);
    await ('closed' in of
      ? members.where('row_id', '=', of.closed)
      : members.where('position', '=', of.position)
    ).execute();
  }

  /** The inputs of a row that was refused before it was sent. */
  async refuse(id: string, rowId: string, error: ErrorDetail): Promise<void> {
    await this.#database.query
      .updateTable('gateway_member')
      .set({ error: JSON.stringify(error) })
      .where('group_id', '=', id)
      .where('row_id', '=', rowId)
      .execute();
  }

  /** Restarts the expiry of the group's planned rows, because somebody still wants them. */
  async keepPlanned(id: string): Promise<void> {
    await this.#database.batch(
      [
        statement(
          `update gateway_intent set created_at = ${this.#nowText} where state = 'planned' and open = 1
            and id in (select row_id from gateway_member where group_id = $1)`,
          id,
        ),
      ],
      { synced: false },
    );
  }

  /** Writes why the group stops. A cancellation is written only if no task still wants the group. */
  async stop(id: string, reason: ErrorDetail): Promise<void> {
    const unlessWanted = `and not exists (select 1 from gateway_task
      where group_id = $1 and cancelled_at is null and expires_at > ${this.#nowText})`;
    await this.#database.batch([
      statement(
        `update gateway_group set stopped = $2 where id = $1 ${reason.code === callCancelled.code ? unlessWanted : ''}`,
        id,
        JSON.stringify(reason),
      ),
    ]);
  }

  /**
   * A call continues the group, on these terms. False if its consent has already paid for something, or the database has
   * lost the group.
   */
  async goOn(id: string, { allowance, confirmed, consent }: GroupTerms): Promise<boolean> {
    const values: unknown[] = [id, allowance ?? null, confirmed ?? null];
    const isUnused = unusedSql({ principal: this.#principal, consent }, (value) => `$${values.push(value)}`);
    const [, { rows }] = await this.#database.batch([
      this.#orders.lock,
      statement<{ id: string }>(
        `update gateway_group set stopped = null, allowance = $2, confirmed = $3
          where id = $1 and ${isUnused} returning id`,
        ...values,
      ),
      ...this.#orders.useConsent(consent, { group: id }),
    ]);
    return rows.length > 0;
  }

  /**
   * The rows reached the caller, or the last `page` of them did: the same batch is a new one. False where they had before, or
   * another page is yet to be read.
   */
  async deliver(id: string, given: 'whole' | 'page' = 'whole'): Promise<boolean> {
    const group = this.#database.query
      .updateTable('gateway_group')
      .set({ open: 0 })
      .where('id', '=', id)
      .where('open', '=', sql.lit(1));
    const unread = this.#database.query
      .selectFrom('gateway_member as member')
      .innerJoin('gateway_intent as paid', 'paid.id', 'member.row_id')
      .select('paid.id')
      .where('member.group_id', '=', id)
      .where('paid.state', 'in', ['finished', 'lost'])
      .where('paid.delivered_at', 'is', null);
    const { numUpdatedRows } = await (given === 'whole'
      ? group
      : group.where(({ not, exists }) => not(exists(unread)))
    ).executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** The rows that were delivered had not been read: the same batch joins them, unless it was begun anew. */
  async takeBack(id: string): Promise<void> {
    await this.#database.batch(
      [
        statement(
          `update gateway_group set open = 1 where id = $1 and not exists (select 1 from gateway_group as other
            where other.principal = gateway_group.principal and other.call_hash = gateway_group.call_hash and other.open = 1)`,
          id,
        ),
      ],
      { synced: false },
    );
  }

  get #nowText(): string {
    return nowText(this.#database.engine);
  }
}
