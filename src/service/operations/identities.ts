/** GET /identities and GET /identities/{id}. */
import type { IdentityDetails, IdentityList, IdentityQuery } from '../../contract/endpoints.ts';
import type { Identity } from '../../contract/resources.ts';
import { type CredentialRow, credentialColumns, getCredentialStatus } from '../accounts/credentials.ts';
import { notFound } from '../foundation/request-error.ts';
import type { ServiceSchema } from '../store/schema.ts';
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
    })),
  };
}
