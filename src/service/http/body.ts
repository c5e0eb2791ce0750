/** Reading a request's body: a text of bounded size, and JSON of bounded depth. */
import { openErrors } from '../../contract/errors.ts';
import { exceededLimit } from '../../contract/json-limits.ts';
import { refuse } from '../foundation/request-error.ts';
import type { Request } from './authentication.ts';

/** Bytes. */
const maxBodySize = 1024 * 1024;
/** Of what is read of a refused body. */
const maxDiscardedBytes = 64 * 1024 * 1024;
const maxDiscardMs = 1_000;
const maxDepth = 64;
const maxElements = 100_000;

/**
 * The body's text. Throws 413 for one that is too large. Hono's own limit makes a new `Request` of a body sent in chunks,
 * which fails for the requests of its Node adapter.
 */
export async function readText({ env: { incoming } }: Request): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  checkSize(Number(incoming.headers['content-length'] ?? 0));
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    checkSize(length);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function checkSize(bytes: number): void {
  if (bytes <= maxBodySize) return;
  throw refuse(openErrors, 'BODY_TOO_LARGE', `The body is larger than ${maxBodySize} bytes`);
}

/**
 * Reads on and keeps nothing, within limits, before a request is answered whose body was not read to its end: a client that
 * is still sending does not listen, and would see a reset connection instead of the answer.
 */
export async function discardRest({ env: { incoming } }: Request): Promise<void> {
  if (incoming.complete || incoming.destroyed) return;
  await new Promise<void>((resolve) => {
    let length = 0;
    const countBytes = (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxDiscardedBytes) stop();
    };
    const stop = () => {
      clearTimeout(timer);
      incoming.off('data', countBytes).off('end', stop).off('close', stop);
      resolve();
    };
    const timer = setTimeout(stop, maxDiscardMs);
    incoming.on('data', countBytes).on('end', stop).on('close', stop);
    incoming.resume();
  });
}

/** The parsed body. Throws 415 for another media type and 400 `INVALID_BODY` for what is no JSON. */
export function parseBody(contentType: string | undefined, text: string): unknown {
  if (contentType?.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
    throw refuse(openErrors, 'UNSUPPORTED_MEDIA_TYPE', 'Send the body with Content-Type: application/json');
  }
  const exceeded = exceededLimit(text, { depth: maxDepth, elements: maxElements });
  if (exceeded !== undefined) {
    const limit =
      exceeded === 'depth'
        ? `is nested deeper than ${maxDepth} levels`
        : `has more than ${maxElements} elements`;
    throw refuse(openErrors, 'INVALID_BODY', `The body ${limit}`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw refuse(openErrors, 'INVALID_BODY', 'The body is not valid JSON');
  }
}
