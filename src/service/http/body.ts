/** Reading a request's body: JSON of bounded size and depth. */
import { openErrors } from '../../contract/errors.ts';
import { refuse } from '../request-error.ts';

/** Bytes. */
export const maxBodySize = 1024 * 1024;
const maxDepth = 64;

/** The parsed body. Throws 415 for another media type and 400 `INVALID_BODY` for what is no JSON. */
export function parseBody(contentType: string | undefined, text: string): unknown {
  if (contentType?.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
    throw refuse(openErrors, 'UNSUPPORTED_MEDIA_TYPE', 'Send the body with Content-Type: application/json');
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw refuse(openErrors, 'INVALID_BODY', 'The body is not valid JSON');
  }
  if (depthExceeds(body, maxDepth)) {
    throw refuse(openErrors, 'INVALID_BODY', `The body is nested deeper than ${maxDepth} levels`);
  }
  return body;
}

/** Level by level, because recursion into hostile nesting would end in a stack overflow. */
function depthExceeds(value: unknown, limit: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}
