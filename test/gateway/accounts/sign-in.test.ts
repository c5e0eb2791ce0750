/** Getting an account: from the environment, by a page, at the service; and going on with the call that lacked it. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Identity } from '../../../src/contract/resources.ts';
import type { LoginValue } from '../../../src/gateway/accounts/login.ts';
import type { CallContext } from '../../../src/gateway/interface/gateway.ts';
import type { Outcome, SignInOffer } from '../../../src/gateway/interface/outcomes.ts';
import type { GatewaySettings } from '../../../src/gateway/interface/settings.ts';
import {
  callContext,
  closeGateways,
  deliver,
  openGateway,
  scriptedUpstream,
  temporaryFolder,
} from '../../support/gateway.ts';
import { closePages, createPages } from '../../support/sign-in-pages.ts';
import { envelope } from '../../support/upstream-faults.ts';

afterEach(async () => {
  await closeGateways();
  await closePages();
});

const catalogId = '11111111-1111-4111-8111-111111111111';
const fields = [
  { name: 'email', type: 'string', required: true, description: 'Email' },
  { name: 'password', type: 'password', required: true, description: 'Password' },
  { name: 'branch', type: 'number', required: false, description: 'Branch' },
];
const nearId = '33333333-3333-4333-8333-333333333333';
const openId = '22222222-2222-4222-8222-222222222222';
const script = {
  catalogs: [
    { slug: 'shop', id: catalogId, auth_types: ['credentials'], login_input_schema: fields },
    { slug: 'open', id: openId, auth_types: ['browser_state'], auth_login_url: 'https://open.example/login' },
    { slug: 'near', id: nearId, auth_types: ['browser_state'], auth_login_url: 'http://127.0.0.1:9/login' },
  ],
  actions: [
    { action_id: 'shop-buy', catalog_slug: 'shop', auth_mode: 'required', credits: 5 },
    { action_id: 'shop-see', catalog_slug: 'shop', auth_mode: 'optional' },
    { action_id: 'open-see', catalog_slug: 'open', auth_mode: 'required' },
    { action_id: 'near-see', catalog_slug: 'near', auth_mode: 'required' },
  ],
};
const typed = { email: 'a@b.example', password: 'right' };
const buy = { action_id: 'shop-buy' };

function identity(name: string, status: string, catalog_id = catalogId): Identity {
  const id = `identity-${name}`;
  const created_at = '2026-01-01T00:00:00Z';
  const credential = { id: `${name}-0`, identity_id: id, credential_type: 'credentials', status };
  return {
    id,
    catalog_id,
    name,
    is_default: false,
    created_at,
    credentials: [{ ...credential, last_used_at: null, created_at }],
  };
}

async function start({
  identities = [],
  settings = {},
  loginValue,
}: {
  identities?: readonly Identity[];
  settings?: Partial<GatewaySettings>;
  loginValue?: LoginValue;
} = {}) {
  const upstream = await scriptedUpstream({ ...script, identities });
  const pages = createPages();
  const opened: string[] = [];
  const options = {
    pages,
    apiKey: upstream.apiKey,
    getAddress: async ({ id }: { id: string }) => `http://127.0.0.1:1/sign-in/${id}`,
    ...(loginValue && { loginValue }),
    openBrowser: (url: string) => opened.push(url),
  };
  const folder = await temporaryFolder();
  const { gateway } = openGateway(upstream, folder, settings, upstream.apiKey, { signIn: options });
  /** The person at the page, by its address. */
  const pageAt = async (url: unknown) => {
    const page = await pages.find(String(url).split('/').at(-1) ?? '');
    if (page === undefined) throw new Error(`There is no page at ${url}`);
    return page;
  };
  const tasks = () => upstream.requestsTo('submitTask').map(({ body }) => body);
  const spent = () => 1000 - upstream.service.balance;
  return { upstream, pages, opened, folder, gateway, options, pageAt, tasks, spent };
}

/** What a transport gets that can show pages. */
async function offered(call: (context: CallContext) => Promise<Outcome>): Promise<SignInOffer> {
  const { question } = await call(callContext({ signIn: 'unasked' }));
  if (question?.kind !== 'sign-in') throw new Error('No sign-in was asked for');
  return question.offer;
}
const accepted = ({ id }: SignInOffer) => callContext({ signIn: { id, answer: 'accepted' } });
const soon = { signal: new AbortController().signal, timeoutMs: 20 };
const later = { signal: new AbortController().signal, timeoutMs: 10_000 };

