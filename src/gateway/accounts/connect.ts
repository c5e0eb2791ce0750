/**
 * An account that a person connects at the service or the site, not on a page of ours: seen by looking for it. What is
 * waited for is in the id, which travels through the client authenticated, so that any replica can go on waiting.
 */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import type { Identity } from '../../contract/resources.ts';
import { pageLifetimeMs } from './sign-in-pages.ts';

const firstLookMs = 1_000;
const longestLookMs = 5_000;
const idPrefix = 'connect.';

const Waited = z.object({
  url: z.string(),
  slug: z.string(),
  identityName: z.string().optional(),
  /** Marks of the credentials that were active before. */
  before: z.array(z.string()),
  /** Milliseconds since the epoch. */
  expiresAt: z.number(),
});
type Waited = z.infer<typeof Waited>;

/** Reads the identities of a catalog; may reject: then it is asked again. */
type Look = (slug: string, signal: AbortSignal) => Promise<readonly Identity[]>;

export class Connect {
  readonly id: string;
  readonly url: string;
  readonly expiresAt: Date;
  readonly #waited: Waited;
  readonly #look: Look;
  readonly #over = new AbortController();
  #ended: Promise<'verified' | 'expired'> | undefined;

  private constructor(id: string, waited: Waited, look: Look) {
    this.id = id;
    this.url = waited.url;
    this.expiresAt = new Date(waited.expiresAt);
    this.#waited = waited;
    this.#look = look;
  }

  /** Rejects where the accounts of now cannot be read. */
  static async start(
    wanted: Pick<Waited, 'url' | 'slug' | 'identityName'>,
    look: Look,
    signal: AbortSignal,
  ): Promise<Connect> {
    const { url, slug, identityName } = wanted;
    const before = activeOf(await look(slug, signal), identityName);
    const waited = { url, slug, identityName, before, expiresAt: Date.now() + pageLifetimeMs };
    return new Connect(
      `${idPrefix}${Buffer.from(JSON.stringify(waited)).toString('base64url')}`,
      waited,
      look,
    );
  }

  /** The one with this id, on any replica; undefined where it is the id of something else. */
  static of(id: string, look: Look): Connect | undefined {
    if (!id.startsWith(idPrefix)) return undefined;
    const text = Buffer.from(id.slice(idPrefix.length), 'base64url').toString('utf8');
    return new Connect(id, Waited.parse(JSON.parse(text)), look);
  }

  isFor({ url, slug, identityName }: Pick<Waited, 'url' | 'slug' | 'identityName'>): boolean {
    return this.url === url && this.#waited.slug === slug && this.#waited.identityName === identityName;
  }

  get pending(): boolean {
    return !this.#over.signal.aborted && this.expiresAt.getTime() > Date.now();
  }

  /** Looks for the account from the first time that somebody asks. */
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
    const { slug, identityName, before } = this.#waited;
    return activeOf(await this.#look(slug, signal), identityName).some((mark) => !before.includes(mark));
  }
}

/** A credential that is renewed in place counts as another. */
function activeOf(identities: readonly Identity[], identityName: string | undefined): string[] {
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
