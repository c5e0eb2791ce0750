import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { addKey, authenticate, listKeys, revokeKey, whenUsesNoted } from '../../src/service/money/keys.ts';
import { lockBalance, post } from '../../src/service/money/ledger.ts';
import { addUser, findUser, grantCredits, listUsers, removeUser } from '../../src/service/money/users.ts';
import { openServiceDatabase } from '../../src/service/service.ts';
import type { ServiceDatabase } from '../../src/service/store/schema.ts';
import { startTestService } from '../support/service.ts';

let dataDir = '';
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-users-'));
});
afterEach(async () => {
  await rm(dataDir, { recursive: true });
});

describe('users and keys', () => {
  let database: ServiceDatabase;
  beforeEach(async () => {
    database = await openServiceDatabase({ dataDir });
  });
  afterEach(() => database.close());

  it('users have credits; names are unique; credits never fall below zero', async () => {
    await addUser(database, 'ann', 10);
    await addUser(database, 'bob', 0);
    await expect(addUser(database, 'ann', 1)).rejects.toThrow('"ann" already');
    await expect(addUser(database, ' ', 1)).rejects.toThrow('needs a name');
    await expect(addUser(database, 'eve', -1)).rejects.toThrow('negative');
    await expect(addUser(database, 'eve', 0.5)).rejects.toThrow('whole');
    expect(await grantCredits(database, 'ann', 5)).toBe(15);
    expect(await grantCredits(database, 'ann', -15)).toBe(0);
    await expect(grantCredits(database, 'ann', -1)).rejects.toThrow('only 0');
    await expect(grantCredits(database, 'nobody', 1)).rejects.toThrow('no user');
    expect((await listUsers(database)).map(({ name, balance }) => [name, balance])).toEqual([
      ['ann', 0],
      ['bob', 0],
    ]);
  });

  it('the use of a key is noted at once, and again after ten minutes', async () => {
    await addUser(database, 'ann', 10);
    const { key } = await addKey(database, 'ann', 'laptop');
    const start = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: start });
    try {
      const used = async () => (await listKeys(database)).map(({ lastUsedAt }) => lastUsedAt?.getTime());
      const use = async (atMs: number) => {
        vi.setSystemTime(start + atMs);
        await authenticate(database, key);
        await whenUsesNoted();
      };
      await use(0);
      expect(await used()).toEqual([start]);
      await use(5 * 60_000);
      expect(await used()).toEqual([start]);
      await use(11 * 60_000);
      expect(await used()).toEqual([start + 11 * 60_000]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('a user who is removed loses keys, accounts and sessions, and keeps the ledger', async () => {
    const ann = await addUser(database, 'ann', 10);
    const { key } = await addKey(database, 'ann', 'laptop');
    const definition = {
      source: 'test',
      owner: null,
      domain: 'shop.example',
      definition: '{}',
      retired_at: null,
      created_at: 1,
      updated_at: 1,
    };
    await database.query
      .insertInto('catalogs')
      .values({ id: 'c', slug: 'shop', ...definition })
      .execute();
    const identity = {
      id: 'i',
      user_id: ann.id,
      catalog_id: 'c',
      name: 'ann@shop',
      is_default: 1,
      created_at: 1,
    };
    await database.query.insertInto('identities').values(identity).execute();
    await database.query
      .insertInto('credentials')
      .values({
        ...{ id: 's', identity_id: 'i', credential_type: 'credentials', status: 'active' },
        ...{ expires_at: 1, last_used_at: null, created_at: 1, signed_in_at: 1 },
        ...{ key_id: null, encrypted_data: null },
      })
      .execute();
    expect(await removeUser(database, 'ann')).toEqual({ keys: 1, accounts: 1 });
    expect(await authenticate(database, key)).toBeUndefined();
    const count = async (name: 'identities' | 'credentials' | 'ledger') =>
      (await database.query.selectFrom(name).select('id').execute()).length;
    expect([await count('identities'), await count('credentials'), await count('ledger')]).toEqual([0, 0, 1]);
    expect(await listUsers(database)).toEqual([]);
    expect((await addUser(database, 'ann', 0)).balance).toBe(0);
    await addUser(database, 'default', 0);
    await expect(removeUser(database, 'default')).rejects.toThrow('own user and stays');
  });

  it('a key is shown once, hashed at rest, and can be revoked', async () => {
    const ann = await addUser(database, 'ann', 0);
    const first = await addKey(database, 'ann', 'laptop');
    const second = await addKey(database, 'ann', 'phone');
    // 256 random bits.
    expect(first.key).toMatch(/^svc_[\w-]{43}$/);
    expect(first.key).not.toBe(second.key);
    expect(await authenticate(database, first.key)).toBe(ann.id);
    await revokeKey(database, first.id);
    expect(await authenticate(database, first.key)).toBeUndefined();
    expect(await authenticate(database, second.key)).toBe(ann.id);
    await expect(revokeKey(database, first.id)).rejects.toThrow('no valid key');
    await expect(addKey(database, 'nobody', 'x')).rejects.toThrow('no user');
    expect(await listKeys(database)).toMatchObject([
      { id: first.id, userName: 'ann', label: 'laptop', revokedAt: expect.any(Date) },
      { id: second.id, userName: 'ann', label: 'phone', revokedAt: undefined },
    ]);
    expect(await listKeys(database, 'nobody')).toEqual([]);
    for (const file of await readdir(dataDir)) {
      const bytes = await readFile(join(dataDir, file));
      expect(bytes.includes(first.key) || bytes.includes(second.key), file).toBe(false);
    }
  });

  it('whatever is posted, the balance is the sum of the ledger, a job has one refund, and nothing is below zero', async () => {
    const entries = fc.array(
      fc.record({
        kind: fc.constantFrom('grant', 'charge', 'refund', 'settlement'),
        amount: fc.integer({ min: -50, max: 50 }),
        job: fc.option(fc.integer({ min: 1, max: 4 }), { nil: null }),
        fails: fc.boolean(),
      }),
      { maxLength: 25 },
    );
    let round = 0;
    await fc.assert(
      fc.asyncProperty(entries, async (list) => {
        round += 1;
        const name = `user-${round}`;
        const user = await addUser(database, name, 20);
        let expected = 20;
        const seen = new Set<string>();
        for (const { kind, amount, job, fails } of list) {
          const key = `${job}/${kind}`;
          const jobId = job === null ? null : `${name}-${job}`;
          const done = await database
            .transaction(async (transaction) => {
              if ((await lockBalance(transaction, user.id)) + amount < 0) throw new Error('too little');
              const posted = await post(transaction, { userId: user.id, kind, amount, jobId });
              if (fails) throw new Error('died');
              return posted;
            })
            .catch(() => false);
          expect(done).toBe(!fails && expected + amount >= 0 && !seen.has(key));
          if (!done) continue;
          if (job !== null) seen.add(key);
          expected += amount;
          const rows = await database.query
            .selectFrom('ledger')
            .select('amount')
            .where('user_id', '=', user.id)
            .execute();
          expect(rows.reduce((sum, row) => sum + row.amount, 0)).toBe(expected);
          expect((await findUser(database, name)).balance).toBe(expected);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('the database itself refuses a balance below zero', async () => {
    const user = await addUser(database, 'ann', 1);
    const entry = { userId: user.id, kind: 'charge', amount: -2, jobId: 'x' } as const;
    await expect(database.transaction((transaction) => post(transaction, entry))).rejects.toThrow(
      /CHECK constraint|check constraint/,
    );
    expect((await findUser(database, 'ann')).balance).toBe(1);
  });
});

describe('starting', () => {
  it('the default user has 1,000 credits once, and its key is in a file for its owner only', async () => {
    for (const round of [1, 2]) {
      const service = await startTestService({ dataDir });
      expect((await readFile(join(dataDir, 'api-key'), 'utf8')).trim()).toBe(service.apiKey);
      await service.close();
      const database = await openServiceDatabase({ dataDir });
      expect(await listUsers(database), `start ${round}`).toMatchObject([{ name: 'default', balance: 1000 }]);
      await database.close();
    }
    for (const file of await readdir(dataDir))
      expect((await stat(join(dataDir, file))).mode & 0o777, file).toBe(0o600);
  });

  it('five starts at once on one new folder agree about the key', async () => {
    const services = await Promise.all(Array.from({ length: 5 }, () => startTestService({ dataDir })));
    expect(new Set(services.map(({ apiKey }) => apiKey)).size).toBe(1);
    expect(await readdir(dataDir)).not.toContainEqual(
      expect.stringMatching(/^(api-key|credential-keys\.json)\./),
    );
    for (const service of services) expect((await service.call('GET', '/catalog')).status).toBe(200);
    await Promise.all(services.map((service) => service.close()));
  });

  it('a damaged database is refused, and nothing is reset', async () => {
    const service = await startTestService({ dataDir });
    await service.close();
    const file = join(dataDir, 'service.db');
    const bytes = await readFile(file);
    bytes.fill(0xa5, 4096, 12_288);
    await writeFile(file, bytes);
    await expect(startTestService({ dataDir })).rejects.toMatchObject({ kind: 'corrupt' });
    expect((await readFile(file)).equals(bytes)).toBe(true);
  });

  it('a taken port is an error, and the next start works', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    await expect(startTestService({ dataDir, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await (await startTestService({ dataDir })).close();
    await new Promise((resolve) => other.close(resolve));
  });
});
