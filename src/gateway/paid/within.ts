import { stopIfCancelled } from '../foundation/errors.ts';

/**
 * What the promise resolves to, or undefined after `ms` milliseconds or when `ending` aborts; rejects with `CANCELLED` if
 * the signal aborts.
 */
export async function within<Value>(
  promise: Promise<Value>,
  ms: number,
  signal: AbortSignal,
  ending: AbortSignal,
): Promise<Value | undefined> {
  try {
    return await race(promise, ms, signal, ending);
  } catch (error) {
    stopIfCancelled(signal);
    throw error;
  }
}

/** Not AbortSignal.any: Node 20 keeps an entry of each call in a signal as long-lived as `ending`, for ever. */
function race<Value>(
  promise: Promise<Value>,
  ms: number,
  signal: AbortSignal,
  ending: AbortSignal,
): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      ending.removeEventListener('abort', onEnding);
    };
    const onAbort = () => {
      stop();
      reject(signal.reason);
    };
    const onEnding = () => {
      stop();
      resolve(undefined);
    };
    const timer = setTimeout(onEnding, ending.aborted ? 0 : Math.max(0, ms));
    ending.addEventListener('abort', onEnding, { once: true });
    signal.addEventListener('abort', onAbort, { once: true });
    // Handled in any case: the promise may reject later, when nobody else listens.
    promise.finally(stop).then(resolve, reject);
    if (signal.aborted) onAbort();
  });
}