describe('login without params', () => {
  it('answers with a page for ten minutes, the same one until it is used, and then with what came of it', async () => {
    const { gateway, pageAt, upstream } = await start();
    const input = { catalog: 'shop', identity_name: ' work ' };
    const { body } = await gateway.login(input, callContext());
    expect(body).toMatchObject({
      status: 'sign_in_required',
      identity_name: 'work',
      next: { kind: 'open-page', why: 'waiting' },
    });
    const left = Date.parse(String(body.expires_at)) - Date.now();
    expect(left).toBeGreaterThan(590_000);
    expect(left).toBeLessThanOrEqual(600_000);
    expect((await gateway.login(input, callContext())).body.login_url).toBe(body.login_url);

    const page = await pageAt(body.login_url);
    upstream.fail('login', envelope(200, 'BAD_PASSWORD', 'x'), { times: 1 });
    await page.submit({ ...typed, password: 'wrong' });
    await expect.poll(() => page.failure).toMatchObject({ message: expect.stringContaining('rejected') });
    expect(page.state).toBe('open');
    expect((await gateway.login(input, callContext())).body).toMatchObject({
      sign_in: 'rejected',
      reason: page.failure && `${page.failure.message} ${page.failure.advice}`,
      next: { kind: 'open-page', why: 'rejected' },
    });
    await page.submit(typed);
    expect(await page.ended).toBe('verified');
    expect(upstream.requestsTo('login')[1]?.body).toEqual({
      catalog_slug: 'shop',
      identity_name: 'work',
      params: typed,
    });
    const told = await gateway.login(input, callContext());
    expect(told.body).toMatchObject({ status: 'verified', identity_name: 'work' });
    const listed = await gateway.listIdentities({ catalog: 'shop' }, callContext());
    expect(listed.body).toMatchObject({
      identities: [{ name: 'work', is_default: true, credentials: [{ expires_at: told.body.expires_at }] }],
    });
    const again = await gateway.login(input, callContext());
    expect(again.body).toMatchObject({ status: 'sign_in_required' });
    expect(again.body.login_url).not.toBe(body.login_url);
  });

  it.each(['allow', 'forbid'] as const)(
    'opens a page also for empty params (params: %s)',
    async (loginParams) => {
      const { gateway } = await start({ settings: { loginParams } });
      const { body } = await gateway.login({ catalog: 'shop', params: {} }, callContext());
      expect(body.status).toBe('sign_in_required');
    },
  );

  it("uses the environment's values where all required ones exist", async () => {
    const values: Record<string, string> = { email: 'env@b.example', password: 'of-env', branch: '12' };
    const { gateway, upstream, opened } = await start({
      loginValue: (slug, field) => (slug === 'shop' ? values[field] : undefined),
    });
    const { body } = await gateway.login({ catalog: 'shop' }, callContext());
    expect(body).toMatchObject({ status: 'verified', identity_name: 'env@b.example' });
    expect(upstream.requestsTo('login')[0]?.body).toMatchObject({ params: { ...values, branch: 12 } });
    delete values.password;
    expect((await gateway.login({ catalog: 'shop' }, callContext())).body.status).toBe('sign_in_required');
    expect(opened).toHaveLength(1);
  });

  it('opens the browser once for a page, and not where the client shows it', async () => {
    const { gateway, opened } = await start();
    await offered((context) => gateway.login({ catalog: 'shop' }, context));
    expect(opened).toEqual([]);
    const { body } = await gateway.login({ catalog: 'shop' }, callContext());
    await gateway.login({ catalog: 'shop' }, callContext());
    expect(opened).toEqual([body.login_url]);
  });

  it('goes on in the call once verified, where the client shows pages', async () => {
    const { gateway, pageAt } = await start();
    const login = (context: CallContext) => gateway.login({ catalog: 'shop' }, context);
    const offer = await offered(login);
    expect(offer.message).toContain('shop');
    expect(await gateway.awaitSignIn(offer.id, soon)).toBe('pending');
    expect((await login(accepted(offer))).body).toMatchObject({
      status: 'sign_in_required',
      login_url: offer.url,
    });
    await (await pageAt(offer.url)).submit(typed);
    expect(await gateway.awaitSignIn(offer.id, later)).toBe('verified');
    expect((await login(accepted(offer))).body).toMatchObject({ status: 'verified', catalog_slug: 'shop' });
  });

  it('that was declined stays open, and its address is returned once', async () => {
    const { gateway, pageAt } = await start();
    const login = (context: CallContext) => gateway.login({ catalog: 'shop' }, context);
    const offer = await offered(login);
    const { body } = await login(callContext({ signIn: { id: offer.id, answer: 'declined' } }));
    expect(body).toMatchObject({
      status: 'error',
      error: { code: 'SIGN_IN_DECLINED', login_url: offer.url, expires_at: expect.any(String) },
    });
    const again = await login(callContext({ signIn: { id: offer.id, answer: 'declined' } }));
    expect(JSON.stringify(again.body)).not.toContain(offer.url);
    // The person may open it all the same: some clients decline without asking.
    await (await pageAt(offer.url)).submit(typed);
    expect(await gateway.awaitSignIn(offer.id, later)).toBe('verified');
    expect((await login(callContext({ signIn: 'unasked' }))).body).toMatchObject({ status: 'verified' });
  });

  it('says that an address of the machine of the service opens only there', async () => {
    const { gateway } = await start();
    const { body } = await gateway.login({ catalog: 'near' }, callContext());
    expect(body).toMatchObject({
      login_url: 'http://127.0.0.1:9/login',
      next: { owner: 'a page of 127.0.0.1:9, which opens only on the machine of the service' },
    });
  });

  it('offers the sign-in address of a site that needs a browser, and says when it is connected', async () => {
    const { gateway, upstream } = await start();
    const login = (context: CallContext) => gateway.login({ catalog: 'open' }, context);
    const offer = await offered(login);
    expect(offer.url).toBe('https://open.example/login');
    expect(offer.message).toContain('a page of open.example');
    const { body } = await login(callContext());
    expect(body).toMatchObject({
      login_url: offer.url,
      next: { kind: 'open-page', owner: 'a page of open.example' },
    });
    const waiting = gateway.awaitSignIn(offer.id, later);
    upstream.service.identities.push(identity('own', 'active', openId));
    expect(await waiting).toBe('verified');
    expect((await login(accepted(offer))).body).toMatchObject({ status: 'verified', identities: ['own'] });
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'https://anna:hunter2@open.example/',
    '//evil.example/',
  ])('does not show %s as the sign-in address of a site', async (address) => {
    const { gateway, upstream } = await start();
    const { id } = upstream.service.catalogs.get('open') ?? { id: openId };
    upstream.service.catalogs.set('open', {
      slug: 'open',
      id,
      category: 'commerce',
      auth_types: ['browser_state'],
      auth_login_url: address,
    });
    const { body } = await gateway.login({ catalog: 'open' }, callContext());
    expect(body).toMatchObject({ status: 'error', error: { code: 'LOGIN_NOT_SUPPORTED' } });
    expect(JSON.stringify(body)).not.toContain(address);
  });

  it('shows a page to nobody but the principal who asked', async () => {
    const { gateway, upstream, options, pageAt } = await start();
    const offer = await offered((context) => gateway.login({ catalog: 'shop' }, context));
    const other = openGateway(upstream, await temporaryFolder(), {}, 'key-of-another', { signIn: options });
    expect(await other.gateway.awaitSignIn(offer.id, later)).toBe('ended');
    const { body } = await other.gateway.login({ catalog: 'shop' }, accepted(offer));
    expect(body).toMatchObject({ status: 'error' });
    expect(JSON.stringify(body)).not.toContain(offer.id);
    await other.gateway.close();
    expect(await gateway.awaitSignIn(offer.id, soon)).toBe('pending');
    await gateway.close();
    // The person may still be typing: the page stays, for this principal's next process as well.
    expect((await pageAt(offer.id)).pending).toBe(true);
  });
});

