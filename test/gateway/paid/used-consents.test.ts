/**
 * A consent pays once, whatever it pays for, on both engines: a call, the claim of a planned call, a batch, the continuation
 * of a batch.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import type { CallContext, RunBatchInput } from '../../../src/gateway/interface/gateway.ts';
import { callHash } from '../../../src/gateway/paid/call-identity.ts';
import { GatewayDatabase } from '../../../src/gateway/store/gateway-database.ts';
import { bundleProgram } from '../../support/bundled-program.ts';
import type { ConsentOptions } from '../../support/consent-process.ts';
import { useDatabases } from '../../support/databases.ts';
import {
  callContext,
  closeGateways,
  closeLater,
  openGateway,
  scriptedUpstream,
  startGateway,
  temporaryFolder,
} from '../../support/gateway.ts';
import { createCall, createOrder } from '../../support/orders.ts';
import { claimRow, openRows, planRow, tryInsert } from '../../support/paid-rows.ts';
import { engines } from '../../support/postgres.ts';
import { holdWriteLock } from '../../support/write-lock.ts';

const createDatabase = useDatabases();
afterEach(closeGateways);

type Store = Awaited<ReturnType<typeof openRows>>;
const target = async (engine: string) =>
  engine === 'sqlite'
    ? { file: join(await temporaryFolder(), 'gateway.db') }
    : { url: await createDatabase() };

/** Each pays for something that nothing else asks for, by `consent`; resolves to whether it did. */
const purchases = {
  async insert({ orders }: Store, consent: string, page: number) {
    const inserted = await tryInsert(orders, { call: createCall(page), consent });
    return inserted.kind === 'inserted';
  },
  async claim({ rows, orders }: Store, consent: string, page: number) {
    const planned = await planRow(orders, { call: createCall(page) });
    const claimed = await claimRow(orders, planned, { consent });
    if (claimed.kind !== 'claimed') expect(claimed).toEqual({ kind: 'consent-used' });
    // What is refused for its consent is still there for others.
    else expect((await rows.get(planned.id))?.state).toBe('intended');
    return claimed.kind === 'claimed';
  },
  async group(store: Store, consent: string, page: number) {
    return (await insertGroup(store, consent, page)) !== undefined;
  },
  async continuation(store: Store, consent: string, page: number) {
    const group = (await insertGroup(store, undefined, page)) ?? expect.fail('No group');
    return store.groups.goOn(group.id, { allowance: undefined, confirmed: 5, consent });
  },
};

const insertGroup = ({ groups }: Store, consent: string | undefined, page: number) =>
  groups.insert(
    {
      actionId: 'shop-list',
      hashes: [callHash(createCall(page))],
      allowance: undefined,
      confirmed: undefined,
      consent,
    },
    [{ cached: undefined, order: createOrder(createCall(page)) }],
  );

describe.each(engines)('a consent on %s', (engine) => {
  it('pays for one thing, in whatever order they come', async () => {
    const store = await openRows(await target(engine));
    let page = 0;
    const pay = (name: keyof typeof purchases, consent: string) => {
      page += 1;
      return purchases[name](store, consent, page);
    };
    const names = Object.keys(purchases).filter((name): name is keyof typeof purchases => name in purchases);
    for (const first of names) {
      for (const second of names) {
        const consent = `${first} then ${second}`;
        expect([consent, await pay(first, consent), await pay(second, consent)]).toEqual([
          consent,
          true,
          false,
        ]);
      }
    }
  });

  it('that was not paid by is not used up', async () => {
    const { orders, groups } = await openRows(await target(engine));
    const limits = { perDay: 4 };
    expect(await tryInsert(orders, { limits, consent: 'a' })).toMatchObject({ kind: 'over' });
    const planned = await planRow(orders);
    expect(await claimRow(orders, planned, { limits, consent: 'a' })).toMatchObject({ kind: 'over' });
    expect(await groups.goOn('batch-lost', { allowance: 5, confirmed: 5, consent: 'a' })).toBe(false);
    expect(await orders.isConsentUsed('a')).toBe(false);
    expect(await claimRow(orders, planned, { consent: 'a' })).toMatchObject({ kind: 'claimed' });
    expect(await orders.isConsentUsed('a')).toBe(true);
  });

  it('that comes to two processes at the same time pays once', async () => {
    const place = await target(engine);
    const stores = await Promise.all([openRows(place), openRows(place)]);
    const names = ['insert', 'claim', 'group', 'continuation'] as const;
    for (const [index, name] of names.entries()) {
      const paid = await Promise.all(
        stores.map((store, number) => purchases[name](store, name, 100 + 2 * index + number)),
      );
      expect([name, paid.filter(Boolean).length]).toEqual([name, 1]);
    }
  });
});

