import { expect, it } from 'vitest';
import { Writes } from '../../../src/gateway/paid/writes.ts';
import { StoreError } from '../../../src/store/errors.ts';
import { recordingLogger } from '../../support/mcp-pipe.ts';

it('a write waits for the earlier one of its row, which is repeated until it is in the store', async () => {
  const writes = new Writes(recordingLogger());
  const written: string[] = [];
  let attempts = 0;
  await writes.write('row', 'the end', async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('The disk is full');
    written.push('end');
  });
  // The first failure ends the wait, not the write.
  expect(written).toEqual([]);
  await writes.write('row', 'the delivery', async () => written.push('delivery'));
  await writes.settled('row');
  expect(written).toEqual(['end', 'delivery']);
});

it('a write is given up after as many attempts as it may have', async () => {
  const logger = recordingLogger();
  const writes = new Writes(logger);
  let attempts = 0;
  const fail = async () => {
    attempts += 1;
    throw new Error('The disk is full');
  };
  await writes.write('row', 'the end', fail, 2);
  await writes.settled('row');
  expect(attempts).toBe(2);
  expect(logger.lines.at(-1)?.message).toContain('given up');
});

it('a write that fails again and again is told at its first failure and at its end', async () => {
  const logger = recordingLogger();
  const writes = new Writes(logger);
  const fail = async () => {
    throw new Error('The disk is full');
  };
  await writes.write('row', 'the end', fail, 4);
  await writes.settled('row');
  expect(logger.lines.map(({ level }) => level)).toEqual(['error', 'debug', 'debug', 'error']);
});

it('a write that only the end of the process keeps from the store is no error', async () => {
  const logger = recordingLogger();
  const writes = new Writes(logger);
  await writes.close(0);
  await writes.write('row', 'the end', async () => {
    throw new StoreError('failed', 'The database is closed');
  });
  expect(logger.lines.map(({ level }) => level)).toEqual(['debug']);
});
