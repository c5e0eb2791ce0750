/** The writes around a payment on both engines: what a slow, stopped or wrong-clocked process may change. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { toRefusal } from '../../../src/gateway/errors/errors.ts';
import { Intents } from '../../../src/gateway/store/intents.ts';
import { gatewayMigrations } from '../../../src/gateway/store/migrations.ts';
import type { BeginOptions } from '../../../src/gateway/store/new-intent.ts';
import type { GatewaySchema } from '../../../src/gateway/store/schema.ts';
import type { Terms } from '../../../src/gateway/store/terms.ts';
import type { Database } from '../../../src/store/database.ts';
import { openDatabase } from '../../../src/store/open-database.ts';
import { useDatabases } from '../../support/databases.ts';
import { closeGateways, temporaryFolder } from '../../support/gateway.ts';
import { engines } from '../../support/postgres.ts';
import { holdWriteLock } from '../../support/write-lock.ts';
import { withWrongClock } from '../../support/wrong-clock.ts';

const principal = { id: 'someone', origin: 'http://localhost', serviceKey: 'key' };
const call = { kind: 'run', subject: 'shop-list', params: { page: 1 }, credentialId: undefined } as const;

const terms = (price = 5, limit?: number): Terms => ({
  price,
  reserved: price,
  ceilings: { byPrincipal: limit === undefined ? undefined : limit - price, byKey: undefined },
  findRefusal: ({ byPrincipal }) => {
    if (limit === undefined || byPrincipal + price <= limit) return undefined;
    return { body: toRefusal('BUDGET_EXCEEDED', `${byPrincipal} are spent`, 'Wait') };
  },
});

const options = (more: Partial<BeginOptions> = {}): BeginOptions => ({
  id: randomUUID(),
  submitWithinMs: 30_000,
  resubmit: false,
  keyed: false,
  ...more,
});

const createDatabase = useDatabases();
afterEach(closeGateways);

describe.each(engines)('intents on %s', (engine) => {
  const databases: Database<GatewaySchema>[] = [];
  afterEach(async () => {
    for (const database of databases.splice(0)) await database.close();
  });

  async function openDatabaseOf(file: string): Promise<Database<GatewaySchema>> {
    const target = engine === 'sqlite' ? { file } : { url: await createDatabase() };
    const database = await openDatabase<GatewaySchema>(target, gatewayMigrations, 'gateway');
    databases.push(database);
    return database;
  }

  const newFile = async () => join(await temporaryFolder(), 'gateway.db');
  const open = async () => new Intents(await openDatabaseOf(await newFile()), principal);

  async function newIntent(intents: Intents, more: Partial<BeginOptions> = {}) {
    const begun = await intents.begin(call, options(more), terms());
    if (begun.kind !== 'new') throw new Error(`It is ${begun.kind}`);
    return begun;
  }

  it('of the same call at once are one', async () => {
    const intents = await open();
    const begun = await Promise.all(
      Array.from({ length: 20 }, () => intents.begin(call, options(), terms())),
    );
    expect(begun.filter(({ kind }) => kind === 'new')).toHaveLength(1);
    expect(begun.filter(({ kind }) => kind === 'attached')).toHaveLength(19);
  });

  it('of different calls at once never exceed the limit of a day', async () => {
    const intents = await open();
    const begun = await Promise.all(
      Array.from({ length: 20 }, (_, page) =>
        intents.begin({ ...call, params: { page } }, options(), terms(5, 52)),
      ),
    );
    expect(begun.filter(({ kind }) => kind === 'new')).toHaveLength(10);
    expect(begun.filter(({ kind }) => kind === 'refused')).toHaveLength(10);
    expect(await intents.spentToday()).toEqual({ byPrincipal: 50, byKey: 50 });
  });

  it('are refused by what the terms refuse, which writes nothing', async () => {
    const intents = await open();
    const outcome = { body: toRefusal('BUDGET_EXCEEDED', 'No', 'Wait') };
    const begun = await intents.begin(call, options(), { ...terms(), findRefusal: () => outcome });
    expect(begun).toEqual({ kind: 'refused', outcome });
    expect(await intents.recent(5)).toEqual([]);
  });

  it('cannot be sent once another process has called them unknown', async () => {
    const intents = await open();
    const { intent } = await newIntent(intents, { submitWithinMs: -10_000 });
    expect(await intents.reread(intent.id)).toMatchObject({ state: 'unknown' });
    expect(await intents.claim(intent.id, 30_000)).toBe(false);
  });

  it('can be sent once, with their whole time from then on', async () => {
    const intents = await open();
    const { intent } = await newIntent(intents, { submitWithinMs: 5_000 });
    expect(await intents.claim(intent.id, 60_000)).toBe(true);
    const claimed = await intents.reread(intent.id);
    expect(claimed?.deadline).toBeGreaterThan(intent.deadline + 30_000);
    await intents.submitted(intent.id, 'job-1');
    expect(await intents.claim(intent.id, 60_000)).toBe(false);
  });

  it('in doubt accept a late answer', async () => {
    const intents = await open();
    const { intent } = await newIntent(intents);
    await intents.unknown(intent.id);
    expect(await intents.submitted(intent.id, 'job-1')).toMatchObject({ state: 'submitted', open: 1 });
    expect(await intents.begin(call, options(), terms())).toMatchObject({ kind: 'attached' });
  });

  it('that were resubmitted show the other submission when their answer comes late', async () => {
    const intents = await open();
    const first = await newIntent(intents);
    await intents.unknown(first.intent.id);
    const second = await newIntent(intents, { resubmit: true });
    expect(second.replaces).toBe(first.intent.id);
    const late = await intents.submitted(first.intent.id, 'job-1');
    expect(late).toMatchObject({ state: 'submitted', open: 0 });
    if (late === undefined) return expect.fail('Not accepted');
    expect(await intents.other(late)).toMatchObject({ id: second.intent.id });
  });

  it('that were delivered stay so, whatever a late process writes', async () => {
    const intents = await open();
    const { intent } = await newIntent(intents);
    await intents.submitted(intent.id, 'job-1');
    await intents.finished(intent.id, { jobId: 'job-1', outcome: 'completed', charged: 5, durationMs: 1 });
    await intents.delivered(intent.id);
    expect(await intents.unknown(intent.id)).toBeUndefined();
    expect(await intents.refused(intent.id, { code: 'X', message: 'x' })).toBeUndefined();
    expect(await intents.submitted(intent.id, 'job-2')).toBeUndefined();
    expect(await intents.reread(intent.id)).toMatchObject({ state: 'delivered', job_id: 'job-1' });
  });

  it('that a client left unread attach for two minutes only', async () => {
    const database = await openDatabaseOf(await newFile());
    const intents = new Intents(database, principal);
    const { intent } = await newIntent(intents);
    await intents.finished(intent.id, { jobId: 'job-1', outcome: 'completed', charged: 5, durationMs: 1 });
    await intents.answered(intent.id);
    const begin = () => intents.begin(call, options(), undefined);
    expect(await begin()).toMatchObject({ kind: 'attached' });
    await database.query
      .updateTable('gateway_intent')
      .set((row) => ({ answered_at: row('answered_at', '-', 121_000) }))
      .execute();
    expect(await begin()).toMatchObject({ kind: 'terms-needed' });
  });

  it('that were certainly not sent are refused, also where their write lands late', async () => {
    const intents = await open();
    const id = randomUUID();
    const reason = { code: 'STORE_UNAVAILABLE', message: 'x' };
    await expect(intents.abandon(id, reason, true)).rejects.toThrow('may still be written');
    await newIntent(intents, { id });
    await intents.abandon(id, reason, true);
    expect(await intents.reread(id)).toMatchObject({ state: 'refused', open: 0, charged: 0 });
  });

  it('in doubt are asked about by one process', async () => {
    const intents = await open();
    const { intent } = await newIntent(intents, { keyed: true });
    await intents.unknown(intent.id);
    const asking = await Promise.all([1, 2, 3].map(() => intents.askAgain(intent.id, 30_000)));
    expect(asking.filter(Boolean)).toHaveLength(1);
    // With a key it is asked about rather than gone past.
    await intents.unknown(intent.id);
    const begun = await intents.begin(call, options({ resubmit: true, keyed: true }), terms());
    expect(begun).toMatchObject({ kind: 'unknown', intent: { id: intent.id } });
  });

  it('are judged by the clock of the database', async () => {
    const intents = await open();
    const { intent } = await newIntent(intents);
    await withWrongClock(60_000, async () => {
      expect(await intents.reread(intent.id)).toMatchObject({ state: 'intended' });
      expect(await intents.begin(call, options(), terms())).toMatchObject({ kind: 'attached' });
    });
  });

  it('that a process a day behind has finished wait for their call', async () => {
    const intents = await open();
    await withWrongClock(-25 * 3_600_000, async () => {
      const { intent } = await newIntent(intents);
      await intents.submitted(intent.id, 'job-1');
      await intents.finished(intent.id, { jobId: 'job-1', outcome: 'completed', charged: 5, durationMs: 1 });
    });
    expect(await intents.begin(call, options(), terms())).toMatchObject({ kind: 'attached' });
  });

  it('count in the day of the database, whatever a process calls today', async () => {
    const intents = await open();
    await newIntent(intents);
    for (const hours of [-25, 25]) {
      const spent = await withWrongClock(hours * 3_600_000, () => intents.spentToday());
      expect(spent).toEqual({ byPrincipal: 5, byKey: 5 });
    }
  });

  it.runIf(engine === 'sqlite')('have their whole time from the end of a wait for the file', async () => {
    const file = await newFile();
    const intents = new Intents(await openDatabaseOf(file), principal);
    const release = holdWriteLock(file);
    const begun = newIntent(intents, { submitWithinMs: 5_000 });
    await delay(400);
    const releasedAt = Date.now();
    release();
    const { intent } = await begun;
    expect(intent.created_at).toBeGreaterThanOrEqual(releasedAt);
    expect(intent.deadline).toBe(intent.created_at + 5_000);
  });

  it.runIf(engine === 'sqlite')('whose time ends during a wait for the file cannot be sent', async () => {
    const file = await newFile();
    const intents = new Intents(await openDatabaseOf(file), principal);
    const { intent } = await newIntent(intents, { submitWithinMs: 300 });
    const release = holdWriteLock(file);
    const claim = intents.claim(intent.id, 30_000);
    await delay(600);
    release();
    expect(await claim).toBe(false);
  });
});
