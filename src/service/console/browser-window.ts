/** Signing in from the console in a browser window on the same machine: opened by a form, watched by the page. */
import { isLoopback } from '../../contract/web-address.ts';
import { clientAddress } from '../../http/server.ts';
import type { ServiceRequest } from '../api/authentication.ts';
import { RequestError } from '../foundation/errors.ts';
import { connectInBrowser } from '../operations/connect-in-browser.ts';
import type { Context } from '../operations/context.ts';

export type WindowState =
  | { readonly kind: 'open' }
  | { readonly kind: 'connected'; readonly identityId: string }
  | { readonly kind: 'failed'; readonly message: string };

/** The windows that were opened by this process, one for a user and site. */
export class BrowserWindows {
  readonly #context: Context;
  readonly #trustProxy: boolean;
  readonly #states = new Map<string, WindowState>();

  constructor(context: Context, trustProxy: boolean) {
    this.#context = context;
    this.#trustProxy = trustProxy;
  }

  /** A window on the service's machine is useful only to a person at that machine. */
  isOffered(request: ServiceRequest): boolean {
    const address = clientAddress(request.env.incoming, this.#trustProxy);
    return this.#context.signInBrowser !== undefined && isLoopback(address);
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
