import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHttpClient } from '../../../src/client/http-client.ts';
import { createGateway } from '../../../src/gateway/create-gateway.ts';
import { createPrincipal } from '../../../src/gateway/interface/principal.ts';
import { defaultGatewaySettings } from '../../../src/gateway/interface/settings.ts';
import { reservedByStaticTools } from '../../../src/mcp/tools/tool-list.ts';
import {
  ageSnapshots,
  callContext,
  closeGateways,
  closeLater,
  openGateway,
  scriptedUpstream,
  startGateway,
  temporaryFolder,
} from '../../support/gateway.ts';
import { recordingLogger } from '../../support/mcp-pipe.ts';
import type { Upstream } from '../../support/upstream.ts';

afterEach(closeGateways);

const reading = ['scrape', 'extract', 'read', 'search', 'list'];
const action = (type: string | undefined, credits: number, more: object = {}) => ({
  action_id: `shop-${type ?? 'unknown'}-${credits}`,
  catalog_slug: 'shop',
  credits,
  overrides: { type, ...more },
});
const free = reading.map((type) => action(type, 0));
const paid = reading.map((type) => action(type, 3));
const others = ['submit', 'delete', 'Scrape', ''].flatMap((type) => [action(type, 0), action(type, 3)]);

type Listed = Pick<Awaited<ReturnType<typeof startGateway>>['gateway'], 'listing'>;
async function effects(gateway: Listed) {
  const { tools } = await gateway.listing();
  return Object.fromEntries(tools.map(({ actionId, effect }) => [actionId, effect]));
}
const all = (actions: readonly { action_id: string }[], effect: string) =>
  Object.fromEntries(actions.map(({ action_id }) => [action_id, effect]));

describe('what a call changes', () => {
  it('is nothing for a free action that only reads, credits for a paid one, and possibly anything else', async () => {
    const dear = action('search', 0, { action_id: 'shop-computed', credits_computed: true });
    const { gateway } = await startGateway({
      actions: [...free, ...paid, ...others, { ...dear, action_id: 'shop-computed' }],
    });
    expect(await effects(gateway)).toEqual({
      ...all(free, 'reads'),
      ...all(paid, 'spends'),
      ...all(others, 'changes'),
      'shop-computed': 'spends',
    });
  });

  it.each([{ maxCreditsPerDay: 50 }, { maxCreditsPerDayPerKey: 50 }, { confirmAboveCredits: 2 }])(
    'is nothing for a paid action that only reads where %j protects the balance',
    async (settings) => {
      const { gateway } = await startGateway({ actions: [...paid, ...others] }, settings);
      expect(await effects(gateway)).toEqual({ ...all(paid, 'reads'), ...all(others, 'changes') });
    },
  );

  it('is credits for a paid action where only single calls are limited', async () => {
    const { gateway } = await startGateway({ actions: paid }, { maxCreditsPerCall: 50 });
    expect(await effects(gateway)).toEqual(all(paid, 'spends'));
  });

  it('is nothing for a paid action that only reads at the embedded service', async () => {
    const upstream = await scriptedUpstream({ actions: [...paid, ...others] });
    const gateway = createGateway({
      api: createHttpClient({ baseUrl: upstream.origin, apiKey: upstream.apiKey }),
      principal: createPrincipal('embedded', upstream.apiKey),
      settings: defaultGatewaySettings,
      snapshotFile: undefined,
      store: { file: `${await temporaryFolder()}/gateway.db` },
      logger: recordingLogger(),
    });
    closeLater(() => gateway.close());
    expect(await effects(gateway)).toEqual({ ...all(paid, 'reads'), ...all(others, 'changes') });
  });
});

