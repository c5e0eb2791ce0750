/** The limits of a request: deadlines in milliseconds, sizes in bytes. */
import type { EndpointName } from '../contract/endpoints.ts';

const mebibyte = 1024 * 1024;

export const defaultLimits = {
  /** TCP and TLS handshake together. */
  connectMs: 10_000,
  /** From the request to the answer's headers, where the call has no `timeoutMs` of its own. */
  headersMs: 30_000,
  /** Silence within an answer's body. */
  idleMs: 15_000,
  /** The whole call with its attempts, where it has no `timeoutMs` of its own. */
  totalMs: 60_000,
  /** The same for POST /task: what took longer may have been carried out. */
  taskMs: 30_000,
  /** GET /search decoded: it may list every visible action with its schema. */
  searchBytes: 64 * mebibyte,
  /** Any other answer, decoded. */
  answerBytes: 16 * mebibyte,
};
export type ClientLimits = typeof defaultLimits;

/** Sockets at a time, for GET and for POST each; further requests wait for one. */
export const maxConnections = 32;

export function getTotalMs(endpoint: EndpointName, limits: ClientLimits): number {
  return endpoint === 'submitTask' ? limits.taskMs : limits.totalMs;
}

export function getMaxBytes(endpoint: EndpointName, limits: ClientLimits): number {
  return endpoint === 'search' ? limits.searchBytes : limits.answerBytes;
}
