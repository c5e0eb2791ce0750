/** The messages of tasks, by what stands behind them. */
import { GatewayError } from '../foundation/errors.ts';
import { cleanText } from '../foundation/text.ts';
import type { Task } from '../interface/gateway.ts';
import type { GroupRow, PaidRow } from '../store/schema.ts';
import { toJobId } from './call.ts';
import type { Member } from './group-rows.ts';
import { getGroupState } from './group-state.ts';

/** What stands behind a task: a paid call, or a batch of them. */
export type TaskSource =
  | { readonly kind: 'call'; readonly row: PaidRow }
  | { readonly kind: 'group'; readonly group: GroupRow; readonly members: readonly Member[] };

export const describeTask = (state: Task['state'], source: TaskSource): string =>
  source.kind === 'group' ? groupMessage(state, source) : callMessage(state, source.row);

function groupMessage(
  state: Task['state'],
  { group, members }: Extract<TaskSource, { kind: 'group' }>,
): string {
  const subject = `The batch of ${members.length} runs of ${cleanText(group.action_id, 120)} (job ${group.id})`;
  const { ended, completed } = getGroupState(group, members);
  if (state === 'under-way') return `${subject} is under way: ${ended} of them have ended.`;
  if (state === 'cancelled') {
    return `Waiting was cancelled. ${subject} sends nothing more for this task; the paid jobs keep running and stay readable: ${describeReading({ kind: 'group', group, members }).reading}`;
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
      return `Waiting was cancelled. ${description}${job} is paid for, keeps running and stays readable: ${describeReading({ kind: 'call', row }).reading}`;
  }
}

/** How to read it without the task, and the id of the job. */
function describeReading(source: TaskSource) {
  if (source.kind === 'group') {
    const { id } = source.group;
    return { reading: `get_job ${JSON.stringify({ job_id: id })}.`, extra: { job_id: id } };
  }
  const { row } = source;
  const reading =
    row.kind === 'build'
      ? `list_build_requests ${JSON.stringify({ id: row.job_id ?? undefined })}.`
      : `get_job ${JSON.stringify({ job_id: toJobId(row) })}.`;
  return { reading, extra: row.job_id === null ? {} : { job_id: row.job_id } };
}

export function taskCancelled(source: TaskSource): GatewayError {
  const { reading, extra } = describeReading(source);
  return new GatewayError('CANCELLED', describeTask('cancelled', source), `Call ${reading}`, extra);
}

/** The answer for a paid call that has ended but whose result the service does not return at the moment. */
export function resultUnavailable(source: TaskSource): GatewayError {
  const { reading, extra } = describeReading(source);
  return new GatewayError(
    'SERVICE_UNREACHABLE',
    'The call has ended, but its result is temporarily unavailable. It is not lost.',
    `Ask again in a moment, or call ${reading}`,
    extra,
  );
}
