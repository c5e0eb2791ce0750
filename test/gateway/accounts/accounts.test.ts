import { afterEach, describe, expect, it } from 'vitest';
import type { Identity } from '../../../src/contract/resources.ts';
import { systemClock } from '../../../src/gateway/foundation/clock.ts';
import type { Outcome } from '../../../src/gateway/interface/outcomes.ts';
import { callContext, closeGateways, deliver, runTool, startGateway } from '../../support/gateway.ts';

afterEach(closeGateways);

const catalogId = '11111111-1111-4111-8111-111111111111';
const catalogs = [{ slug: 'shop', id: catalogId, auth_types: ['credentials'] }];
const action = (auth_mode: string, more = {}) => ({
  action_id: 'shop-buy',
  catalog_slug: 'shop',
  auth_mode,
  ...more,
});

function identity(name: string, statuses: readonly string[], more: Partial<Identity> = {}): Identity {
  return {
    id: `identity-${name}`,
    catalog_id: catalogId,
    name,
    is_default: false,
    created_at: '2026-01-01T00:00:00Z',
    credentials: statuses.map((status, index) => ({
      id: `${name}-${index}`,
      identity_id: `identity-${name}`,
      credential_type: 'credentials',
      status,
      last_used_at: '2026-01-01T00:00:00Z',
      created_at: `2026-01-0${index + 1}T00:00:00Z`,
    })),
    ...more,
  };
}

/** Runs the action as an account and tells what was sent, or why not. */
async function run(auth_mode: string, identities: readonly Identity[], wanted?: string) {
  const { gateway, upstream } = await startGateway({ catalogs, actions: [action(auth_mode)], identities });
  const { body } = await gateway.runAction({ action_id: 'shop-buy', identity: wanted }, callContext());
  const sent = upstream.requestsTo('submitTask').map((request) => request.body);
  return { body, sent, upstream };
}
const credential = (credential_id: string) => [{ action_id: 'shop-buy', params: {}, credential_id }];
const none = [{ action_id: 'shop-buy', params: {} }];

