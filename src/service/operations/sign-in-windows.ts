/** Windows for signing in that this process has opened: begun in one request, and asked about in later ones. */
import { RequestError } from '../foundation/errors.ts';
import { connectInBrowser } from './connect-in-browser.ts';
import type { Context } from './context.ts';

export type WindowState =
  | { readonly kind: 'open' }
  | { readonly kind: 'connected'; readonly identityId: string }
  | { readonly kind: 'failed'; readonly message: string };

/** The windows that were opened by this process, one for a user and site. */
export class SignInWindows {
  readonly #context: Context;
  readonly #states = new Map<string, WindowState>();

  constructor(context: Context) {
    this.#context = context;
  }

  open(userId: string, slug: string, identityName: string): void {
    const key = `${userId} ${slug}`;
    if (this.#states.get(key)?.kind === 'open') return;
    this.#states.set(key, { kind: 'open' });
    const body = { catalogSlug: slug, identityName, signal: this.#context.stopped };
    connectInBrowser(this.#context, userId, body).then(
      ({ identityId }) => this.#states.set(key, { kind: 'connected', identityId }),
      (error) => {
        const message = error instanceof RequestError ? error.message : 'The browser could not be used.';
        this.#context.logger.warn({ err: error }, 'A sign-in window ended without a session');
        this.#states.set(key, { kind: 'failed', message });
      },
    );
  }

  /** Returns an end once. */
  take(userId: string, slug: string): WindowState | undefined {
    const key = `${userId} ${slug}`;
    const state = this.#states.get(key);
    if (state !== undefined && state.kind !== 'open') this.#states.delete(key);
    return state;
  }
}
