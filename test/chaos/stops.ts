/** Stops one of two services on one database at random moments, as a frozen machine would, and watches the other one. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type SpawnedService, spawnService } from '../support/spawned-service.ts';
import { describe, giveCredits, settle, type Trial } from './trial.ts';

export const newStopCount = () => ({
  stops: 0,
  /** Submissions to the other service while the first one stood still, and the slowest of them in milliseconds. */
  submissions: 0,
  slowestMs: 0,
  /** Those that were answered with a certain refusal: nothing was deducted. */
  refused: 0,
  /** Submissions to either that had no answer, or one that is neither a job nor a certain refusal. */
  unanswered: 0,
  /** Refused ones that made a job all the same. */
  falseRefusals: 0,
  /** Accepted ones whose job is unknown or never ended. */
  lost: 0,
  /** Jobs with another price than theirs, balances that are not the sum of their ledger rows, second refunds. */
  wrongMoney: 0,
});
export type StopCount = ReturnType<typeof newStopCount>;

interface Answers {
  readonly accepted: Set<string>;
  /** Idempotency keys. */
  readonly refused: Set<string>;
}

/** Fills `count` as it goes. */
export async function stopAtRandom(trial: Trial, stops: number, count = newStopCount()): Promise<StopCount> {
  const { place, random, signal } = trial;
  const [stopped, other] = await Promise.all([
    spawnService({ ...place, quiet: true }),
    spawnService({ ...place, quiet: true }),
  ]);
  const answers: Answers = { accepted: new Set(), refused: new Set() };
  const report = (problem: string) => {
    count.unanswered += 1;
    trial.report(`stop ${count.stops}: ${problem}`);
  };
  const submit = (service: SpawnedService) => submitOnce(service, answers, report);
  const load = new AbortController();
  try {
    await giveCredits(place);
    const loads = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!load.signal.aborted) await submit(stopped);
      }),
    );
    while (count.stops < stops && signal?.aborted !== true) {
      count.stops += 1;
      await delay(50 + random.below(200));
      process.kill(stopped.pid, 'SIGSTOP');
      const started = performance.now();
      const accepted = await Promise.all(Array.from({ length: 4 }, () => submit(other)));
      count.slowestMs = Math.max(count.slowestMs, Math.round(performance.now() - started));
      count.submissions += accepted.length;
      count.refused += accepted.filter((isAccepted) => !isAccepted).length;
      process.kill(stopped.pid, 'SIGCONT');
    }
    load.abort();
    await loads;
    await Promise.all([stopped.stop(), other.stop()]);
  } finally {
    load.abort();
    // A process that stands still dies of SIGKILL as well.
    await Promise.all([stopped.kill(), other.kill()]);
  }
  const { jobs, wrongMoney, doubleRefunds } = await settle(trial);
  const keys = new Set([...jobs.values()].map(({ key }) => key));
  count.lost = [...answers.accepted].filter(
    (id) => (jobs.get(id)?.status ?? 'processing') === 'processing',
  ).length;
  count.falseRefusals = [...answers.refused].filter((key) => keys.has(key)).length;
  count.wrongMoney = wrongMoney + doubleRefunds;
  return count;
}

/** Whether it was accepted. */
async function submitOnce(
  service: SpawnedService,
  answers: Answers,
  report: (problem: string) => void,
): Promise<boolean> {
  const key = randomUUID();
  try {
    const headers = { 'idempotency-key': key };
    const { status, body, text } = await service.call('POST', '/task', { action_id: 'work' }, headers);
    if (status === 202) {
      answers.accepted.add(String(body.job_id));
      return true;
    }
    if (text.includes('no credits were deducted')) answers.refused.add(key);
    else report(`POST /task was answered ${status} ${text.slice(0, 300)}`);
  } catch (error) {
    report(`POST /task had no answer: ${describe(error)}`);
    // A connection that is refused at once must not keep the program busy.
    await delay(50);
  }
  return false;
}
