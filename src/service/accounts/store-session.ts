/** Stores a session in its identity's credential: made if there is none, renewed in place if there is. */
import { randomUUID } from 'node:crypto';
import { openErrors } from '../../contract/errors.ts';
import { encrypt } from '../../store/encryption.ts';
import type { EncryptionKeys } from '../../store/encryption-keys.ts';
import { refuse } from '../foundation/request-error.ts';
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
  readonly siteUser?: string | undefined;
}

export interface StoredSession {
  readonly identityId: string;
  readonly credentialId: string;
  /** Names of the user's other identities that are the same account of the site. */
  readonly sameAccount: readonly string[];
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
  // Another process may have rotated the keys and removed the current one of this process.
  await keys.reload();
  return database.transaction(async (transaction) => {
    // Logins of one user take turns, so that only one identity becomes the default.
    await lockBalance(transaction, session.userId);
    await checkUser(transaction, session.userId);
    const identityId = await ensureIdentity(transaction, session);
    const credentialId = await saveCredential(transaction, keys, identityId, session);
    return { identityId, credentialId, sameAccount: await findSameAccount(transaction, identityId, session) };
  });
}

async function findSameAccount(
  transaction: ServiceTransaction,
  identityId: string,
  { userId, catalogId, siteUser }: NewSession,
): Promise<string[]> {
  if (siteUser === undefined) return [];
  const identities = await transaction
    .selectFrom('identities')
    .innerJoin('credentials', 'credentials.identity_id', 'identities.id')
    .select('identities.name')
    .distinct()
    .where('identities.user_id', '=', userId)
    .where('identities.catalog_id', '=', catalogId)
    .where('identities.id', '<>', identityId)
    .where('credentials.site_user', '=', siteUser)
    .orderBy('identities.name')
    .execute();
  return identities.map(({ name }) => name);
}

/** The user may have been removed during the sign-in. Throws 401 `UNAUTHORIZED`, as later requests do. */
async function checkUser(transaction: ServiceTransaction, userId: string): Promise<void> {
  const user = await transaction
    .selectFrom('users')
    .select('removed_at')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  if (user.removed_at !== null) throw refuse(openErrors, 'UNAUTHORIZED', 'This user was removed');
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
  { credentialType, cookies, expiresAt, siteUser }: NewSession,
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
    site_user: siteUser ?? null,
    signed_in_at: Date.now(),
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
