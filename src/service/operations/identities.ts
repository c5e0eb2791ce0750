/** The accounts of a user: GET /identities and GET /identities/{id}, the default of a site, and how one is disconnected. */
import type { IdentityDetails, IdentityList, IdentityQuery } from '../../contract/endpoints.ts';
import type { Identity } from '../../contract/resources.ts';
import { type CredentialRow, credentialColumns, getCredentialStatus } from '../accounts/credentials.ts';
import { notFound } from '../foundation/request-error.ts';
import { lockBalance } from '../money/ledger.ts';
import type { ServiceDatabase, ServiceSchema } from '../store/schema.ts';
import type { Context } from './context.ts';

const timestamp = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** With their credentials, the oldest first (specification: GET /identities). */
export async function listIdentities(
  context: Context,
  userId: string,
  query: IdentityQuery,
): Promise<IdentityList> {
  return { status: 'ok', identities: await readIdentities(context, userId, { catalogId: query.catalog_id }) };
}

/** Refuses with `NOT_FOUND` for an unknown one and for another user's. */
export async function getIdentity(context: Context, userId: string, id: string): Promise<IdentityDetails> {
  const [identity] = await readIdentities(context, userId, { id });
  if (identity === undefined) throw notFound('identity');
  return { status: 'ok', identity };
}

async function readIdentities(
  { database, keys }: Context,
  userId: string,
  only: { id?: string; catalogId?: string | undefined },
): Promise<Identity[]> {
  let query = database.query.selectFrom('identities').selectAll().where('user_id', '=', userId);
  if (only.id !== undefined) query = query.where('id', '=', only.id);
  if (only.catalogId !== undefined) query = query.where('catalog_id', '=', only.catalogId);
  const identities = await query.orderBy('created_at').execute();
  const credentials = await database.query
    .selectFrom('credentials')
    .innerJoin('identities', 'identities.id', 'credentials.identity_id')
    .select(credentialColumns)
    .where('identities.user_id', '=', userId)
    .orderBy('credentials.created_at')
    .execute();
  await keys.learn(credentials.map((credential) => credential.key_id));
  return identities.map((identity) =>
    identityResource(
      identity,
      credentials.filter((credential) => credential.identity_id === identity.id),
      (credential) => getCredentialStatus(credential, keys),
    ),
  );
}

function identityResource(
  identity: ServiceSchema['identities'],
  credentials: readonly CredentialRow[],
  status: (credential: CredentialRow) => string,
): Identity {
  return {
    id: identity.id,
    catalog_id: identity.catalog_id,
    name: identity.name,
    is_default: identity.is_default === 1,
    created_at: timestamp(identity.created_at),
    credentials: credentials.map((credential) => ({
      id: credential.id,
      identity_id: credential.identity_id,
      credential_type: credential.credential_type,
      status: status(credential),
      // The specification has a string in every case.
      last_used_at: timestamp(credential.last_used_at ?? credential.created_at),
      created_at: timestamp(credential.created_at),
      ...(credential.site_user === null ? {} : { site_user: credential.site_user }),
      signed_in_at: timestamp(credential.signed_in_at),
    })),
  };
}

/** Makes it the only default of its catalog. Refuses with `NOT_FOUND` for an unknown one and for another user's. */
export async function setDefaultIdentity(
  { database }: Context,
  userId: string,
  identityId: string,
): Promise<void> {
  await database.transaction(async (transaction) => {
    // Requests that make or choose identities of a user take turns, so that there is always one default.
    await lockBalance(transaction, userId);
    const chosen = await transaction
      .selectFrom('identities')
      .select('catalog_id')
      .where('id', '=', identityId)
      .where('user_id', '=', userId)
      .executeTakeFirst();
    if (chosen === undefined) throw notFound('identity');
    await transaction
      .updateTable('identities')
      .set((row) => ({ is_default: row.case().when('id', '=', identityId).then(1).else(0).end() }))
      .where('user_id', '=', userId)
      .where('catalog_id', '=', chosen.catalog_id)
      .execute();
  });
}

/**
 * Disconnects an account. If it was the default, the oldest remaining identity becomes the default. Refuses with
 * `NOT_FOUND`.
 */
export async function disconnectIdentity(
  database: ServiceDatabase,
  userId: string,
  identityId: string,
): Promise<void> {
  await database.transaction(async (transaction) => {
    // Requests that make or choose identities of a user take turns, so that there is always exactly one default.
    await lockBalance(transaction, userId);
    const identity = await transaction
      .selectFrom('identities')
      .selectAll()
      .where('id', '=', identityId)
      .where('user_id', '=', userId)
      .executeTakeFirst();
    if (identity === undefined) throw notFound('identity');
    await transaction.deleteFrom('credentials').where('identity_id', '=', identityId).execute();
    await transaction.deleteFrom('identities').where('id', '=', identityId).execute();
    if (identity.is_default === 0) return;
    const oldest = await transaction
      .selectFrom('identities')
      .select('id')
      .where('user_id', '=', userId)
      .where('catalog_id', '=', identity.catalog_id)
      .orderBy('created_at')
      .executeTakeFirst();
    if (oldest === undefined) return;
    await transaction.updateTable('identities').set({ is_default: 1 }).where('id', '=', oldest.id).execute();
  });
}

export interface ConnectedAccount {
  readonly id: string;
  readonly userId: string;
  readonly user: string;
  /** The catalog's slug. */
  readonly catalog: string;
  readonly name: string;
}

/** Of all users, for the operator. */
export async function listAccounts({ query }: ServiceDatabase): Promise<ConnectedAccount[]> {
  const rows = await query
    .selectFrom('identities')
    .innerJoin('users', 'users.id', 'identities.user_id')
    .innerJoin('catalogs', 'catalogs.id', 'identities.catalog_id')
    .select(['identities.id', 'identities.user_id', 'identities.name', 'users.name as user', 'catalogs.slug'])
    .orderBy('users.name')
    .orderBy('catalogs.slug')
    .orderBy('identities.name')
    .execute();
  return rows.map(({ id, user_id, user, slug, name }) => ({
    id,
    userId: user_id,
    user,
    catalog: slug,
    name,
  }));
}
