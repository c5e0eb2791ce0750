/**
 * What is remembered of the sign-in pages, in the gateway's database, so that a page outlives the process that made it.
 * A page's record is encrypted under its address, and the address under the principal's key, so the database alone lets
 * nobody use or read a page. Values of secret fields are never in a record.
 */
import { createHash, hkdfSync } from 'node:crypto';
import * as z from 'zod';
import { LoginField } from '../../contract/resources.ts';
import type { Database } from '../../store/database.ts';
import { statement } from '../../store/statement.ts';
import { type Clock, systemClock } from '../foundation/clock.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { GatewayDatabase } from './gateway-database.ts';
import type { GatewaySchema, SignInPageRow } from './schema.ts';

const channel = 'gateway_sign_in_page';
/** The most records of one account; older ones were reported long ago. */
const maxOfAccount = 20;
const measuredAgainMs = 30_000;

const SignInFailure = z.object({ message: z.string(), advice: z.string() });
/** Why a sign-in did not work, for the person at the page. */
export type SignInFailure = Readonly<z.infer<typeof SignInFailure>>;

const PageStatus = z.object({
  state: z.enum(['open', 'signing-in', 'verified', 'expired']),
  /** How many sign-ins were begun. */
  attempts: z.number(),
  /** When the attempt under way ends, even if its process died. Milliseconds since the epoch. */
  attemptEndsAt: z.number(),
  /** The failure of the last attempt. */
  failure: SignInFailure.optional(),
  /** The service's answer, once verified. */
  answer: z.record(z.string(), z.unknown()).optional(),
  /** A caller learned how it ended. */
  told: z.boolean(),
  /** The person saw that it worked; opened again, the page only says that it was used. */
  seen: z.boolean(),
  /** Digest of the secret of the browser that the page belongs to. */
  browser: z.string().optional(),
  /** Another browser was refused the page. */
  turnedAway: z.boolean(),
});
export type PageStatus = Readonly<z.infer<typeof PageStatus>>;

export const PageRecord = z.object({
  /** 256 bits: the address, and with it the right to type. */
  id: z.string(),
  principal: z.string(),
  catalog: z.object({ slug: z.string(), name: z.string(), domain: z.string() }),
  /** Label of the account; undefined: derived from what is typed. */
  identityName: z.string().optional(),
  fields: z.array(LoginField).readonly(),
  /** Milliseconds since the epoch. */
  expiresAt: z.number(),
  /** Grows with every change. */
  version: z.number(),
  status: PageStatus,
  /** The key for replicas that do not know the principal otherwise; kept while the page is pending. */
  apiKey: z.string().optional(),
});
export type PageRecord = Readonly<z.infer<typeof PageRecord>>;

/** Whose page, for which account. */
export interface PageAccount {
  readonly principal: string;
  /** The principal's key. */
  readonly apiKey: string;
  readonly slug: string;
  readonly identityName: string | undefined;
}

/** How long the address of an ended page still says that it has ended. */
const rememberedMs = 60 * 60_000;

/** The state at `now`: a page expires without a write. */
export function stateNow({ status, expiresAt }: PageRecord, now: number): PageStatus['state'] {
  const { state, attemptEndsAt } = status;
  if (state === 'verified' || state === 'expired') return state;
  if (now >= expiresAt) return 'expired';
  return state === 'signing-in' && now >= attemptEndsAt ? 'open' : state;
}

export const isPending = (record: PageRecord, now: number): boolean =>
  ['open', 'signing-in'].includes(stateNow(record, now));

function applyStatus(record: PageRecord, status: Partial<PageStatus>, now: number): PageRecord {
  const next = { ...record, version: record.version + 1, status: { ...record.status, ...status } };
  if (isPending(next, now)) return next;
  const { apiKey: _, ...rest } = next;
  return rest;
}

type Row = Pick<SignInPageRow, 'address' | 'record'>;

interface PageRecordsOptions {
  readonly keepKeys: boolean;
  readonly clock?: Clock;
}

export class PageRecords {
  readonly #database: GatewayDatabase;
  readonly #keepKeys: boolean;
  readonly #clock: Clock;
  /** How far the database's clock is ahead of this process's monotonic one. */
  #aheadMs: number | undefined;
  #measuredAt = Number.NEGATIVE_INFINITY;

  /** `keepKeys`: store the principal's key with a page, for replicas that do not have it. */
  constructor(database: GatewayDatabase, { keepKeys, clock = systemClock }: PageRecordsOptions) {
    this.#database = database;
    this.#keepKeys = keepKeys;
    this.#clock = clock;
  }

  /**
   * The clock by which pages end: the database's, as of its last measurement, the same for all who share it; before the
   * first, which precedes every record, this machine's. Milliseconds since the epoch.
   */
  now(): number {
    if (this.#aheadMs === undefined) return this.#clock.now();
    return Math.round(this.#clock.monotonic() + this.#aheadMs);
  }

  /** The account's newest record that matches; else what `create` makes at `now`. One for all who ask at once. */
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

  /** Resolves to the changed record, or to undefined if it no longer equals `existing`, and then changes nothing. */
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

  /**
   * Calls the listener after changes, including those of other processes on one PostgreSQL. Returns a function that
   * stops it.
   */
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
        { kind: 'retry', when: 'stored' },
        {},
        { cause: error },
      );
    }
  }

  /** Again from time to time: a suspended machine's monotonic clock stands still. */
  async #measure(database: Database<GatewaySchema>): Promise<void> {
    const { engine } = database;
    if (engine === 'sqlite' || this.#clock.monotonic() - this.#measuredAt < measuredAgainMs) return;
    // Loaded late, as the database is: a start that only lists tools needs neither.
    const { nowText } = await import('../../store/database-time.ts');
    const [row] = await database.read(statement<{ now: number }>(`select ${nowText(engine)} as now`));
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
const addressKey = ({ apiKey, principal }: PageAccount) =>
  derived(apiKey, `sign-in addresses of ${principal}`);

async function encrypt(key: Uint8Array, text: string): Promise<string> {
  const { CompactEncrypt } = await import('jose');
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(key);
}

async function decrypt(key: Uint8Array, text: string): Promise<string> {
  const { compactDecrypt } = await import('jose');
  const { plaintext } = await compactDecrypt(text, key, {
    keyManagementAlgorithms: ['dir'],
    contentEncryptionAlgorithms: ['A256GCM'],
  });
  return new TextDecoder().decode(plaintext);
}
