/** Stores a session in its identity's credential: made if there is none, renewed in place if there is. */
import { randomUUID } from 'node:crypto';
import { encrypt } from '../../store/encryption.ts';
import type { EncryptionKeys } from '../../store/encryption-keys.ts';
import { lockBalance } from '../money/ledger.ts';
import type { ServiceDatabase, ServiceTransaction } from '../store/schema.ts';

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
 * In one transaction, so that the answer names a credential that exists, also where somebody disconnects the account
 * meanwhile. The same name, also at the same time, is the same identity and the same credential (specification: POST /login,
 * rule 1).
 */
export async function storeSession(
  { database, keys }: { database: ServiceDatabase; keys: EncryptionKeys },
  session: NewSession,
): Promise<StoredSession> {
  // Another process may have rotated the keys and forgotten the one that we know as the current.
  await keys.reload();
  return database.transaction(async (transaction) => {
    // Logins of one user take turns, so that only one identity becomes the default.
    await lockBalance(transaction, session.userId);
    const identityId = await ensureIdentity(transaction, session);
    return { identityId, credentialId: await saveCredential(transaction, keys, identityId, session) };
  });
}

async function ensureIdentity(
  transaction: ServiceTransaction,
  { userId, catalogId, identityName }: NewSession,
): Promise<string> {
  const identities = await transaction
    .selectFrom('identities')
    .select(['id', 'name'])
    .where('user_id', '=', userId)
    .where('catalog_id', '=', catalogId)
    .execute();
  const existing = identities.find((identity) => identity.name === identityName);
  if (existing !== undefined) return existing.id;
  const id = randomUUID();
  await transaction
    .insertInto('identities')
    .values({
      id,
      user_id: userId,
      catalog_id: catalogId,
      name: identityName,
      is_default: identities.length === 0 ? 1 : 0,
      created_at: Date.now(),
    })
    .execute();
  return id;
}

/** The cookies are bound to the row's id. */
async function saveCredential(
  transaction: ServiceTransaction,
  keys: EncryptionKeys,
  identityId: string,
  { credentialType, cookies, expiresAt }: NewSession,
): Promise<string> {
  const existing = await transaction
    .selectFrom('credentials')
    .select('id')
    .where('identity_id', '=', identityId)
    .where('credential_type', '=', credentialType)
    .executeTakeFirst();
  const id = existing?.id ?? randomUUID();
  const encrypted = await encrypt(keys, ['credential', id], cookies);
  const session = {
    status: 'active',
    expires_at: expiresAt.getTime(),
    key_id: encrypted.keyId,
    encrypted_data: encrypted.data,
  } as const;
  if (existing === undefined) {
    const owner = { id, identity_id: identityId, credential_type: credentialType, created_at: Date.now() };
    await transaction
      .insertInto('credentials')
      .values({ ...owner, ...session })
      .execute();
  } else {
    await transaction.updateTable('credentials').set(session).where('id', '=', id).execute();
  }
  return id;
}
