/** `get_job`: a paid result read again, a part of it, or a wait gone on with. */
import type { Builds } from '../builds/builds.ts';
import { GatewayError, PathError } from '../errors/errors.ts';
import { cleanText } from '../foundation/text.ts';
import type { CallContext, GetJobInput } from '../interface/gateway.ts';
import type {
  Completed,
  Failed,
  JsonObject,
  Outcome,
  Processing,
  RunBody,
  ViewRequest,
} from '../interface/outcomes.ts';
import { type GatewaySettings, resultBudget } from '../interface/settings.ts';
import { jobNotFound } from '../paid-calls/refusals.ts';
import {
  completedBody,
  dataLength,
  endBody,
  processingBody,
  type RunFacts,
  runFacts,
} from '../results/job-body.ts';
import { getEnd } from '../results/job-end.ts';
import { renderPart } from '../results/render-part.ts';
import { readView, toReadError } from '../results/viewer.ts';
import type { Runs } from '../runs/runs.ts';
import type { GatewayStore } from '../store/gateway-store.ts';
import type { Intent } from '../store/intents.ts';
import { ownJobId, toIntentId } from '../store/job-ids.ts';
import type { OpenStore } from '../store/open-store.ts';

/** A request for a part of a kept result. */
interface Reading {
  readonly jobId: string;
  readonly facts: RunFacts;
  readonly view: ViewRequest;
  readonly context: CallContext;
  readonly maxChars?: number | undefined;
  /** What the answer says the call cost; undefined: what the run cost. */
  readonly creditsUsed?: number;
}

export class Jobs {
  readonly #store: GatewayStore;
  readonly #runs: Runs;
  readonly #builds: Builds;
  readonly #settings: GatewaySettings;

  constructor(dependencies: { store: GatewayStore; runs: Runs; builds: Builds; settings: GatewaySettings }) {
    this.#store = dependencies.store;
    this.#runs = dependencies.runs;
    this.#builds = dependencies.builds;
    this.#settings = dependencies.settings;
  }

