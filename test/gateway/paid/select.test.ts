/** A `select` that fails on the data of a paid run costs its answer nothing but that part. */
import { afterEach, describe, expect, it } from 'vitest';
import { callContext, closeGateways, deliver, startGateway } from '../../support/gateway.ts';

afterEach(closeGateways);

async function start() {
  const data = { items: [{ title: 'A' }, { title: 'B' }], rows: [{ n: 1 }] };
  const { gateway, upstream } = await startGateway({
    actions: [{ action_id: 'shop-list', catalog_slug: 'shop', credits: 2, job: { data } }],
  });
  const runUnread = async (select: string) =>
    (await gateway.runAction({ action_id: 'shop-list', select }, callContext())).body;
  const run = async (select: string) =>
    (await deliver(gateway.runAction({ action_id: 'shop-list', select }, callContext()))).body;
  const batch = async (select: string) => {
    const input = { action_id: 'shop-list', batch: [{ n: 0 }, { n: 1 }], select };
    return (await deliver(gateway.runBatch(input, callContext()))).body;
  };
  const read = async (job_id: unknown) =>
    (await gateway.getJob({ job_id: String(job_id) }, callContext())).body;
  return { upstream, data, run, runUnread, batch, read };
}

/** An expression of valid syntax. Members that JavaScript gives every value are no members of the data. */
const fails = ['sum(items[].title)', 'length(rows[0].n)'];
const inherited = [
  'constructor',
  'toString',
  'rows[0].constructor',
  'rows[*].constructor',
  'rows | [0].hasOwnProperty',
  '"\\u0028items"',
];

describe('a select that fails only on the data', () => {
  it.each(fails)('leaves a run completed, with a note: %s', async (select) => {
    const { run, read, data } = await start();
    const body = await run(select);
    expect(body).toMatchObject({
      status: 'completed',
      job_id: expect.any(String),
      credits_used: 2,
      note: expect.any(String),
      data: null,
    });
    expect(await read(body.job_id)).toMatchObject({ status: 'completed', data });
  });

  it.each([...fails, 'items[*].nothing'])(
    'says how to read it again for nothing, also to who joins: %s',
    async (select) => {
      const { run, runUnread } = await start();
      const free = { kind: 'read', call: { job_id: expect.any(String) } };
      expect(await runUnread(select)).toMatchObject({ credits_used: 2, next: free });
      expect(await run(select)).toMatchObject({ attached: true, data: null, next: free });
      // What was found says what a further run costs.
      await runUnread('items[*].title');
      expect(await run('items[*].title')).toMatchObject({ attached: true, next: { kind: 'run-again' } });
    },
  );

  it.each(fails)('leaves the rows of a batch completed, with a note: %s', async (select) => {
    const { upstream, batch, read, data } = await start();
    const body = await batch(select);
    const row = { status: 'completed', job_id: expect.any(String), credits_used: 2 };
    expect(body).toMatchObject({
      status: 'completed',
      rows_completed: 2,
      credits_used: 4,
      // All rows share it.
      note: expect.any(String),
      rows: [row, row],
    });
    const [{ job_id }] = Object(body).rows;
    expect(await read(job_id)).toMatchObject({ status: 'completed', data });
    // It was delivered as a whole: the same batch is a new one.
    await batch('items');
    expect(upstream.requestsTo('submitTask')).toHaveLength(4);
  });
});

describe('a select of a name that every JavaScript value has', () => {
  it.each(inherited)('leaves a run completed, without a value: %s', async (select) => {
    const { run } = await start();
    const body = await run(select);
    expect(body).toMatchObject({ status: 'completed', job_id: expect.any(String), credits_used: 2 });
    expect(JSON.stringify(body.data)).toMatch(/^(null|\[\]|\[null\])$/);
  });

  it.each(inherited)('leaves the rows of a batch completed, without values: %s', async (select) => {
    const { batch } = await start();
    const row = { status: 'completed', job_id: expect.any(String), credits_used: 2 };
    expect(await batch(select)).toMatchObject({ rows_completed: 2, credits_used: 4, rows: [row, row] });
  });
});
