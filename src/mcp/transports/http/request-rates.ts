/** Requests of a principal in a minute, counted in this process, or in PostgreSQL for all replicas. */
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';

export class RequestRates {
  readonly #limiter: RateLimiterAbstract;

  /**
   * `pool`: connections (of `pg`) to a database with the gateways' tables; absent: counted in memory. While the database
   * does not answer, each process counts for itself.
   */
  constructor(requestsPerMinute: number, pool: object | undefined) {
    const localLimiter = new RateLimiterMemory({ points: requestsPerMinute, duration: 60 });
    this.#limiter =
      pool === undefined
        ? localLimiter
        : new RateLimiterPostgres({
            keyPrefix: 'http',
            points: requestsPerMinute,
            duration: 60,
            // A principal above the limit is refused without another query.
            inMemoryBlockOnConsumed: requestsPerMinute + 1,
            insuranceLimiter: localLimiter,
            storeClient: pool,
            storeType: 'pool',
            tableName: 'gateway_request_rate',
            tableCreated: true,
          });
  }

  /** Counts a request; resolves to the milliseconds to wait where it is one too many, else to 0. */
  count(principalId: string): Promise<number> {
    return consume(this.#limiter, principalId);
  }
}

/** Counts one more; resolves to the milliseconds to wait where it is one too many, else to 0. */
export async function consume(limiter: RateLimiterAbstract, key: string): Promise<number> {
  try {
    await limiter.consume(key);
    return 0;
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    return Math.max(1, error.msBeforeNext);
  }
}
