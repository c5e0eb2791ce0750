/** Reads parts of kept results. What could take long is read in a worker process, with a deadline and a memory limit. */

import { TaskFailedError, TaskStoppedError, TooManyTasksError } from '../../workers/errors.ts';
import { WorkerPool } from '../../workers/worker-pool.ts';
import { GatewayError, PathError } from '../foundation/errors.ts';
import { countJsonBytes } from '../foundation/gzip.ts';
import { cleanText } from '../foundation/text.ts';
import { readPath } from './path.ts';
import { type ResultView, toView, type ViewTask } from './view.ts';

/** Shared by every gateway of this process: the principals take turns. */
const pool = new WorkerPool<ViewTask, ResultView>({
  entry: '#worker/gateway/results/view-worker',
  deadlineMs: 2_000,
  memoryMb: 384,
  workers: 4,
  // With more slow reads waiting, the last one would exceed its client's own time limit.
  maxWaiting: 100,
});

/**
 * Paths of names and positions cost only what they show, so they are read at once in short results. A `[]` visits all
 * elements.
 */
const plainPath = /^(?:[\w.@]|\[-?\d+\])*$/;
const quickBytes = 100_000;
const longPath = 200;

/** `key` is the principal's id. Rejects with a `PathError`, whatever fails, and with the reason of the signal. */
export async function readPart(
  task: ViewTask,
  { key, signal }: { readonly key: string; readonly signal: AbortSignal },
): Promise<ResultView> {
  const { select = '@', kept, format = 'json' } = task;
  const isShort = countJsonBytes(kept) <= quickBytes && select.length <= longPath;
  try {
    // CSV goes through all rows.
    if (isShort && format === 'json' && plainPath.test(select)) {
      return toView(task);
    }
    return await pool.run(task, { key, signal });
  } catch (error) {
    signal.throwIfAborted();
    throw toPathError(error);
  }
}

/** The syntax of `select`, before anything is paid. Throws INVALID_PARAMS. */
export function checkSelect({ select }: { readonly select?: string | undefined }): void {
  if (select === undefined) return;
  try {
    readPath(select);
  } catch (error) {
    throw error instanceof PathError ? invalidPath(error.message) : error;
  }
}

/** The answer to a read of a kept result that failed. */
export function toReadError({ message, cause }: PathError): GatewayError {
  if (cause instanceof TaskStoppedError && cause.reason === 'late')
    return new GatewayError(
      'TOO_MANY_CALLS',
      'This machine was too busy to read the result in time. Nothing is wrong with the call.',
      { kind: 'retry', when: 'soon' },
      {},
      { cause },
    );
  if (!(cause instanceof TooManyTasksError)) return invalidPath(message);
  return new GatewayError(
    'TOO_MANY_CALLS',
    'Too many reads of results with this key are waiting, so this one was not begun.',
    { kind: 'retry', when: 'one-ended' },
    {},
    { cause },
  );
}

function invalidPath(message: string): GatewayError {
  const reason = cleanText(message, 200);
  return new GatewayError(
    'INVALID_PARAMS',
    `select cannot be evaluated as a JMESPath expression: ${reason}.`,
    { kind: 'correct-argument', argument: 'select' },
    { issues: [{ path: 'select', message: reason }] },
  );
}

const stopped = {
  deadline: 'it takes too long',
  late: 'this machine is too busy',
  memory: 'it needs too much memory',
  exit: 'it cannot be evaluated',
};

function toPathError(error: unknown): PathError {
  if (error instanceof PathError) return error;
  if (error instanceof TaskStoppedError) return new PathError(stopped[error.reason], { cause: error });
  if (error instanceof TooManyTasksError)
    return new PathError('too many reads with this key are waiting', { cause: error });
  if (error instanceof TaskFailedError && error.errorName === 'PathError')
    return new PathError(error.message, { cause: error });
  // An expression can make a value too large to be encoded.
  if (error instanceof TaskFailedError && error.errorName === 'RangeError')
    return new PathError('its result is too large', { cause: error });
  return new PathError(stopped.exit, { cause: error });
}
