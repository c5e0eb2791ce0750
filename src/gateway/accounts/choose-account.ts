/** Which credential a call acts with. Identities are read at each call, never remembered (specification: Authentication). */
import * as z from 'zod';
import type { Api } from '../../contract/api.ts';
import type { Credential, Identity, SearchResult } from '../../contract/resources.ts';
import { identityProperty } from '../catalog/tool-arguments.ts';
import type { Clock } from '../foundation/clock.ts';
import { GatewayError } from '../foundation/errors.ts';
import { cleanText, nearestName, quoted } from '../foundation/text.ts';
import type { NextStep } from '../interface/next-step.ts';

const timeoutMs = 20_000;
/** A catalog that was deleted and made again has another id. Reading one costs a request of 60 a minute. */
const rememberMs = 60_000;

export interface ChosenAccount {
  /** Absent where the task is sent without a credential. */
  readonly credentialId: string | undefined;
  /** The identity's name; null where the call is anonymous. */
  readonly name: string | null;
  /** Who is signed in, as the service tells it; undefined where it does not: the same credential may be another user's by now. */
  readonly signedIn: string | undefined;
  /** Where the call names no account: how the caller names another one. */
  readonly hint?: string | undefined;
}
const anonymous: ChosenAccount = { credentialId: undefined, name: null, signedIn: undefined };

const maxName = 100;
const maxChoices = 50;
const maxHinted = 5;

export class Accounts {
  readonly #api: Api;
  readonly #clock: Clock;
  /** Ids of catalogs by slug, which is what actions carry, and when they were read. */
  readonly #catalogIds = new Map<string, { readonly id: string; readonly readAt: number }>();