  /** `asRun`: the answer replaces the run's own, whatever was answered before. */
  async get(
    jobId: string,
    input: GetJobInput,
    context: CallContext,
    { asRun = false }: { asRun?: boolean } = {},
  ): Promise<Outcome> {
    const store = await this.#store.open();
    const intent = await this.#findIntent(jobId, store);
    if (intent?.kind === 'build') return this.#build(intent.job_id ?? jobId, context);
    const visibleId = intent?.job_id ?? jobId;
    const reading: Reading = {
      jobId: visibleId,
      facts: runFacts(intent),
      view: input,
      context,
      maxChars: input.maxChars,
    };
    const wasAnswered = intent === undefined || intent.state === 'delivered';
    const storedAnswer = await this.#read(
      wasAnswered && !asRun ? { ...reading, creditsUsed: 0 } : reading,
      store,
      'get_job',
    );
    if (storedAnswer !== undefined) {
      const delivered = async () => {
        if (intent !== undefined) await store.intents.delivered(intent.id);
      };
      return { body: storedAnswer, delivered };
    }
    if (intent === undefined) return this.#readUnrecorded(reading, store);
    const ended = intent.state === 'finished' || intent.state === 'delivered';
    if (ended && toIntentId(intent.job_id ?? ownJobId(intent.id)) !== undefined) throw expired(jobId);
    const outcome = await this.#runs.follow(intent, context);
    const { body } = outcome;
    if (ended && body.status === 'error' && body.error.code === 'JOB_LOST') throw expired(jobId);
    return this.#afterWait({ ...reading, facts: toFacts(body) }, outcome, store);
  }

  /** The same outcome with only the part that was selected. After payment nothing about it is an error. */
  async select<Body extends JsonObject>(
    outcome: Outcome<Body>,
    view: ViewRequest,
    context: CallContext,
  ): Promise<Outcome<Body | RunBody>> {
    const body: JsonObject = outcome.body;
    if (!asksForPart(view)) return outcome;
    if (isRunning(body))
      return { ...outcome, view, body: processingBody(body.job_id, toAttachment(body), view) };
    if (!isCompleted(body)) return outcome;
    const store = await this.#store.open();
    await this.#runs.written();
    const reading = { jobId: body.job_id, facts: toFacts(body), view, context };
    try {
      const answer = await this.#read(reading, store, 'run');
      if (answer === undefined) return outcome;
      const { data: _data, truncated: _truncated, ...run } = body;
      const { data, ...members } = answer;
      // The run's own members stay, such as its cost and whether it was attached.
      return { ...outcome, view, body: { ...members, ...run, data } };
    } catch (error) {
      if (!(error instanceof PathError)) throw error;
      return { ...outcome, view, body: withoutData(body, error.message) };
    }
  }

  async #build(id: string, context: CallContext): Promise<Outcome> {
    return toBuildJob(id, await this.#builds.get(id, context));
  }

  /** A job, or a build, of another machine with the same key. */
  async #readUnrecorded(reading: Reading, store: OpenStore): Promise<Outcome> {
    const { jobId, context } = reading;
    if (toIntentId(jobId) !== undefined) throw expired(jobId);
    const outcome = await this.#runs.followJob(jobId, context);
    if (outcome !== undefined) return this.#afterWait(reading, outcome, store);
    // A service that lists no builds has none with that id.
    const build = await this.#builds.find(jobId, context).catch(() => undefined);
    if (build === undefined) throw jobNotFound(jobId);
    return toBuildJob(jobId, build);
  }

  /** After a wait the result was kept, so that the part that was asked for can be read from it. */
  async #afterWait(reading: Reading, outcome: Outcome, store: OpenStore): Promise<Outcome> {
    const isWhole = !asksForPart(reading.view) && reading.maxChars === undefined;
    const { status, job_id } = outcome.body;
    if (status !== 'completed' || typeof job_id !== 'string' || isWhole) return outcome;
    await this.#runs.written();
    // A job may have got its id only now.
    const body = await this.#read({ ...reading, jobId: job_id }, store, 'get_job');
    return body === undefined ? outcome : { ...outcome, body };
  }

  /** Undefined where the result is not kept. Rejects with a `PathError` for a run, else with INVALID_PARAMS. */
  async #read(
    reading: Reading,
    { results }: OpenStore,
    call: 'run' | 'get_job',
  ): Promise<Completed | Failed | undefined> {
    const { jobId, facts, view, context } = reading;
    const budget = reading.maxChars ?? resultBudget(this.#settings, context);
    const answer = await results.read(jobId, budget);
    if (answer === undefined) return undefined;
    const { body: job, text, totals } = answer;
    const ended = { ...job, ...(reading.creditsUsed !== undefined && { credits_used: reading.creditsUsed }) };
    if (getEnd(job) === 'failed' || !asksForPart(view)) {
      const textLength = dataLength(job, text);
      return endBody(jobId, ended, { budget, textLength, totals, ...facts });
    }
    const kept = typeof text === 'string' ? Buffer.from(text) : text.gzip;
    const { path, offset, limit, format } = view;
    const task = { kept, budget, path, offset, limit, format };
    const reader = { key: this.#store.principalId, signal: context.signal };
    const part = await readView(task, reader).catch((error: unknown) => {
      throw call === 'get_job' && error instanceof PathError ? toReadError(error) : error;
    });
    return completedBody(jobId, ended, facts, renderPart(jobId, view, part, call));
  }

  async #findIntent(jobId: string, { intents }: OpenStore): Promise<Intent | undefined> {
    const intentId = toIntentId(jobId);
    const intent = (await intents.byJob(jobId)) ?? this.#runs.accepted(jobId);
    return intent ?? (intentId === undefined ? undefined : intents.reread(intentId));
  }
}

/** The answer of `list_build_requests` as one of `get_job`. */
function toBuildJob(id: string, outcome: Outcome): Outcome {
  const [build] = Array.isArray(outcome.body.build_requests) ? outcome.body.build_requests : [];
  const { status }: { status?: unknown } = Object(build);
  return { ...outcome, body: { status, job_id: id, kind: 'build', ...outcome.body } };
}

const isRunning = (body: JsonObject): body is Processing => body.status === 'processing';
const isCompleted = (body: JsonObject): body is Completed => body.status === 'completed';

const toAttachment = ({ attached, submitted_at, service_status }: JsonObject) => ({
  attached,
  submitted_at,
  service_status,
});

function withoutData({ truncated: _truncated, data: _data, ...run }: Completed, reason: string): Completed {
  return {
    ...run,
    note: `select could not be evaluated: ${cleanText(reason, 200)}.`,
    next: `The whole result is kept: call get_job ${JSON.stringify({ job_id: run.job_id })}; it costs nothing.`,
    data: null,
  };
}

const asksForPart = ({ path, offset, limit, format }: ViewRequest) =>
  path !== undefined || offset !== undefined || limit !== undefined || format === 'csv';

/** What a run's own answer says of it. */
function toFacts({ account, completed_at }: JsonObject): RunFacts {
  return {
    account: typeof account === 'string' || account === null ? account : undefined,
    completedAt: typeof completed_at === 'string' ? Date.parse(completed_at) : undefined,
  };
}

function expired(jobId: string): GatewayError {
  return new GatewayError(
    'RESULT_EXPIRED',
    `The result of ${cleanText(jobId, 120)} is no longer kept (SVC_KEEP_RESULTS_DAYS, and a limit of bytes for each key).`,
    'Call the action again if its result is still needed; that costs credits again.',
    { job_id: jobId },
  );
}
