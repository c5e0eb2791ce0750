/** The JSON of a request, read within the limits. */
import type { IncomingMessage } from 'node:http';
import { isJsonContentType } from '@modelcontextprotocol/server';
import { exceededLimit } from '../../../contract/json-limits.ts';
import { readBodyText } from '../../../http/body.ts';
import { HttpError } from '../../errors.ts';
import type { HttpLimits } from './limits.ts';

/** Rejects with a 413, 415 or 400 that says which limit or rule was broken. */
export async function readJsonBody(
  request: IncomingMessage,
  { bodyBytes, batch }: Pick<HttpLimits, 'bodyBytes' | 'batch'>,
): Promise<unknown> {
  if (!isJsonContentType(request.headers['content-type'])) {
    throw new HttpError(415, 'The Content-Type must be application/json.');
  }
  const text = await readBodyText(request, bodyBytes);
  if (text === undefined) {
    throw new HttpError(413, `The body is larger than ${bodyBytes} bytes. Send less at once.`);
  }
  const exceeded = exceededLimit(text, { depth: maxBodyDepth, elements: maxBodyElements });
  if (exceeded !== undefined) {
    const limit =
      exceeded === 'depth'
        ? `is nested more than ${maxBodyDepth} levels deep`
        : `has more than ${maxBodyElements} elements`;
    throw new HttpError(400, `The JSON ${limit}.`, { code: -32_600 });
  }
  const body = parse(text);
  if (Array.isArray(body) && body.length > batch) {
    throw new HttpError(
      400,
      `The batch has ${body.length} messages; at most ${batch} are allowed. Send several batches.`,
      {
        code: -32_600,
      },
    );
  }
  return body;
}

/** Far above what a tool accepts, which has limits of its own; below what would stall the parser. */
export const maxBodyDepth = 256;
const maxBodyElements = 30_000;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'Parse error: the body is not JSON.', { code: -32_700 });
  }
}
