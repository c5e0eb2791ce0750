/** What a request says about itself. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { classifyInboundRequest } from '@modelcontextprotocol/server';
import { isLoopback } from '../../../contract/web-address.ts';
import { HttpError, hasLongId, longIdMessage } from '../../errors.ts';

/** The id that a proxy gave the request, if it is printable. */
export function readRequestId({ headers }: IncomingMessage): string {
  const requestId = headers['x-request-id'];
  return typeof requestId === 'string' && /^[\w.:-]{1,128}$/.test(requestId) ? requestId : randomUUID();
}

/** Whether it comes from this machine, not through a proxy on it. */
export function isFromThisMachine({ headers, socket }: IncomingMessage): boolean {
  const isForwarded = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'].some(
    (name) => headers[name] !== undefined,
  );
  const host = URL.canParse(`http://${headers.host}`) ? new URL(`http://${headers.host}`).hostname : '';
  return !isForwarded && isLoopback(host) && isLoopback(socket.remoteAddress ?? '');
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
