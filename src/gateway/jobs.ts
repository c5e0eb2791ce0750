/** `get_job`: a paid result read again, a wait gone on with, or the recent jobs. */
import type { Job } from '../contract/resources.ts';
import type { Snapshot } from './catalog/snapshot.ts';
import { GatewayError } from './errors.ts';
import type { CallContext, GetJobInput } from './gateway.ts';
import type { JsonObject, Outcome } from './outcomes.ts';
import type { Intent } from './paid-calls/intents.ts';
import { intentIdOf, ownJobId } from './paid-calls/job-ids.ts';
import { undeliveredMs } from './paid-calls/states.ts';
import { endBody, runFacts } from './results/job-body.ts';
import type { Runs } from './runs/runs.ts';
import { type GatewaySettings, resultBudget } from './settings.ts';
import type { GatewayStore, OpenStore } from './store/gateway-store.ts';
import { cleanText } from './text.ts';

const recentJobs = 25;

export class Jobs {
  readonly #store: GatewayStore;
  readonly #runs: Runs;
  readonly #settings: GatewaySettings;

  constructor(store: GatewayStore, runs: Runs, settings: GatewaySettings) {
    this.#store = store;
    this.#runs = runs;
    this.#settings = settings;
  }

  async get(jobId: string, input: GetJobInput, context: CallContext): Promise<Outcome> {
    const store = await this.#store.open();
    const intent = await this.#intentOf(jobId, store);
    if (intent?.kind === 'build') throw isBuild(jobId);
    const kept = await store.results.read(intent?.job_id ?? jobId);
    if (kept !== undefined) {
      const body = await this.#part(intent?.job_id ?? jobId, kept, input, context, intent);
      return { body, delivered: () => deliveredLater(intent, store) };
    }
    if (intent === undefined) {
      if (intentIdOf(jobId) !== undefined) throw expired(jobId);
      return this.#afterWait(jobId, await this.#runs.followJob(jobId, context), input, context, store);
    }
    const ended = intent.state === 'finished' || intent.state === 'delivered';
    if (ended && intentIdOf(intent.job_id ?? ownJobId(intent.id)) !== undefined) throw expired(jobId);
    const outcome = await this.#runs.follow(intent, context);
    const { body } = outcome;
    if (ended && body.status === 'error' && body.error.code === 'JOB_LOST') throw expired(jobId);
    return this.#afterWait(intent.job_id ?? jobId, outcome, input, context, store, intent);
  }

  async recent(snapshot: Snapshot): Promise<JsonObject> {
    const { intents } = await this.#store.open();
    const [rows, spent] = await Promise.all([intents.recent(recentJobs), intents.spentToday()]);
    return { jobs: rows.map((row) => shownJob(row, snapshot)), credits_spent_today: spent.byPrincipal };
  }

  /** After a wait the result was kept, so that the part that was asked for can be read from it. */
  async #afterWait(
    jobId: string,
    outcome: Outcome,
    input: GetJobInput,
    context: CallContext,
    store: OpenStore,
    intent?: Intent,
  ): Promise<Outcome> {
    const isWhole = !asksForPart(input) && input.maxChars === undefined;
    if (outcome.body.status !== 'completed' || isWhole) return outcome;
    await this.#runs.written();
    const kept = await store.results.read(jobId);
    return kept === undefined
      ? outcome
      : { ...outcome, body: await this.#part(jobId, kept, input, context, intent) };
  }

  async #part(
    jobId: string,
    job: Job,
    input: GetJobInput,
    context: CallContext,
    intent: Intent | undefined,
  ): Promise<JsonObject> {
    const budget = input.maxChars ?? resultBudget(this.#settings, context);
    const facts = runFacts(intent);
    if (job.status === 'failed' || !asksForPart(input)) {
      return endBody(jobId, job, {
        budget,
        textLength: JSON.stringify(job.data ?? null).length,
        ...facts,
      });
    }
    const { PathError, sliceOf } = await import('./results/slice.ts');
    try {
      const { data, page, tooLarge } = sliceOf(job.data, input, budget);
      const truncated =
        tooLarge === undefined
          ? {}
          : {
              truncated: {
                total_chars: tooLarge.totalChars,
                next: `Call get_job ${JSON.stringify({ job_id: jobId, path: tooLarge.path, offset: 0 })} for the rest of this part.`,
              },
            };
      return {
        status: 'completed',
        job_id: jobId,
        data,
        ...(page === undefined ? {} : { page }),
        ...truncated,
        credits_used: job.credits_used ?? null,
        execution_ms: job.execution_ms ?? null,
      };
    } catch (error) {
      if (!(error instanceof PathError)) throw error;
      throw new GatewayError(
        'INVALID_PARAMS',
        `The path is not a JMESPath expression: ${cleanText(error.message, 200)}.`,
        'Correct path, for example items[*].name, or leave it out to page through the whole data.',
        { issues: [{ path: 'path', message: cleanText(error.message, 200) }] },
      );
    }
  }

  async #intentOf(jobId: string, { intents }: OpenStore): Promise<Intent | undefined> {
    const intentId = intentIdOf(jobId);
    const known = (await intents.byJob(jobId)) ?? this.#runs.accepted(jobId);
    return known ?? (intentId === undefined ? undefined : intents.reread(intentId));
  }
}

const asksForPart = ({ path, offset, limit }: GetJobInput) =>
  path !== undefined || offset !== undefined || limit !== undefined;

async function deliveredLater(intent: Intent | undefined, { intents }: OpenStore): Promise<void> {
  if (intent !== undefined) await intents.delivered(intent.id);
}

function shownJob(row: Intent, snapshot: Snapshot): JsonObject {
  const at = (time: number | null) => (time === null ? null : new Date(time).toISOString());
  const abandoned = row.state === 'finished' && Date.now() > (row.finished_at ?? 0) + undeliveredMs;
  return {
    job_id: row.job_id ?? ownJobId(row.id),
    kind: row.kind,
    action_id: row.kind === 'run' ? cleanText(row.subject, 200) : null,
    website_url: row.kind === 'build' ? cleanText(row.subject, 500) : undefined,
    tool: row.kind === 'run' ? (snapshot.toolNameOf(row.subject) ?? null) : undefined,
    status: row.outcome ?? (row.state === 'submitted' || row.state === 'intended' ? 'processing' : row.state),
    delivered: row.state === 'delivered' || abandoned,
    credits: row.charged,
    created_at: at(row.created_at),
    finished_at: at(row.finished_at),
  };
}

function isBuild(jobId: string): GatewayError {
  return new GatewayError(
    'JOB_NOT_FOUND',
    `${cleanText(jobId, 120)} is a build request, not a job.`,
    `Call list_build_requests ${JSON.stringify({ id: jobId, wait_seconds: 45 })}.`,
    { job_id: jobId },
  );
}

function expired(jobId: string): GatewayError {
  return new GatewayError(
    'RESULT_EXPIRED',
    `The result of ${cleanText(jobId, 120)} is not kept any more (results are kept for 7 days, up to 500 MB in all).`,
    'Call the action again if its result is still needed; that costs credits again.',
    { job_id: jobId },
  );
}
