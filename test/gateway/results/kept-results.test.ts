import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
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

it('a large kept result comes compressed, and is read elsewhere', async () => {
  const answer = await results.read('large');
  if (answer === undefined || 'body' in answer) return expect.fail('So large an answer is not read here');
  expect(gunzipSync(answer.gzip).toString()).toBe(text);
});

it('a small kept result is read at once', async () => {
  const small = '{"status":"completed","data":[1]}';
  await results.keep('small', small);
  expect(await results.read('small')).toEqual({ body: { status: 'completed', data: [1] }, text: small });
});
