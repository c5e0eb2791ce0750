/**
 * Time limits that hold. `AbortSignal.any([signal, AbortSignal.timeout(ms)])` does not on Node 20: the timeout's
 * signal is collected as garbage while the combined one is still in use, and then it never fires.
 */

export interface Deadline {
  /** Aborts with a `TimeoutError` when the time is over, or with the parent's reason. */
  readonly signal: AbortSignal;
  /** True if the time was over before the parent was aborted. */
  isOver(): boolean;
  /** Ends the timer; always call it. */
  clear(): void;
}

export function startDeadline(milliseconds: number, parent: AbortSignal): Deadline {
  const controller = new AbortController();
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = !controller.signal.aborted;
    controller.abort(new DOMException('The time is over', 'TimeoutError'));
  }, milliseconds);
  const onAbort = () => controller.abort(parent.reason);
  parent.addEventListener('abort', onAbort);
  if (parent.aborted) onAbort();
  return {
    signal: controller.signal,
    isOver: () => isOver,
    clear() {
      clearTimeout(timer);
      parent.removeEventListener('abort', onAbort);
    },
  };
}

/** The promise's outcome, or the signal's reason if that comes first. */
export async function withAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
  try {
    // Raced even if the signal was already aborted: the promise may reject later, when nobody else listens.
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
