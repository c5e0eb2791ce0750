import { afterEach, describe, expect, it, vi } from 'vitest';
import { SharedActions } from '../../../src/gateway/catalog/shared-actions.ts';
import type { Gateway } from '../../../src/gateway/interface/gateway.ts';
import {
  callContext,
  closeGateways,
  openGateway,
  scriptedUpstream,
  temporaryFolder,
} from '../../support/gateway.ts';
import type { ActionScript } from '../../support/upstream-script.ts';

afterEach(closeGateways);

const open: ActionScript = {
  action_id: 'shop-list',
  catalog_slug: 'shop',
  auth_mode: 'optional',
  overrides: { connected: true },
};
const own: ActionScript = { action_id: 'mine-list', catalog_slug: 'mine', mine: true };
const names = async (gateway: Gateway) => (await gateway.listing()).tools.map(({ name }) => name);

/** Gateways of two keys that share a catalog; the first one has listed its tools. */
async function twoKeys(actions: readonly ActionScript[]) {
  const upstream = await scriptedUpstream({ actions, otherKeys: ['other'] });
  const sharedActions = new SharedActions([]);
  const make = async (key: string) =>
    openGateway(upstream, await temporaryFolder(), {}, key, { sharedActions });
  const first = await make(upstream.apiKey);
  await first.gateway.listing();
  return { upstream, sharedActions, first: first.gateway, second: (await make('other')).gateway };
}

describe('a second key', () => {
  it('without own actions takes what the first one fetched, and no search is spent', async () => {
    const { upstream, second } = await twoKeys([open]);
    expect(await names(second)).toEqual(['shop-list']);
    expect(upstream.requestsTo('search')).toHaveLength(1);
    const { body } = await second.searchActions({}, callContext());
    expect(body).toMatchObject({ results: [{ action_id: 'shop-list', connected: false }] });
  });

  it('without own actions is told which actions cannot be read, too', async () => {
    const lost = { ...open, action_id: 'shop-lost', overrides: { action_id: 5 } };
    const { upstream, first, second } = await twoKeys([open, lost]);
    expect(await names(second)).toEqual(['shop-list']);
    expect(upstream.requestsTo('search')).toHaveLength(1);
    expect(await second.unavailableActions()).toEqual(await first.unavailableActions());
    expect(await second.unavailableActions()).toHaveLength(1);
  });

  it('with own actions sees its own list, in which what does not differ is the same object', async () => {
    const { upstream, sharedActions, second } = await twoKeys([{ ...open, overrides: {} }, own]);
    const share = vi.spyOn(sharedActions, 'share');
    expect(await names(second)).toEqual(['mine-list', 'shop-list']);
    expect(upstream.requestsTo('search')).toHaveLength(2);
    const [fetched] = share.mock.calls[0] ?? [];
    const [result] = share.mock.results;
    expect(fetched).toHaveLength(2);
    expect(result?.value.byId.get('shop-list')).toBeDefined();
    // The first key got its own answer, whose objects are kept.
    for (const action of fetched ?? []) expect(result?.value.all).not.toContain(action);
  });

  it('shares nothing while scope=my is not answered', async () => {
    const { upstream, second } = await twoKeys([open]);
    upstream.fail('listCatalogs', { kind: 'html', status: 500 });
    expect(await names(second)).toEqual(['shop-list']);
    expect(upstream.requestsTo('search')).toHaveLength(2);
    const sharedActions = new SharedActions([]);
    const third = openGateway(upstream, await temporaryFolder(), {}, 'other', { sharedActions });
    await third.gateway.listing();
    expect(sharedActions.getPublic(Number.POSITIVE_INFINITY)).toBeUndefined();
  });

  it('that the service refuses gets nothing', async () => {
    const { upstream, sharedActions } = await twoKeys([open]);
    const wrong = openGateway(upstream, await temporaryFolder(), {}, 'wrong', { sharedActions });
    expect(await names(wrong.gateway)).toEqual([]);
  });

  it('fetches the catalog itself if it has reason to expect something new', async () => {
    const { upstream, second } = await twoKeys([open]);
    await names(second);
    upstream.service.addAction({ action_id: 'shop-new', catalog_slug: 'shop' });
    const { body } = await second.runAction({ action_id: 'shop-new' }, callContext());
    expect(body).toMatchObject({ status: 'completed' });
  });
});
