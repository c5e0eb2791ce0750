/** The extension `action-edit`: what an owner does with a built action, over the interface. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Builder, RepairOutcome, RepairTask } from '../../src/service/foundation/ports.ts';
import {
  action,
  addTestUser,
  type Json,
  readMoney,
  startTestService,
  type TestService,
} from '../support/service.ts';

const column = { label: 'Name', kind: 'text', path: '[]', samples: ['Albatross'] };
const built = action({ action_id: 'site-example_boats', name: 'Boats' });
const repaired: RepairOutcome = {
  repaired: true,
  action: { ...built, wheel_version: 'second' },
  proof: { rows_before: 8, rows_found: 6, rows_equal: 6 },
  before: [{ name: 'Albatross' }],
  after: [{ name: 'Albatross' }],
  fields: { name: { before: column, after: { ...column, label: 'Boat' } } },
};

let service: TestService;
let outcome: RepairOutcome;
let tasks: RepairTask[];
let items: Json[];
/** What a build makes. */
let next: typeof built;
beforeEach(async () => {
  outcome = repaired;
  tasks = [];
  items = [{ name: 'Albatross' }];
  next = built;
  const builder: Builder = {
    preview: async () => ({ ok: false, errorType: 'NO_DATA_FOUND', message: 'No' }),
    build: async () => ({ built: true, action: next }),
    repair: async (task) => {
      tasks.push(task);
      return outcome;
    },
  };
  const runner = { run: async () => ({ data: { count: items.length, items } }) };
  service = await startTestService({ builder, runner });
  await service.call('POST', '/build-request', { website_url: 'https://site.example/', goal: 'List boats' });
  await ended();
});
afterEach(() => service.close());

const ended = async () => {
  const list = async () => (await service.call('GET', '/build-requests')).body.build_requests as Json[];
  await expect.poll(async () => (await list()).some(({ status }) => status === 'pending')).toBe(false);
  return list();
};
const path = '/actions/site-example_boats';
const seen = async () => {
  const { body } = await service.call('GET', '/catalog/site-example');
  return ((body.actions ?? []) as Json[]).map(({ name, description, wheel_version }) => ({
    name,
    description,
    wheel_version,
  }));
};
const run = async () => {
  const { body } = await service.call('POST', '/task', { action_id: 'site-example_boats', params: {} });
  return service.finished(body.job_id);
};

it('changes the name and the description; the id stays', async () => {
  const { status, body } = await service.call('PATCH', path, { name: ' My  boats ', description: 'All.' });
  expect([status, body]).toMatchObject([200, { action_id: 'site-example_boats', name: 'My boats' }]);
  expect(await seen()).toMatchObject([{ name: 'My boats', description: 'All.' }]);
  expect((await service.call('PATCH', path, {})).status).toBe(400);
  expect((await service.call('PATCH', path, { description: ' ' })).status).toBe(400);
});

it('removes an action and brings it back', async () => {
  const job = await run();
  expect((await service.call('DELETE', path)).status).toBe(200);
  expect(await seen()).toEqual([]);
  expect(await ended()).toMatchObject([{ action_id: 'site-example_boats', removed: true }]);
  expect(job).toMatchObject({ status: 'completed' });
  expect((await service.call('POST', `${path}/repair`, {})).status).toBe(404);
  expect((await service.call('POST', `${path}/revert`)).status).toBe(200);
  expect(await seen()).toMatchObject([{ name: 'Boats' }]);
  expect((await ended())[0]).not.toHaveProperty('removed');
  const { status, body } = await service.call('POST', `${path}/revert`);
  expect([status, body]).toMatchObject([409, { error: { code: 'NO_EARLIER_VERSION' } }]);
});

it("goes back to the description of the version before where that has other fields, else keeps the owner's", async () => {
  const rebuild = async (fields: string[], description: string) => {
    const recipe = {
      request: { url: 'https://site.example/' },
      extract: {
        kind: 'html',
        list: 'li',
        fields: Object.fromEntries(fields.map((name) => [name, { select: name }])),
      },
    };
    next = { ...built, recipe, description, wheel_version: description };
    await service.call('POST', '/build-request', {
      ...{ website_url: 'https://site.example/', goal: 'List boats', force: true },
    });
    await ended();
  };
  const revert = async () => (await service.call('POST', `${path}/revert`)).body.description;
  await rebuild(['name'], 'Gives rows of name.');
  await rebuild(['name', 'price'], 'Gives rows of name, price.');
  expect(await revert()).toBe('Gives rows of name.');
  expect(await revert()).toBe('Gives rows of name, price.');
  await rebuild(['name', 'price'], 'Other selectors.');
  await service.call('PATCH', path, { description: 'All my boats.' });
  expect(await revert()).toBe('All my boats.');
});

