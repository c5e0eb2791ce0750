/** A connection whose answer is repaired where every browser reads it, before Node's strict parser sees it. */
import { Duplex } from 'node:stream';

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
export class TolerantSocket extends Duplex {
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
