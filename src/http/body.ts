/** Reading a request's body within a limit, so that its refusal reaches every client. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Bytes read from a refused body. */
const maxDiscardedBytes = 64 * 1024 * 1024;
const maxDiscardMs = 1_000;

/**
 * The body's text; undefined for one that is too large. Hono's own limit makes a new `Request` of a body sent in chunks,
 * which fails for the requests of its Node adapter.
 */
export async function readBodyText(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/**
 * Reads and discards the rest of a body, within limits, before a request is answered early: a client that is still
 * sending would see a reset connection instead of the answer. If the body is longer still, the connection is closed
 * with the answer.
 */
export async function discardRest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.complete || request.destroyed) return;
  await new Promise<void>((resolve) => {
    let length = 0;
    const countBytes = (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxDiscardedBytes) stop();
    };
    const stop = () => {
      clearTimeout(timer);
      request.off('data', countBytes).off('end', stop).off('close', stop);
      resolve();
    };
    const timer = setTimeout(stop, maxDiscardMs);
    request.on('data', countBytes).on('end', stop).on('close', stop);
    request.resume();
  });
  if (!request.complete && !response.headersSent) response.setHeader('connection', 'close');
}
