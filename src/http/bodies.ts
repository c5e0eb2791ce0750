/** Bodies of requests, within limits: of each, and of all that one owner sends at the same time. */
import type { IncomingMessage } from 'node:http';

/**
 * The body's text; undefined for one that is too large. Hono's own limit makes a new `Request` of a body sent in chunks,
 * which fails for the requests of its Node adapter.
 */
export async function readBodyText(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const read = await readWithin(request, maxBytes, () => true);
  return 'text' in read ? read.text : undefined;
}

type BodyText = { readonly text: string } | { readonly refused: 'too large' | 'too many' };

/** The bytes of bodies that have not arrived whole, by their owners: what is sent halfway is held in memory. */
export class Bodies {
  readonly #maxBytesInAll: number;
  readonly #bytes = new Map<string, number>();

  constructor(maxBytesInAll: number) {
    this.#maxBytesInAll = maxBytesInAll;
  }

  /** `too many`: this body with the others of its owner that are under way. */
  async read(owner: string, request: IncomingMessage, maxBytes: number): Promise<BodyText> {
    let length = 0;
    const change = (bytes: number): number => {
      const inAll = (this.#bytes.get(owner) ?? 0) + bytes;
      if (inAll > 0) this.#bytes.set(owner, inAll);
      else this.#bytes.delete(owner);
      return inAll;
    };
    try {
      return await readWithin(request, maxBytes, (bytes) => {
        length += bytes;
        return change(bytes) <= this.#maxBytesInAll;
      });
    } finally {
      change(-length);
    }
  }
}

async function readWithin(
  request: IncomingMessage,
  maxBytes: number,
  mayHold: (bytes: number) => boolean,
): Promise<BodyText> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return { refused: 'too large' };
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    if (length > maxBytes) return { refused: 'too large' };
    if (!mayHold(chunk.length)) return { refused: 'too many' };
    chunks.push(chunk);
  }
  return { text: new TextDecoder().decode(Buffer.concat(chunks)) };
}
