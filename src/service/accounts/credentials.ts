/** Stored sessions: who may use which, until when (specification: Authentication, rules 3 to 6). */

import { decrypt } from '../../store/encryption.ts';
import type { EncryptionKeys } from '../../store/encryption-keys.ts';
import { type Statement, statement } from '../../store/statement.ts';
import type { ServiceDatabase, ServiceSchema } from '../store/schema.ts';

export type CredentialRow = Omit<ServiceSchema['credentials'], 'encrypted_data'>;

/** Also `expired` if its time has passed or its key is lost: only a new login helps. */
export function getCredentialStatus(credential: CredentialRow, keys: EncryptionKeys): 'active' | 'expired' {
  const usable =
    credential.status === 'active' &&
    credential.expires_at > Date.now() &&
    credential.key_id !== null &&
    keys.has(credential.key_id);
  return usable ? 'active' : 'expired';
}

export const credentialColumns = [
  'credentials.id',
  'credentials.identity_id',
  'credentials.credential_type',
  'credentials.status',
  'credentials.expires_at',
  'credentials.last_used_at',
  'credentials.created_at',
  'credentials.key_id',
  'credentials.site_user',
  'credentials.signed_in_at',
] as const;

/** The user's credential for this catalog; undefined if it does not exist or belongs to another user or catalog. */
export async function findCredential(
  database: ServiceDatabase,
  keys: EncryptionKeys,
  credentialId: string,
  owner: { userId: string; catalogId: string },
): Promise<CredentialRow | undefined> {
  const row = await database.query
    .selectFrom('credentials')
    .innerJoin('identities', 'identities.id', 'credentials.identity_id')
    .select(credentialColumns)
    .where('credentials.id', '=', credentialId)
    .where('identities.user_id', '=', owner.userId)
    .where('identities.catalog_id', '=', owner.catalogId)
    .executeTakeFirst();
  await keys.learn([row?.key_id ?? null]);
  return row;
}

/** The ids of the catalogs for which the user has an active credential. */
export async function connectedCatalogs(
  database: ServiceDatabase,
  keys: EncryptionKeys,
  userId: string,
): Promise<Set<string>> {
  const rows = await database.query
    .selectFrom('credentials')
    .innerJoin('identities', 'identities.id', 'credentials.identity_id')
    .select([...credentialColumns, 'identities.catalog_id'])
    .where('identities.user_id', '=', userId)
    .execute();
  await keys.learn(rows.map((row) => row.key_id));
  return new Set(
    rows.filter((row) => getCredentialStatus(row, keys) === 'active').map((row) => row.catalog_id),
  );
}

export interface SiteSession {
  readonly cookies: string;
  /** The stored ciphertext. It differs if a later login has replaced the session. */
  readonly encrypted: string;
}

/** The session of an active credential; undefined where it is no longer valid. */
export async function readSession(
  database: ServiceDatabase,
  keys: EncryptionKeys,
  credentialId: string,
): Promise<SiteSession | undefined> {
  const row = await database.query
    .selectFrom('credentials')
    .selectAll()
    .where('id', '=', credentialId)
    .executeTakeFirst();
  if (row === undefined || row.key_id === null || row.encrypted_data === null) return undefined;
  const encrypted = row.encrypted_data;
  const cookies = await decrypt(keys, ['credential', credentialId], { keyId: row.key_id, data: encrypted });
  if (cookies === undefined || getCredentialStatus(row, keys) === 'expired') return undefined;
  return { cookies, encrypted };
}

/** The site has ended this session. A credential that was renewed meanwhile stays active. */
export const expireCredential = (credentialId: string, session: SiteSession | undefined): Statement[] =>
  session === undefined
    ? []
    : [
        statement(
          "update credentials set status = 'expired' where id = $1 and encrypted_data = $2",
          credentialId,
          session.encrypted,
        ),
      ];
