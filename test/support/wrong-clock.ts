import { vi } from 'vitest';

/** Does the work in a process whose wall clock is wrong by so many milliseconds. */
export async function withWrongClock<Result>(byMs: number, work: () => Promise<Result>): Promise<Result> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs });
  return work().finally(() => vi.useRealTimers());
}
