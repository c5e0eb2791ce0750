/**
 * What the promise resolves to, or undefined after `ms` milliseconds or when `ending` aborts; rejects with the signal's
 * reason if that comes first.
 */
export async function within<Value>(
  promise: Promise<Value>,
  ms: number,
  signal: AbortSignal,
  ending: AbortSignal,
): Promise<Value | undefined> {
  signal.throwIfAborted();
  let timer: NodeJS.Timeout | undefined;
  let onAbort = () => {};
  let onEnding = () => {};
  const end = new Promise<undefined>((resolve, reject) => {
    timer = setTimeout(resolve, ending.aborted ? 0 : Math.max(0, ms), undefined);
    onEnding = () => resolve(undefined);
    ending.addEventListener('abort', onEnding, { once: true });
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, end]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    ending.removeEventListener('abort', onEnding);
  }
}