it('params are refused before anything is sent where the setting forbids them', async () => {
  const { gateway, upstream } = await start({ settings: { loginParams: 'forbid' } });
  const { body } = await gateway.login({ catalog: 'shop', params: typed }, callContext());
  expect(body).toMatchObject({
    error: { code: 'LOGIN_PARAMS_FORBIDDEN' },
    next: { kind: 'sign-in', account: { catalog: 'shop' }, why: 'on-page' },
  });
  expect(JSON.stringify(body)).not.toContain(typed.password);
  expect(upstream.requestsTo('login')).toEqual([]);
});

describe('an action without an account', () => {
  it('says where to sign in, and runs when it is repeated, paid once', async () => {
    const { gateway, pageAt, tasks, spent } = await start();
    const { body } = await gateway.runAction(buy, callContext());
    expect(body).toMatchObject({
      status: 'error',
      error: {
        code: 'AUTH_REQUIRED',
        expires_at: expect.any(String),
      },
      next: { kind: 'open-page', why: 'refused' },
    });
    expect(spent()).toBe(0);
    const page = await pageAt(Object(body.error).login_url);
    await page.submit(typed);
    await page.ended;
    expect((await gateway.runAction(buy, callContext())).body).toMatchObject({ status: 'completed' });
    expect(spent()).toBe(5);
    expect(tasks()).toEqual([
      { action_id: 'shop-buy', params: {} },
      { action_id: 'shop-buy', params: {}, credential_id: expect.any(String) },
    ]);
  });

  it('leads nobody to connect one where the caller may not', async () => {
    const { gateway, upstream } = await start();
    for (const signIn of [undefined, 'unasked'] as const) {
      const { body } = await gateway.runAction(buy, callContext({ signIn, mayConnect: false }));
      expect(body).toMatchObject({ status: 'error', error: { code: 'AUTH_REQUIRED' } });
      expect(JSON.stringify(body)).not.toContain('login_url');
    }
    expect(upstream.requestsTo('login')).toEqual([]);
  });

  it('goes on in the call after the sign-in, paid once', async () => {
    const { gateway, pageAt, tasks, spent } = await start();
    const run = (context: CallContext) => gateway.runAction(buy, context);
    const offer = await offered(run);
    const early = await run(accepted(offer));
    expect(early.body).toMatchObject({ status: 'error', error: { code: 'AUTH_REQUIRED' } });
    expect(tasks()).toHaveLength(1);
    await (await pageAt(offer.url)).submit(typed);
    expect(await gateway.awaitSignIn(offer.id, later)).toBe('verified');
    expect((await run(accepted(offer))).body).toMatchObject({ status: 'completed', credits_used: 5 });
    expect(tasks()).toHaveLength(2);
    expect(spent()).toBe(5);
  });

  it('sends nothing where the user declines', async () => {
    const { gateway, tasks } = await start({ identities: [identity('work', 'expired')] });
    const run = (context: CallContext) => gateway.runAction({ ...buy, identity: 'work' }, context);
    const { id } = await offered(run);
    const { body } = await run(callContext({ signIn: { id, answer: 'declined' } }));
    expect(body).toMatchObject({ error: { code: 'SIGN_IN_DECLINED' } });
    expect(tasks()).toEqual([]);
  });

  it.each<[string, string, Identity[], string]>([
    ['expired', 'work', [identity('work', 'expired'), identity('home', 'active')], 'work'],
    ['expired, by its credential', 'work-0', [identity('work', 'expired')], 'work'],
    ['new, the first of its site', 'first', [], 'first'],
  ])('asks for the account that the call names (%s)', async (_, wanted, identities, name) => {
    const { gateway, pageAt, tasks, upstream } = await start({ identities });
    const run = (context: CallContext) => gateway.runAction({ ...buy, identity: wanted }, context);
    const offer = await offered(run);
    expect(tasks()).toEqual([]);
    expect((await pageAt(offer.url)).identityName).toBe(name);
    await (await pageAt(offer.url)).submit(typed);
    await gateway.awaitSignIn(offer.id, later);
    expect((await run(accepted(offer))).body).toMatchObject({ status: 'completed' });
    expect(upstream.requestsTo('login')[0]?.body).toMatchObject({ identity_name: name });
  });

  it('goes on where the service finds the session expired, which took no money', async () => {
    const { gateway, pageAt, spent, upstream } = await start({ identities: [identity('work', 'active')] });
    upstream.fail('submitTask', envelope(401, 'AUTH_EXPIRED', 'x'), { times: 1 });
    const offer = await offered((context) => gateway.runAction(buy, context));
    await (await pageAt(offer.url)).submit(typed);
    await gateway.awaitSignIn(offer.id, later);
    const { body } = await gateway.runAction({ ...buy, identity: 'work' }, accepted(offer));
    expect(body).toMatchObject({ status: 'completed' });
    expect(spent()).toBe(5);
  });

  it("signs in with the environment's values and goes on, without asking anybody", async () => {
    const { gateway, spent } = await start({
      loginValue: (_, field) => (field === 'branch' ? undefined : `${field}-1`),
    });
    expect((await gateway.runAction(buy, callContext())).body).toMatchObject({ status: 'completed' });
    expect(spent()).toBe(5);
  });

  it("asks once, and tells, where the environment's values are wrong", async () => {
    const { gateway, upstream, tasks } = await start({ loginValue: (_, field) => `${field}-1` });
    upstream.fail('login', envelope(200, 'BAD_PASSWORD', 'x'));
    expect((await gateway.runAction(buy, callContext())).body).toMatchObject({
      error: { code: 'BAD_PASSWORD' },
    });
    expect(upstream.requestsTo('login')).toHaveLength(1);
    expect(tasks()).toHaveLength(1);
  });

  it('of a site that needs a browser offers the connect address, absolute, and goes on once connected', async () => {
    const { gateway, upstream } = await start();
    const see = (context: CallContext) => gateway.runAction({ action_id: 'open-see' }, context);
    const { body } = await see(callContext());
    const address = `${upstream.origin}/connect/open`;
    expect(body).toMatchObject({
      error: { code: 'AUTH_REQUIRED', login_url: address },
    });
    const offer = await offered(see);
    expect(offer.url).toBe(address);
    const waiting = gateway.awaitSignIn(offer.id, later);
    upstream.service.identities.push(identity('own', 'active', openId));
    expect(await waiting).toBe('verified');
    expect((await see(accepted(offer))).body).toMatchObject({ status: 'completed' });
  });

  it.each([
    'https://evil.example/phish',
    '//evil.example/phish',
    '\\\\evil.example/phish',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'http://user:hunter2@evil.example/',
    '//user:hunter2@{host}/connect',
    '{origin}/connect/open',
    `https://long.example/${'a'.repeat(2_048)}`,
    `/connect/${'a'.repeat(2_048)}`,
    '',
    5,
  ])('shows no address of a service but paths of its own: %s', async (given) => {
    const { gateway, upstream } = await start();
    const { origin } = upstream;
    const connect_url =
      typeof given === 'string'
        ? given.replace('{origin}', origin).replace('{host}', new URL(origin).host)
        : given;
    const links = { connect_url, login_url: connect_url === `${origin}/connect/open` ? '' : connect_url };
    upstream.fail('submitTask', envelope(401, 'AUTH_REQUIRED', 'Connect first', links));
    const run = async (one: typeof gateway) =>
      (await one.runAction({ action_id: 'open-see' }, callContext({ mayConnect: false }))).body;
    const body = await run(gateway);
    expect(body).toMatchObject({
      error: { code: 'AUTH_REQUIRED' },
      next: { kind: 'sign-in', why: 'needed' },
    });
    expect(body.error).not.toHaveProperty('connect_url');
    if (given === 'https://evil.example/phish') expect(body.error).toHaveProperty('login_url', given);
    else expect(body.error).not.toHaveProperty('login_url');
    const { body: offered } = await gateway.runAction({ action_id: 'open-see' }, callContext());
    // The catalog's own address takes its place.
    expect(offered).toMatchObject({ error: { login_url: 'https://open.example/login' } });
  });

  it.each<[string, (gateway: Awaited<ReturnType<typeof start>>) => void, object]>([
    ['that needs none', () => undefined, { action_id: 'shop-see' }],
    [
      'whose name is mistaken',
      ({ upstream }) => upstream.service.identities.push(identity('home', 'active')),
      { ...buy, identity: 'hoem' },
    ],
    [
      'but also without credits',
      ({ upstream }) => upstream.fail('submitTask', envelope(402, 'INSUFFICIENT_CREDITS', 'x')),
      buy,
    ],
    [
      'whose job found it signed out',
      ({ upstream }) => {
        upstream.service.identities.push(identity('home', 'active'));
        upstream.service.addAction({
          ...script.actions[0],
          action_id: 'shop-buy',
          job: { error: { code: 'AUTH_EXPIRED', message: 'x' } },
        });
      },
      buy,
    ],
  ])('%s is not asked for one', async (_, prepare, input) => {
    const started = await start();
    prepare(started);
    const { body, question } = await started.gateway.runAction(
      { action_id: '', ...input },
      callContext({ signIn: 'unasked' }),
    );
    expect(question).toBeUndefined();
    expect(body).not.toHaveProperty('error.login_url');
    expect(started.tasks().length).toBeLessThanOrEqual(1);
  });

  it('whose job finds it signed out is told to sign in again, and the next run is another one', async () => {
    const { gateway, pageAt, spent, upstream } = await start({ identities: [identity('work', 'active')] });
    const action = { ...script.actions[0], action_id: 'shop-buy' };
    upstream.service.addAction({ ...action, job: { error: { code: 'AUTH_EXPIRED', message: 'x' } } });
    const failed = await deliver(gateway.runAction(buy, callContext()));
    expect(failed.body).toMatchObject({
      status: 'failed',
      error: { code: 'AUTH_EXPIRED' },
      next: { kind: 'refunded', step: { kind: 'sign-in', account: {}, why: 'needed' } },
    });
    upstream.service.addAction(action);
    const { body } = await gateway.login({ catalog: 'shop', identity_name: 'work' }, callContext());
    const page = await pageAt(body.login_url);
    await page.submit(typed);
    await page.ended;
    expect((await gateway.runAction(buy, callContext())).body).toMatchObject({ status: 'completed' });
    expect(spent()).toBe(5);
  });
});
