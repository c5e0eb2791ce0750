/** `list_identities`: accounts by name, with their credentials' types and state; the service never sends secrets. */
import { isApiError } from '../../client/errors.ts';
import type { Api } from '../../contract/api.ts';
import type { Identity } from '../../contract/resources.ts';
import { GatewayError } from '../foundation/errors.ts';
import { cleanText, toVisibleMembers } from '../foundation/text.ts';
import type { CallContext } from '../interface/gateway.ts';
import type { NextStep } from '../interface/next-step.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import type { Accounts } from './choose-account.ts';

const timeoutMs = 30_000;
const maxListed = 100;
const maxShownName = 100;
const maxNotes = 10;

export async function showIdentities(
  api: Api,
  accounts: Accounts,
  input: { readonly catalog?: string | undefined; readonly id?: string | undefined },
  context: CallContext,
  getExpiry: (credentialId: string) => string | undefined,
): Promise<JsonObject> {
  const options = { signal: context.signal, timeoutMs };
  const identities =
    input.id !== undefined
      ? [await api.getIdentity(input.id, options).catch((error: unknown) => Promise.reject(toUnknown(error)))]
      : input.catalog !== undefined
        ? await accounts.listIdentities(input.catalog, context.signal)
        : (await api.listIdentities({}, options)).items;
  const ids = new Set(identities.map(({ catalog_id }) => catalog_id));
  // Without the slugs the list is still useful.
  const slugs = await accounts.getSlugs(ids, context.signal).catch(() => new Map<string, string>());
  const firstIdentities = identities.slice(0, maxListed);
  const hasMore = firstIdentities.length < identities.length;
  return {
    returned: firstIdentities.length,
    total: identities.length,
    has_more: hasMore,
    ...(identities.length === 0 ? { next: nothingConnected(input.catalog) } : {}),
    ...(hasMore ? { next: { kind: 'name-account', why: 'too-many' } satisfies NextStep } : {}),
    ...toSameAccountNote(firstIdentities),
    identities: firstIdentities.map((identity) => ({
      catalog: slugs.get(identity.catalog_id) ?? null,
      ...toVisibleIdentity(identity, getExpiry),
    })),
  };
}

const toUnknown = (error: unknown): unknown =>
  isApiError(error) && error.kind === 'service' && error.code === 'NOT_FOUND'
    ? new GatewayError({ service: 'NOT_FOUND' }, 'No account of yours has that id.', {
        kind: 'name-account',
        why: 'no-such-id',
      })
    : error;

const nothingConnected = (slug: string | undefined): NextStep => ({
  kind: 'sign-in',
  account: { catalog: slug && cleanText(slug, 80) },
  why: 'none-connected',
});

/** Identities of one catalog for which the site shows the same user: acting for one is acting for the other. */
function toSameAccountNote(identities: readonly Identity[]): { note?: string } {
  const names = new Map<string, string[]>();
  for (const { catalog_id, name, credentials } of identities) {
    const users = new Set(credentials.map(({ site_user }) => site_user).filter((user) => user !== undefined));
    for (const user of users) {
      const account = JSON.stringify([catalog_id, user]);
      names.set(account, [...(names.get(account) ?? []), cleanText(name, maxShownName)]);
    }
  }
  const same = [...names.values()].filter((group) => group.length > 1).slice(0, maxNotes);
  if (same.length === 0) return {};
  const notes = same.map(
    (group) => `${group.slice(0, maxNotes).join(' and ')} are one account: the website shows the same user.`,
  );
  return { note: notes.join(' ') };
}

/** Beside the documented fields only `site_user`, and `expires_at` where it is known: nothing unknown that could be secret. */
function toVisibleIdentity(
  { id, catalog_id, name, is_default, created_at, credentials }: Identity,
  getExpiry: (credentialId: string) => string | undefined,
): JsonObject {
  return toVisibleMembers({
    id,
    catalog_id,
    name,
    is_default,
    created_at,
    credentials: credentials.map((credential) => ({
      id: credential.id,
      identity_id: credential.identity_id,
      credential_type: credential.credential_type,
      status: credential.status,
      last_used_at: credential.last_used_at,
      created_at: credential.created_at,
      ...(credential.site_user === undefined ? {} : { site_user: credential.site_user }),
      ...expiry(credential.expires_at, credential.status === 'active' ? getExpiry(credential.id) : undefined),
    })),
  });
}

function expiry(expiresAt: unknown, remembered: string | undefined): { expires_at?: string } {
  if (typeof expiresAt === 'string') return { expires_at: expiresAt };
  return remembered === undefined ? {} : { expires_at: remembered };
}
