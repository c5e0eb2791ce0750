/** Sends one request with a deadline for each phase, a limit on the body and no redirects, and reports whether it was sent. */
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { type EndpointName, endpointText, type HttpMethod } from '../contract/endpoints.ts';
import type { Agents, ConnectionUse } from './agents.ts';
import type { Deadline } from './deadline.ts';
import {
  type ApiError,
  ConnectionLostError,
  ContractError,
  type Sent,
  TimeoutError,
  UnreachableError,
} from './errors.ts';
import { type LargeBody, largeBytes } from './large-body.ts';

export interface HttpRequest {
  readonly endpoint: EndpointName;
  readonly method: HttpMethod;
  readonly connection: ConnectionUse;
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** 0: the deadline alone. */
  readonly headersMs: number;
  readonly idleMs: number;
  readonly maxBytes: number;
  /** The room that a large answer to a GET uses until it has been read. */
  readonly room: LargeBody;
}

export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly retryAfter: string | undefined;
  /** The header `Svc-Extensions`. */
  readonly extensions?: string | undefined;
  /** Decoded, without a content encoding. */
  readonly bytes: Buffer;
}

type Head = Omit<HttpAnswer, 'bytes'>;

/** Sends the request once. Rejects with an `ApiError`; its `sent` is `no` only where no byte was written. */
export function sendRequest(agents: Agents, request: HttpRequest, deadline: Deadline): Promise<HttpAnswer> {
  const agent = agents.findDispatcher(request.connection);
  if (agent !== undefined) return dispatch(agent, request, deadline);
  return agents.getDispatcher(request.connection).then(
    (loaded) => dispatch(loaded, request, deadline),
    (error: unknown) => {
      const message = error instanceof Error ? error.message : 'No connection';
      throw new UnreachableError(request.endpoint, message);
    },
  );
}

function dispatch(agent: Dispatcher, request: HttpRequest, deadline: Deadline): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    if (deadline.isOver) throw deadline.error('no');
    const exchange = new Exchange(request, deadline, resolve, reject);
    const { origin, path, method, headers, body, headersMs, idleMs } = request;
    try {
      agent.dispatch(
        {
          origin,
          path,
          method,
          headers: { ...headers },
          body: body ?? null,
          headersTimeout: headersMs,
          bodyTimeout: idleMs,
          ...(request.connection === 'own' && { reset: true }),
        },
        exchange,
      );
    } catch (error) {
      exchange.onResponseError(undefined, error);
    }
  });
}

