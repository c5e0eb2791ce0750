import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CancelledError,
  ConnectionLostError,
  ContractError,
  RateLimitError,
  ServiceError,
  TimeoutError,
  UnreachableError,
} from '../../src/client/errors.ts';
import { maxAttempts, maxRetryAfterMs, readRetryAfter, retryDelayMs } from '../../src/client/retry.ts';

const service = (httpStatus: number, retryAfterMs?: number) =>
  new ServiceError('search', { httpStatus, code: 'X', message: 'x', retryAfterMs });

describe('what is sent again', () => {
  it.each([
    ['unreachable', new UnreachableError('search', 'refused'), true, true],
    ['connection lost', new ConnectionLostError('search', 'reset'), true, false],
    ['500 with an envelope', service(500), true, false],
    ['503 without an envelope', new ContractError('search', 503, 'html'), true, false],
    ['429 with an envelope', service(429), true, false],
    ['429 without an envelope', new RateLimitError('search', 'maybe', 10), true, false],
    ['our own rate limit', new RateLimitError('search', 'no', 10), false, false],
    ['404', service(404), false, false],
    ['an error in a 200', service(200), false, false],
    ['a 200 of the wrong form', new ContractError('search', 200, 'html'), false, false],
    ['a time-out', new TimeoutError('search', 'maybe', 1000), false, false],
    ['a cancellation', new CancelledError('search', 'maybe'), false, false],
  ])('%s', (_name, error, get, post) => {
    expect(retryDelayMs('GET', 1, error, 0.5) !== undefined).toBe(get);
    expect(retryDelayMs('POST', 1, error, 0.5) !== undefined).toBe(post);
    expect(retryDelayMs('GET', maxAttempts, error, 0.5)).toBeUndefined();
  });
});

describe('the time of a retry', () => {
  it('the delay is random from 0 to a bound that doubles (full jitter)', () => {
    const error = new UnreachableError('search', 'refused');
    expect([0, 1].map((random) => retryDelayMs('GET', 1, error, random))).toEqual([0, 250]);
    expect([0, 1].map((random) => retryDelayMs('GET', 2, error, random))).toEqual([0, 500]);
  });

  it('the delay is at least what the service asked for, plus jitter', () => {
    expect(retryDelayMs('GET', 1, service(503, 3000), 0)).toBe(3000);
    expect(retryDelayMs('GET', 1, service(429, 3000), 1)).toBe(3250);
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');

  it.each([
    [undefined, undefined],
    ['3', 3000],
    [' 0 ', 0],
    ['99999', maxRetryAfterMs],
    ['Thu, 01 Jan 2026 00:00:05 GMT', 5000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['Fri, 02 Jan 2026 00:00:00 GMT', maxRetryAfterMs],
    ['soon', undefined],
    ['', undefined],
  ])('%s', (value, expected) => {
    expect(readRetryAfter(value, now)).toBe(expected);
  });

  it('any text is a time from 0 to the clamp, or nothing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.integer().map(String)), (value) => {
        const read = readRetryAfter(value, now) ?? 0;
        expect(read).toBeGreaterThanOrEqual(0);
        expect(read).toBeLessThanOrEqual(maxRetryAfterMs);
      }),
    );
  });
});
