/** Who is signed in to the console: 256 random bits in a cookie, their SHA-256 in the database. */
import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { databaseNow } from '../../store/database-time.ts';
import { findUsedKey } from '../money/keys.ts';
import type { ServiceDatabase } from '../store/schema.ts';

/** Seconds from the sign-in on, whether or not the session is used. */
export const sessionSeconds = 12 * 60 * 60;

export interface ConsoleUser {
  readonly id: string;
  readonly name: string;
  /** Credits. */
  readonly balance: number;
}

export const generateToken = (): string => randomBytes(32).toString('base64url');
const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** The session's token, or undefined where no valid key was given. */
export async function startSession(database: ServiceDatabase, apiKey: string): Promise<string | undefined> {
  const key = await findUsedKey(database, apiKey);
  if (key === undefined) return undefined;
  const now = databaseNow(database.engine);
  await database.query.deleteFrom('console_sessions').where('expires_at', '<=', now).execute();
  const token = generateToken();
  await database.query
    .insertInto('console_sessions')
    .values({
      token_hash: hashToken(token),
      user_id: key.userId,
      api_key_id: key.id,
      created_at: now,
      expires_at: sql<number>`${now} + ${sessionSeconds * 1000}`,
    })
    .execute();
  return token;
}

/** Undefined where the session has ended: signed out, expired, or its API key was revoked. */
export async function findSessionUser(
  database: ServiceDatabase,
  token: string,
): Promise<ConsoleUser | undefined> {
  return database.query
    .selectFrom('console_sessions')
    .innerJoin('api_keys', 'api_keys.id', 'console_sessions.api_key_id')
    .innerJoin('users', 'users.id', 'console_sessions.user_id')
    .select(['users.id', 'users.name', 'users.balance'])
    .where('token_hash', '=', hashToken(token))
    .where('expires_at', '>', databaseNow(database.engine))
    .where('api_keys.revoked_at', 'is', null)
    .executeTakeFirst();
}

export async function endSession(database: ServiceDatabase, token: string): Promise<void> {
  await database.query.deleteFrom('console_sessions').where('token_hash', '=', hashToken(token)).execute();
}
