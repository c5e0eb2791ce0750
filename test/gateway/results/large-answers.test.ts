/** Results of more than a megabyte, which are read in another process. Needs `dist/`, where the workers are. */
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { getEnd } from '../../../src/gateway/results/job-body.ts';
import { readAnswer, showEnd } from '../../../src/gateway/results/large-answers.ts';
import { preview } from '../../../src/gateway/results/preview.ts';
import { readWhole } from '../../../src/gateway/results/whole-answer.ts';
import { WorkerPool } from '../../../src/workers/worker-pool.ts';
import { callContext, closeGateways, deliver, startGateway } from '../../support/gateway.ts';
import { expectBuilt } from '../../support/program.ts';
import { longestStall } from '../../support/stalls.ts';

beforeEach(expectBuilt);
afterEach(closeGateways);

const rows = Array.from({ length: 40_000 }, (_, index) => ({ index, name: 'A thing with a näme' }));
const others = { status: 'completed', credits_used: 2, execution_ms: 5, log: ['a line'] };
const large = JSON.stringify({ ...others, data: { rows, total: rows.length } });
const compressed = (text: string) => ({ gzip: gzipSync(text) });

describe('a large answer', () => {
  it('is read without its data, and shown by a preview of the whole', async () => {
    const answer = await readAnswer(compressed(large));
    expect(answer.body).toEqual({ ...others, data: {} });
    expect(answer.text.length).toBe(large.length);
    const body = await showEnd('job', answer, answer.body, { budget: 2_000 });
    const { data } = preview({ rows, total: rows.length }, 2_000);
    expect(body).toMatchObject({
      status: 'completed',
      log: ['a line'],
      truncated: { rows_total: rows.length, next: { kind: 'read', call: { select: 'rows' } } },
      data,
    });
  });

  it('is read once where the budget is that of the answer before', async () => {
    const run = vi.spyOn(WorkerPool.prototype, 'run');
    onTestFinished(() => run.mockRestore());
    const readings = [];
    for (const budget of [3_000, 3_000, 4_000]) {
      run.mockClear();
      const answer = await readAnswer(compressed(large));
      const body = await showEnd('job', answer, answer.body, { budget });
      expect(body).toMatchObject({ data: preview({ rows, total: rows.length }, budget).data });
      readings.push(run.mock.calls.length);
    }
    expect(readings).toEqual([2, 1, 2]);
  });

  it('is shown whole where the budget is as large', async () => {
    const answer = await readAnswer(compressed(large));
    const body = await showEnd('job', answer, answer.body, { budget: large.length });
    expect(body).toMatchObject({ status: 'completed', data: { rows } });
    expect(body).not.toHaveProperty('truncated');
  });

  it.each([
    ['cut off', large.slice(0, -10)],
    ['no object', JSON.stringify(rows)],
    ['nested too deeply', `{"status":"completed","data":${'['.repeat(600_000)}${']'.repeat(600_000)}}`],
    ['an error', large.replace('completed', 'error')],
  ])('that is %s is refused', async (_, text) => {
    await expect(readAnswer(compressed(text))).rejects.toMatchObject({ kind: 'contract' });
  });

  it('without the form of a job is read again, however deeply it is nested', async () => {
    const depth = 1_000;
    const deep = `${'['.repeat(depth)}${'1234567,'.repeat(150_000)}8${']'.repeat(depth)}`;
    const answer = await readAnswer(compressed(`{"status":"completed","data":${deep}}`));
    expect(answer.body.status).toBe('completed');
  });

  it('in a state that is new to us is no end, as of a small one', async () => {
    const { body } = await readAnswer(compressed(large.replace('completed', 'succeeded')));
    expect(getEnd(body)).toBeUndefined();
    const without = JSON.stringify({ status: 'queued', log: rows });
    expect(getEnd((await readAnswer(compressed(without))).body)).toBeUndefined();
  });

  it('may begin with a byte order mark', () => {
    expect(readWhole({ kind: 'whole', budget: 100, ...compressed(`\uFEFF${large}`) })).toMatchObject({
      head: others,
    });
  });

  it('has data in its head where it has data, whatever they are', () => {
    const head = (data: unknown) =>
      readWhole({ kind: 'whole', budget: 100, ...compressed(JSON.stringify({ status: 'done', data })) }).head;
    expect(head([])).toEqual({ status: 'done', data: {} });
    expect(head(null)).toEqual({ status: 'done' });
  });

  it('that cannot be shown is no error, because it is kept', async () => {
    const broken = { body: others, text: { length: large.length, gzip: Buffer.from('no gzip') } };
    const body = await showEnd('job', broken, others, { budget: 2_000 });
    expect(body).toMatchObject({
      status: 'completed',
      credits_used: 2,
      truncated: { next: { kind: 'read', call: { job_id: 'job' } } },
      data: null,
    });
  });
});

it('large results at once hold up others for less than 250 ms, and are read again for free', async () => {
  const { gateway, upstream } = await startGateway({ actions: [{ action_id: 'rows' }] });
  const text = JSON.stringify({ ...others, data: [rows, rows] });
  const jobs = 4;
  await gateway.listing();
  for (let job = 0; job < jobs; job += 1) upstream.fail('getJob', { kind: 'answer', body: text });
  const bodies: object[] = [];
  const stall = await longestStall(async () => {
    await Promise.all(
      Array.from({ length: jobs }, async (_, n) => {
        const call = gateway.runAction({ action_id: 'rows', params: { n } }, callContext());
        const { body } = await deliver(call);
        bodies.push(body);
      }),
    );
  });
  expect(stall).toBeLessThan(250);
  for (const body of bodies) {
    const truncated = { rows_total: expect.any(Number) };
    expect(body).toMatchObject({ status: 'completed', credits_used: 2, truncated });
  }
  const { job_id }: { job_id?: string } = Object(bodies[0]);
  const again = await gateway.getJob({ job_id: String(job_id), select: '[1][39999].index' }, callContext());
  expect(again.body).toMatchObject({ status: 'completed', credits_used: 0, data: 39_999 });
}, 60_000);
