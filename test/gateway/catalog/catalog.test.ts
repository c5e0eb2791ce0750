import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Gateway } from '../../../src/gateway/interface/gateway.ts';
import {
  callContext,
  closeGateways,
  openGateway,
  runTool,
  scriptedUpstream,
  startGateway,
  temporaryFolder,
} from '../../support/gateway.ts';

afterEach(closeGateways);

const list = { action_id: 'shop-list', catalog_slug: 'shop', credits: 3 };
const names = async (gateway: Gateway) => (await gateway.listing()).tools.map(({ name }) => name);

const snapshotPath = async (folder: string) => {
  const [name] = (await readdir(folder)).filter(
    (file) => file.startsWith('catalog-') && file.endsWith('.json'),
  );
  return join(folder, name ?? 'no snapshot');
};
/** The snapshot on disk, changed as if it had been written then. */
async function changeSnapshot(folder: string, change: (content: { fetchedAt: number }) => void) {
  const path = await snapshotPath(folder);
  const content = JSON.parse(await readFile(path, 'utf8'));
  change(content);
  await writeFile(path, JSON.stringify(content));
}
/** A gateway whose folder holds the snapshot of an earlier one. */
async function restarted(
  script: Parameters<typeof startGateway>[0],
  ageMs: number,
  before: (gateway: Gateway) => Promise<unknown> = () => Promise.resolve(),
) {
  const first = await startGateway(script);
  await first.gateway.listing();
  await before(first.gateway);
  await vi.waitFor(() => snapshotPath(first.folder).then((path) => stat(path)), 20_000);
  await first.gateway.close();
  await changeSnapshot(first.folder, (content) => {
    content.fetchedAt -= ageMs;
  });
  return { ...first, reopen: () => openGateway(first.upstream, first.folder).gateway };
}

describe('the first list', () => {
  it('waits for the network where nothing is on disk', async () => {
    const { gateway, upstream } = await startGateway({ actions: [list] });
    upstream.fail('search', { kind: 'delay', ms: 400 });
    expect(await names(gateway)).toEqual(['shop-list']);
    expect(upstream.requestsTo('search')).toHaveLength(1);
    expect(upstream.requestsTo('search')[0]?.query.size).toBe(0);
  });

  it('waits five seconds at most, and later announces the tools', async () => {
    const { gateway, upstream } = await startGateway({ actions: [list] });
    upstream.fail('search', { kind: 'delay', ms: 9_000 });
    const changed = vi.fn();
    gateway.onListingChange(changed);
    const started = Date.now();
    expect(await Promise.all([names(gateway), names(gateway)])).toEqual([[], []]);
    expect(Date.now() - started).toBeGreaterThan(4_500);
    expect(Date.now() - started).toBeLessThan(8_000);
    await expect.poll(() => changed).toHaveBeenCalledTimes(1);
    expect(await names(gateway)).toEqual(['shop-list']);
  });

  it('does not wait for a service that refuses the key or the connection', async () => {
    const upstream = await scriptedUpstream({ actions: [list] });
    const refused = openGateway(upstream, await temporaryFolder(), {}, 'wrong-key');
    let started = Date.now();
    expect(await names(refused.gateway)).toEqual([]);
    expect(Date.now() - started).toBeLessThan(1_500);
    await upstream.refuse();
    const unreachable = openGateway(upstream, await temporaryFolder());
    started = Date.now();
    expect(await names(unreachable.gateway)).toEqual([]);
    expect(Date.now() - started).toBeLessThan(4_000);
    expect(JSON.stringify(refused.logger.lines)).not.toContain('wrong-key');
    expect(refused.logger.lines.map(({ level }) => level)).toContain('warn');
  });

  it('that could not be fetched is the answer to every name, instead of that there is no such action', async () => {
    const upstream = await scriptedUpstream({ actions: [list] });
    const { gateway } = openGateway(upstream, await temporaryFolder(), {}, 'wrong-key');
    const refused = { error: { code: 'UNAUTHORIZED' }, next: { kind: 'replace-key', holder: 'user' } };
    expect((await runTool(gateway, 'shop-list')).body).toMatchObject(refused);
    expect((await gateway.runAction({ action_id: 'shop-list' }, callContext())).body).toMatchObject(refused);
  });

  it('comes from the disk before the network answers, and is not fetched again while it is fresh', async () => {
    const { upstream, reopen } = await restarted({ actions: [list] }, 240_000);
    upstream.fail('search', { kind: 'hang' });
    const gateway = reopen();
    expect(await names(gateway)).toEqual(['shop-list']);
    // A fetch behind the list would have been sent before this.
    await gateway.browseCatalogs({ catalog: 'shop' }, callContext());
    expect(upstream.requestsTo('search')).toHaveLength(1);
  });

  it('comes from the disk and is fetched behind it once it is five minutes old', async () => {
    const { upstream, reopen } = await restarted({ actions: [list] }, 301_000);
    upstream.service.addAction({ action_id: 'shop-new', catalog_slug: 'shop' });
    upstream.fail('search', { kind: 'delay', ms: 300 });
    const gateway = reopen();
    const changed = vi.fn();
    gateway.onListingChange(changed);
    expect(await names(gateway)).toEqual(['shop-list']);
    await expect.poll(() => changed).toHaveBeenCalled();
    await expect.poll(() => names(gateway)).toEqual(['shop-list', 'shop-new']);
  });

  it.each([
    ['damaged', () => '{"version":6,"actions":[{"bad"'],
    ['cut off', (text: string) => text.slice(0, -1)],
    ['one of an earlier version', () => '{"version":5,"fetchedAt":1}\n{"ids":["a"],"ends":[2]}\n{}'],
    ['one of a later version', (text: string) => text.replace('"version":6', '"version":7')],
  ])('comes from the network if the file is %s', async (_, change) => {
    const { folder, reopen } = await restarted({ actions: [list] }, 0);
    const path = await snapshotPath(folder);
    await writeFile(path, change(await readFile(path, 'utf8')));
    expect(await names(reopen())).toEqual(['shop-list']);
  });

  it('is fetched again if the clock was set back', async () => {
    const { upstream, reopen } = await restarted({ actions: [list] }, -86_400_000);
    await names(reopen());
    await upstream.waitForRequests('search', 2);
  });

  it('is the same object until it changes', async () => {
    const { gateway } = await startGateway({ actions: [list] });
    expect(await gateway.listing()).toBe(await gateway.listing());
  });
});

