/** Refusals of requests that no MCP server has seen yet, as HTTP and as JSON-RPC at once. */

export interface RefusalDetails {
  /** JSON-RPC error code; -32000 unless the protocol names another. */
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The message is for the caller: what is wrong, and the next step. */
export class HttpRefusal extends Error {
  readonly status: number;
  readonly details: RefusalDetails;

  constructor(status: number, message: string, details: RefusalDetails = {}) {
    super(message);
    this.name = 'HttpRefusal';
    this.status = status;
    this.details = details;
  }
}

export function toRefusalResponse({ status, message, details }: HttpRefusal): Response {
  const error = { code: details.code ?? -32_000, message };
  return new Response(JSON.stringify({ jsonrpc: '2.0', error, id: null }), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...details.headers },
  });
}
