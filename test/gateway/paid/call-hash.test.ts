/** The hash of a paid call is stored: with another one, an upgrade would pay calls again whose answer nobody has read. */
import { afterEach, expect, it } from 'vitest';
import { callHash, type PaidCall } from '../../../src/gateway/paid/call-identity.ts';
import { callContext, closeGateways, openStore, startGateway } from '../../support/gateway.ts';

afterEach(closeGateways);

const run = { kind: 'run', subject: 'shop-list', params: {}, credentialId: undefined } as const;
const credentialId = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const nested = { b: [3, { z: null, a: 'ä' }, [], {}], a: { y: 1.5, x: -0 }, '': true, '10': 1, '9': 2 };
const unicode = { straße: 'Zürich 🚲', e: 'e\u0301 é', zero: '\u0000\u2028\ud800', 日本: ['東京', '\u202e'] };

const calls: [string, PaidCall, string][] = [
  ['a run without params', run, 'af6039ea0c13cc619b01f9cdbd45fb8d8c571eaae116f6ab7d2b5061a16fa77a'],
  [
    'a run with params',
    { ...run, params: { q: 'a', page: 2, exact: false } },
    '0fa2db3c90e4e8ff9f058eb5f7e38962ba8145db16ee6ccadc4050b73f4ed4a9',
  ],
  [
    'a run with a credential',
    { ...run, params: { q: 'a', page: 2, exact: false }, credentialId },
    'bc90aa7afa4f1c72d97f67f840cc5cbccfdcb49c4e0829335ae77d7d81e7565e',
  ],
  [
    'a run with nested params',
    { ...run, params: nested },
    '27694f4f6b72b52a1e5862a1913b5c095a55139aaba290320e6a4880dc688688',
  ],
  [
    'a run with Unicode',
    { ...run, subject: 'küche-liste', params: unicode },
    'd123cefcd70619cc89090560d45069b15629d9d732aefb3ebc6197ada08b20eb',
  ],
  [
    'a build',
    {
      kind: 'build',
      subject: 'https://shop.example/',
      params: { goal: 'List books', visibility: 'private', force: false },
      credentialId: undefined,
    },
    'fabf1de691ecfc3e41d65ae3f5b184b75ac795016804dbef1fa8adaf8d8449e9',
  ],
];

it.each(calls)('%s has the hash that earlier versions have stored', (_, call, hash) => {
  expect(callHash(call)).toBe(hash);
});

it('an undefined member is no member, and the order of members does not matter', () => {
  const params = { exact: false, page: 2, more: undefined, q: 'a' };
  expect(callHash({ ...run, params })).toBe(calls[1]?.[2]);
});

it('the rows of runs and builds have these hashes', async () => {
  const { gateway, folder } = await startGateway({
    actions: [{ action_id: 'shop-list', catalog_slug: 'shop' }],
  });
  const params = { q: 'a', page: 2, exact: false };
  await gateway.runAction({ action_id: 'shop-list', params }, callContext());
  await gateway.runBatch({ action_id: 'shop-list', batch: [{}, nested] }, callContext());
  await gateway.requestBuild(
    { website_url: 'https://other.example', goal: 'List books' },
    callContext({ waitMs: 0 }),
  );
  const { query } = await openStore(folder);
  const rows = await query.selectFrom('gateway_intent').select('call_hash').execute();
  const hashes = rows.map(({ call_hash }) => call_hash);
  expect(hashes.toSorted()).toEqual([
    '0fa2db3c90e4e8ff9f058eb5f7e38962ba8145db16ee6ccadc4050b73f4ed4a9',
    '27694f4f6b72b52a1e5862a1913b5c095a55139aaba290320e6a4880dc688688',
    'af6039ea0c13cc619b01f9cdbd45fb8d8c571eaae116f6ab7d2b5061a16fa77a',
    'e968425b9cab9e6695c4cd6c1bd3c780080bc6266afc87fc78d8ce3ee280c708',
  ]);
});
