/**
 * An account that a person connects at the service or the site, not on a page of svc-mcp. Only polling shows that it is
 * connected. The id holds the state of the wait and travels through the client authenticated, so any replica can go on.
 */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import type { Identity } from '../../contract/resources.ts';
import { pageLifetimeMs } from './sign-in-pages.ts';

const firstLookMs = 1_000;
const longestLookMs = 5_000;
const idPrefix = 'connect.';

const ExternalSignInState = z.object({
  url: z.string(),
  slug: z.string(),
  identityName: z.string().optional(),
  /** Fingerprints of the credentials that were active before. */
  before: z.array(z.string()),
  /**
   * Milliseconds since the epoch, by the wall clock: the only one that a process which resumes the sign-in has in common
   * with this one. A wrong clock ends the wait early or late; nothing is paid or granted by it.
   */
  expiresAt: z.number(),
});
type ExternalSignInState = z.infer<typeof ExternalSignInState>;

/** Reads the identities of a catalog. If it rejects, it is called again. */
type ReadIdentities = (slug: string, signal: AbortSignal) => Promise<readonly Identity[]>;

export class ExternalSignIn {
  readonly id: string;
  readonly url: string;
  readonly expiresAt: Date;
  readonly #state: ExternalSignInState;
  readonly #readIdentities: ReadIdentities;
  readonly #over = new AbortController();
  #ended: Promise<'verified' | 'expired'> | undefined;

  private constructor(id: string, state: ExternalSignInState, readIdentities: ReadIdentities) {
    this.id = id;
    this.url = state.url;
    this.expiresAt = new Date(state.expiresAt);
    this.#state = state;
    this.#readIdentities = readIdentities;
  }

  /** Rejects if the present accounts cannot be read. */
  static async start(
    account: Pick<ExternalSignInState, 'url' | 'slug' | 'identityName'>,
    readIdentities: ReadIdentities,
    signal: AbortSignal,
  ): Promise<ExternalSignIn> {
    const { url, slug, identityName } = account;
    const before = getActiveMarks(await readIdentities(slug, signal), identityName);
    const state = { url, slug, identityName, before, expiresAt: Date.now() + pageLifetimeMs };
    return new ExternalSignIn(
      `${idPrefix}${Buffer.from(JSON.stringify(state)).toString('base64url')}`,
      state,
      readIdentities,
    );
  }

  /** The sign-in with this id, on any replica; undefined for any other id. */
  static resume(id: string, readIdentities: ReadIdentities): ExternalSignIn | undefined {
    if (!id.startsWith(idPrefix)) return undefined;
    const text = Buffer.from(id.slice(idPrefix.length), 'base64url').toString('utf8');
    return new ExternalSignIn(id, ExternalSignInState.parse(JSON.parse(text)), readIdentities);
  }

  isFor({ url, slug, identityName }: Pick<ExternalSignInState, 'url' | 'slug' | 'identityName'>): boolean {
    return this.url === url && this.#state.slug === slug && this.#state.identityName === identityName;
  }

  get pending(): boolean {
    return !this.#over.signal.aborted && this.expiresAt.getTime() > Date.now();
  }

  /** The first access starts polling for the account. */
  get ended(): Promise<'verified' | 'expired'> {
    this.#ended ??= this.#watch();
    return this.#ended;
  }

  end(): void {
    this.#over.abort();
  }

  async #watch(): Promise<'verified' | 'expired'> {
    const { signal } = this.#over;
    for (let pause = firstLookMs; this.pending; pause = Math.min(pause * 1.3, longestLookMs)) {
      if (await this.#isConnected(signal).catch(() => false)) {
        this.end();
        return 'verified';
      }
      await delay(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
    return 'expired';
  }

  async #isConnected(signal: AbortSignal): Promise<boolean> {
    const { slug, identityName, before } = this.#state;
    return getActiveMarks(await this.#readIdentities(slug, signal), identityName).some(
      (mark) => !before.includes(mark),
    );
  }
}

/** A credential that was renewed in place gets another fingerprint. */
function getActiveMarks(identities: readonly Identity[], identityName: string | undefined): string[] {
  return identities
    .filter(({ name }) => identityName === undefined || name.toLowerCase() === identityName.toLowerCase())
    .flatMap(({ credentials }) => credentials)
    .filter(({ status }) => status === 'active')
    .map(({ id, created_at, expires_at }) =>
      createHash('sha256')
        .update(JSON.stringify([id, created_at, expires_at]))
        .digest('base64url')
        .slice(0, 12),
    );
}
