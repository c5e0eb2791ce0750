/** Reading an answer's body: decompressed while counting, so that a small bomb never becomes a large buffer. */

import { once } from 'node:events';
import { Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { FetchError } from '../foundation/errors.ts';

interface BodyLimits {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Longer bodies are cut, and are no failure. */
  readonly truncate?: boolean | undefined;
}

/** Encodings that no request asks for and nothing here can read. */
const unreadable = /^(?:zstd|(?:x-)?compress|(?:x-)?bzip2?|lzma|xz|exi|dcb|dcz|aes128gcm)$/;
type Layer = 'gzip' | 'deflate' | 'br';
const layerOf: ReadonlyMap<string, Layer> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
]);
/** More layers are made to cost time. */
const maxLayers = 3;

/** The layers of compression, the outermost first. Names of character sets, `none` and `identity` are no compression. */
function readEncodings(header: string): Layer[] {
  const names = header.split(',').map((name) => name.trim().toLowerCase());
  if (names.some((name) => unreadable.test(name)))
    throw new FetchError('encoding', 'The site answered in an encoding that was not asked for');
  const layers = names.flatMap((name) => layerOf.get(name) ?? []);
  if (layers.length > maxLayers)
    throw new FetchError('encoding', `The page is compressed more than ${maxLayers} times`);
  return layers.reverse();
}

/** The length of the head of gzip data (RFC 1952, 2.3). */
function measureGzipHead(bytes: Buffer): number {
  const flags = bytes[3] ?? 0;
  let at = 10;
  if (flags & 4) at += 2 + (bytes.length >= at + 2 ? bytes.readUInt16LE(at) : 0);
  for (const flag of [8, 16]) if (flags & flag) at = bytes.indexOf(0, at) + 1 || bytes.length;
  return flags & 2 ? at + 2 : at;
}

/** The first bytes, which stay in the stream; undefined where there are none. */
async function peek(body: Readable, signal: AbortSignal): Promise<Buffer | undefined> {
  if (body.destroyed) throw body.errored ?? new FetchError('reset', 'The connection broke');
  await once(body, 'readable', { signal });
  const chunk: Buffer | null = body.read();
  if (chunk === null) return undefined;
  body.unshift(chunk);
  return chunk;
}

/** Many sites send what RFC 1950 wraps without its wrapping. */
const isWrapped = ([first = 0, second]: Buffer) =>
  (first & 0x0f) === 8 && (second === undefined || (first * 256 + second) % 31 === 0);

function createDecoder(layer: Layer, start: Buffer, truncate: boolean): Transform {
  const options = truncate ? { finishFlush: constants.Z_SYNC_FLUSH } : {};
  if (layer === 'br') return createBrotliDecompress();
  if (layer === 'gzip') return createGunzip(options);
  return isWrapped(start) ? createInflate(options) : createInflateRaw(options);
}

/** Where the text starts that needs no checksum, but its own end; undefined where it is the same as the whole. */
function findUnwrapped(layer: Layer, bytes: Buffer): number | undefined {
  if (layer === 'gzip' && bytes[0] === 0x1f) return measureGzipHead(bytes);
  return layer === 'deflate' && isWrapped(bytes) ? 2 : undefined;
}

/** The bytes of a stream, at most `maxBytes`; more are `too-large`, or cut with `truncate`. */
async function collect(streams: readonly [Readable, ...Transform[]], limits: BodyLimits): Promise<Buffer> {
  const { maxBytes, signal, truncate } = limits;
  const chunks: Buffer[] = [];
  let size = 0;
  let full = false;
  const collector = new Writable({
    write(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      full = size > maxBytes;
      if (!full) chunks.push(chunk);
      const limit = `${Math.floor(maxBytes / 1024)} KiB`;
      done(full ? new FetchError('too-large', `The page is larger than the limit of ${limit}`) : null);
    },
  });
  try {
    await pipeline([...streams, collector], { signal });
  } catch (error) {
    if (!full || truncate !== true) throw error;
  }
  return Buffer.concat(chunks);
}

/** Decodes while the bytes arrive. Where only the checksum is wrong or missing at the end, the text is whole. */
async function decode(body: Readable, layer: Layer, limits: BodyLimits): Promise<Buffer> {
  const start = await peek(body, limits.signal);
  if (start === undefined) return Buffer.alloc(0);
  const taken: Buffer[] = [];
  const tap = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      taken.push(chunk);
      done(null, chunk);
    },
  });
  try {
    return await collect([body, tap, createDecoder(layer, start, limits.truncate === true)], limits);
  } catch (error) {
    if (!isOfZlib(error) || limits.signal.aborted) throw error;
    const bytes = Buffer.concat(taken);
    const from = body.readableEnded ? findUnwrapped(layer, bytes) : undefined;
    if (from === undefined) throw broken(error);
    return await collect([Readable.from([bytes.subarray(from)]), createInflateRaw()], limits).catch(
      (cause: unknown) => {
        throw isOfZlib(cause) ? broken(cause) : cause;
      },
    );
  }
}

const isOfZlib = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  /^(?:Z_|ERR__ERROR|ERR_BROTLI|ERR_PADDING)/.test(String(error.code));
const broken = (cause: unknown) =>
  new FetchError('encoding', 'The compressed text of the page is broken, or was cut short', cause);

/** The decoded body, at most `maxBytes` long; longer ones are `too-large`, or cut with `truncate`. */
export async function readBody(
  body: Readable,
  { contentEncoding = '', ...limits }: BodyLimits & { readonly contentEncoding: string | undefined },
): Promise<Buffer> {
  const layers = readEncodings(contentEncoding);
  const [outer, ...inner] = layers;
  if (outer === undefined) return collect([body], limits);
  let bytes = await decode(body, outer, limits);
  for (const layer of inner) bytes = await decode(Readable.from([bytes]), layer, limits);
  return bytes;
}
