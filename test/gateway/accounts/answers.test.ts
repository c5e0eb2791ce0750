/** What answers say of accounts. */
import { afterEach, describe, expect, it } from 'vitest';
import { callContext, closeGateways, deliver, startGateway } from '../../support/gateway.ts';

afterEach(closeGateways);

const now = '2026-01-01T00:00:00Z';
const identity = {
  id: '0d0c9d6e-0000-4000-8000-000000000001',
  catalog_id: '0d0c9d6e-0000-4000-8000-0000000000c1',
  name: 'work',
  is_default: true,
  created_at: now,
  credentials: [
    {
      id: '0d0c9d6e-0000-4000-8000-0000000000a1',
      identity_id: '0d0c9d6e-0000-4000-8000-000000000001',
      credential_type: 'credentials',
      status: 'active',
      last_used_at: now,
      created_at: now,
    },
  ],
};
const script = {
  catalogs: [
    { slug: 'shop', id: identity.catalog_id, auth_types: ['credentials'] },
    { slug: 'open', auth_types: [] },
  ],
  actions: [
    { action_id: 'shop-orders', catalog_slug: 'shop', auth_mode: 'required' },
    { action_id: 'shop-offers', catalog_slug: 'shop', auth_mode: 'optional' },
    { action_id: 'open-list', catalog_slug: 'open' },
  ],
  identities: [identity],
};

describe('an answer', () => {
  it('names the account, null for an anonymous run, and none where the action has no accounts', async () => {
    const { gateway } = await startGateway(script);
    const run = async (action_id: string) =>
      (await deliver(gateway.runAction({ action_id }, callContext()))).body;
    expect(await run('shop-orders')).toMatchObject({ status: 'completed', account: 'work' });
    expect(await run('shop-offers')).toMatchObject({ status: 'completed', account: null });
    expect(await run('open-list')).not.toHaveProperty('account');
    const { jobs } = (await gateway.getJob({}, callContext())).body;
    expect(Object(jobs).map(({ account }: { account: unknown }) => account)).toEqual([
      undefined,
      null,
      'work',
    ]);
  });

  it('of an anonymous run does not wait for the list of accounts', async () => {
    const { gateway, upstream } = await startGateway(script);
    upstream.fail('listIdentities', { kind: 'hang' });
    const { body } = await gateway.runAction({ action_id: 'shop-offers' }, callContext());
    expect(body).toMatchObject({ status: 'completed', account: null });
    expect(upstream.requestsTo('listIdentities')).toHaveLength(0);
  });

  it('names the account that a misspelt identity is near to', async () => {
    const { gateway } = await startGateway(script);
    const { body } = await gateway.runAction({ action_id: 'shop-orders', identity: 'wrok' }, callContext());
    expect(body.next).toMatchObject({ kind: 'name-account', why: 'unknown', nearest: 'work' });
  });

  it('leads an unknown identity to the one that is meant or to login, and takes no other account', async () => {
    const { gateway, upstream } = await startGateway(script);
    const { body } = await gateway.runAction({ action_id: 'shop-orders', identity: 'home' }, callContext());
    expect(body).toMatchObject({
      error: { code: 'IDENTITY_NOT_FOUND', identities: ['work'] },
      next: {
        kind: 'name-account',
        why: 'unknown',
        nearest: undefined,
        account: { catalog: 'shop', identity_name: 'home' },
      },
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(0);
  });

  it('lists identities with the slug of their website', async () => {
    const { gateway } = await startGateway(script);
    expect((await gateway.listIdentities({}, callContext())).body).toMatchObject({
      returned: 1,
      total: 1,
      has_more: false,
      identities: [{ catalog: 'shop', name: 'work' }],
    });
  });

  it('states that a website has no sign-in', async () => {
    const { gateway, upstream } = await startGateway(script);
    const { body } = await gateway.login({ catalog: 'open' }, callContext());
    expect(body).toMatchObject({
      error: { code: 'LOGIN_NOT_SUPPORTED', message: expect.stringContaining('open has no sign-in') },
    });
    expect(upstream.requestsTo('login')).toHaveLength(0);
  });
});

describe('a job in a state that is new', () => {
  it.each([
    ['running', { data: { progress: 10 } }],
    ['retrying', { error: { code: 'BUSY', message: 'Try 2 of 3' } }],
    ['COMPLETED', { data: [1] }],
    ['', { data: 1, credits_used: 1 }],
  ])('%j is no end, whatever stands beside it', async (status, members) => {
    const { gateway, upstream } = await startGateway(script);
    upstream.fail('getJob', { kind: 'answer', body: { status, ...members } }, { times: 2 });
    const { body } = await deliver(gateway.runAction({ action_id: 'open-list' }, callContext()));
    expect(body).toMatchObject({ status: 'completed', data: { params: {} } });
    expect(upstream.requestsTo('getJob').length).toBeGreaterThan(2);
  });

  it("is still running, and shows the service's own status", async () => {
    const { gateway, upstream } = await startGateway(script);
    const status = 'queued <b>behind</b> 3 others';
    for (let look = 0; look < 40; look += 1) upstream.fail('getJob', { kind: 'answer', body: { status } });
    const call = { action_id: 'open-list', select: 'items' };
    const { body } = await gateway.runAction(call, callContext({ waitMs: 2_000 }));
    expect(body).toMatchObject({ status: 'processing', service_status: 'queued behind 3 others' });
    const waited = await gateway.getJob({ job_id: String(body.job_id) }, callContext({ waitMs: 100 }));
    expect(waited.body).toMatchObject({ status: 'processing', service_status: 'queued behind 3 others' });
  });
});
