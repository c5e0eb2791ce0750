/**
 * Tasks: what a client polls in place of a result. One is a small row that names a paid row or a group, so it needs no care
 * of its own.
 *
 * Where the process may die, and what the next one finds:
 * 1. before the task is written: the caller has no answer; the same call is attached to its row, as ever.
 * 2. after it is written: the task, and behind it the row or the group in whatever state it is.
 */
import * as z from 'zod';
import type { Clock } from '../foundation/clock.ts';
import { callCancelled, GatewayError } from '../foundation/errors.ts';
import { cleanText } from '../foundation/text.ts';
import type { TimeLimits } from '../foundation/time-limits.ts';
import type { CallContext, Task, Tasks } from '../interface/gateway.ts';
import type { NextStep } from '../interface/next-step.ts';
import { getError, isUnfinished, type JsonObject, type Outcome } from '../interface/outcomes.ts';
import type { GroupRow, PaidRow, TaskRow } from '../store/schema.ts';
import { isPlanned, isUnderWay } from '../store/states.ts';
import { toJobId } from './call-identity.ts';
import { getGroupState } from './group-body.ts';
import type { Member } from './group-rows.ts';
import type { Groups } from './groups.ts';
import type { Jobs } from './jobs.ts';
import { firstDelay, nextDelay } from './pace.ts';
import type { PaidCalls } from './paid-calls.ts';
import type { GatewayStore, OpenStore } from './store.ts';
import type { CurrentTask } from './task-rows.ts';

const fastestPollMs = 500;
const slowestPollMs = 30_000;
/** Milliseconds between two looks at a build or a batch. */
const longWorkPollMs = 2_000;

interface Dependencies {
  readonly store: GatewayStore;
  readonly paid: PaidCalls;
  readonly jobs: Jobs;
  readonly groups: Groups;
  /** Turns what the parts throw into bodies. */
  readonly answering: (work: () => Promise<Outcome>) => Promise<Outcome>;
  readonly clock: Clock;
  readonly limits: Pick<TimeLimits, 'unwatchedMs'>;
}

/** A task with what stands behind it. */
interface FoundTask {
  readonly task: CurrentTask;
  readonly source: TaskSource;
}

export class PaidTasks implements Tasks {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  async open({ paidCall, batch, view }: Outcome): Promise<Task> {
    const store = await this.#dependencies.store.open();
    const task = await store.tasks.add({
      row_id: paidCall ?? null,
      group_id: batch ?? null,
      view: view === undefined ? null : JSON.stringify(view),
    });
    if (batch !== undefined) this.#dependencies.groups.becomeTask(batch, task.id);
    const found = await this.#withSource(task, store);
    if (found === undefined) throw new Error('A task without a call');
    if (found.source.kind === 'call') this.#dependencies.paid.followOn(found.source.row);
    return this.#toTask(found, store);
  }

  async look(id: string, { signal, waitMs }: Pick<CallContext, 'signal' | 'waitMs'>) {
    const store = await this.#dependencies.store.open();
    const before = await this.#find(id, store);
    if (before === undefined) return undefined;
    if (before.task.cancelled_at !== null) return this.#cancelled(before, store);
    const outcome = await this.#read(before, { signal, waitMs });
    // It may have ended meanwhile, or another process may have cancelled it.
    const found = await this.#find(id, store);
    if (found === undefined) return undefined;
    if (found.task.cancelled_at !== null) return this.#cancelled(found, store);
    const task = await this.#toTask(found, store);
    if (task.state === 'under-way') return { task };
    // An end is final, so none is reported while the service does not return the result.
    if (isUnavailable(found.source, outcome.body)) throw resultUnavailable(found.source);
    return { task, outcome };
  }

  async cancel(id: string): Promise<{ readonly task: Task } | undefined> {
    const store = await this.#dependencies.store.open();
    const before = await this.#find(id, store);
    if (before === undefined) return undefined;
    if (getState(before) === 'under-way') {
      await store.tasks.cancel(id);
      // The group goes on for calls and tasks that still want it.
      if (before.task.group_id !== null) await store.groups.stop(before.task.group_id, callCancelled);
    }
    const found = await this.#find(id, store);
    return found && { task: await this.#toTask(found, store) };
  }

  async #cancelled(found: FoundTask, store: OpenStore) {
    return { task: await this.#toTask(found, store), outcome: { body: taskCancelled(found.source).body } };
  }

  async #find(id: string, store: OpenStore): Promise<FoundTask | undefined> {
    const task = await store.tasks.find(id);
    return task && this.#withSource(task, store);
  }

  async #withSource(task: CurrentTask, { rows, groups }: OpenStore): Promise<FoundTask | undefined> {
    const { row_id, group_id } = task;
    if (group_id !== null) {
      const [group, members] = await Promise.all([groups.find(group_id), groups.members(group_id)]);
      return group && { task, source: { kind: 'group', group, members } };
    }
    const row = row_id === null ? undefined : await rows.get(row_id);
    return row && { task, source: { kind: 'call', row } };
  }

  /** The answer as the call itself would get it. */
  #read(
    { task, source }: FoundTask,
    { signal, waitMs }: Pick<CallContext, 'signal' | 'waitMs'>,
  ): Promise<Outcome> {
    const { answering, jobs, groups } = this.#dependencies;
    const context: CallContext = {
      signal,
      waitMs,
      progress: () => undefined,
      confirmation: 'cannot-ask',
    };
    const view = parseView(task);
    return answering(async () =>
      source.kind === 'group'
        ? groups.get(source.group.id, view, context, task.id)
        : jobs.select(await jobs.ofRow(source.row, {}, context), view, context),
    );
  }

  async #toTask(found: FoundTask, store: OpenStore): Promise<Task> {
    const { task, source } = found;
    const state = getState(found);
    return {
      id: task.id,
      state,
      message: describeTask(state, source),
      ...(state === 'cancelled' && !isUnsent(source) && { next: readingOf(source) }),
      createdAt: task.created_at,
      updatedAt: task.cancelled_at ?? getChangedAt(source) ?? task.created_at,
      expiresAt: task.expires_at,
      pollMs: state === 'under-way' ? await getPollMs(source, task.now, store) : fastestPollMs,
    };
  }
}

