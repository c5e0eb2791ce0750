/** Limits on what one client, or all clients of a principal, may use of the server. */

export interface HttpLimits {
  /** Bytes of a request's body. */
  readonly bodyBytes: number;
  /** Messages in one JSON-RPC batch, which revision 2025-03-26 has. */
  readonly batch: number;
  /** Requests of a principal in a minute. */
  readonly requestsPerMinute: number;
  /** Tool calls of a principal at once. */
  readonly calls: number;
  /** Sessions and legacy streams of a principal at once. */
  readonly sessions: number;
  /** Milliseconds after which a session that nobody uses ends. */
  readonly idleSessionMs: number;
  /** The most principals with an open gateway; idle ones make room for new ones. */
  readonly principals: number;
  /** Bytes of one response that may wait for a client that reads nothing, and for how many milliseconds. */
  readonly unreadBytes: number;
  readonly unreadMs: number;
  /** Bytes that may wait in all responses of a principal. */
  readonly unreadBytesInAll: number;
  /** Milliseconds until the streams of a revoked key end; its requests are refused at once. */
  readonly revocationMs: number;
  /** Milliseconds that submissions of a revoked key have to learn the ids of their jobs. */
  readonly revokedGraceMs: number;
}

/** Generous to a team that shares one key, small against what a runaway client sends. */
export const defaultHttpLimits: HttpLimits = {
  bodyBytes: 1024 * 1024,
  batch: 50,
  requestsPerMinute: 6_000,
  calls: 256,
  sessions: 256,
  idleSessionMs: 30 * 60_000,
  principals: 1_000,
  unreadBytes: 4 * 1024 * 1024,
  unreadMs: 10_000,
  unreadBytesInAll: 32 * 1024 * 1024,
  revocationMs: 5_000,
  revokedGraceMs: 30_000,
};
