/** Long work on the event loop, in slices between which other work has its turn. */
import { setImmediate } from 'node:timers/promises';

const sliceMs = 8;

/** Runs all steps; each `yield` is a place where others may have their turn, so a step should be short. */
export async function runInSlices<Result>(steps: Generator<unknown, Result>): Promise<Result> {
  for (;;) {
    const until = performance.now() + sliceMs;
    let step = steps.next();
    while (!step.done && performance.now() < until) step = steps.next();
    if (step.done) return step.value;
    await setImmediate();
  }
}
