/** The documented rate limits (specification: Limits), counted in memory, or in PostgreSQL for all processes. */
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { openErrors } from '../../contract/errors.ts';
import { rateLimits as documented, type RateLimit } from '../../contract/limits.ts';
import { networkOf } from '../../http/server.ts';
import { openSmallPool } from '../../store/small-pool.ts';
import { RequestError } from '../foundation/errors.ts';

const rateLimits = {
  ...documented,
  /** Attempts to sign in to the console. */
  consoleSignIn: { requests: 10, perSeconds: 60, scope: 'ip' },
  /** Previews whose page is shown by a browser. */
  renderPreview: { requests: 5, perSeconds: 60, scope: 'user' },
} as const satisfies Record<string, RateLimit>;

type LimitedEndpoint = keyof typeof rateLimits;

export interface RateLimits {
  /** Counts a request. Throws 429 with `Retry-After` (seconds) if it is one too many. */
  count(endpoint: LimitedEndpoint, requester: { userId: string; address: string }): Promise<void>;
  /** Requests refused so far by this process. */
  refused(): number;
  close(): Promise<void>;
}

export const isLimited = (endpoint: string): endpoint is keyof typeof documented => endpoint in documented;

export async function createRateLimits(databaseUrl: string | undefined): Promise<RateLimits> {
  const pool = databaseUrl === undefined ? undefined : await openSmallPool(databaseUrl);
  const createLimiter = (endpoint: LimitedEndpoint, { requests, perSeconds }: RateLimit) => {
    const options = { keyPrefix: endpoint, points: requests, duration: perSeconds };
    return pool === undefined
      ? new RateLimiterMemory(options)
      : new RateLimiterPostgres({
          ...options,
          storeClient: pool,
          storeType: 'pool',
          tableName: 'rate_limits',
          tableCreated: true,
        });
  };
  const limiters = {
    listCatalogs: createLimiter('listCatalogs', rateLimits.listCatalogs),
    getCatalog: createLimiter('getCatalog', rateLimits.getCatalog),
    search: createLimiter('search', rateLimits.search),
    login: createLimiter('login', rateLimits.login),
    requestBuild: createLimiter('requestBuild', rateLimits.requestBuild),
    previewBuild: createLimiter('previewBuild', rateLimits.previewBuild),
    consoleSignIn: createLimiter('consoleSignIn', rateLimits.consoleSignIn),
    renderPreview: createLimiter('renderPreview', rateLimits.renderPreview),
  } satisfies Record<LimitedEndpoint, unknown>;
  let refused = 0;
  return {
    async count(endpoint, requester) {
      try {
        await limiters[endpoint].consume(
          rateLimits[endpoint].scope === 'ip' ? networkOf(requester.address) : requester.userId,
        );
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        refused += 1;
        throw toRateLimitError(rateLimits[endpoint], error.msBeforeNext);
      }
    },
    refused: () => refused,
    close: async () => pool?.end(),
  };
}

function toRateLimitError(limit: RateLimit, waitMs: number): RequestError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new RequestError(
    openErrors.RATE_LIMITED.httpStatus,
    'RATE_LIMITED',
    `At most ${limit.requests} requests in ${limit.perSeconds} s; retry in ${seconds} s`,
    { headers: { 'retry-after': String(seconds) } },
  );
}
