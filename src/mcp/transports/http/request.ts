/** What a request says of itself, checked within the limits: its host and origin, its ids, its revision, its JSON. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  classifyInboundRequest,
  isJsonContentType,
  localhostAllowedHostnames,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { parseJson } from '../../../contract/exact-json.ts';
import { exceededLimit } from '../../../contract/json-limits.ts';
import type { Bodies } from '../../../http/bodies.ts';
import { inUrl, isOwnHost } from '../../../http/this-machine.ts';
import { HttpError, hasLongId, longIdMessage } from '../../errors.ts';
import { withoutNulls } from '../../messages.ts';
import type { HttpLimits } from './http-limits.ts';

/** The id that a proxy gave the request, if it is printable. */
export function readRequestId({ headers }: IncomingMessage): string {
  const requestId = headers['x-request-id'];
  return typeof requestId === 'string' && /^[\w.:-]{1,128}$/.test(requestId) ? requestId : randomUUID();
}

/** Throws a 400 for ids so long that answers should not repeat them. */
export function checkIds(body: unknown): void {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  if (messages.some(hasLongId)) throw new HttpError(400, longIdMessage, { code: -32_600 });
}

/** Whether it is the message that a client begins with: `initialize` of the sessions, `server/discover` of 2026-07-28. */
export const beginsClient = (body: unknown): boolean =>
  typeof body === 'object' &&
  body !== null &&
  'method' in body &&
  (body.method === 'initialize' || body.method === 'server/discover');

export function isOfOlderRevision({ method = 'GET', headers }: IncomingMessage, body: unknown): boolean {
  const header = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const versionHeader = header('mcp-protocol-version');
  const methodHeader = header('mcp-method');
  const nameHeader = header('mcp-name');
  const { kind } = classifyInboundRequest({
    httpMethod: method,
    ...(versionHeader !== undefined && { protocolVersionHeader: versionHeader }),
    ...(methodHeader !== undefined && { mcpMethodHeader: methodHeader }),
    ...(nameHeader !== undefined && { mcpNameHeader: nameHeader }),
    ...(body !== undefined && { body }),
  });
  return kind === 'legacy';
}

/** Rejects with a 413, 415, 429 or 400 that says which limit or rule was broken. */
export async function readJsonBody(
  request: IncomingMessage,
  principalId: string,
  bodies: Bodies,
  { bodyBytes, bodyBytesInAll, batch }: Pick<HttpLimits, 'bodyBytes' | 'bodyBytesInAll' | 'batch'>,
): Promise<unknown> {
  if (!isJsonContentType(request.headers['content-type'])) {
    throw new HttpError(415, 'The Content-Type must be application/json.');
  }
  const read = await bodies.read(principalId, request, bodyBytes);
  if ('refused' in read) {
    throw read.refused === 'too large'
      ? new HttpError(413, `The body is larger than ${bodyBytes} bytes. Send less at once.`)
      : new HttpError(
          429,
          `Requests with this key that have not arrived whole hold ${bodyBytesInAll} bytes; send this one again when some have ended.`,
          { headers: { 'retry-after': '1' } },
        );
  }
  const { text } = read;
  refuseOver(text, maxBodyElements);
  const parsed = parse(text);
  const body = Array.isArray(parsed) ? parsed.map(withoutNulls) : withoutNulls(parsed);
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
    return parseJson(text);
  } catch {
    throw new HttpError(400, 'Parse error: the body is not JSON.', { code: -32_700 });
  }
}

export const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::' || host === '';

export interface Addresses {
  /** What the server listens on. */
  readonly host: string;
  readonly publicUrl?: string | undefined;
}

export interface HostAndOriginChecks {
  /** Throws a 403 for a request that names another host. */
  host(request: IncomingMessage): void;
  /** Throws a 403 for one that comes from another site's page. */
  origin(request: IncomingMessage): void;
}

export function hostAndOriginChecks({ host, publicUrl }: Addresses): HostAndOriginChecks {
  const names = localhostAllowedHostnames();
  // The address listened on is ours unless it stands for all of them.
  if (!isWildcard(host)) names.push(inUrl(host));
  if (publicUrl !== undefined) names.push(new URL(publicUrl).hostname);
  return {
    host(incoming) {
      if (isOwnHost(incoming, names)) return;
      const named = incoming.headers.host?.slice(0, 100);
      throw new HttpError(403, `Invalid Host: ${named}. The host that clients use is set by SVC_PUBLIC_URL.`);
    },
    origin({ headers }) {
      const from = validateOriginHeader(headers.origin, names);
      if (!from.ok) throw new HttpError(403, `${from.message}. Pages of other sites are not served.`);
    },
  };
}
