/**
 * When to look whether a job is done. Between two polls a job ends with the probability that its hazard (the
 * rate at which jobs of this age end) gives; the delay in noticing is least, for the same number of polls, where
 * each interval is proportional to one over the square root of the hazard at that age. `npm run bench polling` compares it:
 * at equal polls the delay is 0.6 to 0.7 of that of an interval that grows from 3/4 of the shortest earlier run on.
 */

export interface PollSchedule {
  /** Milliseconds to wait before the first poll, for a job submitted `elapsedMs` ago; 0 where it may be done. */
  firstDelay(elapsedMs: number): number;
  /** Milliseconds to wait before a further poll. */
  nextDelay(elapsedMs: number): number;
}

const minimumMs = 50;
const maximumMs = 60_000;
/** A longer duration was measured over a step of the clock, or by somebody who looked late. */
const longestMs = 24 * 60 * 60_000;
/** The largest delay as a share of the duration, however much earlier runs differ. */
const largestGrowth = 0.25;
/** A first run: each interval is this share of the age, so that the delay is a few per cent of the duration. */
const growth = 0.08;
/** Polls a job is expected to need where its duration is known. */
const expectedPolls = 16;
/** The prior that earlier durations are weighed against: a spread of 0.5, worth three runs. */
const doubtSpread = 0.5;
const doubtWeight = 3;
/** The probability that this run is unlike every earlier one. */
const surprise = 0.03;
/** The first look, in spreads below the mean: one run in forty has ended by then. */
const firstLook = 2;

/** The schedule for an action whose earlier runs took `durationsMs` (the newest ones; order does not matter). */
export function pollSchedule(durationsMs: readonly number[]): PollSchedule {
  const logs = durationsMs
    .filter((duration) => duration > 0 && duration < longestMs)
    .map((duration) => Math.log(duration));
  return logs.length < 2 ? firstRun : experienced(logs);
}

const bounded = (ms: number) => Math.min(maximumMs, Math.max(minimumMs, ms));

const firstRun: PollSchedule = {
  firstDelay: () => 0,
  nextDelay: (elapsedMs) => bounded(elapsedMs * growth),
};

function experienced(logs: readonly number[]): PollSchedule {
  const count = logs.length;
  const mean = logs.reduce((sum, log) => sum + log, 0) / count;
  const squares = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  const variance = (squares + doubtWeight * doubtSpread ** 2) / (count - 1 + doubtWeight);
  // The next run differs from the mean by its own spread and by the mean's uncertainty.
  const spread = Math.sqrt(variance * (1 + 1 / count));
  const hazard = (elapsedMs: number) => lognormalHazard(elapsedMs, mean, spread);
  // Most jobs end by the first look, which does not need it.
  let scale: number | undefined;
  const early = Math.exp(mean - firstLook * spread);
  return {
    firstDelay: (elapsedMs) => (early - elapsedMs < minimumMs ? 0 : Math.min(maximumMs, early - elapsedMs)),
    nextDelay(elapsedMs) {
      if (elapsedMs < early) return bounded(early - elapsedMs);
      scale ??= intervalScale(mean, spread, hazard);
      // The hazard in the middle of the interval speaks for the whole of it.
      const rough = scale / Math.sqrt(hazard(elapsedMs));
      const interval = scale / Math.sqrt(hazard(elapsedMs + rough / 2));
      return bounded(Math.min(interval, elapsedMs * largestGrowth));
    },
  };
}

/** The constant of proportionality at which a job needs `expectedPolls` polls on average. */
function intervalScale(mean: number, spread: number, hazard: (elapsedMs: number) => number): number {
  const steps = 200;
  let polls = 0;
  for (let step = 0; step < steps; step += 1) {
    const z = -4 + (8 * (step + 0.5)) / steps;
    const elapsed = Math.exp(mean + spread * z);
    const width = elapsed * spread * (8 / steps);
    polls += Math.sqrt(hazard(elapsed)) * survival(z) * width;
  }
  return polls / expectedPolls;
}

/** The hazard of a lognormal duration, mixed with that of one about which nothing is known (1 / age). */
function lognormalHazard(elapsedMs: number, mean: number, spread: number): number {
  const z = (Math.log(elapsedMs) - mean) / spread;
  const alive = survival(z);
  // Far in the tail the quotient of two vanishing numbers is z itself (Mills' ratio).
  const ratio = z > 6 ? z : density(z) / alive;
  return (1 - surprise) * (ratio / (elapsedMs * spread)) + surprise / elapsedMs;
}

const density = (z: number) => Math.exp(-(z * z) / 2) / Math.sqrt(2 * Math.PI);

/** 1 − Φ(z), by Abramowitz and Stegun 7.1.26 (error below 1.5e-7). */
function survival(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const polynomial =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const half = (polynomial * Math.exp(-x * x)) / 2;
  return z >= 0 ? half : 1 - half;
}