  constructor(api: Api, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  /** The id of a catalog, by slug. Rejects with an `ApiError`. */
  async catalogId(slug: string, signal: AbortSignal): Promise<string> {
    const known = this.#catalogIds.get(slug);
    const now = this.#clock.monotonic();
    if (known !== undefined && now - known.readAt < rememberMs) return known.id;
    const { catalog } = await this.#api.getCatalog(slug, { signal, timeoutMs });
    this.#catalogIds.set(slug, { id: catalog.id, readAt: now });
    return catalog.id;
  }

  /** The slugs of the catalogs with these ids, without those that are not visible. */
  async getSlugs(ids: Iterable<string>, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const knownSlugs = () => new Map([...this.#catalogIds].map(([slug, { id }]) => [id, slug]));
    const slugs = knownSlugs();
    if ([...ids].every((id) => slugs.has(id))) return slugs;
    const readAt = this.#clock.monotonic();
    const { items } = await this.#api.listCatalogs({}, { signal, timeoutMs });
    for (const { slug, id } of items) this.#catalogIds.set(slug, { id, readAt });
    return knownSlugs();
  }

  /** The identities of one catalog, filtered here as well in case the service ignores the filter. */
  async listIdentities(slug: string, signal: AbortSignal): Promise<Identity[]> {
    const catalogId = await this.catalogId(slug, signal);
    const { items } = await this.#api.listIdentities({ catalog_id: catalogId }, { signal, timeoutMs });
    return items.filter((identity) => identity.catalog_id === catalogId || identity.catalog_id === '');
  }

  /** The identity's name for what a call gave: a name, an identity's id or a credential's id. */
  async getName(slug: string, identity: string, signal: AbortSignal): Promise<string> {
    const identities = await this.listIdentities(slug, signal);
    const match = identities.find(
      (candidate) =>
        candidate.id === identity ||
        candidate.name.toLowerCase() === identity.toLowerCase() ||
        candidate.credentials.some(({ id }) => id === identity),
    );
    return match?.name ?? identity;
  }

  /**
   * The account of a call; undefined where the action has no accounts. `requested` is an identity's name or a credential id.
   * An action that needs an account and has none is sent without, so that the service says how to connect one.
   */
  async choose(
    action: SearchResult,
    requested: string | undefined,
    signal: AbortSignal,
  ): Promise<ChosenAccount | undefined> {
    if (action.auth_mode === 'none') return undefined;
    // An unknown mode: an account is sent only where the caller names one.
    if (requested === undefined && action.auth_mode !== 'required')
      return {
        ...anonymous,
        hint: `The call named no account, so it ran without one. ${identityProperty(action)} names one.`,
      };
    const identities = await this.listIdentities(action.catalog_slug, signal);
    const credentialId =
      requested === undefined
        ? chooseDefault(identities, action)
        : chooseNamed(identities, requested, action);
    const holder = identities.find(({ credentials }) => credentials.some(({ id }) => id === credentialId));
    if (credentialId === undefined) return anonymous;
    const credential = holder?.credentials.find(({ id }) => id === credentialId);
    return {
      credentialId,
      name: holder === undefined ? null : cleanText(holder.name, maxName),
      signedIn: credential && toSignedIn(credential),
      ...(requested === undefined && { hint: hintOthers(identities, holder, action) }),
    };
  }

  /** Who is signed in with a credential by now, as in `ChosenAccount`. */
  async whoIsSignedIn(
    { catalog_slug: slug }: SearchResult,
    credentialId: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const identities = await this.listIdentities(slug, signal);
    const credential = identities
      .flatMap(({ credentials }) => credentials)
      .find(({ id }) => id === credentialId);
    return credential && toSignedIn(credential);
  }
}

/** The default account acts where others could have been meant. */
function hintOthers(
  identities: readonly Identity[],
  acting: Identity | undefined,
  action: SearchResult,
): string | undefined {
  const others = identities.filter(
    (identity) => identity !== acting && newestActive(identity.credentials) !== undefined,
  );
  const names = others.slice(0, maxHinted).map(({ name }) => quoted(name, maxName));
  if (acting === undefined || names.length === 0) return undefined;
  const more = others.length > names.length ? ` and ${others.length - names.length} more` : '';
  return `The call named no account, so the default one, ${quoted(acting.name, maxName)}, acted. ${identityProperty(action)} names another: ${names.join(', ')}${more}.`;
}

const SignedIn = z.tuple([z.string().nullable(), z.string().nullable()]);

/** Whether both are one user's sign-ins. Where the service names no users, each sign-in may be another one's. */
export function isSameUser(one: string, other: string): boolean {
  if (one === other) return true;
  const [user, otherUser] = [one, other].map((signedIn) => {
    try {
      return SignedIn.parse(JSON.parse(signedIn))[0];
    } catch {
      return null;
    }
  });
  return user !== null && user === otherUser;
}

function toSignedIn({ site_user, signed_in_at }: Credential): string | undefined {
  return site_user === undefined && signed_in_at === undefined
    ? undefined
    : JSON.stringify([site_user ?? null, signed_in_at ?? null]);
}

function chooseNamed(identities: readonly Identity[], requested: string, action: SearchResult): string {
  const credential = identities
    .flatMap((identity) => identity.credentials)
    .find(({ id }) => id === requested);
  if (credential !== undefined) return findActive([credential], requested, action);

  const exact = identities.filter((identity) => identity.name === requested || identity.id === requested);
  const loose = identities.filter((identity) => identity.name.toLowerCase() === requested.toLowerCase());
  const [match, ...others] = exact.length > 0 ? exact : loose;
  if (match === undefined) throw identityNotFound(identities, requested, action);
  if (others.length > 0) throw identityAmbiguous([match, ...others], action);
  return findActive(match.credentials, match.name, action);
}

function chooseDefault(identities: readonly Identity[], action: SearchResult): string | undefined {
  const preferred = identities.find((identity) => identity.is_default);
  const ownCredential = newestActive(preferred?.credentials ?? []);
  if (ownCredential !== undefined) return ownCredential.id;
  const active = identities.filter((identity) => newestActive(identity.credentials) !== undefined);
  // Another account is never used in place of the default one: its data and its orders are someone else's.
  if (preferred !== undefined && (preferred.credentials.length > 0 || active.length > 0)) {
    throw defaultExpired(preferred, active, action);
  }
  if (active.length > 1) throw identityAmbiguous(active, action);
  return newestActive(active[0]?.credentials ?? [])?.id;
}

function findActive(credentials: readonly Credential[], requested: string, action: SearchResult): string {
  const active = newestActive(credentials);
  if (active !== undefined) return active.id;
  const name = cleanText(requested, maxName);
  throw new GatewayError(
    'AUTH_EXPIRED',
    `The session of the account "${name}" of ${getSlug(action)} has expired. Nothing was sent.`,
    signIn(action, name),
    { identity_name: name },
  );
}

function defaultExpired(
  { name: given }: Identity,
  others: readonly Identity[],
  action: SearchResult,
): GatewayError {
  const name = cleanText(given, maxName);
  const names = listNames(others);
  const message = `The session of the default account "${name}" of ${getSlug(action)} has expired.`;
  if (names.length === 0) {
    return new GatewayError('AUTH_EXPIRED', `${message} Nothing was sent.`, signIn(action, name), {
      identity_name: name,
    });
  }
  return new GatewayError(
    'AUTH_EXPIRED',
    `${message} Still signed in: ${names.join(', ')}. No other account is used unless the call names it. Nothing was sent.`,
    { ...signIn(action, name), others: true, ...ownIdentity(action) },
    { identity_name: name, identities: names },
  );
}

/** An identity may hold several; the one connected last is the likeliest to work. */
function newestActive(credentials: readonly Credential[]): Credential | undefined {
  return credentials
    .filter((credential) => credential.status === 'active')
    .reduce<Credential | undefined>(
      (newest, next) => (newest === undefined || next.created_at > newest.created_at ? next : newest),
      undefined,
    );
}

function identityNotFound(
  identities: readonly Identity[],
  requested: string,
  action: SearchResult,
): GatewayError {
  const names = listNames(identities);
  const name = cleanText(requested, maxName);
  const choices = names.length === 0 ? 'there are none' : `there are: ${names.join(', ')}`;
  return new GatewayError(
    'IDENTITY_NOT_FOUND',
    `There is no account "${name}" for ${getSlug(action)}; ${choices}. Nothing was sent.`,
    // A misspelt name is no reason to sign in; whether another account is meant is the caller's to say.
    names.length === 0
      ? signIn(action, name)
      : {
          kind: 'name-account',
          why: 'unknown',
          nearest: nearestName(requested, names),
          account: accountOf(action, name),
          ...ownIdentity(action),
        },
    { identities: names },
  );
}

function identityAmbiguous(identities: readonly Identity[], action: SearchResult): GatewayError {
  const names = listNames(identities);
  return new GatewayError(
    'IDENTITY_AMBIGUOUS',
    `Several accounts of ${getSlug(action)} could be meant: ${names.join(', ')}. Nothing was sent.`,
    { kind: 'name-account', why: 'ambiguous', ...ownIdentity(action) },
    { identities: names },
  );
}

const getSlug = (action: SearchResult) => cleanText(action.catalog_slug, 80);

const listNames = (identities: readonly Identity[]) =>
  identities.slice(0, maxChoices).map((identity) => cleanText(identity.name, maxName));

/** For the next step: how an account is named where `identity` is a param of the action. */
const ownIdentity = (action: SearchResult) => {
  const argument = identityProperty(action);
  return argument === 'svc_identity' ? { argument } : {};
};

const accountOf = (action: SearchResult, name: string) => ({
  catalog: getSlug(action),
  identity_name: name,
});

const signIn = (action: SearchResult, name: string): NextStep<'sign-in'> => ({
  kind: 'sign-in',
  account: accountOf(action, name),
  why: 'needed',
});
