import { Alarms } from '../foundation/alarms.ts';
import { orCancelled } from '../foundation/errors.ts';

const alarms = new Alarms();

/**
 * What the promise resolves to, or undefined after `ms` milliseconds or when `ending` aborts; rejects with `CANCELLED` if
 * the signal aborts. `everyMs` milliseconds until then `tick` is called.
 *
 * Not AbortSignal.any: Node 20 keeps an entry of each call in a signal as long-lived as `ending`, for ever.
 */
export function within<Value>(
  promise: Promise<Value>,
  ms: number,
  signal: AbortSignal,
  ending: AbortSignal,
  { everyMs, tick }: { readonly everyMs: number; readonly tick: () => void } = neverTicks,
): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const endsAt = performance.now() + (ending.aborted ? 0 : Math.max(0, ms));
    let stopAlarm = () => {};
    const waiter: Waiter<Value> = { found: undefined, fail: undefined };
    const stop = () => {
      stopAlarm();
      waiter.found = undefined;
      waiter.fail = undefined;
      signal.removeEventListener('abort', onAbort);
      ending.removeEventListener('abort', onEnding);
    };
    const fail = (error: unknown) => {
      stop();
      reject(orCancelled(error, signal));
    };
    const onAbort = () => fail(signal.reason);
    const onEnding = () => {
      stop();
      resolve(undefined);
    };
    const setAlarm = () => {
      const leftMs = Math.max(0, endsAt - performance.now());
      const isLast = leftMs <= everyMs;
      stopAlarm = alarms.set(
        isLast ? leftMs : everyMs,
        isLast
          ? onEnding
          : () => {
              setAlarm();
              tick();
            },
      );
    };
    setAlarm();
    ending.addEventListener('abort', onEnding, { once: true });
    signal.addEventListener('abort', onAbort, { once: true });
    waiter.found = (value) => {
      stop();
      resolve(value);
    };
    waiter.fail = fail;
    attach(promise, waiter);
    if (signal.aborted) onAbort();
  });
}

interface Waiter<Value> {
  found: ((value: Value) => void) | undefined;
  fail: ((error: unknown) => void) | undefined;
}

/**
 * A promise keeps what was attached to it until it settles, be that in hours: of a waiter that has left it keeps an empty
 * object, not its request. Handled in any case: the promise may reject later, when nobody else listens.
 */
function attach<Value>(promise: Promise<Value>, waiter: Waiter<Value>): void {
  promise.then(
    (value) => waiter.found?.(value),
    (error: unknown) => waiter.fail?.(error),
  );
}

const neverTicks = { everyMs: Number.POSITIVE_INFINITY, tick: () => {} };