/** Another process that is in a transaction which the payment waits for; returns how to end it. */
async function holdLock(place: ConsentOptions['target']): Promise<() => Promise<void>> {
  if ('file' in place) {
    const release = holdWriteLock(place.file);
    return async () => release();
  }
  const client = new pg.Client({ connectionString: place.url });
  await client.connect();
  await client.query('begin; lock table gateway_consent, gateway_intent, gateway_group in exclusive mode');
  return async () => {
    await client.query('rollback');
    // The server goes on with what the killed process had sent, and may commit it between two reads of a test.
    const others =
      "select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'";
    await expect.poll(async () => (await client.query(others)).rowCount, { timeout: 10_000 }).toBe(0);
    await client.end();
  };
}

/** Kills a process where it says that it stands still, or waits for a lock. */
async function killAt(options: ConsentOptions): Promise<void> {
  const program = await bundleProgram(new URL('../../support/consent-process.ts', import.meta.url));
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, SVC_TEST_OPTIONS: JSON.stringify(options) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const line = async () => String(await Promise.race([once(child.stdout, 'data'), exited]));
  let release = async () => {};
  if (options.at === 'waiting') {
    expect(await line()).toBe('open\n');
    release = await holdLock(options.target);
    child.stdin.write('\n');
  }
  const there = await line();
  child.kill('SIGKILL');
  await exited;
  await release();
  expect(there).toBe('there\n');
}

describe.each(engines)('a process on %s that is killed', (engine) => {
  it.each([
    ['before the transaction', 'before', false],
    ['while the transaction waits for another', 'waiting', undefined],
    ['after the transaction', 'after', true],
  ] as const)('%s has paid and used the consent up, or neither', async (_, at, hasPaid) => {
    const place = await target(engine);
    const store = await openRows(place);
    const { database, groups, orders } = store;
    for (const [index, pays] of (['insert', 'claim', 'group', 'continuation'] as const).entries()) {
      const call = createCall(7);
      const planned = pays === 'claim' ? await planRow(orders, { call }) : undefined;
      const group = pays === 'continuation' ? await insertGroup(store, undefined, 100 + index) : undefined;
      const id = planned?.id ?? group?.id ?? '';
      await killAt({ target: place, consent: pays, pays, at, id });
      const isPaid = async () => {
        if (group !== undefined) return (await groups.find(group.id))?.confirmed === 5;
        const { query } = database;
        const hash = callHash(call);
        const row = await query
          .selectFrom('gateway_intent')
          .selectAll()
          .where('call_hash', '=', hash)
          .execute();
        return row.some(({ state }) => pays === 'group' || state !== 'planned');
      };
      const paid = await isPaid();
      expect([pays, await orders.isConsentUsed(pays), paid]).toEqual([
        pays,
        hasPaid ?? paid,
        hasPaid ?? paid,
      ]);
      await database.query.deleteFrom('gateway_intent').execute();
    }
  });
});

const accepted = (credits: number, consent: string) => ({ credits, answer: 'accepted' as const, consent });
const inputs = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));

