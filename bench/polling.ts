/**
 * The delay in noticing that a job ended, against polling at a fixed interval with the same mean number of polls.
 * Simulated: durations are lognormal; the schedule knows ten earlier runs, or none.
 */
import { type PollSchedule, pollSchedule } from '../src/gateway/runs/poll-schedule.ts';
import { ms, print } from './statistics.ts';

const jobs = 4_000;
const earlierRuns = 10;

export async function benchPolling(): Promise<void> {
  const rows = [];
  for (const medianMs of [2_000, 20_000, 120_000]) {
    for (const sigma of [0.2, 0.5]) {
      const random = normal(mulberry32(1));
      const duration = () => medianMs * Math.exp(sigma * random());
      const known = simulate(duration, () => pollSchedule(Array.from({ length: earlierRuns }, duration)));
      const first = simulate(duration, () => pollSchedule([]));
      rows.push({
        median: `${medianMs / 1000} s`,
        sigma: String(sigma),
        polls: known.polls.toFixed(1),
        delay: ms(known.delay),
        'fixed interval': ms(known.fixedDelay),
        ratio: `${(known.delay / known.fixedDelay).toFixed(2)}×`,
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

function simulate(duration: () => number, schedule: () => PollSchedule) {
  let polls = 0;
  let mostPolls = 0;
  let delay = 0;
  let total = 0;
  for (let job = 0; job < jobs; job += 1) {
    const { firstDelay, nextDelay } = schedule();
    const end = duration();
    let own = 1;
    let now = firstDelay(0);
    for (; now < end; own += 1) now += nextDelay(now);
    polls += own;
    mostPolls = Math.max(mostPolls, own);
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