describe('types that only the details of a catalog name', () => {
  const actions = [
    { action_id: 'shop-list', catalog_slug: 'shop', type: 'list', credits: 0 },
    { action_id: 'shop-send', catalog_slug: 'shop', type: 'send', credits: 0 },
    { action_id: 'news-read', catalog_slug: 'news', type: 'read', credits: 0 },
  ];
  const quickly = { limits: { typesPauseMs: 1 } };
  const readSlugs = (upstream: Upstream) =>
    upstream.requestsTo('getCatalog').map(({ url }) => url.split('/').at(-1));

  it('are read once in the background, and they are announced when the last one is there', async () => {
    const { gateway, upstream, folder } = await startGateway({ actions }, {}, quickly);
    const unknown = all(actions, 'changes');
    expect(await effects(gateway)).toEqual(unknown);
    const changed = vi.fn();
    gateway.onListingChange(changed);
    await expect.poll(() => readSlugs(upstream).sort()).toEqual(['news', 'shop']);
    await vi.waitFor(async () => {
      // Kept in the file as soon as it is known: another process lists it from the start.
      const other = openGateway(upstream, folder);
      expect(await effects(other.gateway)).toMatchObject({ 'shop-list': 'reads', 'news-read': 'reads' });
    }, 20_000);
    await expect.poll(() => changed.mock.calls).toHaveLength(1);
    expect(await effects(gateway)).toMatchObject({ 'shop-list': 'reads', 'news-read': 'reads' });
    changed.mockClear();
    upstream.service.addAction({ action_id: 'shop-more', catalog_slug: 'shop', type: 'list', credits: 0 });
    await gateway.searchActions({ q: 'shop-more' }, callContext());
    await expect.poll(() => changed).toHaveBeenCalled();
    await expect
      .poll(() => effects(gateway))
      .toEqual({ 'shop-list': 'reads', 'shop-send': 'changes', 'news-read': 'reads', 'shop-more': 'reads' });
    // Only the catalog with the new action is read again.
    await expect.poll(() => readSlugs(upstream)).toHaveLength(3);
    expect(readSlugs(upstream).at(-1)).toBe('shop');
  });

  it('are known to the next start without a read', async () => {
    const { gateway, upstream, folder } = await startGateway({ actions }, {}, quickly);
    await gateway.listing();
    await expect.poll(() => readSlugs(upstream)).toHaveLength(2);
    await gateway.close();
    await ageSnapshots(folder, 10 * 60_000);
    const next = openGateway(upstream, folder, {}, upstream.apiKey, quickly);
    expect(await effects(next.gateway)).toMatchObject({ 'shop-list': 'reads', 'shop-send': 'changes' });
    const refreshed = upstream.requestsTo('search').length;
    await expect.poll(() => upstream.requestsTo('search').length).toBe(refreshed);
    expect(await effects(next.gateway)).toMatchObject({ 'shop-list': 'reads', 'shop-send': 'changes' });
    expect(readSlugs(upstream)).toHaveLength(2);
  });

  it('are read of catalogs with listed tools only', async () => {
    const reserved = reservedByStaticTools();
    const settings = { reserved, maxTools: reserved.names.length + 1 };
    const { gateway, upstream } = await startGateway({ actions }, settings, quickly);
    expect(await effects(gateway)).toEqual({ 'news-read': 'changes' });
    await expect.poll(() => readSlugs(upstream)).toEqual(['news']);
  });

  it('are not read while a price is read', async () => {
    const limits = { typesPauseMs: 20 };
    const { gateway, upstream } = await startGateway({ actions }, { maxCreditsPerDay: 9 }, { limits });
    const answerMs = 400;
    upstream.fail('getCatalog', { kind: 'delay', ms: answerMs }, { times: 1 });
    const run = gateway.runAction({ action_id: 'shop-list' }, callContext());
    await expect.poll(() => upstream.requestsTo('getCatalog')).toHaveLength(1);
    await gateway.listing();
    expect((await run).body.status).toBe('completed');
    await expect.poll(() => upstream.requestsTo('getCatalog')).toHaveLength(3);
    const [price, ...types] = upstream.requestsTo('getCatalog').map(({ at }) => at);
    for (const at of types) expect(at - (price ?? 0)).toBeGreaterThanOrEqual(answerMs);
  });
});
