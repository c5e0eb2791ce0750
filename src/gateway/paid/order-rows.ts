/**
 * Orders written as paid rows: planned, inserted or claimed, each within the limits and with a consent that pays once. Where
 * the process may die is written in `paid-rows.ts`.
 */
import type { Database } from '../../store/database.ts';
import { StoreError } from '../../store/errors.ts';
import type { Statement } from '../../store/statement.ts';
import type { Principal } from '../interface/principal.ts';
import type { GatewaySchema, PaidRow } from '../store/schema.ts';
import { isPlanned } from '../store/states.ts';
import type { PlannedPayment } from '../store/watch-rows.ts';
import { isUsedStatement, unusedSql, useStatements } from './consents.ts';
import { type Order, type Quote, toPlannedRow, toRow } from './order.ts';
import type { PaidRows, Reason } from './paid-rows.ts';
import { type PricedRow, RowStatements } from './row-statements.ts';
import {
  findExceeded,
  hasLimits,
  readSpent,
  type Spender,
  type Spending,
  type SpendLimits,
} from './spending-limits.ts';

export type InsertResult =
  | { readonly kind: 'inserted'; readonly row: PaidRow }
  /** The same call is open, its consent was used up, or it fits the limits by now. */
  | { readonly kind: 'exists' }
  /** Nothing was written, because it may not wait for another process's lock. */
  | { readonly kind: 'locked' }
  | { readonly kind: 'over'; readonly spent: Spending }
  | CostBeingShown;

/** Other runs, of this principal, are about to show what the action costs. */
interface CostBeingShown {
  readonly kind: 'probe';
  readonly probes: readonly PaidRow[];
}

export type ClaimResult =
  | { readonly kind: 'claimed'; readonly row: PaidRow }
  | { readonly kind: 'over'; readonly spent: Spending }
  | CostBeingShown
  /** Another process claimed the row, or it was dropped or has expired. */
  | { readonly kind: 'gone' }
  /** The consent has paid for something else: the row is still planned. */
  | { readonly kind: 'consent-used' };

/** How the row of an order is written. */
export interface Insertion {
  readonly id: string;
  /** Whether the request will carry the row's id as its idempotency key. */
  readonly keyed: boolean;
  /** The row in doubt that a person overrides with `resubmit`. */
  readonly replaced?: PaidRow | undefined;
  /** Whether it waits for a lock that another process has. */
  readonly mayWait?: boolean | undefined;
}

export class OrderRows {
  readonly #database: Database<GatewaySchema>;
  readonly #rows: PaidRows;
  readonly #statements: RowStatements;
  readonly #spender: Spender;

  constructor(database: Database<GatewaySchema>, { id, serviceKey }: Principal, rows: PaidRows) {
    this.#database = database;
    this.#rows = rows;
    this.#statements = new RowStatements(database.engine);
    this.#spender = { principal: id, serviceKey };
  }

