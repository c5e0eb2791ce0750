/** The documented limits (specification: Limits). */

export interface RateLimit {
  readonly requests: number;
  readonly perSeconds: number;
  readonly scope: 'ip' | 'user';
}
const perMinute = (requests: number, scope: RateLimit['scope']): RateLimit => ({
  requests,
  perSeconds: 60,
  scope,
});

/** Requests allowed for each endpoint that has a documented rate limit. */
export const rateLimits = {
  listCatalogs: perMinute(60, 'ip'),
  getCatalog: perMinute(60, 'ip'),
  search: perMinute(30, 'ip'),
  login: perMinute(10, 'user'),
  requestBuild: perMinute(20, 'user'),
  /** POST /build-request/preview, from the extension `build-preview`. */
  previewBuild: perMinute(20, 'user'),
} as const satisfies Record<string, RateLimit>;

/** Build requests a user may have pending at a time. */
export const maxPendingBuilds = 3;
/** Previews of a user at a time. */
export const maxPreviewsAtOnce = 2;
/** Characters of a build's goal. */
export const maxGoal = 4_000;
/** Credits held for one build request, refunded if the build fails. */
export const buildCredits = 25;
/** A login session ends at most this many seconds after sign-in. */
export const maxLoginSessionSeconds = 30 * 24 * 60 * 60;
/** A login session's length in seconds when the login action supplies none. */
export const defaultLoginSessionSeconds = 24 * 60 * 60;

/** Characters of a job's id: answers repeat it, also inside of sentences. */
export const maxJobIdChars = 200;