/** One request and its answer; settles once. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #deadline: Deadline;
  readonly #resolve: (answer: HttpAnswer) => void;
  readonly #reject: (error: ApiError) => void;
  readonly #abort = () => this.#fail(this.#deadline.error(this.#sent));
  #controller: Dispatcher.DispatchController | undefined;
  #sent: Sent = 'no';
  #settled = false;
  #head: Head | undefined;
  #decoder: ReturnType<typeof createGunzip> | undefined;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #received = 0;
  #hasAskedForRoom = false;

  constructor(
    request: HttpRequest,
    deadline: Deadline,
    resolve: (answer: HttpAnswer) => void,
    reject: (error: ApiError) => void,
  ) {
    this.#request = request;
    this.#deadline = deadline;
    this.#resolve = resolve;
    this.#reject = reject;
    deadline.onEnd = this.#abort;
  }

  /** Called right before the first byte is written, on a connection that stands. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // After the process stood still, the connection may be ready before the deadline's timer has run.
    if (this.#sent === 'no' && this.#deadline.remainingMs <= 0) this.#abort();
    // The call ended while waiting for a connection, or undici is about to write the request a second time.
    if (this.#settled || this.#sent === 'maybe') {
      controller.abort(new Error('Not to be sent'));
      return;
    }
    this.#controller = controller;
    this.#sent = 'maybe';
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    const header = (name: string) => {
      const value = headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    };
    if (status >= 300 && status < 400) {
      const target = describeOrigin(header('location'), this.#request.origin);
      this.#fail(this.#contractError(status, `a redirect (HTTP ${status})${target}, which is not followed`));
      return;
    }
    this.#head = {
      status,
      contentType: header('content-type'),
      retryAfter: header('retry-after'),
      extensions: header('svc-extensions'),
    };
    const encoding = (header('content-encoding') ?? 'identity').trim().toLowerCase();
    if (encoding === 'identity' || encoding === '') return;
    if (encoding === 'gzip' || encoding === 'x-gzip') this.#decoder = createGunzip();
    else if (encoding === 'br') this.#decoder = createBrotliDecompress();
    else {
      this.#fail(this.#contractError(status, 'a content encoding that was not asked for'));
      return;
    }
    this.#decoder
      .on('data', (chunk: Buffer) => this.#collect(chunk))
      .on('end', () => this.#finish())
      .on('error', (error) => this.#fail(this.#contractError(status, 'an undecodable body', error)));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const decoder = this.#decoder;
    if (this.#settled) return;
    this.#received += chunk.length;
    if (this.#received > largeBytes && this.#request.method === 'GET') this.#waitForRoom(controller);
    if (decoder === undefined) {
      this.#collect(chunk);
    } else if (!decoder.write(chunk)) {
      controller.pause();
      decoder.once('drain', () => controller.resume());
    }
  }

  /** Pauses the body until there is room; the time of the wait does not count. */
  #waitForRoom(controller: Dispatcher.DispatchController): void {
    if (this.#hasAskedForRoom) return;
    this.#hasAskedForRoom = true;
    let isWaiting = true;
    let resume = () => {};
    this.#request.room.enter(() => {
      isWaiting = false;
      resume();
    });
    if (!isWaiting) return;
    controller.pause();
    const goOn = this.#deadline.hold();
    resume = () => {
      goOn();
      controller.resume();
    };
  }

  onResponseEnd(): void {
    if (this.#decoder === undefined) this.#finish();
    else this.#decoder.end();
  }

  onResponseError(_controller: unknown, error: unknown): void {
    this.#fail(this.#explain(error));
  }

  #collect(chunk: Buffer): void {
    if (this.#settled) return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#request.maxBytes) {
      const limit = `a body of more than ${this.#request.maxBytes} bytes`;
      this.#fail(this.#contractError(this.#head?.status ?? 0, limit));
      return;
    }
    this.#chunks.push(chunk);
  }

  #finish(): void {
    if (this.#settled || this.#head === undefined) return;
    this.#settle();
    this.#resolve({ ...this.#head, bytes: Buffer.concat(this.#chunks) });
    this.#chunks = [];
  }

  #fail(error: ApiError): void {
    if (this.#settled) return;
    this.#settle();
    this.#chunks = [];
    this.#decoder?.destroy();
    this.#controller?.abort(error);
    this.#reject(error);
  }

  #settle(): void {
    this.#settled = true;
    this.#deadline.onEnd = undefined;
  }

  #contractError(status: number, problem: string, cause?: unknown): ContractError {
    const { endpoint } = this.#request;
    return new ContractError(
      endpoint,
      status,
      `${endpointText(endpoint)} was answered with ${problem}`,
      cause,
    );
  }

  #explain(error: unknown): ApiError {
    const { endpoint, headersMs, idleMs, origin } = this.#request;
    const code = getErrorCode(error);
    if (this.#sent === 'no') {
      const reason = error instanceof Error && error.message !== '' ? error.message : code;
      return new UnreachableError(
        endpoint,
        `No connection to ${origin}: ${reason ?? 'unknown reason'}`,
        error,
      );
    }
    if (code === 'UND_ERR_HEADERS_TIMEOUT') return new TimeoutError(endpoint, 'maybe', headersMs);
    if (code === 'UND_ERR_BODY_TIMEOUT') return new TimeoutError(endpoint, 'maybe', idleMs);
    const phase = this.#head === undefined ? 'before an answer came' : 'within the answer';
    return new ConnectionLostError(
      endpoint,
      `The connection broke ${phase}: ${code ?? 'unknown reason'}`,
      error,
    );
  }
}

/** Only the origin is named: a redirect's address is upstream text and may carry secrets. */
function describeOrigin(location: string | undefined, base: string): string {
  return location !== undefined && URL.canParse(location, base)
    ? ` to ${new URL(location, base).origin}`
    : '';
}

function getErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
