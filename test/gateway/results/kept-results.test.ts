import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { KeptResults } from '../../../src/gateway/store/kept-results.ts';
import { openStore } from '../../support/gateway.ts';

const rows = Array.from({ length: 40_000 }, (_, index) => ({ index, name: 'A thing with a näme' }));
const text = JSON.stringify({ status: 'completed', credits_used: 2, data: { rows } });

let folder = '';
let results: KeptResults;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-kept-'));
  results = new KeptResults(await openStore(folder), 'principal');
  await results.keep('large', text);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('a large kept result is read only as far as it is shown, and further when more is shown', async () => {
  const answer = await results.read('large', 1_000);
  const { rows: shown }: { rows?: unknown[] } = Object(answer?.body.data);
  expect(shown).toEqual(rows.slice(0, shown?.length));
  expect(shown?.length).toBeLessThan(1_000);
  expect([...(answer?.totals?.values() ?? [])]).toEqual([rows.length]);
  expect(answer?.text.length).toBe(text.length);
  expect(await results.read('large', 100), 'Enough of it was read').toBe(answer);

  const whole = await results.read('large', text.length);
  expect(whole?.body).toEqual(JSON.parse(text));
  expect(whole?.totals?.size).toBe(0);
});

it('a result without the form of a job is read again, however deeply it is nested', async () => {
  const depth = 1_000;
  const deep = `${'['.repeat(depth)}${'1234567,'.repeat(150_000)}8${']'.repeat(depth)}`;
  await results.keep('deep', `{"status":"completed","data":${deep}}`);
  expect((await results.read('deep', 1_000))?.body.status).toBe('completed');
});
