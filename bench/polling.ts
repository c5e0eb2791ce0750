/**
 * The delay in noticing that a job ended, against other schedules with the same mean number of polls: a fixed interval, an
 * interval that grows with the job's age, and one that grows from 3/4 of the shortest earlier run on.
 * Simulated: durations are lognormal; the pace knows ten earlier runs, or none.
 */
import { firstDelay, nextDelay } from '../src/gateway/paid/pace.ts';
import { ms, print } from './statistics.ts';

const jobs = 4_000;
const earlierRuns = 10;
/** Of a run (`createRunKind`). */
const pace = { growth: 0.08, leastMs: 50, mostMs: 60_000 };

interface PollSchedule {
  /** Milliseconds until the first look at a job of this age. */
  firstDelay(elapsedMs: number): number;
  /** Milliseconds until a further look. */
  nextDelay(elapsedMs: number): number;
}

const ours = (earlier: readonly number[]): PollSchedule => ({
  firstDelay: (elapsedMs) => firstDelay(earlier, elapsedMs),
  nextDelay: (elapsedMs) => nextDelay(pace, elapsedMs),
});

export async function benchPolling(): Promise<void> {
  const rows = [];
  for (const medianMs of [2_000, 20_000, 120_000]) {
    for (const sigma of [0.2, 0.5]) {
      const durations = () => {
        const random = normal(mulberry32(1));
        return () => medianMs * Math.exp(sigma * random());
      };
      const after = (schedule: (earlier: readonly number[]) => PollSchedule) => {
        const duration = durations();
        return simulate(duration, () => schedule(Array.from({ length: earlierRuns }, duration)));
      };
      const known = after(ours);
      const grown = atEqualPolls(known.polls, (growth) => after(() => growing(0, growth)));
      const late = atEqualPolls(known.polls, (growth) =>
        after((earlier) => growing(0.75 * Math.min(...earlier), growth)),
      );
      const first = simulate(durations(), () => ours([]));
      rows.push({
        median: `${medianMs / 1000} s`,
        sigma: String(sigma),
        polls: known.polls.toFixed(1),
        delay: ms(known.delay),
        'fixed interval': ms(known.fixedDelay),
        ratio: `${(known.delay / known.fixedDelay).toFixed(2)}×`,
        'of growing': `${(known.delay / grown.delay).toFixed(2)}×`,
        'of growing late': `${(known.delay / late.delay).toFixed(2)}×`,
        'first run: polls': `${first.polls.toFixed(0)}, at most ${first.mostPolls}`,
        'delay/duration': `${((100 * first.delay) / first.duration).toFixed(1)} %`,
      });
    }
  }
  print(
    'Delay in noticing a finished job (simulated clock, after ten earlier runs; and on a first run)',
    rows,
  );
}

/** Polls first after `firstMs`, then after `growth` times the job's age, between 50 ms and a minute. */
const growing = (firstMs: number, growth: number): PollSchedule => ({
  firstDelay: () => firstMs,
  nextDelay: (elapsedMs) => nextDelay({ ...pace, growth }, elapsedMs),
});

/** The simulation at the growth that needs as many polls, found by bisection. */
function atEqualPolls<Run extends { readonly polls: number }>(
  polls: number,
  simulateAt: (growth: number) => Run,
): Run {
  let [low, high] = [0.001, 3];
  for (let step = 0; step < 30; step += 1) {
    const middle = (low + high) / 2;
    if (simulateAt(middle).polls > polls) low = middle;
    else high = middle;
  }
  return simulateAt(high);
}

function simulate(duration: () => number, schedule: () => PollSchedule) {
  let polls = 0;
  let mostPolls = 0;
  let delay = 0;
  let total = 0;
  for (let job = 0; job < jobs; job += 1) {
    const own = schedule();
    const end = duration();
    let looks = 1;
    let now = own.firstDelay(0);
    for (; now < end; looks += 1) now += own.nextDelay(now);
    polls += looks;
    mostPolls = Math.max(mostPolls, looks);
    delay += now - end;
    total += end;
  }
  const meanPolls = polls / jobs;
  // At an interval i a job of length T needs T / i + 1/2 polls on average, and is noticed i / 2 late.
  const interval = total / jobs / (meanPolls - 0.5);
  return {
    polls: meanPolls,
    mostPolls,
    delay: delay / jobs,
    duration: total / jobs,
    fixedDelay: interval / 2,
  };
}

const normal = (random: () => number) => () =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** A small seeded generator, so that two runs print the same. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
