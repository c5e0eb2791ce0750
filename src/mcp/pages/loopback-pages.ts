/** The sign-in pages of a program without a server of its own: a listener on loopback, there only while it is needed. */
import type { Server } from 'node:http';
import type { SignInPage, SignInPages } from '../../gateway/accounts/sign-in-pages.ts';

/** Serves an ended page for a while: the browser must learn the outcome, and a person may open the link late. */
const defaultLingerMs = 60_000;

interface Listener {
  readonly server: Server;
  /** Of the pages; their ids follow. */
  readonly address: string;
}

export class LoopbackPages {
  readonly #pages: SignInPages;
  readonly #lingerMs: number;
  readonly #served = new Set<SignInPage>();
  #listener: Promise<Listener> | undefined;

  constructor(pages: SignInPages, { lingerMs = defaultLingerMs } = {}) {
    this.#pages = pages;
    this.#lingerMs = lingerMs;
  }

  /** Returns the page's address, and serves the page until shortly after its end. */
  async getAddress(page: SignInPage): Promise<string> {
    if (!this.#served.has(page)) {
      this.#served.add(page);
      page.ended.then(() => setTimeout(() => this.#release(page), this.#lingerMs).unref());
    }
    this.#listener ??= this.#listen();
    const { address } = await this.#listener.catch((error: unknown) => {
      // The next page starts a new listener.
      this.#listener = undefined;
      throw error;
    });
    return `${address}/${page.id}`;
  }

  async close(): Promise<void> {
    const listener = this.#listener;
    this.#listener = undefined;
    this.#served.clear();
    const { server } = (await listener?.catch(() => undefined)) ?? {};
    server?.close();
    server?.closeAllConnections();
  }

  #release(page: SignInPage): void {
    this.#served.delete(page);
    if (this.#served.size === 0) void this.close();
  }

  async #listen(): Promise<Listener> {
    // Loaded at the first page: most runs of the program never need one.
    const [{ createServer }, { getRequestListener }, { createSignInHandler, signInPath }] = await Promise.all(
      [import('node:http'), import('@hono/node-server'), import('./sign-in-handler.ts')],
    );
    let origins: string[] = [];
    const handler = createSignInHandler({ pages: this.#pages, origins: () => origins });
    const server = createServer(getRequestListener(handler, { overrideGlobalObjects: false }));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    // The program ends with its client, even if a page is open.
    server.unref();
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The listener has no port');
    origins = ['127.0.0.1', 'localhost'].map((host) => `http://${host}:${address.port}`);
    return { server, address: `http://127.0.0.1:${address.port}${signInPath}` };
  }
}
