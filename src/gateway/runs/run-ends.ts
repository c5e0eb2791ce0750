/** The end of a run: waited for, written down with its result, and told to the caller. */
import type { Api, StopSignal } from '../../contract/api.ts';
import type { Job } from '../../contract/resources.ts';
import type { Admission } from '../admission/admission.ts';
import { stopIfCancelled } from '../errors/errors.ts';
import { toGatewayError } from '../errors/failures.ts';
import type { Clock } from '../foundation/clock.ts';
import type { TimeLimits } from '../foundation/time-limits.ts';
import type { CallContext } from '../interface/gateway.ts';
import type { RunBody } from '../interface/outcomes.ts';
import type { Records } from '../paid-calls/records.ts';
import { type Attachment, dataLength, endBody, runFacts } from '../results/job-body.ts';
import { getEnd } from '../results/job-end.ts';
import type { Intent } from '../store/intents.ts';
import { ownJobId } from '../store/job-ids.ts';
import type { OpenStore } from '../store/open-store.ts';
import { type JobEnd, type JobRunning, JobWatches } from './job-watch.ts';

/** The attempts to write an end that the service can repeat. */
const retriedEnds = 5;
/** How many runs tell how long an action takes, and for how many actions that is remembered. */
const newestRuns = 10;
const rememberedActions = 200;
/** Milliseconds: other processes run the same actions. */
const rememberedMs = 60_000;

interface Dependencies {
  readonly api: Api;
  readonly admission: Admission;
  readonly records: Records;
  readonly clock: Clock;
}

export class RunEnds {
  readonly #dependencies: Dependencies;
  readonly #watches: JobWatches;
  /** Ends that are being written, by intent: several callers may wait for one job. */
  readonly #finishing = new Map<string, Promise<void>>();
  /** Milliseconds that the newest runs of an action took. To read them anew for each call costs as much as a write. */
  readonly #durations = new Map<string, { readonly newest: readonly number[]; readonly until: number }>();

  /** `ending` aborts when every wait is to end now. */
  constructor(dependencies: Dependencies, limits: TimeLimits, ending: StopSignal) {
    this.#dependencies = dependencies;
    this.#watches = new JobWatches(dependencies.api, limits, ending, dependencies.clock);
  }

  /** Waits until the job ends, the deadline has passed or waits are being ended. */
  async wait(
    jobId: string,
    intent: Intent | undefined,
    deadline: number,
    context: Pick<CallContext, 'signal' | 'progress'>,
    store: OpenStore,
  ): Promise<JobEnd | JobRunning> {
    const { clock } = this.#dependencies;
    const since = intent?.submitted_at ?? clock.now();
    const report = () => {
      const seconds = Math.max(0, Math.round((clock.now() - since) / 1000));
      context.progress({ progress: seconds + 1, message: `The service is working on it (${seconds} s)` });
    };
    const timer = setInterval(report, 2_000);
    try {
      const job = {
        id: jobId,
        // A job that had ended may be gone at the service: without a kept result it is looked up once.
        submittedAt: intent?.finished_at === null ? (intent.submitted_at ?? undefined) : undefined,
        earlier: async () => (intent === undefined ? [] : this.#readDurations(intent.subject, store)),
      };
      return await this.#watches.wait(job, { signal: context.signal, deadline });
    } catch (error) {
      stopIfCancelled(context.signal);
      throw error;
    } finally {
      clearInterval(timer);
    }
  }

  async #readDurations(actionId: string, { intents }: OpenStore): Promise<readonly number[]> {
    const remembered = this.#durations.get(actionId);
    if (remembered !== undefined && remembered.until > performance.now()) return remembered.newest;
    const newest = await intents.durations(actionId, newestRuns);
    if (this.#durations.size >= rememberedActions) this.#durations.clear();
    this.#durations.set(actionId, { newest, until: performance.now() + rememberedMs });
    return newest;
  }

  #rememberDuration(actionId: string, durationMs: number): void {
    const remembered = this.#durations.get(actionId);
    if (remembered === undefined) return;
    const newest = [durationMs, ...remembered.newest].slice(0, newestRuns);
    this.#durations.set(actionId, { ...remembered, newest });
  }

  /** The end that was kept, where this store has it. */
  async readKeptEnd(jobId: string, budget: number, { results }: OpenStore): Promise<JobEnd | undefined> {
    const answer = await results.read(jobId, budget);
    return answer && { kind: 'ended', answer, durationMs: null };
  }

  /** What the caller is told of the end. Throws a `GatewayError` for an error in place of the job. */
  toBody(
    jobId: string,
    end: Exclude<JobEnd, { kind: 'lost' }>,
    { intent, attachment, budget }: { intent?: Intent; attachment?: Attachment | undefined; budget: number },
  ): RunBody {
    if (end.kind === 'error')
      throw toGatewayError(end.error, { extra: { job_id: jobId }, next: goOn(jobId) });
    const { body, text, totals } = end.answer;
    const textLength = dataLength(body, text);
    return endBody(jobId, body, { budget, textLength, totals, attachment, ...runFacts(intent) });
  }

  /** Writes the end and keeps the result, behind the answer: until then the job can be polled again. */
  async finishLater(intent: Intent, end: JobEnd, store: OpenStore): Promise<void> {
    if (end.kind !== 'ended' || intent.state !== 'submitted') return;
    const underWay = this.#finishing.get(intent.id);
    if (underWay !== undefined) return underWay;
    const finishing = this.write(intent, end, store, { onlyCopy: false }).finally(() =>
      this.#finishing.delete(intent.id),
    );
    this.#finishing.set(intent.id, finishing);
    return finishing;
  }

  /** The end and its result in one transaction: a job that is `finished` can always be read again. */
  write(
    intent: Intent,
    end: JobEnd & { kind: 'ended' },
    { intents, results }: OpenStore,
    { onlyCopy }: { onlyCopy: boolean },
  ): Promise<void> {
    const { body: job, text } = end.answer;
    const failed = getEnd(job) === 'failed';
    const jobId = intent.job_id ?? ownJobId(intent.id);
    const ended = {
      jobId,
      outcome: failed ? ('failed' as const) : ('completed' as const),
      charged: toCharged(job, intent),
      durationMs: failed ? null : end.durationMs,
    };
    this.#dependencies.admission.ended(intent.subject, ended.charged, intent.charged);
    if (ended.durationMs !== null) this.#rememberDuration(intent.subject, ended.durationMs);
    const write = async () => {
      const keep = await results.keepStatement(jobId, text);
      return intents.finished(intent.id, ended, [keep], onlyCopy);
    };
    const description = `the end of ${jobId}`;
    return onlyCopy
      ? this.#dependencies.records.write(intent.id, description, write)
      : this.#dependencies.records.queue(intent.id, description, write, retriedEnds);
  }
}

/** What a job that ended has cost, in credits: a failed one is refunded. */
export const toCharged = (job: Job, intent: Intent): number =>
  getEnd(job) === 'failed' ? 0 : (job.credits_used ?? intent.price);

const goOn = (jobId: string) =>
  `Call get_job ${JSON.stringify({ job_id: jobId })} later; the job keeps running and is not charged again.`;
