/** What waits for the disk: shared by those who ask in time, never by those who ask too late, and failing for good. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LogFlush } from '../../src/store/log-flush.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-flush-'));
  file = join(folder, 'log');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('one flush serves all who ask before it begins, and another one those who ask later', async () => {
  await writeFile(file, 'x');
  const log = new LogFlush(file);
  const [first, same] = [log.flush(), log.flush()];
  expect(same).toBe(first);
  // By now the first one is under way: what is written from here on may not be in it.
  await Promise.resolve();
  await Promise.resolve();
  const later = log.flush();
  expect(later).not.toBe(first);
  const order: string[] = [];
  await Promise.all([first.then(() => order.push('first')), later.then(() => order.push('later'))]);
  expect(order).toEqual(['first', 'later']);
  await log.close();
});

it('a flush that fails on the disk fails for all who wait, and so do all later ones', async () => {
  const log = new LogFlush(file);
  const failed = { name: 'StoreError', kind: 'broken-disk' };
  const results = await Promise.allSettled([log.flush(), log.flush()]);
  expect(results).toMatchObject([{ reason: failed }, { reason: failed }]);
  await writeFile(file, 'x');
  await expect(log.flush()).rejects.toMatchObject(failed);
  await log.close();
});

it('a flush under way ends before the log is closed', async () => {
  await writeFile(file, 'x');
  const log = new LogFlush(file);
  let flushed = false;
  void log.flush().then(() => (flushed = true));
  await log.close();
  expect(flushed).toBe(true);
});
