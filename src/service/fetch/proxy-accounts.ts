/** The pages that the guarded proxy serves: each with its own name and password, its connections and its bytes. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

export interface ProxyAccess {
  readonly username: string;
  readonly password: string;
  /** Bytes that came from sites so far. */
  bytes(): number;
  /** Closes the page's connections and refuses further ones. */
  revoke(): void;
}

export interface PageAllowance {
  /** Bytes that may come from sites; then the page is cut off. */
  readonly maxBytes: number;
  /** Exact origins that this page reaches whatever their address and port. */
  readonly allowOrigins: ReadonlySet<string>;
  /** Called once, when `maxBytes` is exceeded. */
  readonly onLimit: () => void;
}

export class ProxyAccount {
  readonly allowOrigins: ReadonlySet<string>;
  readonly #allowance: PageAllowance;
  readonly #password: Buffer;
  readonly #sockets = new Set<Duplex>();
  #bytes = 0;

  constructor(allowance: PageAllowance, password: string) {
    this.allowOrigins = allowance.allowOrigins;
    this.#allowance = allowance;
    this.#password = Buffer.from(password);
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isOverLimit(): boolean {
    return this.#bytes > this.#allowance.maxBytes;
  }

  hasPassword(password: string): boolean {
    const bytes = Buffer.from(password);
    return bytes.length === this.#password.length && timingSafeEqual(bytes, this.#password);
  }

  /** Counts bytes of a site. The first ones over the limit close the page's connections. */
  count(bytes: number): void {
    const wasOverLimit = this.isOverLimit;
    this.#bytes += bytes;
    if (!this.isOverLimit || wasOverLimit) return;
    this.closeSockets();
    this.#allowance.onLimit();
  }

  /** Counts a connection to the page's own, until it closes. */
  keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  }

  closeSockets(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

export class ProxyAccounts {
  readonly #accounts = new Map<string, ProxyAccount>();

  admit(allowance: PageAllowance): ProxyAccess {
    const username = randomBytes(16).toString('hex');
    const password = randomBytes(16).toString('hex');
    const account = new ProxyAccount(allowance, password);
    this.#accounts.set(username, account);
    return {
      username,
      password,
      bytes: () => account.bytes,
      revoke: () => {
        this.#accounts.delete(username);
        account.closeSockets();
      },
    };
  }

  /** The account whose name and password the request carries; undefined without valid ones. */
  find(message: IncomingMessage): ProxyAccount | undefined {
    const [, encoded = ''] = /^Basic (\S+)$/i.exec(message.headers['proxy-authorization'] ?? '') ?? [];
    const [username = '', password = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
    const account = this.#accounts.get(username);
    return account?.hasPassword(password) === true ? account : undefined;
  }

  closeSockets(): void {
    for (const account of this.#accounts.values()) account.closeSockets();
  }
}
