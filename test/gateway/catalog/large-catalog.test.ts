import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterEach, describe, expect, it } from 'vitest';
import { callContext, closeGateways, openGateway, runTool, startGateway } from '../../support/gateway.ts';
import type { ActionScript } from '../../support/upstream-script.ts';

afterEach(closeGateways);

const makeAction = (n: number, more: object = {}): ActionScript => ({
  action_id: `site${n % 50}-action-with-a-rather-long-name-${n}`,
  catalog_slug: `site${n % 50}`,
  description: `Reads page ${n} with names, prices and links`,
  parameters: { type: 'object', properties: { q: { type: 'string', description: 'Words to look for' } } },
  ...more,
});
const actions = Array.from({ length: 8_000 }, (_, n) => makeAction(n));

describe('thousands of actions', () => {
  it('are read, named, kept on disk and searched, and a change is seen', async () => {
    const { gateway, upstream, folder } = await startGateway({ actions });
    const count = async () => {
      const { tools, unlisted } = await gateway.listing();
      return tools.length + unlisted;
    };
    // A loaded machine may take longer than the first list waits.
    await expect.poll(count, { timeout: 30_000 }).toBe(8_000);
    const { body } = await gateway.searchActions({ q: 'prices of page 4711' }, callContext());
    expect(body).toMatchObject({ total: 1, results: [{ action_id: makeAction(4711).action_id }] });
    // The service's own answer to words would be as large as the catalog.
    expect(upstream.requestsTo('search')).toHaveLength(1);

    upstream.service.actions.delete(makeAction(17).action_id);
    upstream.service.addAction(makeAction(4711, { description: 'Reads nothing at all' }));
    upstream.service.addAction({ action_id: 'site0-tides', catalog_slug: 'site0', name: 'Tides' });
    const found = await gateway.searchActions({ q: 'tides' }, callContext());
    expect(found.body).toMatchObject({ results: [{ action_id: 'site0-tides' }] });
    await expect
      .poll(() => gateway.runTool('site0-tides', {}, callContext()), { timeout: 15_000 })
      .toBeDefined();
    const again = await gateway.searchActions({ q: 'prices of page 4711' }, callContext());
    expect(again.body).toMatchObject({ note: expect.stringContaining('nearest') });
    const gone = await gateway.runAction({ action_id: makeAction(17).action_id }, callContext());
    expect(gone.body).toMatchObject({ error: { code: 'ACTION_NOT_FOUND' } });

    await gateway.close();
    upstream.fail('search', { kind: 'hang' });
    const { gateway: reopened } = openGateway(upstream, folder);
    const listing = await reopened.listing();
    expect(listing.tools.length + listing.unlisted).toBe(8_000);
    expect((await runTool(reopened, 'site0-tides')).body.status).toBe('completed');
  }, 60_000);

  it('corrects a misspelled word without stopping everything else', async () => {
    const { gateway } = await startGateway({ actions });
    await gateway.listing();
    await gateway.searchActions({ q: 'prices' }, callContext());
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const { body } = await gateway.searchActions({ q: 'prises' }, callContext());
    delay.disable();
    expect(body).toMatchObject({ total: 3, note: expect.stringContaining('nearest') });
    // A loaded machine adds its own; at once, the search alone takes longer than this.
    expect(delay.percentile(50) / 1e6).toBeLessThan(100);
  }, 60_000);
});