  /**
   * Writes the row of an order that this process is about to send. A rejection leaves open whether it was written: see
   * `abandon`.
   */
  async insert(order: Order, quote: Quote, insertion: Insertion): Promise<InsertResult> {
    const { limits, consent } = quote;
    const { base: price, reserve } = quote.priced.cost;
    const { replaced, mayWait } = insertion;
    const row = toRow(order, { ...insertion, price, reserve }, this.#spender);
    // A resubmit follows its doubt, which showed no cost.
    const probe = !quote.isCostKnown && replaced === undefined;
    const shown = probe ? await this.#readProbes(row) : undefined;
    if (shown !== undefined) return shown;
    const terms = { limits, consent, probe };
    const insert = this.#statements.insert(row, order.submitWithinMs, terms);
    if (replaced === undefined && consent === undefined && !probe && !hasLimits(limits)) {
      try {
        const [{ rows }] = await this.#database.batch([insert], { mayWait });
        return rows[0] === undefined ? { kind: 'exists' } : { kind: 'inserted', row: { ...row, ...rows[0] } };
      } catch (error) {
        if (mayWait === false && error instanceof StoreError && error.isRefused) return { kind: 'locked' };
        throw error;
      }
    }
    // Closed only together with the insert: a doubt without a successor must go on blocking the call.
    const close = replaced === undefined ? this.lock : this.#statements.closeFor(row, replaced, terms);
    const [, , { rows }] = await this.#database.batch([
      this.lock,
      close,
      insert,
      ...this.useConsent(consent, { row: row.id, owner: row.owner }),
    ]);
    if (rows[0] !== undefined) return { kind: 'inserted', row: { ...row, ...rows[0] } };
    // Waiting may help: the end of the run that shows the cost may free part of its reserve.
    const shownBy = probe ? await this.#readProbes(row) : undefined;
    if (shownBy !== undefined) return shownBy;
    // Summed only now, for each sum reads every row of the day. Where there is room since, the call is begun anew.
    const spent = await this.readSpent(limits);
    return findExceeded(reserve, spent, limits) === undefined ? { kind: 'exists' } : { kind: 'over', spent };
  }

  /**
   * The statement that writes a row to be claimed later; it costs nothing yet. Where the same call is open it does nothing.
   * `isNewGroup`: only where its group was written before, in the same transaction.
   */
  planStatement(order: Order, isNewGroup = false): Statement {
    const groupId = isNewGroup ? order.group?.groupId : undefined;
    return this.#statements.insert(toPlannedRow(order, this.#spender), 0, { limits: {}, groupId });
  }

  /** What a run of a watch pays: its row, planned where the run was written before, and the consent that it uses up. */
  paymentOf(order: Order, consent?: string): PlannedPayment {
    const row = toPlannedRow(order, this.#spender);
    const { id: rowId, owner } = row;
    return {
      rowId,
      lock: this.lock,
      statements: [
        this.#statements.insert(row, 0, { limits: {}, isOfRun: true }),
        ...this.useConsent(consent, { row: rowId, owner }),
      ],
      unused: (parameter) => unusedSql({ principal: row.principal, consent }, parameter),
    };
  }

  /** Plans an order by itself. Resolves to the open row of its call. */
  async plan(order: Order): Promise<PaidRow | undefined> {
    await this.#database.batch([this.planStatement(order)]);
    return this.#rows.findOpen(order);
  }

  /** One compare-and-set before any planned row is sent: a process that stood still claims nothing when it wakes up. */
  async claim(
    row: PaidRow,
    order: Pick<Order, 'submitWithinMs' | 'group'>,
    quote: Quote,
    { owner, keyed }: { readonly owner: string; readonly keyed: boolean },
  ): Promise<ClaimResult> {
    const { limits, consent, priced } = quote;
    const { base: price, reserve } = priced.cost;
    const probe = !quote.isCostKnown;
    const statements = this.#statements;
    const shown = probe ? await this.#readProbes({ ...row, price }) : undefined;
    if (shown !== undefined) return shown;
    const fields = {
      owner,
      price,
      charged: reserve,
      keyed: keyed ? 1 : 0,
      paid_for: order.group?.groupId ?? null,
    };
    const update = statements.claim(row, fields, order.submitWithinMs, { limits, consent, probe });
    if (!hasLimits(limits) && !probe && consent === undefined) {
      const [{ rows }] = await this.#database.batch([update]);
      return rows[0] === undefined ? { kind: 'gone' } : { kind: 'claimed', row: rows[0] };
    }
    const [, { rows }, { rows: now }, { rows: probes }, { rows: sums }] = await this.#database.batch([
      this.lock,
      update,
      statements.byId(row.id),
      statements.probes({ ...row, price }),
      statements.spent(this.#spender, limits),
      ...this.useConsent(consent, { row: row.id, owner }),
    ]);
    if (rows[0] !== undefined) return { kind: 'claimed', row: rows[0] };
    if (now[0]?.state !== 'planned' || now[0].open !== 1) return { kind: 'gone' };
    // Waiting may help: the end of the run that shows the cost may free part of its reserve.
    if (probe && probes.length > 0) return this.#toProbe(probes);
    const spent = readSpent(sums[0]);
    if (findExceeded(reserve, spent, limits) !== undefined) return { kind: 'over', spent };
    const isUsed = consent !== undefined && (await this.isConsentUsed(consent));
    return { kind: isUsed ? 'consent-used' : 'gone' };
  }

  /** Whether the answer of a person has paid for something. */
  async isConsentUsed(consent: string): Promise<boolean> {
    const rows = await this.#database.read(isUsedStatement(this.#spender.principal, consent));
    return rows.length > 0;
  }

  /** Follow in the same transaction, under `lock`, what a consent pays for. */
  useConsent(consent: string | undefined, paid: Parameters<typeof useStatements>[2]): readonly Statement[] {
    return useStatements({ principal: this.#spender.principal, consent }, this.#statements.now, paid);
  }

  #toProbe(probes: readonly PaidRow[]): CostBeingShown {
    return { kind: 'probe', probes: probes.filter(({ principal }) => principal === this.#spender.principal) };
  }

  /** Calls that wait for the run that shows the cost poll often, so they only read. */
  async #readProbes(row: PricedRow): Promise<CostBeingShown | undefined> {
    const rows = await this.#database.read(this.#statements.probes(row));
    return rows.length === 0 ? undefined : this.#toProbe(rows);
  }

  /** What was spent today, and by the group of the allowance. */
  async readSpent(limits: SpendLimits = {}): Promise<Spending> {
    const [row] = await this.#database.read(this.#statements.spent(this.#spender, limits));
    return readSpent(row);
  }

  /**
   * Refuses a row whose `insert` or `claim` failed without telling whether it was written; nothing was sent. `owner`: what it
   * would have written. Rejects while it may still be written.
   */
  async abandon(row: Pick<PaidRow, 'id' | 'owner'>, reason: Reason, mayStillCome: boolean): Promise<void> {
    if ((await this.#rows.refuse(row, reason)) !== undefined || !mayStillCome) return;
    const found = await this.#rows.get(row.id);
    // Else another one has taken the row since, or it has ended.
    if (found === undefined || isPlanned(found)) throw new Error('The row may still be written');
  }

  /** Serializes the spending of one key, so that each sum includes the reserves of concurrent calls. */
  get lock(): Statement {
    return this.#database.lockStatement(`intents of ${this.#spender.serviceKey}`);
  }
}
