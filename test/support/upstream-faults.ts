/** The ways in which the scripted upstream misbehaves. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { ScriptedAnswer } from './upstream-service.ts';

export type Fault =
  /** The connection is reset as soon as the request's headers have arrived; the body is not read. */
  | { readonly kind: 'reset-before-body' }
  /** The connection is reset after the whole request was read; `carriedOut`: and took effect. */
  | { readonly kind: 'reset'; readonly carriedOut?: boolean }
  /** Status and headers of the real answer, then a reset. */
  | { readonly kind: 'reset-after-headers' }
  /** The first half of the real answer, then the end of the connection. */
  | { readonly kind: 'truncate' }
  /** No answer, ever; `carriedOut`: the request took effect. */
  | { readonly kind: 'hang'; readonly carriedOut?: boolean }
  /** Status, headers and the first half of the real answer, then silence. */
  | { readonly kind: 'hang-in-body' }
  /** The real answer, a byte at a time. */
  | { readonly kind: 'trickle'; readonly everyMs: number }
  /** The real answer, later. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Any other answer: a string or bytes are sent as they are, everything else as JSON. */
  | {
      readonly kind: 'answer';
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
      /** The request took effect before this was answered. */
      readonly carriedOut?: boolean;
    }
  | { readonly kind: 'html'; readonly status?: number }
  /** 429 without an envelope; `retryAfter` in seconds or an HTTP date. */
  | { readonly kind: 'too-many-requests'; readonly retryAfter?: string }
  /** The real answer, compressed. */
  | { readonly kind: 'compress'; readonly encoding: 'gzip' | 'br' }
  /** Spaces that decode to so many MiB. */
  | { readonly kind: 'gzip-bomb'; readonly mebibytes: number }
  /** So many MiB of spaces, uncompressed, as fast as they are taken. */
  | { readonly kind: 'huge'; readonly mebibytes: number }
  | { readonly kind: 'redirect'; readonly to: string; readonly status?: number };

const json = { 'content-type': 'application/json' };

/** The service's error envelope as a fault: `fail('search', envelope(503, 'BUSY', 'Later', { hint: 1 }))`. */
export function envelope(
  status: number,
  code: string,
  message: string,
  extra: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Fault {
  return { kind: 'answer', status, headers, body: { status: 'error', error: { code, message, ...extra } } };
}

/** Plays one fault; `answer` carries the request out and returns the real answer. */
export async function playFault(
  fault: Fault,
  request: IncomingMessage,
  response: ServerResponse,
  answer: () => ScriptedAnswer,
): Promise<void> {
  switch (fault.kind) {
    case 'reset-before-body':
      request.socket.resetAndDestroy();
      return;
    case 'reset':
      if (fault.carriedOut) answer();
      request.socket.resetAndDestroy();
      return;
    case 'hang':
      if (fault.carriedOut) answer();
      return;
    case 'answer': {
      if (fault.carriedOut) answer();
      const body =
        typeof fault.body === 'string' || fault.body instanceof Uint8Array
          ? fault.body
          : JSON.stringify(fault.body);
      response.writeHead(fault.status ?? 200, { ...json, ...fault.headers }).end(body);
      return;
    }
    case 'html':
      response
        .writeHead(fault.status ?? 200, { 'content-type': 'text/html' })
        .end('<!doctype html><title>Bad gateway</title>');
      return;
    case 'too-many-requests':
      response
        .writeHead(429, fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter })
        .end('Slow down');
      return;
    case 'redirect':
      response.writeHead(fault.status ?? 302, { location: fault.to }).end();
      return;
    case 'gzip-bomb':
      response.writeHead(200, { ...json, 'content-encoding': 'gzip' });
      // Members of a gzip file follow one another, and a decoder reads them as one.
      await pour(response, gzipSync(spaces), fault.mebibytes);
      return;
    case 'huge':
      response.writeHead(200, json);
      await pour(response, spaces, fault.mebibytes);
      return;
    default:
      await spoil(fault, request, response, answer());
  }
}

/** The faults that lie on the way of the real answer. */
async function spoil(
  fault: Extract<
    Fault,
    { kind: 'reset-after-headers' | 'truncate' | 'hang-in-body' | 'trickle' | 'delay' | 'compress' }
  >,
  request: IncomingMessage,
  response: ServerResponse,
  answer: ScriptedAnswer,
): Promise<void> {
  const body = Buffer.from(JSON.stringify(answer.body));
  const half = body.subarray(0, body.length / 2);
  const headers = { ...json, 'content-length': String(body.length) };
  switch (fault.kind) {
    case 'reset-after-headers':
      response.writeHead(answer.status, headers).flushHeaders();
      await delay(20);
      request.socket.resetAndDestroy();
      return;
    case 'truncate':
      response.writeHead(answer.status, headers).write(half, () => request.socket.destroySoon());
      return;
    case 'hang-in-body':
      response.writeHead(answer.status, headers).write(half);
      return;
    case 'trickle':
      response.writeHead(answer.status, headers);
      for (const byte of body) {
        if (response.destroyed) return;
        response.write(Buffer.of(byte));
        await delay(fault.everyMs);
      }
      response.end();
      return;
    case 'delay':
      await delay(fault.ms);
      response.writeHead(answer.status, headers).end(body);
      return;
    case 'compress': {
      const packed = fault.encoding === 'gzip' ? gzipSync(body) : brotliCompressSync(body);
      response.writeHead(answer.status, { ...json, 'content-encoding': fault.encoding }).end(packed);
    }
  }
}

const spaces = Buffer.alloc(1024 * 1024, ' ');

/** Writes the chunk again and again, no faster than the client takes it. */
async function pour(response: ServerResponse, chunk: Buffer, times: number): Promise<void> {
  function* repeat() {
    for (let count = 0; count < times; count += 1) yield chunk;
  }
  await pipeline(Readable.from(repeat()), response);
}