it('is for the user who built the action only', async () => {
  const { headers } = await addTestUser(service, 'stranger');
  const calls: [string, string, Json?][] = [
    ['PATCH', path, { name: 'x' }],
    ['DELETE', path],
    ['POST', `${path}/revert`],
    ['POST', `${path}/repair`, {}],
    ['POST', `${path}/repair`, { preview: true }],
  ];
  for (const [method, at, body] of calls)
    expect((await service.call(method, at, body, headers)).status).toBe(404);
  expect(await seen()).toMatchObject([{ name: 'Boats' }]);
  expect((await service.call('GET', path)).headers.get('allow')).toBe('PATCH, DELETE');
});

describe('a repair', () => {
  it('publishes with proof under the same id and name, and can be reverted', async () => {
    await run();
    await service.call('PATCH', path, { name: 'My boats' });
    const before = await seen();
    const { status, body } = await service.call('POST', `${path}/repair`, {});
    expect([status, body]).toMatchObject([201, { build_request: { repairs: 'site-example_boats' } }]);
    const [request] = await ended();
    expect(request).toMatchObject({
      status: 'success',
      credits_charged: 25,
      proof: { rows_equal: 6 },
      version: 'second',
      rows_after: [{ name: 'Albatross' }],
    });
    expect(tasks).toMatchObject([{ good: { params: {}, data: { items: [{ name: 'Albatross' }] } } }]);
    expect(await seen()).toMatchObject([{ name: 'My boats', wheel_version: 'second' }]);
    expect((await service.call('POST', `${path}/revert`)).status).toBe(200);
    expect(await seen()).toEqual(before);
  });

  it('is said by the first run of the new version, once', async () => {
    expect(await run()).not.toHaveProperty('repaired');
    await service.call('POST', `${path}/repair`, {});
    await ended();
    const { body } = await service.call('POST', '/task', { action_id: 'site-example_boats', params: {} });
    const first = await service.finished(body.job_id);
    expect(first).toMatchObject({ repaired: { version: 'second', proof: { rows_equal: 6 } } });
    expect(await run()).not.toHaveProperty('repaired');
    expect(await service.finished(body.job_id)).toEqual(first);
    await service.call('POST', `${path}/revert`);
    expect(await run()).not.toHaveProperty('repaired');
  });

  it('takes the newest run with rows that is no newer than the given one', async () => {
    const { body } = await service.call('POST', '/task', { action_id: 'site-example_boats', params: {} });
    await service.finished(body.job_id);
    items = [];
    const empty = await service.call('POST', '/task', { action_id: 'site-example_boats', params: {} });
    await service.finished(empty.body.job_id);
    items = [{ name: 'Delivery' }];
    await run();
    await service.call('POST', `${path}/repair`, { good_job_id: empty.body.job_id });
    await ended();
    expect(tasks[0]?.good).toMatchObject({ id: body.job_id });
  });

  it('is refunded and changes nothing where it is not proved', async () => {
    await run();
    const { balances } = await readMoney(service);
    const before = await seen();
    outcome = { repaired: false, reason: 'no columns', candidates: [], choose: undefined };
    await service.call('POST', `${path}/repair`, {});
    expect((await ended())[0]).toMatchObject({
      ...{ status: 'failed', error_type: 'NOT_REPAIRED', error: 'no columns', credits_charged: 0 },
    });
    expect(await seen()).toEqual(before);
    expect((await readMoney(service)).balances).toEqual(balances);
  });

  it('is shown for free and stores nothing', async () => {
    const { balances } = await readMoney(service);
    const { status, body } = await service.call('POST', `${path}/repair`, { preview: true });
    expect([status, body]).toMatchObject([
      200,
      { proof: { rows_found: 6 }, fields: { name: { before: { label: 'Name' }, after: { label: 'Boat' } } } },
    ]);
    expect(tasks[0]?.good).toBeUndefined();
    expect(await ended()).toHaveLength(1);
    expect((await readMoney(service)).balances).toEqual(balances);
  });

  it.each([
    ['of another user, or of another action,', '00000000-0000-4000-8000-000000000000'],
    ['that the caller does not name', ''],
  ])('takes no run %s as proof', async (_, other) => {
    await run();
    await service.call('POST', `${path}/repair`, { good_job_id: other });
    await ended();
    expect(tasks[0]?.good).toBeUndefined();
  });

  it('with the same key is one', async () => {
    const ask = async () => {
      const key = { 'idempotency-key': 'k' };
      return (await service.call('POST', `${path}/repair`, {}, key)).body.build_request as Json;
    };
    expect((await ask()).id).toBe((await ask()).id);
    await ended();
    expect(tasks).toHaveLength(1);
  });
});

it('a name makes the end of the id, and a taken one is refused with a free one', async () => {
  const ask = (name: string) =>
    service.call('POST', '/build-request', {
      ...{ website_url: 'https://site.example/', goal: 'List other boats', force: true, name },
    });
  const taken = await ask('boats');
  expect([taken.status, taken.body.error]).toMatchObject([
    400,
    {
      code: 'INVALID_PARAMS',
      issues: [{ path: 'name', message: expect.stringContaining('boats_2 is free') }],
    },
  ]);
  expect((await ask('Boats!')).status).toBe(400);
  expect((await ask('ships')).status).toBe(201);
  await ended();
});
