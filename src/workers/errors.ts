/** How a task in a worker process can end without a result. */
import { BaseError } from '../errors/base-error.ts';

/** The process was ended while it worked: at its deadline, because the machine gave it no time, at its
 * memory limit, or it exited by itself. */
export class TaskStoppedError extends BaseError {
  override readonly name = 'TaskStoppedError';
  readonly reason: 'deadline' | 'late' | 'memory' | 'exit';

  constructor(reason: TaskStoppedError['reason'], options?: ErrorOptions) {
    const messages = {
      deadline: 'The task takes too long',
      late: 'The machine is too busy for the task',
      memory: 'The task needs too much memory',
      exit: 'The worker process ended',
    };
    super(messages[reason], options);
    this.reason = reason;
  }
}

/** The task threw. `message` and `errorName` are those of the error; `cause` is its stack, for the log. */
export class TaskFailedError extends BaseError {
  override readonly name = 'TaskFailedError';
  readonly errorName: string;

  constructor({ errorName, message, stack }: { errorName: string; message: string; stack: string }) {
    super(message, { cause: stack });
    this.errorName = errorName;
  }
}

/** So many tasks of the same key wait already that this one was not accepted. */
export class TooManyTasksError extends BaseError {
  override readonly name = 'TooManyTasksError';

  constructor() {
    super('Too many tasks of this key wait');
  }
}
