/** Limits on what one client, or all clients of a principal, may use of the server; the two that are counted here. */
import type { ServerResponse } from 'node:http';
import { type RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

export interface HttpLimits {
  /** Bytes of a request's body. */
  readonly bodyBytes: number;
  /** Bytes of all bodies of a principal that have not arrived whole. */
  readonly bodyBytesInAll: number;
  /** Messages in one JSON-RPC batch, which revision 2025-03-26 has. */
  readonly batch: number;
  /** Requests of a principal in a minute. */
  readonly requestsPerMinute: number;
  /** Tool calls of a principal at once. */
  readonly calls: number;
  /** Sessions and legacy streams of a principal at once. */
  readonly sessions: number;
  /** Milliseconds after which a session that nobody uses ends. */
  readonly idleSessionMs: number;
  /** The most principals with an open gateway; idle ones make room for new ones. */
  readonly principals: number;
  /** Bytes of one response that may wait for a client that reads nothing, and for how many milliseconds. */
  readonly unreadBytes: number;
  readonly unreadMs: number;
  /** Bytes that may wait in all responses of a principal. */
  readonly unreadBytesInAll: number;
  /** Milliseconds until the streams of a revoked key end; its requests are refused at once. */
  readonly revocationMs: number;
  /** Milliseconds that submissions of a revoked key have to learn the ids of their jobs. */
  readonly revokedGraceMs: number;
}

/** Generous to a team that shares one key, small against what a runaway client sends. */
export const defaultHttpLimits: HttpLimits = {
  bodyBytes: 1024 * 1024,
  bodyBytesInAll: 32 * 1024 * 1024,
  batch: 50,
  requestsPerMinute: 6_000,
  calls: 256,
  sessions: 256,
  idleSessionMs: 30 * 60_000,
  principals: 1_000,
  unreadBytes: 4 * 1024 * 1024,
  unreadMs: 10_000,
  unreadBytesInAll: 32 * 1024 * 1024,
  revocationMs: 5_000,
  revokedGraceMs: 30_000,
};

export interface UnreadOutputDependencies {
  readonly limits: Pick<HttpLimits, 'unreadBytes' | 'unreadBytesInAll' | 'unreadMs'>;
  /** Called for each connection that is closed, with the bytes that were waiting. */
  readonly onClose: (bytes: number) => void;
}

/** How often the bytes of all responses are counted. */
const countEveryMs = 1_000;

/** The output of one principal that is held in memory for clients that do not read. */
export class UnreadOutput {
  readonly #dependencies: UnreadOutputDependencies;
  readonly #responses = new Set<ServerResponse>();
  #counting: NodeJS.Timeout | undefined;

  constructor(dependencies: UnreadOutputDependencies) {
    this.#dependencies = dependencies;
  }

  /** Follows a response until it is closed. */
  watch(response: ServerResponse): void {
    const { unreadBytes, unreadMs } = this.#dependencies.limits;
    this.#responses.add(response);
    this.#counting ??= setInterval(() => this.#makeRoom(), countEveryMs).unref();
    // The time-out of a connection starts again whenever the client takes a part, also of one large write.
    response.on('timeout', () => {
      if (response.writableLength > unreadBytes) this.#close(response);
      else response.setTimeout(unreadMs);
    });
    response.setTimeout(unreadMs);
    response.once('close', () => this.#forget(response));
  }

  /** If all responses together exceed the limit, closes the one with the most unread bytes, and so on. */
  #makeRoom(): void {
    const largestFirst = [...this.#responses].sort((a, b) => b.writableLength - a.writableLength);
    let bytes = largestFirst.reduce((total, { writableLength }) => total + writableLength, 0);
    for (const response of largestFirst) {
      if (bytes <= this.#dependencies.limits.unreadBytesInAll) return;
      bytes -= response.writableLength;
      this.#close(response);
    }
  }

  #close(response: ServerResponse): void {
    this.#dependencies.onClose(response.writableLength);
    this.#forget(response);
    response.destroy();
  }

  #forget(response: ServerResponse): void {
    this.#responses.delete(response);
    if (this.#responses.size > 0) return;
    clearInterval(this.#counting);
    this.#counting = undefined;
  }
}

/** Counts one more; resolves to the milliseconds to wait where it is one too many, else to 0. */
export async function consume(limiter: RateLimiterMemory, key: string): Promise<number> {
  try {
    await limiter.consume(key);
    return 0;
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    return Math.max(1, error.msBeforeNext);
  }
}
