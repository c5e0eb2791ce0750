/** Reading an answer's body: decompressed while counting, so that a small bomb never becomes a large buffer. */

import { type Readable, type Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { FetchError } from '../foundation/errors.ts';

function createDecoder(encoding: string): Transform | undefined {
  switch (encoding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    case 'deflate':
      return createInflate();
    case '':
    case 'identity':
      return undefined;
    default:
      throw new FetchError('unreachable', 'The site answered in an encoding that was not asked for');
  }
}

/**
 * The decoded body, at most `maxBytes` long; longer ones are `too-large`, or cut with `truncate`. Undoes one layer of
 * compression, as the request offered one.
 */
export async function readBody(
  body: Readable,
  options: { contentEncoding: string | undefined; maxBytes: number; signal: AbortSignal; truncate?: boolean },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  let full = false;
  const collector = new Writable({
    write(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      full = size > options.maxBytes;
      if (!full) chunks.push(chunk);
      const limit = `${Math.floor(options.maxBytes / 1024)} KiB`;
      done(full ? new FetchError('too-large', `The page is larger than the limit of ${limit}`) : null);
    },
  });
  const decoder = createDecoder(options.contentEncoding ?? '');
  const streams = decoder === undefined ? [body, collector] : [body, decoder, collector];
  try {
    await pipeline(streams, { signal: options.signal });
  } catch (error) {
    if (!full || options.truncate !== true) throw error;
  }
  return Buffer.concat(chunks);
}
