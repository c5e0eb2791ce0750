/** Reading a request's body: a text of bounded size, and JSON of bounded depth. */

import { openErrors } from '../../contract/errors.ts';
import { parseJson } from '../../contract/exact-json.ts';
import { exceededLimit } from '../../contract/json-limits.ts';
import { Bodies } from '../../http/bodies.ts';
import { networkOf } from '../../http/server.ts';
import { RequestError } from '../foundation/errors.ts';
import { refuse } from '../foundation/request-error.ts';
import type { ServiceRequest } from './authentication.ts';

/** Bytes. */
const maxBodySize = 1024 * 1024;
/** Of one sender, of what has not arrived whole. */
const maxBytesInAll = 32 * 1024 * 1024;
const bodies = new Bodies(maxBytesInAll);
const maxDepth = 64;
const maxElements = 30_000;

/** The body's text. Throws 413 for one that is too large, and 429 where its sender holds too many. `userId`: absent for forms. */
export async function readText({ env: { incoming } }: ServiceRequest, userId?: string): Promise<string> {
  const sender = userId ?? networkOf(incoming.socket.remoteAddress ?? '');
  const read = await bodies.read(sender, incoming, maxBodySize);
  if ('text' in read) return read.text;
  if (read.refused === 'too large')
    throw refuse(openErrors, 'BODY_TOO_LARGE', `The body is larger than ${maxBodySize} bytes`);
  throw new RequestError(
    openErrors.RATE_LIMITED.httpStatus,
    'RATE_LIMITED',
    `Your requests that have not arrived whole hold ${maxBytesInAll} bytes; retry in 1 s`,
    { headers: { 'retry-after': '1' } },
  );
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
    return parseJson(text);
  } catch {
    throw refuse(openErrors, 'INVALID_BODY', 'The body is not valid JSON');
  }
}
