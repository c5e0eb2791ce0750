/** What the promise resolves to, or undefined after `ms` milliseconds; rejects with the signal's reason if that comes first. */
export async function within<Value>(
  promise: Promise<Value>,
  ms: number,
  signal: AbortSignal,
): Promise<Value | undefined> {
  signal.throwIfAborted();
  let timer: NodeJS.Timeout | undefined;
  let onAbort = () => {};
  const end = new Promise<undefined>((resolve, reject) => {
    timer = setTimeout(resolve, Math.max(0, ms), undefined);
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, end]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