describe('[client.credential-choice] the credential', () => {
  const anna = identity('anna', ['active']);
  const bert = identity('bert', ['active']);
  const old = identity('old', ['expired']);

  it.each<[string, string, Identity[], string | undefined, unknown]>([
    ['is of the identity named', 'required', [anna, bert], 'bert', credential('bert-0')],
    [
      'is of the identity named, whatever its letters',
      'optional',
      [anna, bert],
      'BERT',
      credential('bert-0'),
    ],
    ['is the one named by its id', 'required', [anna, bert], 'anna-0', credential('anna-0')],
    [
      'is the newest active one of its identity',
      'required',
      [identity('many', ['active', 'active', 'expired'])],
      'many',
      credential('many-1'),
    ],
    [
      'is of the default identity',
      'required',
      [anna, { ...bert, is_default: true }],
      undefined,
      credential('bert-0'),
    ],
    ['is the only active one', 'required', [old, anna], undefined, credential('anna-0')],
    ['is none for optional without identity', 'optional', [{ ...anna, is_default: true }], undefined, none],
    ['is none for an action without sign-in', 'none', [{ ...anna, is_default: true }], undefined, none],
  ])('%s', async (_, auth_mode, identities, wanted, sent) => {
    const result = await run(auth_mode, identities, wanted);
    expect(result.sent).toEqual(sent);
    expect(result.body.status).toBe('completed');
  });

  it.each<[string, Identity[], string | undefined, string, unknown]>([
    [
      'several match',
      [identity('Anna', ['active']), identity('ANNA', ['active'])],
      'anna',
      'IDENTITY_AMBIGUOUS',
      ['Anna', 'ANNA'],
    ],
    ['several could be meant', [anna, bert, old], undefined, 'IDENTITY_AMBIGUOUS', ['anna', 'bert']],
    ['none matches', [anna, old], 'carl', 'IDENTITY_NOT_FOUND', ['anna', 'old']],
    ['there are none', [], 'carl', 'IDENTITY_NOT_FOUND', []],
    [
      'it is of another catalog',
      [identity('carl', ['active'], { catalog_id: 'other' })],
      'carl',
      'IDENTITY_NOT_FOUND',
      [],
    ],
    ['it has expired', [old], 'old', 'AUTH_EXPIRED', undefined],
    [
      'the default has expired and another one is active',
      [{ ...old, is_default: true }, anna],
      undefined,
      'AUTH_EXPIRED',
      ['anna'],
    ],
    [
      'the default has no session and others are active',
      [{ ...identity('empty', []), is_default: true }, anna, bert],
      undefined,
      'AUTH_EXPIRED',
      ['anna', 'bert'],
    ],
    ['the default has expired', [{ ...old, is_default: true }], undefined, 'AUTH_EXPIRED', undefined],
    [
      'the credential named has expired',
      [identity('two', ['active', 'expired'])],
      'two-1',
      'AUTH_EXPIRED',
      undefined,
    ],
  ])('is refused before anything is sent where %s', async (_, identities, wanted, code, names) => {
    const { body, sent } = await run('required', identities, wanted);
    expect(sent).toEqual([]);
    expect(body).toMatchObject({
      status: 'error',
      error: { code, ...(names ? { identities: names } : {}) },
      next: { kind: expect.stringMatching(/^(sign-in|name-account)$/) },
    });
  });

  it('of the default account says that it acted unnamed, and how another is named, in a run and in a batch', async () => {
    const identities = [{ ...anna, is_default: true }, bert, old];
    const note =
      'The call named no account, so the default one, "anna", acted. identity names another: "bert".';
    const { body } = await run('required', identities);
    expect(body).toMatchObject({ status: 'completed', account: 'anna', note });
    expect(Object.keys(body).at(-1)).toBe('data');
    expect((await run('required', identities, 'anna')).body).not.toHaveProperty('note');
    expect((await run('required', [{ ...anna, is_default: true }, old])).body).not.toHaveProperty('note');
    const { gateway } = await startGateway({ catalogs, actions: [action('required')], identities });
    const batch = async (inputs: object[]) =>
      (
        await gateway.runBatch(
          { action_id: 'shop-buy', batch: inputs.map((one) => ({ ...one })) },
          callContext(),
        )
      ).body;
    expect(await batch([{ q: 1 }, { q: 2, identity: 'bert' }])).toMatchObject({ rows_completed: 2, note });
    expect(await batch([{ q: 3, identity: 'bert' }])).not.toHaveProperty('note');
  });

  it('may be left out, and then the answer says that no account acted', async () => {
    const note = 'The call named no account, so it ran without one. identity names one.';
    expect((await run('optional', [anna])).body).toMatchObject({ account: null, note });
    expect((await run('optional', [anna], 'anna')).body).not.toHaveProperty('note');
    expect((await run('none', [anna])).body).not.toHaveProperty('note');
  });

  it('is asked about by its name, before anything is paid', async () => {
    const { gateway } = await startGateway(
      {
        catalogs,
        actions: [action('required', { credits: 9 })],
        identities: [{ ...anna, is_default: true }, bert],
      },
      { confirmAboveCredits: 5 },
    );
    const context = callContext({ confirmation: 'unasked' });
    const question = async (answer: Promise<Outcome>) => (await answer).question;
    expect(await question(gateway.runAction({ action_id: 'shop-buy' }, context))).toMatchObject({
      confirmation: { account: 'anna', credits: 9 },
    });
    const batch = [{ q: 1 }, { q: 2, identity: 'bert' }];
    expect(await question(gateway.runBatch({ action_id: 'shop-buy', batch }, context))).toMatchObject({
      confirmation: { account: 'anna, bert', credits: 18 },
    });
  });

  it('of an expired default account is renewed by the login that the refusal names', async () => {
    const { body } = await run('required', [{ ...old, is_default: true }, anna]);
    expect(body).toMatchObject({
      error: { identity_name: 'old', message: expect.stringContaining('anna') },
      next: { kind: 'sign-in', account: { catalog: 'shop', identity_name: 'old' }, others: true },
    });
  });

  it('is left out where there is none, so that the service says how to connect one', async () => {
    const { body, sent, upstream } = await run('required', [old]);
    expect(sent).toEqual(none);
    expect(body).toMatchObject({
      error: { code: 'AUTH_REQUIRED', connect_url: `${upstream.origin}/connect/shop` },
      next: { kind: 'open-page', why: 'connect-url' },
    });
  });

  it('is of the catalog, also where the service ignores the filter', async () => {
    const foreign = identity('anna', ['active'], { catalog_id: 'other' });
    const { gateway, upstream } = await startGateway({ catalogs, actions: [action('required')] });
    upstream.fail('listIdentities', { kind: 'answer', body: { status: 'ok', identities: [foreign] } });
    const { body } = await gateway.runAction({ action_id: 'shop-buy', identity: 'anna' }, callContext());
    expect(body).toMatchObject({ error: { code: 'IDENTITY_NOT_FOUND' } });
  });

  it('is named by the answer of a batch too, null where its runs are anonymous', async () => {
    const { gateway } = await startGateway({ catalogs, actions: [action('optional')], identities: [anna] });
    const input = { action_id: 'shop-buy', batch: [{}] };
    expect((await gateway.runBatch(input, callContext())).body.account).toBeNull();
    const named = await gateway.runBatch({ ...input, identity: 'anna' }, callContext());
    expect(named.body.account).toBe('anna');
  });

  it('is looked up at each call', async () => {
    const { gateway, upstream } = await startGateway({
      catalogs,
      actions: [action('required')],
      identities: [identity('anna', ['active'])],
    });
    const call = () => gateway.runAction({ action_id: 'shop-buy', identity: 'anna' }, callContext());
    expect((await call()).body.status).toBe('completed');
    for (const one of upstream.service.identities[0]?.credentials ?? []) one.status = 'expired';
    expect((await call()).body).toMatchObject({ error: { code: 'AUTH_EXPIRED' } });
    expect(upstream.requestsTo('listIdentities')).toHaveLength(2);
    expect(upstream.requestsTo('listIdentities')[0]?.query.get('catalog_id')).toBe(catalogId);
  });

  it('is found in a catalog that was deleted and made again, a minute later', async () => {
    let lateMs = 0;
    const clock = { ...systemClock, monotonic: () => performance.now() + lateMs };
    const { gateway, upstream } = await startGateway(
      { catalogs, actions: [action('required')], identities: [anna] },
      {},
      { clock },
    );
    const call = () => gateway.runAction({ action_id: 'shop-buy', identity: 'anna' }, callContext());
    expect((await call()).body.status).toBe('completed');
    const id = '22222222-2222-4222-8222-222222222222';
    upstream.service.catalogs.set('shop', { slug: 'shop', id, category: 'commerce' });
    upstream.service.identities.splice(0, 1, identity('anna', ['active'], { catalog_id: id }));
    lateMs = 60_000;
    expect((await call()).body.status).toBe('completed');
    expect((await call()).body.status).toBe('completed');
    expect(upstream.requestsTo('getCatalog')).toHaveLength(2);
  });

  it('is part of what makes two calls different', async () => {
    const { gateway, upstream } = await startGateway({
      catalogs,
      actions: [action('required')],
      identities: [anna, bert],
    });
    for (const wanted of ['anna', 'bert', 'anna'])
      await gateway.runAction({ action_id: 'shop-buy', identity: wanted }, callContext());
    expect(upstream.requestsTo('submitTask')).toHaveLength(2);
  });

  it('[client.auth-mode-leads] follows auth_mode, not its deprecated mirror', async () => {
    const mirrored = action('none', { overrides: { auth_required: true } });
    const { gateway, upstream } = await startGateway({ catalogs, actions: [mirrored], identities: [anna] });
    await gateway.runAction({ action_id: 'shop-buy' }, callContext());
    expect(upstream.requestsTo('submitTask')[0]?.body).toEqual({ action_id: 'shop-buy', params: {} });
  });

  it('is named by identity in a tool of its own, or by svc_identity, and is no param', async () => {
    const parameters = { type: 'object', properties: { identity: { type: 'string' } } };
    const { gateway, upstream } = await startGateway({
      catalogs,
      actions: [action('optional'), action('required', { action_id: 'shop-own', parameters })],
      identities: [anna],
    });
    await runTool(gateway, 'shop-buy', { identity: 'anna', q: 1 });
    await runTool(gateway, 'shop-own', { identity: 'mine', svc_identity: 'anna' });
    expect(upstream.requestsTo('submitTask').map(({ body }) => body)).toEqual([
      { action_id: 'shop-buy', params: { q: 1 }, credential_id: 'anna-0' },
      { action_id: 'shop-own', params: { identity: 'mine' }, credential_id: 'anna-0' },
    ]);
    const unknown = await runTool(gateway, 'shop-own', { svc_identity: 'nobody' });
    expect(unknown.body).toMatchObject({ next: { kind: 'name-account', argument: 'svc_identity' } });
    const other = await runTool(gateway, 'shop-buy', { identity: 'nobody' });
    expect(other.body.next).not.toHaveProperty('argument');
    const wrong = await runTool(gateway, 'shop-buy', { identity: 5 });
    expect(wrong.body).toMatchObject({ error: { code: 'INVALID_PARAMS', issues: [{ path: 'identity' }] } });
  });
});

