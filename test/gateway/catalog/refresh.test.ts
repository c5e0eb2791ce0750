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

afterEach(async () => {
  vi.useRealTimers();
  await closeGateways();
});

const list = { action_id: 'shop-list', catalog_slug: 'shop', name: 'List' };
const fresh = { action_id: 'shop-fresh', catalog_slug: 'shop', name: 'Fresh' };
const names = async (gateway: Gateway) => (await gateway.listing()).tools.map(({ name }) => name);

/** A gateway that has listed its tools, and a promise of the next change of that list. */
async function listed() {
  const started = await startGateway({ actions: [list] });
  expect(await names(started.gateway)).toEqual(['shop-list']);
  const changed = new Promise<void>((resolve) => started.gateway.onListingChange(resolve));
  return { ...started, changed };
}

describe('the list is refreshed soon', () => {
  it('after a search that returned an unknown action, which runs at once', async () => {
    const { gateway, upstream, changed } = await listed();
    upstream.service.addAction(fresh);
    await gateway.searchActions({ q: 'fresh' }, callContext());
    const { body } = await gateway.runAction({ action_id: 'shop-fresh' }, callContext());
    expect(body).toMatchObject({ status: 'completed' });
    await changed;
    expect(await names(gateway)).toEqual(['shop-fresh', 'shop-list']);
  });

  it('after the service did not know a listed action, whose tool goes away', async () => {
    const { gateway, upstream, changed } = await listed();
    upstream.service.actions.delete('shop-list');
    const { body } = await runTool(gateway, 'shop-list');
    expect(body).toMatchObject({ error: { code: 'NOT_FOUND' } });
    await changed;
    expect(await names(gateway)).toEqual([]);
    expect(await gateway.runTool('shop-list', {}, callContext())).toBeUndefined();
  });

  it('after the service did not know a listed catalog', async () => {
    const { gateway, upstream, changed } = await listed();
    upstream.service.actions.clear();
    upstream.service.catalogs.clear();
    await gateway.browseCatalogs({ catalog: 'shop' }, callContext());
    await changed;
    expect(await names(gateway)).toEqual([]);
  });

  it('after the service said that something changed', async () => {
    const upstream = await scriptedUpstream({ actions: [list] });
    const listeners = new Set<() => void>();
    const { gateway } = openGateway(upstream, await temporaryFolder(), {}, undefined, {
      onServiceChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    await names(gateway);
    const changed = new Promise<void>((resolve) => gateway.onListingChange(resolve));
    upstream.service.addAction(fresh);
    for (const listener of listeners) listener();
    await changed;
    expect(await names(gateway)).toEqual(['shop-fresh', 'shop-list']);
    await gateway.close();
    expect(listeners.size).toBe(0);
  });
});

describe('the list is not refreshed often', () => {
  it('for one missing id once in five minutes', async () => {
    const { gateway, upstream } = await listed();
    for (let call = 0; call < 3; call += 1) {
      const { body } = await gateway.runAction({ action_id: 'no-such' }, callContext());
      expect(body).toMatchObject({ error: { code: 'ACTION_NOT_FOUND' } });
      expect(await gateway.runTool('no-such', {}, callContext())).toBeUndefined();
    }
    expect(upstream.requestsTo('search')).toHaveLength(2);
  });

  it('for many missing ids once in ten seconds, and nobody waits for that', async () => {
    const { gateway, upstream } = await listed();
    const before = performance.now();
    for (let call = 0; call < 20; call += 1)
      await gateway.runAction({ action_id: `no-${call}` }, callContext());
    expect(performance.now() - before).toBeLessThan(9_000);
    expect(upstream.requestsTo('search')).toHaveLength(2);
    await upstream.waitForRequests('search', 3);
    const [, second, third] = upstream.requestsTo('search');
    expect((third?.at ?? 0) - (second?.at ?? 0)).toBeGreaterThan(9_900);
  });
});
