/** `get_job`: a paid result read again, a part of it, or a wait gone on with. */
import { StoreError } from '../../store/errors.ts';
import type { Clock } from '../foundation/clock.ts';
import { GatewayError, PathError } from '../foundation/errors.ts';
import { cleanText } from '../foundation/text.ts';
import type { CallContext, GetJobInput } from '../interface/gateway.ts';
import {
  type Completed,
  type Failed,
  getError,
  type JsonObject,
  type Outcome,
  type Processing,
  type ViewRequest,
} from '../interface/outcomes.ts';
import { type GatewaySettings, resultBudget } from '../interface/settings.ts';
import { completedBody, getEnd, processingBody, type RunFacts, runFacts } from '../results/job-body.ts';
import { readAnswer, showEnd } from '../results/large-answers.ts';
import { renderPart } from '../results/render-part.ts';
import type { ViewTask } from '../results/view.ts';
import { readPart, toReadError } from '../results/viewer.ts';
import type { PaidRow } from '../store/schema.ts';
import { jobNotFound } from './answers.ts';
import type { Builds } from './builds.ts';
import { toJobId, toRowId } from './call-identity.ts';
import type { PaidCalls } from './paid-calls.ts';
import { withCost } from './run-kind.ts';
import type { GatewayStore, OpenStore } from './store.ts';
import type { Writes } from './writes.ts';

type JobView = Omit<ViewRequest, 'format'> & Pick<ViewTask, 'format'> & Pick<GetJobInput, 'maxChars'>;

/** What to read of a job: `row` is undefined for a job that this store does not know. */
interface Reading {
  readonly jobId: string;
  readonly row: PaidRow | undefined;
  readonly facts: RunFacts;
  readonly view: JobView;
  readonly context: CallContext;
  /** Whether the answer is the run's own: it reports the cost, and a failing `select` does not make it an error. */
  readonly asRun: boolean;
}

interface Dependencies {
  readonly store: GatewayStore;
  readonly builds: Builds;
  readonly paid: PaidCalls;
  readonly writes: Writes;
  readonly settings: GatewaySettings;
  readonly clock: Clock;
}

export class Jobs {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Rejects with JOB_NOT_FOUND, RESULT_EXPIRED or INVALID_PARAMS. */
  async get(jobId: string, view: GetJobInput, context: CallContext): Promise<Outcome> {
    const store = await this.#dependencies.store.open();
    const row = await this.#findRow(jobId, store);
    if (row?.kind === 'build') return this.#build(toJobId(row), context);
    const facts = {
      ...runFacts(row),
      isTold: row === undefined || this.#dependencies.paid.waits.isTold(row),
    };
    const reading = { jobId: row?.job_id ?? jobId, row, facts, view, context, asRun: false };
    return row === undefined ? this.#readUnrecorded(reading, store) : this.#readRow(reading, row, store);
  }

  /** The answer of a row, as its own call would get it. `tellsCost`: unless an earlier answer told it. */
  async ofRow(row: PaidRow, view: JobView, context: CallContext, tellsCost = true): Promise<Outcome> {
    const store = await this.#dependencies.store.open();
    const { paid } = this.#dependencies;
    if (row.kind === 'build') return paid.follow(row, context);
    const facts = { ...runFacts(row), isTold: !tellsCost || paid.waits.isTold(row) };
    const reading = { jobId: toJobId(row), row, facts, view, context, asRun: true };
    return this.#readRow(reading, row, store);
  }