it('a refresh that fails keeps the last snapshot', async () => {
  const { upstream, reopen } = await restarted({ actions: [list] }, 301_000);
  upstream.fail('search', { kind: 'html', status: 502 });
  const gateway = reopen();
  await names(gateway);
  await upstream.waitForRequests('search', 2);
  expect((await gateway.runAction({ action_id: 'shop-list' }, callContext())).body.status).toBe('completed');
});

describe('a bad action', () => {
  it('breaks nothing else', async () => {
    const { gateway } = await startGateway({
      actions: [
        list,
        { action_id: 'shop-odd', catalog_slug: 'shop', overrides: { credits: 'free', name: null } },
        { action_id: 'shop-null', catalog_slug: 'shop', parameters: null },
        { action_id: 'shop-bool', catalog_slug: 'shop', parameters: false },
        { action_id: 'shop-text', catalog_slug: 'shop', parameters: 'type: object' },
        { action_id: 'shop-ring', catalog_slug: 'shop', parameters: { $ref: '#' } },
        { action_id: 'shop-deep', catalog_slug: 'shop', parameters: nested(300) },
        {
          action_id: 'shop-regex',
          catalog_slug: 'shop',
          parameters: { properties: { a: { pattern: '(' } } },
        },
        { action_id: 'shop-lost', catalog_slug: 'shop', overrides: { action_id: 5 } },
      ],
    });
    const listing = await gateway.listing();
    expect(listing.tools.map(({ name }) => name)).toEqual([
      'shop-bool',
      'shop-deep',
      'shop-list',
      'shop-null',
      'shop-regex',
      'shop-ring',
      'shop-text',
    ]);
    expect((await gateway.unavailableActions()).map(({ id }) => id)).toEqual(
      expect.arrayContaining(['shop-odd', 'shop-deep']),
    );
    for (const { name } of listing.tools) {
      const { body } = await runTool(gateway, name, { a: 'x' });
      expect({ name, status: body.status }).toEqual({ name, status: 'completed' });
    }
    const found = await gateway.searchActions({ limit: 50 }, callContext());
    expect(found.body).toMatchObject({ total: 7 });
  });
});

function nested(depth: number): object {
  let schema: object = { type: 'string' };
  for (let level = 0; level < depth; level += 1) schema = { type: 'object', properties: { a: schema } };
  return schema;
}

describe('a price that rose since the list', () => {
  const run = (gateway: Gateway) => gateway.runAction({ action_id: 'shop-list' }, callContext());

  /** Listed at 3 credits from the snapshot on disk, and fetched at 5 since. */
  async function startWithRise(before?: (gateway: Gateway) => Promise<unknown>) {
    const { upstream, reopen } = await restarted({ actions: [list] }, 301_000, before);
    upstream.service.actions.set('shop-list', { ...list, credits: 5 });
    const gateway = reopen();
    const changed = vi.fn();
    gateway.onListingChange(changed);
    await names(gateway);
    await expect.poll(() => changed).toHaveBeenCalled();
    return { upstream, gateway };
  }

  it('is refused once, without an extra request', async () => {
    const { upstream, gateway } = await startWithRise();
    const before = upstream.requests.length;
    expect((await run(gateway)).body).toMatchObject({
      status: 'error',
      error: { code: 'PRICE_CHANGED', price: 5, previous_price: 3 },
      next: { kind: 'retry', when: 'at-new-price' },
    });
    expect(upstream.requests).toHaveLength(before);
    expect((await run(gateway)).body).toMatchObject({ status: 'completed', credits_used: 5 });
  });

  it('is refused although a call that attached to an earlier one came first', async () => {
    const { gateway } = await startWithRise(run);
    // Its answer was not delivered.
    expect((await run(gateway)).body).toMatchObject({ attached: true, credits_used: 3 });
    const other = { action_id: 'shop-list', params: { n: 1 } };
    expect((await gateway.runAction(other, callContext())).body).toMatchObject({
      error: { code: 'PRICE_CHANGED', price: 5, previous_price: 3 },
    });
  });

  it('is not refused if it fell, or if the caller has seen the new list', async () => {
    for (const credits of [1, 5]) {
      const { upstream, reopen } = await restarted({ actions: [list] }, 301_000);
      upstream.service.actions.set('shop-list', { ...list, credits });
      const gateway = reopen();
      const changed = vi.fn();
      gateway.onListingChange(changed);
      await names(gateway);
      await expect.poll(() => changed).toHaveBeenCalled();
      if (credits === 5) await gateway.listing();
      expect((await run(gateway)).body).toMatchObject({ status: 'completed' });
    }
  });
});
