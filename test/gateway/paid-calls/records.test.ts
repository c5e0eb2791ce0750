import { expect, it } from 'vitest';
import { Records } from '../../../src/gateway/paid-calls/records.ts';
import { recordingLogger } from '../../support/mcp-pipe.ts';

it('a write that was queued behind one that failed then is repeated after it', async () => {
  const records = new Records(recordingLogger());
  const landed: string[] = [];
  let fail = (_error: Error) => {};
  let attempts = 0;
  const end = records.queue('intent', 'the end', async () => {
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
  const delivery = records.queue('intent', 'the delivery', async () => {
    landed.push('delivery');
    return { landed: Promise.resolve() };
  });
  await delivery;
  expect(landed).toEqual(['delivery']);
  fail(new Error('The disk is full'));
  await records.landed('intent');
  expect(landed).toEqual(['delivery', 'end', 'delivery']);
});
