import { expect, it } from 'vitest';
import { Writes } from '../../../src/gateway/paid/writes.ts';
import { recordingLogger } from '../../support/mcp-pipe.ts';

// Today the later write is not repeated, and nobody waits for the repeat of the earlier one, not even the end of the process:
// a delivery that found no end yet is lost, and the same call gets the old result for an hour.
it('a write that was queued behind one that failed then is repeated after it', async () => {
  const writes = new Writes(recordingLogger());
  const landed: string[] = [];
  let fail = (_error: Error) => {};
  let attempts = 0;
  const end = writes.write('row', 'the end', async () => {
    attempts += 1;
    if (attempts > 1) {
      landed.push('end');
      return { landed: Promise.resolve() };
    }
    return {
      landed: new Promise((_, reject) => {
        fail = reject;
      }),
    };
  });
  await end;
  const delivery = writes.write('row', 'the delivery', async () => {
    landed.push('delivery');
    return { landed: Promise.resolve() };
  });
  await delivery;
  expect(landed).toEqual(['delivery']);
  fail(new Error('The disk is full'));
  await writes.settled('row');
  expect(landed).toEqual(['delivery', 'end', 'delivery']);
});
