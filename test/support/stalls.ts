/**
 * How long the event loop could serve nobody else, as time of the processor: what other programs take of a busy machine
 * is not counted, so a limit means the same there.
 */
import { readFileSync } from 'node:fs';

/** Milliseconds of processor time that this thread has used; of the whole process where the system does not tell. */
export function processorTime(): number {
  try {
    const [nanoseconds] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
}

/** Milliseconds of processor time that synchronous work needs. */
export function timeOf(work: () => unknown): number {
  const before = processorTime();
  work();
  return processorTime() - before;
}

/** The most milliseconds of processor time between two turns of the event loop while `work` goes on. */
export async function longestStall(work: () => Promise<unknown>): Promise<number> {
  let last = processorTime();
  let longest = 0;
  const turn = () => {
    const now = processorTime();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(turn, 2);
  try {
    await work();
  } finally {
    clearInterval(timer);
    turn();
  }
  return longest;
}
