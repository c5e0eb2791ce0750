/** Stops one of two services on one database at random moments, as a frozen machine would, and watches the other one. */
import { setTimeout as delay } from 'node:timers/promises';
import { readMoney } from '../support/service.ts';
import { type SpawnedService, spawnService } from '../support/spawned-service.ts';
import { giveCredits, type Place } from './kills.ts';

export interface StopCount {
  stops: number;
  /** Submissions to the other service while the first one stood still, and the slowest of them in milliseconds. */
  submissions: number;
  slowestMs: number;
  /** Those that were not accepted. */
  refused: number;
  /** Balances that are not the sum of their ledger rows, and jobs that were refunded twice. */
  wrongMoney: number;
}

export async function stopAtRandom(place: Place, stops: number, signal?: AbortSignal): Promise<StopCount> {
  const [stopped, other] = await Promise.all([
    spawnService({ ...place, quiet: true }),
    spawnService({ ...place, quiet: true }),
  ]);
  await giveCredits(place);
  const count: StopCount = { stops: 0, submissions: 0, slowestMs: 0, refused: 0, wrongMoney: 0 };
  const load = new AbortController();
  const loads = Promise.all(Array.from({ length: 4 }, () => submitUntil(stopped, load.signal)));
  while (count.stops < stops && signal?.aborted !== true) {
    count.stops += 1;
    await delay(50 + Math.random() * 200);
    process.kill(stopped.pid, 'SIGSTOP');
    try {
      await Promise.all(Array.from({ length: 4 }, () => submitOnce(other, count)));
    } finally {
      process.kill(stopped.pid, 'SIGCONT');
    }
  }
  load.abort();
  await loads;
  await Promise.all([stopped.stop(), other.stop()]);
  const money = await readMoney(place);
  count.wrongMoney = money.mismatches + money.doubleRefunds;
  return count;
}

async function submitUntil(service: SpawnedService, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await service.call('POST', '/task', { action_id: 'work' }).catch(() => undefined);
}

async function submitOnce(service: SpawnedService, count: StopCount): Promise<void> {
  const started = performance.now();
  const { status } = await service.call('POST', '/task', { action_id: 'work' });
  count.submissions += 1;
  count.slowestMs = Math.max(count.slowestMs, Math.round(performance.now() - started));
  if (status !== 202) count.refused += 1;
}