describe('a result of one user', () => {
  const user = (site_user: string | undefined, signed_in_at?: string): Identity => {
    const { credentials, ...rest } = identity('first', ['active']);
    const told = { ...(site_user !== undefined && { site_user }), ...(signed_in_at && { signed_in_at }) };
    return { ...rest, credentials: credentials.map((one) => ({ ...one, ...told })) };
  };
  const start = async (first: Identity) => {
    const job = () => ({ data: { orders: ['R-1'] } });
    const fields = [{ name: 'username', type: 'string', required: true, description: 'Name' }];
    const [shop] = catalogs.map((one) => ({ ...one, login_input_schema: fields }));
    const script = {
      catalogs: shop ? [shop] : [],
      actions: [action('required', { job })],
      identities: [first],
    };
    const { gateway, upstream, ...more } = await startGateway(script);
    const run = (maxAge?: number) =>
      gateway.runAction({ action_id: 'shop-buy', identity: 'first', max_age_seconds: maxAge }, callContext());
    const becomes = (next: Identity) => upstream.service.identities.splice(0, 1, next);
    return { run, becomes, sent: () => upstream.requestsTo('submitTask').length, gateway, upstream, ...more };
  };

  it.each([
    ['of another user', user('demo2', '2026-11-02T00:00:00Z')],
    ['of another user whose sign-in has no time', user('demo2')],
    ['at another time, by somebody of the same name', user('demo', '2026-11-02T00:00:00Z')],
  ])('is not that of the sign-in under the same name %s', async (_, next) => {
    const { run, becomes, sent } = await start(user('demo', '2026-11-01T00:00:00Z'));
    // Its answer is lost: the same call of the same user gets it.
    await run();
    expect((await run()).body).toMatchObject({ attached: true });
    expect((await deliver(run(3_600))).body).toMatchObject({ attached: true });
    expect((await run(3_600)).body).toMatchObject({ cached: true });
    expect(sent()).toBe(1);
    becomes(next);
    const { body } = await run(3_600);
    expect(body).toMatchObject({ status: 'completed', account: 'first' });
    expect(body).not.toHaveProperty('cached');
    expect(body).not.toHaveProperty('attached');
    expect(sent()).toBe(2);
  });

  it('is never taken from before where the service does not tell who is signed in', async () => {
    const { run, sent, gateway } = await start(user(undefined));
    expect((await run(3_600)).body).toMatchObject({
      error: { code: 'INVALID_PARAMS', issues: [{ path: 'max_age_seconds' }] },
    });
    expect(sent()).toBe(0);
    await run();
    expect((await run()).body).toMatchObject({ attached: true });
    const login = { catalog: 'shop', identity_name: 'first', params: {} };
    expect((await gateway.login({ ...login, params: { username: 'b' } }, callContext())).body.status).toBe(
      'verified',
    );
    expect((await run()).body).not.toHaveProperty('attached');
    expect(sent()).toBe(2);
  });

  it.each([
    ['another user', user('demo2', '2026-11-02T00:00:00Z'), true],
    ['somebody of no name', user(undefined, '2026-11-02T00:00:00Z'), true],
    ['the same user again', user('demo', '2026-11-02T00:00:00Z'), false],
  ])('is not fetched by the planned rows of a batch once %s has signed in', async (_, next, isRefused) => {
    const { becomes, sent, gateway, upstream } = await start(user('demo', '2026-11-01T00:00:00Z'));
    upstream.service.actions.set('shop-buy', action('required', { job: { ms: Number.POSITIVE_INFINITY } }));
    const batch = Array.from({ length: 8 }, (_none, n) => ({ n }));
    const answer = gateway.runBatch({ action_id: 'shop-buy', batch, identity: 'first' }, callContext());
    await upstream.waitForRequests('submitTask', 5);
    becomes(next);
    const endAll = () => {
      for (const one of upstream.service.jobs.values()) one.script = { data: 'done' };
    };
    endAll();
    const ending = setInterval(endAll, 20);
    const { body } = await answer.finally(() => clearInterval(ending));
    expect(sent()).toBe(isRefused ? 5 : 8);
    const rest = isRefused
      ? { status: 'error', error: { code: 'ACCOUNT_CHANGED', message: expect.stringContaining('"first"') } }
      : { status: 'completed' };
    const rows = Array.from({ length: 8 }, (_none, n) => (n < 5 ? { status: 'completed' } : rest));
    expect(body.rows).toMatchObject(rows);
  });

  it('is said to have been of another user by the login that replaced that one', async () => {
    const { gateway, upstream } = await start(user('demo'));
    upstream.service.siteUser = 'demo2';
    const login = { catalog: 'shop', identity_name: 'first', params: { username: 'b' } };
    const { body } = await gateway.login(login, callContext());
    expect(body).toMatchObject({ site_user: 'demo2', previous_site_user: 'demo' });
    expect(body.note).toContain('This account was "demo" before.');
    const again = await gateway.login(login, callContext());
    expect(again.body).not.toHaveProperty('note');
  });
});

