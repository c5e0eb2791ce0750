import { afterEach, expect, it } from 'vitest';
import type { Gateway } from '../../../src/gateway/interface/gateway.ts';
import { callContext, closeGateways, deliver, openGateway, startGateway } from '../../support/gateway.ts';

afterEach(closeGateways);

const page = (count: number, size = 1) => ({
  items: Array.from({ length: count }, (_, id) => ({ id, title: `Title ${id} ${'x'.repeat(size)}` })),
});
const doubt = 'There are no rows; the last 3 runs like this had 30.';

async function start(action: object = {}) {
  let shown: unknown = page(30);
  const job = () => ({ data: shown });
  const listed = { action_id: 'shop-list', catalog_slug: 'shop', ...action, job };
  const { upstream, folder, gateway } = await startGateway({ actions: [listed] });
  const run = async (on: Gateway = gateway) =>
    (await deliver(on.runAction({ action_id: 'shop-list', params: { max_pages: 3 } }, callContext()))).body;
  for (let count = 0; count < 3; count += 1) expect(await run()).not.toHaveProperty('drift');
  return {
    upstream,
    folder,
    gateway,
    run,
    becomes: (data: unknown) => {
      shown = data;
    },
  };
}

it.each(['async', 'sync'])(
  'a list whose site changed is told, now and at every later reading (%s)',
  async (mode) => {
    const { gateway, run, becomes, upstream, folder } = await start({ mode });
    becomes({ items: [] });
    const body = await run();
    expect(body).toMatchObject({
      status: 'completed',
      credits_used: 1,
      drift: { doubt },
      data: { items: [] },
    });
    expect(Object.keys(body).at(-1)).toBe('data');
    const read = await gateway.getJob({ job_id: String(body.job_id) }, callContext());
    expect(read.body).toMatchObject({ drift: { doubt } });
    const part = await gateway.getJob({ job_id: String(body.job_id), path: 'length(items)' }, callContext());
    expect(part.body).toMatchObject({ data: 0, drift: { doubt } });
    // Another process knows what is usual, and since when it is not.
    const other = openGateway(upstream, folder).gateway;
    const again = await run(other);
    expect(again).toMatchObject({ drift: { doubt, since: expect.stringMatching(/Z$/) } });
    becomes(page(30));
    expect(await run(other)).not.toHaveProperty('drift');
  },
);

it('the rows of a batch and the answers of tasks say it too', async () => {
  const { gateway, becomes } = await start();
  becomes({ items: [] });
  const batch = { action_id: 'shop-list', batch: [{ max_pages: 3 }, { max_pages: 2 }] };
  const { body } = await gateway.runBatch(batch, callContext());
  expect(body.rows).toMatchObject([{ drift: { doubt } }, { drift: { doubt } }]);
});

it('a result of more than a megabyte is judged where it is read', async () => {
  const { run, becomes } = await start();
  becomes({
    items: page(30, 50_000).items.map(({ id }) => ({ id, title: null, blurb: 'x'.repeat(50_000) })),
  });
  expect(await run()).toMatchObject({
    status: 'completed',
    drift: { doubt: expect.stringContaining('title is empty') },
  });
});
