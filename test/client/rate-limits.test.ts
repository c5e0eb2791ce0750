import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Deadline } from '../../src/client/deadline.ts';
import { CancelledError, RateLimitError } from '../../src/client/errors.ts';
import { RateGate, RateGates } from '../../src/client/rate-limits.ts';

const limit = { requests: 3, perSeconds: 60, scope: 'ip' } as const;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Calls through the gate and notes when each may be sent. */
function caller(gate: RateGate) {
  const sentAt: number[] = [];
  const start = performance.now();
  const call = async (timeoutMs: number, signal?: AbortSignal) => {
    const deadline = new Deadline('search', timeoutMs, signal);
    try {
      await gate.turn(deadline);
      sentAt.push(performance.now() - start);
    } finally {
      deadline.stop();
    }
  };
  return { sentAt, call };
}

describe('a documented limit', () => {
  it('[client.rate-limits] lets its number through at once and the next when the window has passed', async () => {
    const { sentAt, call } = caller(new RateGate('search', limit));
    const calls = [1, 2, 3, 4, 5].map(() => call(120_000));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sentAt).toEqual([0, 0, 0]);
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all(calls);
    expect(sentAt).toEqual([0, 0, 0, 61_000, 61_000]);
  });

  it('refuses at once a request whose turn would come too late, and uses no turn for it', async () => {
    const { sentAt, call } = caller(new RateGate('search', limit));
    await Promise.all([1, 2, 3].map(() => call(1000)));
    const refusal = await call(50_000).catch((error) => error);
    expect(refusal).toBeInstanceOf(RateLimitError);
    expect(refusal).toMatchObject({ sent: 'no', retryAfterMs: 61_000 });
    await vi.advanceTimersByTimeAsync(61_000);
    await Promise.all([1, 2, 3].map(() => call(1000)));
    expect(sentAt.slice(3)).toEqual([61_000, 61_000, 61_000]);
  });

  it('of sign-ins refuses at once instead of letting a person wait', async () => {
    const gate = new RateGates().getGate('login');
    const { sentAt, call } = caller(gate);
    await Promise.all(Array.from({ length: 10 }, () => call(120_000)));
    const refusal = await call(120_000).catch((error) => error);
    expect(refusal).toMatchObject({ sent: 'no', retryAfterMs: 61_000 });
    expect(sentAt).toEqual(Array(10).fill(0));
  });

  it('a cancelled wait leaves its turn to the next', async () => {
    const { sentAt, call } = caller(new RateGate('search', { ...limit, requests: 1 }));
    await call(1000);
    const gone = new AbortController();
    const cancelled = call(120_000, gone.signal).catch((error) => error);
    gone.abort();
    expect(await cancelled).toBeInstanceOf(CancelledError);
    const next = call(120_000);
    await vi.advanceTimersByTimeAsync(61_000);
    await next;
    expect(sentAt).toEqual([0, 61_000]);
  });

  it('never lets more than its number through in any window, whatever the calls and refusals', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            afterMs: fc.integer({ min: 0, max: 30_000 }),
            closeMs: fc.option(fc.integer({ min: 0, max: 60_000 }), { freq: 8 }),
          }),
          { maxLength: 40 },
        ),
        async (steps) => {
          const gate = new RateGate('search', limit);
          const { sentAt, call } = caller(gate);
          const calls: Promise<unknown>[] = [];
          for (const { afterMs, closeMs } of steps) {
            await vi.advanceTimersByTimeAsync(afterMs);
            if (closeMs !== null) gate.close(closeMs);
            calls.push(call(10_000_000));
          }
          await vi.advanceTimersByTimeAsync(10_000_000);
          await Promise.all(calls);
          expect(sentAt).toHaveLength(steps.length);
          for (const [index, at] of sentAt.entries()) {
            const before = sentAt[index - limit.requests];
            if (before !== undefined) expect(at - before).toBeGreaterThanOrEqual(60_000);
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('a gate that the service closed', () => {
  it('holds back every call until then, also those that already had a turn', async () => {
    const gate = new RateGate('search', limit);
    const { sentAt, call } = caller(gate);
    await Promise.all([1, 2, 3].map(() => call(1000)));
    const waiting = call(200_000);
    await vi.advanceTimersByTimeAsync(50_000);
    gate.close(30_000);
    await vi.advanceTimersByTimeAsync(29_999);
    expect(sentAt).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(1);
    await waiting;
    expect(sentAt[3]).toBe(80_000);
  });

  it('refuses a waiting call that no longer fits', async () => {
    const gate = new RateGate('search', { ...limit, requests: 1 });
    const { call } = caller(gate);
    await call(1000);
    const waiting = call(70_000).catch((error) => error);
    await vi.advanceTimersByTimeAsync(40_000);
    gate.close(60_000);
    await vi.advanceTimersByTimeAsync(21_000);
    expect(await waiting).toMatchObject({ kind: 'rate-limit', sent: 'no' });
  });

  it('exists for endpoints without a documented limit too', async () => {
    const gates = new RateGates();
    const { sentAt, call } = caller(gates.getGate('getJob'));
    await Promise.all(Array.from({ length: 200 }, () => call(1000)));
    expect(sentAt).toHaveLength(200);
    gates.getGate('getJob').close(5_000);
    await expect(call(1_000)).rejects.toMatchObject({ sent: 'no', retryAfterMs: 5_000 });
  });
});