  /** The same outcome with only the selected part. A paid result is never turned into an error. */
  async select(outcome: Outcome, view: ViewRequest, context: CallContext): Promise<Outcome> {
    const { body, paidCall } = outcome;
    if (!asksForPart(view)) return outcome;
    if (isRunning(body))
      return { ...outcome, view, body: processingBody(body.job_id, toAttachment(body), view) };
    if (!isCompleted(body)) return outcome;
    const store = await this.#dependencies.store.open();
    const facts = toFacts(body);
    const read = async () => {
      const row = paidCall === undefined ? undefined : await store.rows.get(paidCall);
      return this.#read({ jobId: body.job_id, row, facts, view, context, asRun: true }, store);
    };
    const answer = await read().catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error;
      return withoutData(body, 'the store of results failed');
    });
    if (answer === undefined) return outcome;
    const { data: _data, truncated: _truncated, ...run } = body;
    const { data, ...members } = answer;
    // The run's own members stay, such as its cost and whether it was attached; but to read a missing part again is free.
    const next = members.next ?? run.next;
    return {
      ...outcome,
      view,
      body: { ...members, ...run, ...(next !== undefined && { next }), ...getNotes(body, answer), data },
    };
  }

  async #readRow(reading: Reading, row: PaidRow, store: OpenStore): Promise<Outcome> {
    const { paid, writes } = this.#dependencies;
    await writes.shown(row.id);
    const isTold = reading.facts.isTold === true;
    const kept = await this.#read(reading, store);
    if (kept !== undefined) {
      return { body: kept, paidCall: row.id, ...paid.waits.deliveryOf(row, store, isTold) };
    }
    const hasEnded = row.state === 'finished' || row.state === 'delivered';
    if (hasEnded && toRowId(toJobId(row)) !== undefined) throw expired(reading.jobId);
    const outcome = await paid.follow(row, reading.context, isTold);
    if (hasEnded && getError(outcome.body)?.code === 'JOB_LOST') throw expired(reading.jobId);
    return this.#afterWait({ ...reading, facts: toFacts(outcome.body) }, outcome, store);
  }

  async #build(id: string, context: CallContext): Promise<Outcome> {
    return toBuildJob(id, await this.#dependencies.builds.get(id, context));
  }

  /** Reads a job or a build that another machine with the same key requested. */
  async #readUnrecorded(reading: Reading, store: OpenStore): Promise<Outcome> {
    const { jobId, context } = reading;
    const { paid, builds, clock } = this.#dependencies;
    const kept = await this.#read(reading, store);
    if (kept !== undefined) return { body: kept };
    if (toRowId(jobId) !== undefined) throw jobNotFound(jobId);
    const outcome = await paid.waits.forJob(jobId, clock.monotonic() + context.waitMs, context);
    if (outcome !== undefined) return this.#afterWait(reading, outcome, store);
    const build = await builds.find(jobId, context).catch((error: unknown) => {
      // A service that lists no builds has none with that id.
      if (context.signal.aborted) throw error;
      return undefined;
    });
    if (build === undefined) throw jobNotFound(jobId);
    return toBuildJob(jobId, build);
  }

  /** The wait kept the result, so the requested part can be read from the store. */
  async #afterWait(reading: Reading, outcome: Outcome, store: OpenStore): Promise<Outcome> {
    const { view, row } = reading;
    const { status, job_id } = outcome.body;
    const isWhole = !asksForPart(view) && view.maxChars === undefined;
    if (row !== undefined) await this.#dependencies.writes.shown(row.id);
    if (status !== 'completed' || typeof job_id !== 'string' || isWhole) return outcome;
    // A job may have got its id only now.
    const current = row === undefined ? undefined : await store.rows.get(row.id);
    const body = await this.#read({ ...reading, jobId: job_id, row: current }, store);
    return body === undefined ? outcome : { ...outcome, body: { ...body, ...getNotes(outcome.body, body) } };
  }

  /** Undefined where the result is not kept. Rejects with INVALID_PARAMS for a part that cannot be read, but not of a run. */
  async #read(reading: Reading, store: OpenStore): Promise<Completed | Failed | undefined> {
    const { jobId, row, facts, view, context, asRun } = reading;
    const budget = view.maxChars ?? resultBudget(this.#dependencies.settings, context);
    await this.#dependencies.writes.shown(row?.id ?? jobId);
    const kept = await store.results.read(row?.id ?? jobId);
    if (kept === undefined) return undefined;
    const answer = await readAnswer(kept);
    const { body: job, text } = answer;
    const ended = withCost(job, row);
    const whole = () => showEnd(jobId, answer, ended, { budget, ...facts });
    if (getEnd(job) === 'failed' || !asksForPart(view)) return whole();
    const bytes = typeof text === 'string' ? Buffer.from(text) : text.gzip;
    const { select, offset, limit, format } = view;
    try {
      const reader = { key: this.#dependencies.store.principalId, signal: context.signal };
      const part = await readPart({ kept: bytes, budget, select, offset, limit, format }, reader);
      const call = asRun ? 'run' : 'get_job';
      return completedBody(jobId, ended, facts, renderPart(jobId, view, part, call));
    } catch (error) {
      const isPath = error instanceof PathError;
      if (isPath && !asRun) throw toReadError(error);
      if (!asRun || context.signal.aborted) throw error;
      const body = await whole();
      const reason = isPath ? error.message : 'the part could not be read';
      return body.status === 'completed' ? withoutData(body, reason) : body;
    }
  }

  async #findRow(jobId: string, { rows, queries }: OpenStore): Promise<PaidRow | undefined> {
    const rowId = toRowId(jobId);
    const row = (await queries.byJob(jobId)) ?? this.#dependencies.paid.accepted(jobId);
    return row ?? (rowId === undefined ? undefined : rows.get(rowId));
  }
}

/** Notes of both answers in one. */
function getNotes(one: JsonObject, other: JsonObject): { note?: string } {
  const notes = [...new Set([one.note, other.note])].filter((note) => typeof note === 'string');
  return notes.length === 0 ? {} : { note: notes.join(' ') };
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
    next: { kind: 'read', call: { job_id: run.job_id }, what: 'kept' },
    data: null,
  };
}

const asksForPart = ({ select, offset, limit, format = 'json' }: JobView) =>
  select !== undefined || offset !== undefined || limit !== undefined || format !== 'json';

/** Reads the facts of a run from its own answer. */
function toFacts({ account, completed_at, credits_used }: JsonObject): RunFacts {
  return {
    isTold: credits_used === 0,
    account: typeof account === 'string' || account === null ? account : undefined,
    completedAt: typeof completed_at === 'string' ? Date.parse(completed_at) : undefined,
  };
}

function expired(jobId: string): GatewayError {
  return new GatewayError(
    'RESULT_EXPIRED',
    `The result of ${cleanText(jobId, 120)} is no longer kept (SVC_KEEP_RESULTS_DAYS, and a limit of bytes for each key).`,
    { kind: 'run-again' },
    { job_id: jobId },
  );
}
