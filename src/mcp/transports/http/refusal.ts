/** Refusals of requests that no MCP server has seen yet, as HTTP and as JSON-RPC at once. */
import type { HttpError } from '../../errors.ts';

export function toRefusalResponse({ status, message, details }: HttpError): Response {
  const error = { code: details.code ?? -32_000, message };
  return new Response(JSON.stringify({ jsonrpc: '2.0', error, id: null }), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...details.headers },
  });
}
