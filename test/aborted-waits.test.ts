/** Waits that a signal can end: what they waited for may still fail, and that must not end the process. */
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { within } from '../src/gateway/paid/within.ts';
import { withAbort } from '../src/service/foundation/time-limit.ts';

const neverEnding = new AbortController().signal;
const waits: [string, (promise: Promise<void>, signal: AbortSignal) => Promise<unknown>, string][] = [
  [
    'of the gateway',
    (promise, signal) => within(promise, 60_000, signal, neverEnding),
    'The call was cancelled.',
  ],
  ['of the service', withAbort, 'Stopped'],
];

it.each(waits)(
  'a wait %s that was aborted before it began hears a later failure',
  async (_, wait, reason) => {
    const unheard: unknown[] = [];
    const hear = (reason: unknown) => unheard.push(reason);
    process.on('unhandledRejection', hear);
    onTestFinished(() => void process.off('unhandledRejection', hear));
    let fail: (error: Error) => void = () => {};
    const failing = new Promise<void>((_resolve, reject) => {
      fail = reject;
    });
    await expect(wait(failing, AbortSignal.abort(new Error('Stopped')))).rejects.toThrow(reason);
    fail(new Error('Failed later'));
    // Node reports rejections that nobody hears before the next turn of the event loop.
    await setImmediate();
    expect(unheard).toEqual([]);
  },
);

it.each(waits)('a wait %s gives the outcome, or the reason of an abort', async (_, wait, reason) => {
  await expect(wait(Promise.reject(new Error('Failed')), neverEnding)).rejects.toThrow('Failed');
  const controller = new AbortController();
  const waiting = wait(new Promise(() => {}), controller.signal);
  controller.abort(new Error('Stopped'));
  await expect(waiting).rejects.toThrow(reason);
});
