/** API keys: 256 random bits, shown once, stored as their SHA-256. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { ServiceDatabase } from '../database/schema.ts';
import { AdministrationError } from '../foundation/errors.ts';
import { findUser } from './users.ts';

export interface KeyRecord {
  readonly id: string;
  readonly userName: string;
  readonly label: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | undefined;
}

/** A random key needs no salt and no slow hash: it cannot be guessed from a list. */
const hashKey = (key: string): string => createHash('sha256').update(key).digest('hex');

export const generateKey = (): string => `svc_${randomBytes(32).toString('base64url')}`;

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

/** Makes a key valid for a user. A key that was registered before, perhaps revoked since, stays as it is. */
export async function registerKey(
  database: ServiceDatabase,
  userId: string,
  key: string,
  label: string,
): Promise<string> {
  const id = randomUUID();
  await database.query
    .insertInto('api_keys')
    .values({ id, user_id: userId, label, key_hash: hashKey(key), created_at: Date.now(), revoked_at: null })
    .onConflict((conflict) => conflict.column('key_hash').doNothing())
    .execute();
  return id;
}

export async function listKeys(database: ServiceDatabase): Promise<KeyRecord[]> {
  const rows = await database.query
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .select(['api_keys.id', 'users.name', 'api_keys.label', 'api_keys.created_at', 'api_keys.revoked_at'])
    .orderBy('api_keys.created_at')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    userName: row.name,
    label: row.label,
    createdAt: new Date(row.created_at),
    revokedAt: row.revoked_at === null ? undefined : new Date(row.revoked_at),
  }));
}

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
export async function authenticate(database: ServiceDatabase, key: string): Promise<string | undefined> {
  return (await findKey(database, key))?.userId;
}

/** A valid key and its user. */
export async function findKey(
  database: ServiceDatabase,
  key: string,
): Promise<{ id: string; userId: string } | undefined> {
  const row = await database.query
    .selectFrom('api_keys')
    .select(['id', 'user_id'])
    .where('key_hash', '=', hashKey(key))
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return row && { id: row.id, userId: row.user_id };
}
