/**
 * Pays by a consent as a running program does, and stands still before or after the transaction, or sends it while somebody
 * else holds the lock: for tests that kill it there. Options come as JSON in SVC_TEST_OPTIONS; a line on stdout says that it
 * is there.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { callHash } from '../../src/gateway/paid/call-identity.ts';
import { GroupRows } from '../../src/gateway/paid/group-rows.ts';
import { OrderRows } from '../../src/gateway/paid/order-rows.ts';
import { createOwner } from '../../src/gateway/paid/owner.ts';
import { PaidRows } from '../../src/gateway/paid/paid-rows.ts';
import { gatewayMigrations } from '../../src/gateway/store/migrations.ts';
import type { GatewaySchema } from '../../src/gateway/store/schema.ts';
import type { Database, Target } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createCall, createOrder, createQuote } from './orders.ts';

export interface ConsentOptions {
  readonly target: Target;
  readonly consent: string;
  readonly pays: 'insert' | 'claim' | 'group' | 'continuation';
  readonly at: 'before' | 'waiting' | 'after';
  /** Of the planned row, or of the group to be continued. */
  readonly id: string;
}

const { target, consent, pays, at, id }: ConsentOptions = JSON.parse(process.env.SVC_TEST_OPTIONS ?? '{}');
const real = await openDatabase<GatewaySchema>(target, gatewayMigrations, 'gateway');
const database: Database<GatewaySchema> = {
  ...real,
  async batch(statements, options) {
    const isPayment = statements.some(({ sql }) => sql.includes('gateway_consent'));
    if (isPayment && at === 'waiting') writeSync(1, 'there\n');
    if (isPayment && at === 'before') standStill();
    const results = await real.batch(statements, options);
    if (isPayment) standStill();
    return results;
  },
};

function standStill(): void {
  writeSync(1, 'there\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

const principal = { id: 'someone', service: 'http://localhost/v1/svc', serviceKey: 'key' };
const rows = new PaidRows(database, principal);
const orders = new OrderRows(database, principal, rows);
const groups = new GroupRows(database, principal, rows, orders);
const order = createOrder(createCall(7));
const quote = createQuote({ consent });
const terms = { allowance: undefined, confirmed: 5, consent };
const steps: Record<ConsentOptions['pays'], () => Promise<unknown>> = {
  insert: () => orders.insert(order, quote, { id: randomUUID(), keyed: false }),
  claim: async () => {
    const planned = await rows.get(id);
    return planned && orders.claim(planned, order, quote, { owner: createOwner(), keyed: false });
  },
  group: () =>
    groups.insert({ ...terms, actionId: 'shop-list', hashes: [callHash(order)] }, [
      { cached: undefined, order },
    ]),
  continuation: () => groups.goOn(id, terms),
};
if (at === 'waiting') {
  // A database that somebody holds is not opened: it is held from here on.
  writeSync(1, 'open\n');
  await once(process.stdin, 'data');
}
await steps[pays]();
