/**
 * The pages of all replicas, in their database. A page's record is encrypted under its address, and the address under the
 * principal's key, so the database alone lets nobody use or read a page. Values of secret fields are never in a record.
 */
import { createHash, hkdfSync } from 'node:crypto';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { sql } from 'kysely';
import type { Database } from '../../store/database.ts';
import { databaseNow } from '../../store/database-time.ts';
import { type Clock, systemClock } from '../foundation/clock.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { GatewayDatabase } from './gateway-database.ts';
import { applyStatus, type PageAccount, PageRecord, type PageRecords, rememberedMs } from './page-records.ts';
import type { GatewaySchema, SignInPageRow } from './schema.ts';

const channel = 'gateway_sign_in_page';
/** The most records of one account; older ones were reported long ago. */
const maxOfAccount = 20;
const measuredAgainMs = 30_000;

type Row = Pick<SignInPageRow, 'address' | 'record'>;

interface SharedPageOptions {
  readonly keepKeys: boolean;
  readonly clock?: Clock;
}

export class SharedPageRecords implements PageRecords {
  readonly shared = true;
  readonly #database: GatewayDatabase;
  readonly #keepKeys: boolean;
  readonly #clock: Clock;
  /** How far the database's clock is ahead of this process's monotonic one. */
  #aheadMs: number | undefined;
  #measuredAt = Number.NEGATIVE_INFINITY;

  /** `keepKeys`: a replica may be asked for a page whose principal it has no key of. */
  constructor(database: GatewayDatabase, { keepKeys, clock = systemClock }: SharedPageOptions) {
    this.#database = database;
    this.#keepKeys = keepKeys;
    this.#clock = clock;
  }

  /** The database's time, as of its last measurement; before the first, which precedes every record, this machine's. */
  now(): number {
    if (this.#aheadMs === undefined) return this.#clock.now();
    return Math.round(this.#clock.monotonic() + this.#aheadMs);
  }

  async open(
    account: PageAccount,
    matches: (record: PageRecord) => boolean,
    create: (now: number) => PageRecord,
  ): Promise<PageRecord> {
    const database = await this.#openDatabase();
    const now = this.now();
    const keyless = create(now);
    const created = this.#keepKeys ? { ...keyless, apiKey: account.apiKey } : keyless;
    const row = {
      id: digest(created.id),
      principal: account.principal,
      account: accountDigest(account),
      address: await encrypt(addressKey(account), created.id),
      record: await encrypt(recordKey(created.id), JSON.stringify(created)),
      version: created.version,
      created_at: now,
      expires_at: created.expiresAt,
    };
    return database.transaction(async (transaction) => {
      await database.lock(transaction, `sign-in page of ${row.principal} ${row.account}`);
      const existing = await this.#latest(transaction, account, matches);
      if (existing !== undefined) return existing;
      await transaction
        .deleteFrom('gateway_sign_in_page')
        .where('expires_at', '<', now - rememberedMs)
        .execute();
      await transaction.insertInto('gateway_sign_in_page').values(row).execute();
      return created;
    });
  }

  async latest(account: PageAccount, matches: (record: PageRecord) => boolean) {
    const { query } = await this.#openDatabase();
    return this.#latest(query, account, matches);
  }

  async find(ids: readonly string[]): Promise<PageRecord[]> {
    const { query } = await this.#openDatabase();
    const addresses = new Map(ids.map((id) => [digest(id), id]));
    const rows = await query
      .selectFrom('gateway_sign_in_page')
      .select(['id', 'record'])
      .where('id', 'in', [...addresses.keys()])
      .execute();
    return Promise.all(
      rows.map(async ({ id, record }) => readRecord(recordKey(addresses.get(id) ?? ''), record)),
    );
  }

  async change(existing: PageRecord, status: Partial<PageRecord['status']>): Promise<PageRecord | undefined> {
    const database = await this.#openDatabase();
    const next = applyStatus(existing, status, this.now());
    const record = await encrypt(recordKey(existing.id), JSON.stringify(next));
    return database.transaction(async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('gateway_sign_in_page')
        .set({ record, version: next.version })
        .where('id', '=', digest(existing.id))
        .where('version', '=', existing.version)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return undefined;
      await database.notify(transaction, channel);
      return next;
    });
  }

  async listen(listener: () => void): Promise<() => Promise<void>> {
    return (await this.#openDatabase()).listen(channel, listener);
  }

  /** @throws GatewayError STORE_UNAVAILABLE */
  async #openDatabase(): Promise<Database<GatewaySchema>> {
    try {
      const database = await this.#database.open();
      await this.#measure(database);
      return database;
    } catch (error) {
      throw new GatewayError(
        'STORE_UNAVAILABLE',
        `The database, which holds the sign-in pages, cannot be used (${error instanceof Error ? error.message : 'unknown reason'}).`,
        'Call again when the database is available. The operator of the server can check it with `svc-mcp doctor`.',
        {},
        { cause: error },
      );
    }
  }

  /** Again from time to time: a suspended machine's monotonic clock stands still. */
  async #measure({ query, engine }: Database<GatewaySchema>): Promise<void> {
    if (engine === 'sqlite' || this.#clock.monotonic() - this.#measuredAt < measuredAgainMs) return;
    const { rows } = await sql<{ now: number }>`select ${databaseNow(engine)} as now`.execute(query);
    const [row] = rows;
    if (row === undefined) return;
    this.#measuredAt = this.#clock.monotonic();
    this.#aheadMs = row.now - this.#measuredAt;
  }

  async #latest(
    query: Pick<Database<GatewaySchema>['query'], 'selectFrom'>,
    account: PageAccount,
    matches: (record: PageRecord) => boolean,
  ): Promise<PageRecord | undefined> {
    const rows = await query
      .selectFrom('gateway_sign_in_page')
      .select(['address', 'record'])
      .where('principal', '=', account.principal)
      .where('account', '=', accountDigest(account))
      .orderBy('created_at', 'desc')
      .limit(maxOfAccount)
      .execute();
    const records = await Promise.all(rows.map((row: Row) => readRow(account, row)));
    return records.find(matches);
  }
}

async function readRow(account: PageAccount, { address, record }: Row): Promise<PageRecord> {
  return readRecord(recordKey(await decrypt(addressKey(account), address)), record);
}

const readRecord = async (key: Uint8Array, text: string): Promise<PageRecord> =>
  PageRecord.parse(JSON.parse(await decrypt(key, text)));

const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
const accountDigest = ({ principal, slug, identityName }: PageAccount) =>
  digest(JSON.stringify([principal, slug, identityName ?? null]));

const derived = (secret: string, purpose: string) =>
  new Uint8Array(hkdfSync('sha256', secret, '', `svc-mcp ${purpose}`, 32));
const recordKey = (id: string) => derived(id, 'sign-in page');
const addressKey = ({ apiKey, principal }: PageAccount) => {
  if (apiKey === undefined) throw new Error('Pages are shared under the key of their principal');
  return derived(apiKey, `sign-in addresses of ${principal}`);
};

const encrypt = (key: Uint8Array, text: string): Promise<string> =>
  new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(key);

async function decrypt(key: Uint8Array, text: string): Promise<string> {
  const { plaintext } = await compactDecrypt(text, key, {
    keyManagementAlgorithms: ['dir'],
    contentEncryptionAlgorithms: ['A256GCM'],
  });
  return new TextDecoder().decode(plaintext);
}
