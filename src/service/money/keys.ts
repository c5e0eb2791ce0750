/** API keys: 256 random bits, shown once, stored as their SHA-256. */
import { createHash, randomUUID } from 'node:crypto';
import { AdministrationError } from '../foundation/errors.ts';
import type { ServiceDatabase } from '../store/schema.ts';
import { generateKey } from './default-key.ts';
import { findUser } from './users.ts';

/** Of the key that svc-mcp on the service's machine uses. */
export const embeddedKeyLabel = 'embedded';

export interface KeyRecord {
  readonly id: string;
  readonly userName: string;
  readonly label: string;
  /** The first characters of the key; undefined for a key not made here. */
  readonly prefix: string | undefined;
  readonly createdAt: Date;
  /** Accurate to ten minutes. */
  readonly lastUsedAt: Date | undefined;
  readonly revokedAt: Date | undefined;
}

/** A random key needs neither salt nor a slow hash, because it cannot be guessed. */
const hashKey = (key: string): string => createHash('sha256').update(key).digest('hex');

/** `svc_` and four characters: enough to tell keys apart, and only 24 of 256 bits. A made-up key may be short. */
const toPrefix = (key: string): string | null => (/^svc_[\w-]{43}$/.test(key) ? key.slice(0, 8) : null);

/** Adds a key for the user of this name. The key is in the answer and nowhere else. */
export async function addKey(
  database: ServiceDatabase,
  userName: string,
  label: string,
): Promise<{ id: string; key: string }> {
  const user = await findUser(database, userName);
  const key = generateKey();
  const id = await registerKey(database, user.id, key, label);
  return { id, key };
}

/** Makes a key valid for a user. A key that was registered before, even a revoked one, stays as it is. */
export async function registerKey(
  database: ServiceDatabase,
  userId: string,
  key: string,
  label: string,
): Promise<string> {
  const id = randomUUID();
  await database.query
    .insertInto('api_keys')
    .values({
      id,
      label,
      user_id: userId,
      key_hash: hashKey(key),
      key_prefix: toPrefix(key),
      created_at: Date.now(),
      last_used_at: null,
      revoked_at: null,
    })
    .onConflict((conflict) => conflict.column('key_hash').doNothing())
    .execute();
  return id;
}

/** Of all users where no name is given. */
export async function listKeys(database: ServiceDatabase, userName?: string): Promise<KeyRecord[]> {
  let query = database.query
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .select(['api_keys.id', 'users.name', 'api_keys.label', 'api_keys.key_prefix'])
    .select(['api_keys.created_at', 'api_keys.last_used_at', 'api_keys.revoked_at'])
    .orderBy('api_keys.created_at');
  if (userName !== undefined) query = query.where('users.name', '=', userName);
  const rows = await query.execute();
  return rows.map((row) => ({
    id: row.id,
    userName: row.name,
    label: row.label,
    prefix: row.key_prefix ?? undefined,
    createdAt: new Date(row.created_at),
    lastUsedAt: toDate(row.last_used_at),
    revokedAt: toDate(row.revoked_at),
  }));
}

const toDate = (time: number | null): Date | undefined => (time === null ? undefined : new Date(time));

/** Takes effect with the next request, in every process. */
export async function revokeKey(database: ServiceDatabase, id: string): Promise<void> {
  const updated = await database.query
    .updateTable('api_keys')
    .set({ revoked_at: Date.now() })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (updated.numUpdatedRows === 0n)
    throw new AdministrationError(
      `There is no valid key with the id ${id}; svc-mcp service keys list shows all keys`,
    );
}

/** The id of the user whose valid key this is (specification: Authentication, rule 1). */
export const authenticate = async (database: ServiceDatabase, key: string): Promise<string | undefined> =>
  (await findUsedKey(database, key))?.userId;

const useNotedEveryMs = 10 * 60_000;
/** The writes under way, by the ids of their keys. */
const noting = new Map<string, Promise<unknown>>();

/** Only a hint for people: no request waits for it, and a failed write is made up for by a later use. */
function noteUse(database: ServiceDatabase, { id, lastUsedAt }: FoundKey): void {
  const now = Date.now();
  if (noting.has(id) || (lastUsedAt !== null && now - lastUsedAt < useNotedEveryMs)) return;
  const write = database.query
    .updateTable('api_keys')
    .set({ last_used_at: now })
    .where('id', '=', id)
    .execute()
    .catch(() => undefined)
    .finally(() => noting.delete(id));
  noting.set(id, write);
}

/** Resolves when no use of a key is being written. */
export const whenUsesNoted = (): Promise<unknown> => Promise.all(noting.values());

interface FoundKey {
  readonly id: string;
  readonly userId: string;
  readonly lastUsedAt: number | null;
}

/** A valid key and its user; its use is noted. */
export async function findUsedKey(database: ServiceDatabase, key: string): Promise<FoundKey | undefined> {
  const row = await database.query
    .selectFrom('api_keys')
    .select(['id', 'user_id', 'last_used_at'])
    .where('key_hash', '=', hashKey(key))
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const found = { id: row.id, userId: row.user_id, lastUsedAt: row.last_used_at };
  noteUse(database, found);
  return found;
}
