/** Stores a session in its identity's credential: made if there is none, renewed in place if there is. */
import { randomUUID } from 'node:crypto';
import { encrypt } from '../../store/encryption.ts';
import type { EncryptionKeys } from '../../store/encryption-keys.ts';
import type { ServiceDatabase } from '../database/schema.ts';
import type { CrashHook } from '../foundation/crash-points.ts';
import { lockBalance } from '../users/ledger.ts';

export interface NewSession {
  readonly userId: string;
  readonly catalogId: string;
  readonly identityName: string;
  readonly credentialType: 'credentials' | 'browser_state';
  /** As `tough-cookie` serializes them. */
  readonly cookies: string;
  readonly expiresAt: Date;
}

export interface StoredSession {
  readonly identityId: string;
  readonly credentialId: string;
}

/**
 * Two steps, because the cookies are bound to the row's id: first the row, `expired` and without cookies, then the
 * cookies. A death in between leaves a credential that a new login makes good. The same name, also at the same time,
 * is the same identity and the same credential (specification: POST /login, rule 1).
 */
export async function storeSession(
  options: { database: ServiceDatabase; keys: EncryptionKeys; crashPoint: CrashHook },
  session: NewSession,
): Promise<StoredSession> {
  const { database, keys, crashPoint } = options;
  const stored = await ensureRows(database, session);
  crashPoint('login.before-cookies');
  // Another process may have rotated the keys and forgotten the one that we know as the current.
  await keys.reload();
  const encrypted = await encrypt(keys, ['credential', stored.credentialId], session.cookies);
  await database.query
    .updateTable('credentials')
    .set({
      status: 'active',
      expires_at: session.expiresAt.getTime(),
      key_id: encrypted.keyId,
      encrypted_data: encrypted.data,
    })
    .where('id', '=', stored.credentialId)
    .execute();
  crashPoint('login.after-cookies');
  return stored;
}

function ensureRows(
  database: ServiceDatabase,
  { userId, catalogId, identityName, credentialType }: NewSession,
): Promise<StoredSession> {
  return database.transaction(async (transaction) => {
    // Logins of one user take turns, so that only one identity becomes the default.
    await lockBalance(transaction, userId);
    const identities = await transaction
      .selectFrom('identities')
      .select(['id', 'name'])
      .where('user_id', '=', userId)
      .where('catalog_id', '=', catalogId)
      .execute();
    const existing = identities.find((identity) => identity.name === identityName);
    const identityId = existing?.id ?? randomUUID();
    if (existing === undefined) {
      await transaction
        .insertInto('identities')
        .values({
          id: identityId,
          user_id: userId,
          catalog_id: catalogId,
          name: identityName,
          is_default: identities.length === 0 ? 1 : 0,
          created_at: Date.now(),
        })
        .execute();
    }
    const credential = await transaction
      .selectFrom('credentials')
      .select('id')
      .where('identity_id', '=', identityId)
      .where('credential_type', '=', credentialType)
      .executeTakeFirst();
    const credentialId = credential?.id ?? randomUUID();
    if (credential === undefined) {
      await transaction
        .insertInto('credentials')
        .values({
          id: credentialId,
          identity_id: identityId,
          credential_type: credentialType,
          status: 'expired',
          expires_at: 0,
          created_at: Date.now(),
        })
        .execute();
    }
    return { identityId, credentialId };
  });
}
