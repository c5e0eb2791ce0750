/**
 * Bounds what waits in memory for clients that do not read. Transports write without waiting for the client, so that
 * everything that waits is in the responses, where it can be measured.
 */
import type { ServerResponse } from 'node:http';
import type { HttpLimits } from './limits.ts';

export interface UnreadOutputDependencies {
  readonly limits: Pick<HttpLimits, 'unreadBytes' | 'unreadBytesInAll' | 'unreadMs'>;
  /** Called for each connection that is closed, with the bytes that were waiting. */
  readonly onClose: (bytes: number) => void;
}

/** The responses of one principal. */
export class UnreadOutput {
  readonly #dependencies: UnreadOutputDependencies;
  readonly #responses = new Set<ServerResponse>();

  constructor(dependencies: UnreadOutputDependencies) {
    this.#dependencies = dependencies;
  }

  /** Bytes that wait in all responses. */
  get bytes(): number {
    let total = 0;
    for (const { writableLength } of this.#responses) total += writableLength;
    return total;
  }

  /** Follows a response until it is closed. */
  watch(response: ServerResponse): void {
    const { limits } = this.#dependencies;
    let watching: NodeJS.Timeout | undefined;
    const onWrite = () => {
      if (response.writableLength <= response.writableHighWaterMark) return;
      this.#makeRoom();
      if (response.writableLength > limits.unreadBytes) watching ??= this.#closeWhenStalled(response);
    };
    const { write, end } = response;
    response.write = (...args: unknown[]) => {
      Reflect.apply(write, response, args);
      onWrite();
      return true;
    };
    response.end = (...args: unknown[]) => {
      Reflect.apply(end, response, args);
      onWrite();
      return response;
    };
    this.#responses.add(response);
    response.once('close', () => {
      clearInterval(watching);
      this.#responses.delete(response);
    });
  }

  /** If all responses together exceed the limit, closes the one with the most unread bytes. */
  #makeRoom(): void {
    while (this.bytes > this.#dependencies.limits.unreadBytesInAll) {
      const [most] = [...this.#responses].sort((a, b) => b.writableLength - a.writableLength);
      if (most === undefined) return;
      this.#close(most);
    }
  }

  /** Looks every second whether the client read anything. */
  #closeWhenStalled(response: ServerResponse): NodeJS.Timeout {
    const { unreadBytes, unreadMs } = this.#dependencies.limits;
    let last = progress(response);
    let changedAt = performance.now();
    return setInterval(
      () => {
        const now = progress(response);
        if (now !== last || response.writableLength <= unreadBytes) {
          last = now;
          changedAt = performance.now();
        } else if (performance.now() - changedAt >= unreadMs) {
          this.#close(response);
        }
      },
      Math.min(1_000, unreadMs / 4),
    ).unref();
  }

  #close(response: ServerResponse): void {
    this.#dependencies.onClose(response.writableLength);
    this.#responses.delete(response);
    response.destroy();
  }
}

/**
 * Changes whenever the operating system takes anything from the connection. The queue of the handle is what Node's own
 * time-outs look at too: it shrinks while one large write goes out in parts.
 */
function progress({ req: { socket } }: ServerResponse): string {
  const queuedBytes: unknown = Reflect.get(Object(Reflect.get(socket, '_handle')), 'writeQueueSize');
  return `${socket.bytesWritten - socket.writableLength} ${queuedBytes}`;
}