/** Whether the call has ended, but the service does not return its result just now. */
function isUnavailable(source: TaskSource, body: JsonObject): boolean {
  if (isUnfinished(body)) return true;
  const code = getError(body)?.code;
  const isFinal = code === 'RESULT_EXPIRED' || code === 'JOB_LOST';
  return source.kind === 'call' && source.row.outcome !== null && body.status === 'error' && !isFinal;
}

const View = z.object({ select: z.string().optional(), format: z.enum(['json', 'csv']).optional() });
const parseView = ({ view }: TaskRow) => View.parse(JSON.parse(view ?? '{}'));

function getState({ task, source }: FoundTask): Task['state'] {
  if (task.cancelled_at !== null) return 'cancelled';
  if (source.kind === 'group') return getGroupState(source.group, source.members).state;
  if (isUnderWay(source.row) || isPlanned(source.row)) return 'under-way';
  return source.row.outcome === 'completed' ? 'completed' : 'failed';
}

function getChangedAt(source: TaskSource): number | undefined {
  if (source.kind === 'group') return getGroupState(source.group, source.members).endedAt;
  return source.row.finished_at ?? source.row.submitted_at ?? undefined;
}

async function getPollMs(source: TaskSource, now: number, { queries }: OpenStore): Promise<number> {
  if (source.kind === 'group' || source.row.kind === 'build') return longWorkPollMs;
  const { row } = source;
  if (row.submitted_at === null) return fastestPollMs;
  const elapsed = Math.max(0, now - row.submitted_at);
  const first = firstDelay(await queries.durations(row.subject, 10), elapsed);
  const pace = { growth: 0.1, leastMs: fastestPollMs, mostMs: slowestPollMs };
  return Math.ceil(Math.min(slowestPollMs, Math.max(first, nextDelay(pace, elapsed))));
}

/** What stands behind a task: a paid call, or a batch of them. */
type TaskSource =
  | { readonly kind: 'call'; readonly row: PaidRow }
  | { readonly kind: 'group'; readonly group: GroupRow; readonly members: readonly Member[] };

const describeTask = (state: Task['state'], source: TaskSource): string =>
  source.kind === 'group' ? groupMessage(state, source) : callMessage(state, source.row);

function groupMessage(
  state: Task['state'],
  { group, members }: Extract<TaskSource, { kind: 'group' }>,
): string {
  const subject = `The batch of ${members.length} runs of ${cleanText(group.action_id, 120)} (job ${group.id})`;
  const { ended, completed } = getGroupState(group, members);
  if (state === 'under-way') return `${subject} is under way: ${ended} of them have ended.`;
  if (state === 'cancelled') {
    return `Waiting was cancelled. ${subject} sends nothing more for this task; the paid jobs keep running and stay readable.`;
  }
  return `${subject} has ended: ${completed} of them completed.`;
}

function callMessage(state: Task['state'], row: PaidRow): string {
  const description = `${row.kind === 'build' ? 'The build for' : 'The run of'} ${cleanText(row.subject, 120)}`;
  const job = row.job_id === null ? '' : ` (job ${cleanText(row.job_id, 120)})`;
  switch (state) {
    case 'under-way':
      return row.state === 'planned'
        ? `${description} waits for a run that shows the cost; nothing was sent yet.`
        : `${description}${job} is under way and paid for; it goes on by itself.`;
    case 'completed':
      return `${description}${job} has completed.`;
    case 'failed':
      return row.state === 'unknown'
        ? `It is not known whether the service accepted ${cleanText(row.subject, 120)}; it is not sent again by itself.`
        : `${description}${job} has failed.`;
    case 'cancelled':
      if (row.state === 'planned') return `Waiting was cancelled. ${description} was not sent for this task.`;
      return `Waiting was cancelled. ${description}${job} is paid for, keeps running and stays readable.`;
  }
}

const isUnsent = (source: TaskSource): boolean => source.kind === 'call' && source.row.state === 'planned';

/** How to read it without the task. */
function readingOf(source: TaskSource): NextStep<'read'> {
  if (source.kind === 'group') return { kind: 'read', call: { job_id: source.group.id }, what: 'end' };
  const { row } = source;
  const call = row.kind === 'build' ? { id: row.job_id ?? undefined } : { job_id: toJobId(row) };
  return { kind: 'read', call, what: 'end' };
}

function jobIdOf(source: TaskSource): { job_id?: string } {
  const id = source.kind === 'group' ? source.group.id : source.row.job_id;
  return id === null ? {} : { job_id: id };
}

const taskCancelled = (source: TaskSource) =>
  new GatewayError('CANCELLED', describeTask('cancelled', source), readingOf(source), jobIdOf(source));

/** The answer for a paid call that has ended but whose result the service does not return at the moment. */
const resultUnavailable = (source: TaskSource) =>
  new GatewayError(
    'SERVICE_UNREACHABLE',
    'The call has ended, but its result is temporarily unavailable. It is not lost.',
    { ...readingOf(source), what: 'end-soon' },
    jobIdOf(source),
  );
