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
  refuseOver(text, maxBodyElements);
  const body = parse(text);
  if (![body].flat().some(isToolCall)) refuseOver(text, maxOtherElements);
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
/** Of messages without arguments of a tool. Their members are read several times: 14,000 capabilities took 0.1 s. */
export const maxOtherElements = 2_000;

function refuseOver(text: string, elements: number): void {
  const exceeded = exceededLimit(text, { depth: maxBodyDepth, elements });
  if (exceeded === undefined) return;
  const limit =
    exceeded === 'depth'
      ? `is nested more than ${maxBodyDepth} levels deep`
      : `has more than ${elements} elements`;
  throw new HttpError(400, `The JSON ${limit}.`, { code: -32_600 });
}

const isToolCall = (message: unknown): boolean => Object(message).method === 'tools/call';

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'Parse error: the body is not JSON.', { code: -32_700 });
  }
}
