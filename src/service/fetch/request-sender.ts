/** Sends one request of a fetch to a site, over a connection of its own that is vetted when it is opened. */
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex, type Readable } from 'node:stream';
import type { CookieJar } from 'tough-cookie';
import { FetchError } from '../foundation/errors.ts';
import { type NetworkRules, proxyRefused, SiteConnector } from './connector.ts';
import type { Hop } from './redirects.ts';
import { isBrokenConnection } from './to-fetch-error.ts';

interface SenderOptions {
  readonly userAgent: string;
  /** Milliseconds without a byte, before the headers and between two pieces of the body. */
  readonly idleMs: number;
  readonly network: NetworkRules;
  /** Called once for every request that was sent. */
  readonly onFetch: ((host: string) => void) | undefined;
}

export interface SiteAnswer {
  readonly status: number;
  /** The first value of a header by its name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** All values of a header, joined by commas. */
  readonly headers: (name: string) => string;
  /** As it is sent, perhaps compressed; read it or pass the answer to `discardBody`. */
  readonly body: Readable;
}

/** `isOwn`: the request goes to an origin of the operator's own, whatever its address. */
interface SendOptions {
  readonly jar: CookieJar | undefined;
  readonly isOwn: boolean;
  readonly signal: AbortSignal;
}

export class RequestSender {
  readonly #options: SenderOptions;
  readonly #connector: SiteConnector;
  readonly #sockets = new Set<Socket>();

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#connector = new SiteConnector(options.network, options.idleMs);
  }

  /** A GET whose connection broke is sent once more. */
  async send(hop: Hop, options: SendOptions): Promise<SiteAnswer> {
    const { jar, signal } = options;
    const cookie = jar === undefined ? '' : await jar.getCookieString(hop.url.href);
    const answer = await this.#ask(hop, cookie, options).catch((error: unknown) => {
      if (hop.method !== 'GET' || signal.aborted || !isBrokenConnection(error)) throw error;
      return this.#ask(hop, cookie, options);
    });
    const { headersDistinct, rawHeaders } = answer;
    const all = (name: string) => headersDistinct[name] ?? [];
    const isSaid = (wanted: string) =>
      rawHeaders.some((name, at) => at % 2 === 0 && name.toLowerCase() === wanted);
    if (isSaid('content-length') && isSaid('transfer-encoding')) {
      discardBody({ body: answer });
      throw new FetchError('parser', 'The answer of the site says its length in two ways, so it is not read');
    }
    if (jar !== undefined) {
      for (const line of all('set-cookie')) await jar.setCookie(line, hop.url.href, { ignoreError: true });
    }
    return {
      status: answer.statusCode ?? 0,
      header: (name) => all(name)[0],
      headers: (name) => all(name).join(', '),
      body: answer,
    };
  }

  async #ask(hop: Hop, cookie: string, { isOwn, signal }: SendOptions): Promise<IncomingMessage> {
    const { idleMs, onFetch, userAgent } = this.#options;
    const { url, method, body } = hop;
    onFetch?.(url.host);
    const { socket, proxy } = await this.#connector.connect(url, { isOwn, signal });
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return new Promise((resolve, reject) => {
      const asking = request({
        createConnection: () => new TolerantSocket(socket),
        method,
        path: proxy === undefined ? `${url.pathname}${url.search}` : url.href,
        setHost: false,
        headers: {
          host: url.host,
          accept: 'text/html,application/xhtml+xml,application/json;q=0.9,*/*;q=0.8',
          ...hop.headers,
          'user-agent': userAgent,
          'accept-encoding': 'gzip, br, deflate',
          connection: 'close',
          ...(cookie === '' ? {} : { cookie }),
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
          ...proxy?.headers,
        },
        // Node's tolerance is for requests that share a connection; here, none does.
        insecureHTTPParser: true,
        maxHeaderSize: 32 * 1024,
        signal,
      });
      let answer: IncomingMessage | undefined;
      socket.setTimeout(idleMs, () =>
        (answer ?? asking).destroy(new FetchError('timeout', 'The site took too long to answer')),
      );
      asking.on('error', (error) => {
        socket.destroy();
        reject(error);
      });
      asking.once('response', (response) => {
        answer = response;
        response.once('close', () => socket.destroy());
        if (proxy === undefined || response.statusCode !== 407) return resolve(response);
        discardBody({ body: response });
        reject(proxyRefused(407));
      });
      asking.end(body);
    });
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** A body that nobody reads would keep its connection. */
export function discardBody({ body }: Pick<SiteAnswer, 'body'>): void {
  body.on('error', () => {}).destroy();
}

/** Bytes; the parser refuses headers that are longer. */
const maxHead = 40 * 1024;

/** Lines end in CR LF, and a length that is said several times is said once. Two different ones are left to be refused. */
function repairHead(head: string): string {
  const lines = head.trim().split(/\r?\n/);
  const isLength = (line: string) => /^content-length\s*:/i.test(line);
  const lengths = lines.filter(isLength).flatMap((line) => line.replace(/^[^:]*:/, '').split(','));
  const [length = ''] = lengths.map((text) => text.trim());
  const isOne = /^\d+$/.test(length) && lengths.every((text) => text.trim() === length);
  const kept = isOne ? [...lines.filter((line) => !isLength(line)), `Content-Length: ${length}`] : lines;
  return `${kept.join('\r\n')}\r\n\r\n`;
}

/** Up to the first empty line; undefined where it has not arrived. */
function cutHead(text: string): string | undefined {
  const emptyLine = /\n\r?\n/g;
  emptyLine.lastIndex = Math.max(text.search(/\S/), 0);
  return emptyLine.test(text) ? text.slice(0, emptyLine.lastIndex) : undefined;
}

/** Repairs the head of the answer, and of the ones with status 1xx before it; passes on what follows. */
class HeadRepair {
  #held: Buffer | undefined = Buffer.alloc(0);

  add(chunk: Buffer): Buffer {
    if (this.#held === undefined) return chunk;
    this.#held = Buffer.concat([this.#held, chunk]);
    const parts: Buffer[] = [];
    while (this.#held !== undefined) {
      const text = this.#held.toString('latin1', 0, maxHead);
      const head = cutHead(text);
      if (head === undefined && this.#held.length < maxHead) break;
      const rest: Buffer = this.#held.subarray(head?.length ?? 0);
      if (head !== undefined) parts.push(Buffer.from(repairHead(head), 'latin1'));
      const isInformational = head !== undefined && /^\s*HTTP\/\d\.\d 1(?!01)\d\d/i.test(head);
      this.#held = isInformational ? rest : undefined;
      if (!isInformational) parts.push(rest);
    }
    return Buffer.concat(parts);
  }

  /** What is held back at the end of the connection. */
  end(): Buffer {
    return this.#held ?? Buffer.alloc(0);
  }
}

/** For one request and its answer. */
class TolerantSocket extends Duplex {
  readonly #socket: Duplex;

  constructor(socket: Duplex) {
    super();
    this.#socket = socket;
    const repair = new HeadRepair();
    const give = (bytes: Buffer) => {
      if (bytes.length > 0 && !this.push(bytes)) socket.pause();
    };
    let hasEnded = false;
    socket.on('data', (chunk: Buffer) => give(repair.add(chunk)));
    socket.on('end', () => {
      hasEnded = true;
      give(repair.end());
      this.push(null);
    });
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => {
      if (!hasEnded) this.destroy();
    });
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, done);
  }

  /** The socket stays open: some sites take a half-closed connection for one that was given up. */
  override _final(done: (error?: Error | null) => void): void {
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
