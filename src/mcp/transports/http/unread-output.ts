/** Bounds the output held in memory for clients that do not read. */
import type { ServerResponse } from 'node:http';
import type { HttpLimits } from './limits.ts';

export interface UnreadOutputDependencies {
  readonly limits: Pick<HttpLimits, 'unreadBytes' | 'unreadBytesInAll' | 'unreadMs'>;
  /** Called for each connection that is closed, with the bytes that were waiting. */
  readonly onClose: (bytes: number) => void;
}

/** How often the bytes of all responses are counted. */
const countEveryMs = 1_000;

/** The responses of one principal. */
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
