import { afterEach, describe, expect, it } from 'vitest';
import type { Gateway } from '../../../src/gateway/interface/gateway.ts';
import type { JsonObject } from '../../../src/gateway/interface/outcomes.ts';
import { writeForAgent } from '../../../src/mcp/steps/next-steps.ts';
import { callContext, closeGateways, deliver, openGateway, startGateway } from '../../support/gateway.ts';

afterEach(closeGateways);

const page = (count: number, size = 1) => ({
  items: Array.from({ length: count }, (_, id) => ({ id, title: `Title ${id} ${'x'.repeat(size)}` })),
});
const doubt = 'There are no rows; the last 3 runs like this had 30.';

/** `earlier`: runs as usual. `extensions`: the action is the caller's own, at a service with these. */
async function start(action: object = {}, extensions?: string, earlier = 3) {
  let shown: unknown = page(30);
  let failure: { code: string; message: string } | undefined;
  const job = () => ({ data: shown, ...(failure && { error: failure }) });
  const mine = extensions !== undefined;
  const listed = { action_id: 'shop-list', catalog_slug: 'shop', mine, ...action, job };
  const { upstream, folder, gateway } = await startGateway({
    actions: [listed],
    ...(mine && { extensions }),
  });
  if (mine)
    upstream.service.builds.push({
      ...{ id: 'b1', user_id: 'u', website_url: 'https://shop.example/', domain: 'shop.example' },
      ...{ goal: 'List titles', status: 'success', action_id: 'shop-list', credits_charged: 25 },
      ...{ visibility: 'private', created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' },
    });
  const run = async (on: Gateway = gateway) =>
    (await deliver(on.runAction({ action_id: 'shop-list', params: { max_pages: 3 } }, callContext()))).body;
  for (let count = 0; count < earlier; count += 1) expect(await run()).not.toHaveProperty('drift');
  return {
    upstream,
    folder,
    gateway,
    run,
    becomes: (data: unknown) => {
      shown = data;
    },
    fails: (code: string) => {
      failure = { code, message: 'No table' };
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
    const part = await gateway.getJob(
      { job_id: String(body.job_id), select: 'length(items)' },
      callContext(),
    );
    expect(part.body).toMatchObject({ data: 0, drift: { doubt } });
    // Another process knows what is usual, and since when it is not.
    const other = openGateway(upstream, folder).gateway;
    const again = await run(other);
    expect(again).toMatchObject({ drift: { doubt, since: expect.stringMatching(/Z$/) } });
    becomes(page(30));
    expect(await run(other)).not.toHaveProperty('drift');
  },
);

it('another process knows of a doubt behind many quick runs, not each of which wrote what is usual', async () => {
  const { run, becomes, upstream, folder } = await start({}, undefined, 25);
  becomes({ items: [] });
  const { drift } = await run();
  expect(drift).toEqual({ doubt: 'There are no rows; the last 20 runs like this had 30.' });
  const { drift: again } = await run(openGateway(upstream, folder).gateway);
  expect(again).toEqual({
    doubt: 'There are no rows; the last 19 runs like this had 30.',
    since: expect.any(String),
  });
});

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

it('an answer read through a task says it too', async () => {
  const { gateway, becomes } = await start();
  becomes({ items: [] });
  const context = callContext({ taskAfterMs: 0 });
  const call = { action_id: 'shop-list', params: { max_pages: 3 } };
  const { id } = await gateway.tasks.open(await gateway.runAction(call, context));
  const found = await gateway.tasks.look(id, { signal: new AbortController().signal, waitMs: 10_000 });
  expect(found?.outcome?.body).toMatchObject({ status: 'completed', drift: { doubt } });
});

const sentenceOf = (step: unknown) => writeForAgent(step as Parameters<typeof writeForAgent>[0]);
const repairCall = 'edit_action {"action_id":"shop-list","repair":true}';

describe('a run of an own action', () => {
  it.each([
    ['idempotency, action-edit', repairCall],
    ['idempotency', 'request_build with website_url'],
  ])('that departs from earlier ones names what mends it (%s)', async (extensions, call) => {
    const { becomes, run, gateway } = await start({}, extensions);
    becomes({ items: [] });
    const body = await run();
    const { next } = Object(body.drift);
    expect(sentenceOf(next)).toContain(call);
    const read = await gateway.getJob({ job_id: String(body.job_id) }, callContext());
    expect(read.body.drift).toEqual(body.drift);
    const batch = { action_id: 'shop-list', batch: [{ max_pages: 3 }, { max_pages: 2 }] };
    expect((await gateway.runBatch(batch, callContext())).body.rows).toMatchObject([
      { drift: { next } },
      { drift: { next } },
    ]);
  });

  it('that failed because its site changed names the repair, also when it is read again', async () => {
    const { fails, run, gateway } = await start({}, 'action-edit');
    fails('SITE_CHANGED');
    const { job_id, next } = await run();
    expect(sentenceOf(next)).toContain(repairCall);
    const read = await gateway.getJob({ job_id: String(job_id) }, callContext());
    expect(read.body.next).toEqual(next);
    fails('EXECUTION_FAILED');
    expect(sentenceOf((await run()).next)).not.toContain('edit_action');
  });
});

it('nobody is told to repair an action of others', async () => {
  const { becomes, fails, run } = await start();
  becomes({ items: [] });
  expect((await run()).drift).toEqual({ doubt });
  fails('SITE_CHANGED');
  expect(sentenceOf((await run()).next)).not.toContain('edit_action');
});

it.each([0, 1])(
  'what a built action gave in its test is what its first runs are compared with (%s)',
  async (earlier) => {
    const field = { fill: 1, kinds: ['text'], values: 3 };
    const usual = { rows: 30, fields: { id: { ...field, kinds: ['number'] }, title: field } };
    const { becomes, run } = await start({ overrides: { usual } }, 'action-edit', earlier);
    becomes({ items: page(30).items.map(({ id }) => ({ id, title: null })) });
    const { drift } = await run();
    expect(drift).toMatchObject({ doubt: 'title is empty; when the action was built it was not.' });
    expect(sentenceOf(Object(drift).next)).toContain(repairCall);
  },
);

describe('the good run of a repair', () => {
  const preview = { action_id: 'shop-list', change: { kind: 'preview' } } as const;

  it('is the newest one before the doubt, until a run is as usual again', async () => {
    const { becomes, run, gateway, upstream } = await start({}, 'action-edit');
    const sent: unknown[] = [];
    upstream.service.edits = (_endpoint, body) => {
      sent.push(body.good_job_id);
      return { status: 200, body: { status: 'ok', reason: 'none' } };
    };
    const good = await run();
    becomes({ items: [] });
    await run();
    await run();
    await gateway.editAction(preview, callContext());
    becomes(page(30));
    const newer = await run();
    await gateway.editAction(preview, callContext());
    expect(sent).toEqual([good.job_id, newer.job_id]);
  });

  it('is none where the only runs depart from what the action gave in its test', async () => {
    const field = { fill: 1, kinds: ['text'], values: 3 };
    const usual = { rows: 30, fields: { id: { ...field, kinds: ['number'] }, title: field } };
    const { becomes, run, gateway, upstream } = await start({ overrides: { usual } }, 'action-edit', 0);
    const sent: unknown[] = [];
    upstream.service.edits = (_endpoint, body) => {
      sent.push(body.good_job_id);
      return { status: 200, body: { status: 'ok', reason: 'none' } };
    };
    await gateway.editAction(preview, callContext());
    becomes({ items: page(30).items.map(({ id }) => ({ id, title: null })) });
    expect(await run()).toHaveProperty('drift');
    await gateway.editAction(preview, callContext());
    expect(sent).toEqual([undefined, '']);
  });
});

it('no rows after a single run that had some are told, before anybody knows what is usual', async () => {
  let data: unknown = { count: 0, items: [] };
  const { gateway } = await startGateway({
    actions: [{ action_id: 'shop-list', catalog_slug: 'shop', job: () => ({ data }) }],
  });
  const run = async (params: JsonObject, select?: string) =>
    (await deliver(gateway.runAction({ action_id: 'shop-list', params, select }, callContext()))).body;
  expect(await run({})).not.toHaveProperty('note');
  data = page(30);
  expect(await run({})).not.toHaveProperty('note');
  data = { count: 0, items: [] };
  const told = /^There are no rows\. Its last run with rows was at [-\dT:]+Z: the site may have changed\.$/;
  expect(await run({})).toMatchObject({ note: expect.stringMatching(told), data });
  const { note } = await run({ max_pages: 2 }, 'items[0].title');
  expect(note).toMatch(/items is empty: there is no \[0\]\..* with rows, perhaps with other params, was at/);
});

it('no rows for a text are told with the time of the last run that had some', async () => {
  const { gateway, becomes } = await start();
  becomes({ items: [] });
  const call = { action_id: 'shop-list', params: { query: 'lamp' } };
  const { body } = await deliver(gateway.runAction(call, callContext()));
  expect(body.note).toMatch(/in query.* Its last run with rows was at \d{4}-\d\d-\d\dT\d\d:\d\dZ\.$/);
  const { body: batch } = await deliver(
    gateway.runBatch({ action_id: 'shop-list', batch: [{ query: 'desk' }] }, callContext()),
  );
  expect(batch).toMatchObject({ rows: [{ note: expect.stringMatching(/last run with rows was at/) }] });
});
