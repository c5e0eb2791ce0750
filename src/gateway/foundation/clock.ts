/** Time, in milliseconds. Waits use the monotonic clock, which no correction of the wall clock moves. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since some moment of this process; it only grows. */
  monotonic(): number;
}

/** A moment by both clocks. */
export interface Moment {
  readonly now: number;
  readonly monotonic: number;
}

export const getMoment = (clock: Clock): Moment => ({ now: clock.now(), monotonic: clock.monotonic() });

/** Milliseconds since a moment, by the clock that has gone further: while a machine sleeps, the monotonic one stands still. */
export const elapsedSince = (clock: Clock, { now, monotonic }: Moment): number =>
  Math.max(clock.monotonic() - monotonic, clock.now() - now);

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