describe('list_identities', () => {
  it('that are the same account of the site are said to be', async () => {
    const demo = (name: string, site_user: string) => {
      const { credentials, ...rest } = identity(name, ['active']);
      return { ...rest, credentials: credentials.map((one) => ({ ...one, site_user })) };
    };
    const identities = [demo('second', 'demo2'), demo('work', 'demo2'), demo('home', 'demo')];
    const { gateway } = await startGateway({ catalogs, actions: [action('required')], identities });
    const { body } = await gateway.listIdentities({ catalog: 'shop' }, callContext());
    expect(body.note).toBe('second and work are one account: the website shows the same user.');
    expect(body.identities).toMatchObject([{ credentials: [{ site_user: 'demo2' }] }, {}, {}]);
  });

  it('lists those of one catalog, all, or one, without what is not documented', async () => {
    const secretive = { ...identity('anna', ['active']), cookies: 'secret-cookie' };
    const { gateway } = await startGateway({
      catalogs,
      actions: [action('required')],
      identities: [secretive, identity('carl', ['active'], { catalog_id: 'other' })],
    });
    const names = async (input: object) => (await gateway.listIdentities(input, callContext())).body;
    expect(await names({})).toMatchObject({ identities: [{ name: 'anna' }, { name: 'carl' }] });
    const one = await names({ catalog: 'shop' });
    expect(one).toMatchObject({
      identities: [{ name: 'anna', credentials: [{ id: 'anna-0', status: 'active' }] }],
    });
    expect(JSON.stringify(one)).not.toContain('secret-cookie');
    expect(await names({ id: 'identity-carl' })).toMatchObject({ identities: [{ name: 'carl' }] });
    expect(await names({ id: 'nobody' })).toMatchObject({
      error: { code: 'NOT_FOUND' },
      next: { kind: 'name-account', why: 'no-such-id' },
    });
  });
});
