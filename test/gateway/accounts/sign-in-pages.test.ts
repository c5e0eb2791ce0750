/** Pages of two processes that share their database. */
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SignInPages } from '../../../src/gateway/accounts/sign-in-pages.ts';
import type { JsonObject } from '../../../src/gateway/interface/outcomes.ts';
import { GatewayDatabase } from '../../../src/gateway/store/gateway-database.ts';
import { PageRecords } from '../../../src/gateway/store/page-records.ts';
import { useDatabases } from '../../support/databases.ts';
import { closeGateways, temporaryFolder } from '../../support/gateway.ts';
import { engines } from '../../support/postgres.ts';
import { pageRequest } from '../../support/sign-in-pages.ts';

const createDatabase = useDatabases();

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closers.splice(0).reverse()) await close();
  await closeGateways();
});

interface Attempt {
  readonly process: string;
  readonly params: JsonObject;
  succeed(): void;
  fail(message: string): void;
}

/** Every sign-in waits for the test to decide. */
async function start(engine: string) {
  const attempts: Attempt[] = [];
  const wayOf = (process: string) => () => ({
    signIn: (params: JsonObject) =>
      new Promise<JsonObject>((resolve, reject) => {
        attempts.push({
          process,
          params,
          succeed: () => resolve({ status: 'verified', by: process }),
          fail: (message) => reject(new Error(message)),
        });
      }),
    explain: (error: unknown) => ({ message: String(error), advice: 'Try again.' }),
  });
  const ahead = { ms: 0 };
  const clock = {
    now: () => Date.now() + ahead.ms,
    monotonic: () => performance.now() + ahead.ms,
  };
  // A process must not open a SQLite file twice, so there both share one connection.
  const target = engine === 'sqlite' ? { file: join(await temporaryFolder(), 'gateway.db') } : undefined;
  const file = target && new GatewayDatabase(target);
  if (file !== undefined) closers.push(() => file.close());
  const url = target === undefined ? await createDatabase() : '';
  const processOf = (name: string, wrongByMs = 0) => {
    const database = file ?? new GatewayDatabase({ url });
    const records = new PageRecords(database, {
      keepKeys: true,
      clock: { ...clock, now: () => clock.now() + wrongByMs },
    });
    const pages = new SignInPages({ records, createHandler: wayOf(name) });
    closers.push(async () => {
      await pages.close();
      if (database !== file) await database.close();
    });
    const open = () => pages.open(pageRequest(wayOf(name)()));
    return { pages, open };
  };
  return { one: processOf('one'), two: processOf('two'), processOf, attempts, ahead };
}

describe.each(engines)('a page that two processes share (%s)', (engine) => {
  it('is the same page for all simultaneous calls, and tries one sign-in at a time', async () => {
    const { one, two, attempts } = await start(engine);
    const opened = await Promise.all([one.open(), two.open(), one.open(), two.open()]);
    expect(new Set(opened.map(({ id }) => id)).size).toBe(1);
    await Promise.all(opened.map((page, index) => page.submit({ index })));
    expect(attempts).toHaveLength(1);
    attempts[0]?.fail('wrong');
    for (const page of opened) await vi.waitUntil(() => page.failure?.message === 'Error: wrong', 20_000);
    await opened[1]?.submit({ again: true });
    attempts[1]?.succeed();
    expect(await Promise.all(opened.map(({ ended }) => ended))).toEqual(opened.map(() => 'verified'));
    for (const page of opened) expect(page.answer).toEqual({ status: 'verified', by: attempts[1]?.process });
  });

  it('can be used again when the process of the first attempt died; its late result changes nothing', async () => {
    const { one, two, attempts, ahead } = await start(engine);
    const first = await one.open();
    await first.submit({ try: 1 });
    const second = await two.pages.find(first.id);
    expect(second?.state).toBe('signing-in');
    ahead.ms = 151_000;
    expect([second?.state, second?.failure?.message]).toEqual(['open', 'The sign-in was interrupted.']);
    await second?.submit({ try: 2 });
    expect(attempts.map(({ params }) => params)).toEqual([{ try: 1 }, { try: 2 }]);
    attempts[0]?.succeed();
    await vi.waitUntil(async () => (await one.pages.find(first.id))?.state === 'signing-in', 20_000);
    attempts[1]?.fail('wrong');
    await vi.waitUntil(() => second?.failure?.message === 'Error: wrong', 20_000);
    expect((await one.pages.find(first.id))?.answer).toBeUndefined();
    expect(first.state).toBe('open');
  });

  it('belongs to one browser, whichever process is asked first', async () => {
    const { one, two } = await start(engine);
    const first = await one.open();
    const second = await two.open();
    const asked = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (index % 2 === 0 ? first : second).belongsTo(`browser ${index % 4}`),
      ),
    );
    const owners = new Set(asked.flatMap((mine, index) => (mine ? [index % 4] : [])));
    expect(owners.size).toBe(1);
    const [owner] = owners;
    expect(asked.map((mine, index) => mine === (index % 4 === owner))).toEqual(asked.map(() => true));
  });

  it('that was ended by one is ended at the other, and its account gets a new one', async () => {
    const { one, two } = await start(engine);
    const first = await one.open();
    const second = await two.open();
    await first.end();
    expect(await second.ended).toBe('expired');
    await second.submit({});
    expect(second.state).toBe('expired');
    expect((await two.open()).id).not.toBe(first.id);
  });

  it('on which somebody has signed in is opened again for who learns of it, once, and as long as it lasted', async () => {
    const { one, two, attempts, ahead } = await start(engine);
    const signIn = async (page: Awaited<ReturnType<typeof one.open>>) => {
      await page.submit({});
      attempts.at(-1)?.succeed();
      await page.ended;
      return page.id;
    };
    const learn = () => two.pages.open(pageRequest(), { orUnreported: true });
    const first = await signIn(await one.open());
    const learned = await learn();
    expect([learned.id, learned.answer]).toEqual([first, { status: 'verified', by: 'one' }]);
    await learned.markReported();
    const second = await learn();
    expect([second.id === first, second.state]).toEqual([false, 'open']);
    await signIn(second);
    // Pages on PostgreSQL end by its clock.
    if (engine !== 'sqlite') return;
    ahead.ms = 10 * 60_000 + 1;
    expect((await learn()).state).toBe('open');
    expect((await one.pages.find(second.id))?.state).toBe('verified');
  });

  it('outlives its process, but not the key of its principal', async () => {
    const { one, two } = await start(engine);
    const released = await one.open();
    await one.pages.close(released.principal);
    expect((await two.pages.find(released.id))?.state).toBe('open');
    await two.pages.end('another');
    expect((await one.pages.find(released.id))?.state).toBe('open');
    await two.pages.end(released.principal);
    expect((await one.pages.find(released.id))?.state).toBe('expired');
  });
});

it.skipIf(!engines.includes('postgres'))(
  'a replica whose clock is an hour ahead shows and makes pages that last as long as those of others',
  async () => {
    const { one, processOf } = await start('postgres');
    const wrong = processOf('wrong', 3_600_000);
    const first = await one.open();
    const same = await wrong.pages.find(first.id);
    expect([same?.state, (await wrong.open()).id]).toEqual(['open', first.id]);
    await first.end();
    const made = await wrong.open();
    expect(made.remainingMs).toBeGreaterThan(500_000);
    const minutes = ((await one.pages.find(made.id))?.remainingMs ?? 0) / 60_000;
    expect(Math.round(minutes)).toBe(10);
  },
);