/** Runs are under way until they are let end. */
async function start(engine: string) {
  const action = { action_id: 'shop-list', catalog_slug: 'shop', credits: 5 };
  const overrides = { credits_computed: false };
  const held = { ...action, overrides, job: { ms: Number.POSITIVE_INFINITY } };
  const upstream = await scriptedUpstream({ balance: 100_000, actions: [held] });
  const store = new GatewayDatabase(await target(engine));
  closeLater(() => store.close());
  const { gateway } = openGateway(
    upstream,
    await temporaryFolder(),
    { confirmAboveCredits: 1 },
    upstream.apiKey,
    { store },
  );
  const batch = (more: Parameters<typeof callContext>[0], input: Partial<RunBatchInput> = {}) =>
    gateway.runBatch(
      { action_id: 'shop-list', batch: inputs(8), ...input },
      callContext({ waitMs: 50_000, ...more }),
    );
  const letJobsEnd = () => {
    upstream.service.addAction({ ...action, overrides, job: {} });
    for (const job of upstream.service.jobs.values()) job.script = {};
  };
  return { gateway, upstream, batch, letJobsEnd, sent: () => upstream.requestsTo('submitTask').length };
}

describe.each(engines)('on %s, the answer of a person', (engine) => {
  it('to a batch pays nothing more after a second answer has continued that batch', async () => {
    const { upstream, batch, letJobsEnd, sent } = await start(engine);
    const cancel = new AbortController();
    const first = batch({ confirmation: accepted(40, 'first'), signal: cancel.signal });
    await upstream.waitForRequests('submitTask', 5);
    cancel.abort();
    letJobsEnd();
    await first;
    const rest = 40 - 5 * sent();
    const asked = await batch({ confirmation: 'unasked' });
    expect(asked.question).toMatchObject({ confirmation: { credits: rest } });
    const second = await batch({ confirmation: accepted(rest, 'second') });
    expect(second.body).toMatchObject({ rows_completed: 8, credits_used: 40 });
    await second.delivered?.();
    for (const [credits, consent] of [
      [40, 'first'],
      [rest, 'second'],
    ] as const) {
      const again = await batch({ confirmation: accepted(credits, consent) });
      expect(again.question).toMatchObject({ confirmation: { credits: 40 } });
    }
    expect(sent()).toBe(8);
  });

  it('pays nothing more where this process would have asked nobody', async () => {
    const { gateway, upstream } = await startGateway({ actions: [{ action_id: 'shop-list', credits: 5 }] });
    const single = { action_id: 'shop-list', params: { n: 1 } };
    const inputs = { action_id: 'shop-list', batch: [{ n: 2 }, { n: 3 }] };
    const calls = [
      [5, (context: CallContext) => gateway.runAction(single, context)],
      [10, (context: CallContext) => gateway.runBatch(inputs, context)],
    ] as const;
    for (const [credits, call] of calls) {
      const context = () => callContext({ confirmation: accepted(credits, `of ${credits}`) });
      const paid = await call(context());
      expect(paid.body).toMatchObject({ credits_used: credits });
      await paid.delivered?.();
      expect((await call(context())).question).toMatchObject({ confirmation: { credits } });
      // Without that answer it is a call like any other.
      expect((await call(callContext())).body).toMatchObject({ credits_used: credits });
    }
    expect(upstream.requestsTo('submitTask')).toHaveLength(6);
  });

  it('that claimed a row which a batch had planned pays nothing more', async () => {
    const { gateway, upstream, batch, letJobsEnd } = await start(engine);
    const all = batch({ confirmation: accepted(40, 'of the batch') });
    await upstream.waitForRequests('submitTask', 5);
    const single = () =>
      gateway.runAction(
        { action_id: 'shop-list', params: { n: 7 } },
        callContext({ waitMs: 50_000, confirmation: accepted(5, 'of one') }),
      );
    const claimed = single();
    await upstream.waitForRequests('submitTask', 6);
    letJobsEnd();
    const paid = await claimed;
    expect(paid.body).toMatchObject({ status: 'completed', credits_used: 5 });
    // What another call has claimed is not the batch's cost.
    expect((await all).body).toMatchObject({ rows_completed: 8, credits_used: 35 });
    await paid.delivered?.();
    await (await all).delivered?.();
    expect((await single()).question).toMatchObject({ confirmation: { credits: 5 } });
    expect(upstream.requestsTo('submitTask')).toHaveLength(8);
  });
});
