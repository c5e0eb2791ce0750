import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { loginErrors } from '../../src/contract/errors.ts';
import { Identity } from '../../src/contract/resources.ts';
import type { LoginOutcome, LoginRunner } from '../../src/service/accounts/login-runner.ts';
import { RunError } from '../../src/service/foundation/errors.ts';
import { removeUser } from '../../src/service/money/users.ts';
import { disconnectIdentity } from '../../src/service/operations/identities.ts';
import {
  action,
  addTestUser,
  catalog,
  type Json,
  readMoney,
  sourceOf,
  startTestService,
  type TestService,
  type TestServiceOptions,
  withDatabase,
} from '../support/service.ts';

const field = (name: string, required: boolean) => ({ name, type: 'string', required, description: name });
const members = catalog({
  slug: 'members',
  auth_types: ['credentials'],
  login: { fields: [field('email', false), field('username', true), field('password', true)], recipe: {} },
  actions: [
    action({ action_id: 'inbox', auth_mode: 'required' }),
    action({ action_id: 'feed', auth_mode: 'optional' }),
    action({ action_id: 'news', auth_mode: 'none' }),
  ],
});
const other = catalog({
  slug: 'other',
  auth_types: ['credentials'],
  login: { fields: [], recipe: {} },
  actions: [action({ action_id: 'other_inbox', auth_mode: 'required' })],
});
const stateOnly = catalog({
  slug: 'state-only',
  auth_types: ['browser_state'],
  actions: [action({ action_id: 'state_inbox', auth_mode: 'required' })],
});
const unpublished = catalog({
  slug: 'unpublished',
  auth_types: ['credentials'],
  actions: [action({ action_id: 'unpublished_inbox', auth_mode: 'required' })],
});

const secret = 'correct horse battery staple';
const secretCookies = 'cookie-text-that-nobody-may-see';
const verified = (more: Partial<LoginOutcome & { verified: true }> = {}): LoginOutcome => ({
  verified: true,
  cookies: secretCookies,
  expiresAt: undefined,
  ...more,
});
const runnerOf = (
  outcome: (params: Readonly<Record<string, unknown>>) => LoginOutcome | Promise<LoginOutcome>,
) => {
  const seen: Json[] = [];
  const logins: Pick<LoginRunner, 'login'> = {
    login: async ({ params }) => {
      seen.push(params);
      return outcome(params);
    },
  };
  return { logins, seen };
};

const running: TestService[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.close()));
});
async function start(options: TestServiceOptions = {}): Promise<TestService> {
  const service = await startTestService({
    catalogs: sourceOf(members, other, stateOnly, unpublished),
    logins: runnerOf(() => verified()).logins,
    runner: { run: async ({ cookies }) => ({ data: { cookies: cookies ?? null } }) },
    ...options,
  });
  running.push(service);
  return service;
}
const credentials = { username: 'demo', password: secret };
const login = (service: TestService, body: Json = {}, headers = {}) =>
  service.call('POST', '/login', { catalog_slug: 'members', params: credentials, ...body }, headers);
const identitiesOf = async (service: TestService, headers = {}): Promise<Identity[]> => {
  const { body } = await service.call('GET', '/identities', undefined, headers);
  return Array.isArray(body.identities) ? body.identities.map((identity) => Identity.parse(identity)) : [];
};

describe('POST /login', () => {
  it('[login.verified] [login.expires-default] a verified login answers 201 with every field; its session lasts 24 hours if the login does not say', async () => {
    const service = await start();
    const { status, body } = await login(service);
    expect(status).toBe(201);
    const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(body).toEqual({
      status: 'verified',
      identity_id: uuid,
      identity_name: 'demo',
      credential_id: uuid,
      catalog_id: uuid,
      catalog_slug: 'members',
      expires_at: expect.stringMatching(/Z$/),
    });
    const hours = (Date.parse(String(body.expires_at)) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.99);
    expect(hours).toBeLessThan(24.01);
  });

  it('[login.expires-cap] a session ends when its soonest cookie does, at most 30 days ahead', async () => {
    const day = 24 * 3_600_000;
    for (const [given, shown] of [
      [5, 5],
      [90, 30],
    ] as const) {
      const expiresAt = new Date(Date.now() + given * day);
      const service = await start({ logins: runnerOf(() => verified({ expiresAt })).logins });
      const { body } = await login(service);
      expect((Date.parse(String(body.expires_at)) - Date.now()) / day).toBeCloseTo(shown, 2);
    }
  });

  it('[login.identity-name-given] [login.identity-name-derived] the name is given, or the first present field, or default', async () => {
    const service = await start();
    const name = async (body: Json) => (await login(service, body)).body.identity_name;
    expect(await name({ identity_name: 'Work' })).toBe('Work');
    expect(await name({ params: { ...credentials, email: 'a@b.example' } })).toBe('a@b.example');
    expect(await name({ params: { ...credentials, email: ' ' } })).toBe('demo');
    expect(
      await name({
        catalog_slug: 'other',
        params: { account: 'last', account_id: 7, login: 'l', user: 'u' },
      }),
    ).toBe('u');
    expect(await name({ catalog_slug: 'other', params: { account: 'last', account_id: 7 } })).toBe('7');
    expect(await name({ catalog_slug: 'other', params: {} })).toBe('default');
    expect((await login(service, { identity_name: 'a\0b' })).body.error).toMatchObject({
      code: 'INVALID_INPUT',
    });
  });

  it('[login.same-name-same-rows] [credential.refreshed] [identity.name-unique] again and at once: one identity, one credential', async () => {
    const service = await start();
    const answers = await Promise.all(Array.from({ length: 6 }, () => login(service)));
    expect(new Set(answers.map(({ body }) => `${body.identity_id} ${body.credential_id}`)).size).toBe(1);
    const identities = await identitiesOf(service);
    expect(identities).toHaveLength(1);
    expect(identities[0]?.credentials).toHaveLength(1);
  });

  it('names the other identities that are the same account of the site', async () => {
    const { logins } = runnerOf(() => verified({ siteUser: 'demo2' }));
    const service = await start({ logins });
    const first = await login(service, { identity_name: 'second' });
    expect(first.body).toMatchObject({ site_user: 'demo2' });
    expect(first.body.same_account_as).toBeUndefined();
    const again = await login(service, { identity_name: 'work' });
    expect(again.body).toMatchObject({ site_user: 'demo2', same_account_as: ['second'] });
    const [identity] = await identitiesOf(service);
    expect(identity?.credentials).toMatchObject([{ site_user: 'demo2' }]);
    const stranger = await addTestUser(service, 'stranger');
    const other = await login(service, { identity_name: 'mine' }, stranger.headers);
    expect(other.body.same_account_as).toBeUndefined();
  });

  it('[login.password-discarded] [credential.never-returned] password and cookies are in no file, log or answer', async () => {
    const service = await start();
    await login(service);
    const answers = [await login(service), await service.call('GET', '/identities')];
    await withDatabase(service, (database) => database.query.selectFrom('credentials').selectAll().execute());
    for (const file of await readdir(service.dataDir)) {
      const bytes = await readFile(join(service.dataDir, file));
      expect(bytes.includes(secret), file).toBe(false);
      expect(bytes.includes(secretCookies), file).toBe(false);
    }
    for (const { text } of answers) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(secretCookies);
      expect(text).not.toContain('encrypted');
    }
  });

  it.each([
    [{ params: {} }, ['username', 'password']],
    [{ params: { username: ' ', password: null } }, ['username', 'password']],
    [{ params: { username: 'demo', password: '' } }, ['password']],
  ])(
    '[login.missing-fields] [login.validation-free] %j is refused before the login runs',
    async (body, missing) => {
      const { logins, seen } = runnerOf(() => verified());
      const service = await start({ logins });
      const { status, body: answer } = await login(service, body);
      expect(status).toBe(400);
      expect(answer.error).toMatchObject({ code: 'INVALID_PARAMS', missing_fields: missing });
      expect(seen).toEqual([]);
      expect((await readMoney(service)).balances.default).toBe(1000);
    },
  );

  it('only described fields reach the login', async () => {
    const { logins, seen } = runnerOf(() => verified());
    const service = await start({ logins });
    await login(service, { params: { ...credentials, extra: 1 } });
    expect(seen).toEqual([credentials]);
  });

  it('[login.invalid-body] [login.invalid-input] [login.catalog-not-found] [login.not-supported] what cannot be run is refused', async () => {
    const service = await start();
    const refusals: [unknown, string][] = [
      ['{"catalog_slug":', 'INVALID_BODY'],
      [{ params: credentials }, 'INVALID_INPUT'],
      [{ catalog_slug: 'members' }, 'INVALID_INPUT'],
      [{ catalog_slug: 'members', params: [] }, 'INVALID_INPUT'],
      [{ catalog_slug: 'members', params: credentials, identity_name: 'a\u001b[2J\r\nb' }, 'INVALID_INPUT'],
      [{ catalog_slug: 'nope', params: {} }, 'CATALOG_NOT_FOUND'],
      [{ catalog_slug: 'state-only', params: {} }, 'LOGIN_NOT_SUPPORTED'],
      [{ catalog_slug: 'unpublished', params: {} }, 'LOGIN_NOT_SUPPORTED'],
    ];
    for (const [body, code] of refusals) {
      const answer = await service.call('POST', '/login', body);
      expect([answer.status, answer.body]).toMatchObject([400, { status: 'error', error: { code } }]);
    }
  });

  it('[login.not-available] [login.transport-error] it answers 503 without a runner, and 502 with a broken one', async () => {
    const without = await start({ logins: undefined });
    expect(await login(without)).toMatchObject({
      status: 503,
      body: { error: { code: 'LOGIN_NOT_AVAILABLE' } },
    });
    const broken = await start({
      logins: { login: () => Promise.reject(new Error(`socket closed while sending ${secret}`)) },
    });
    const answer = await login(broken);
    expect(answer).toMatchObject({ status: 502, body: { error: { code: 'LOGIN_TRANSPORT_ERROR' } } });
    expect(answer.text).not.toContain(secret);
  });

  const ran = [
    'BAD_PASSWORD',
    'MFA_REQUIRED',
    'CAPTCHA_REQUIRED',
    'ACCOUNT_LOCKED',
    'LOGIN_TIMEOUT',
    'LOGIN_PAGE_CHANGED',
    'LOGIN_NO_COOKIES',
    'LOGIN_INFRASTRUCTURE_ERROR',
    'LOGIN_FAILED',
  ] as const;
  it.each(ran)(
    '[login.failed-200] [login.no-raw-text] %s is 200 with status error, and nothing is stored',
    async (code) => {
      const service = await start({ logins: runnerOf(() => ({ verified: false, code })).logins });
      const { status, body } = await login(service);
      expect(status).toBe(200);
      expect(body).toEqual({ status: 'error', error: { code, message: loginErrors[code].condition } });
      expect(await identitiesOf(service)).toEqual([]);
    },
  );
});

describe('identities', () => {
  it('[list-identities.answer] [identity.fields] [credential.fields] [identity.default] with credentials, the first of a catalog the default', async () => {
    const service = await start();
    const first = (await login(service, { identity_name: 'first' })).body;
    await login(service, { identity_name: 'second' });
    const elsewhere = (await login(service, { catalog_slug: 'other', params: {} })).body;
    const { status, body } = await service.call('GET', '/identities');
    expect([status, body.status]).toEqual([200, 'ok']);
    const identities = await identitiesOf(service);
    expect(identities.map(({ name, is_default }) => [name, is_default])).toEqual([
      ['first', true],
      ['second', false],
      ['default', true],
    ]);
    expect(identities[0]).toEqual({
      id: first.identity_id,
      catalog_id: first.catalog_id,
      name: 'first',
      is_default: true,
      created_at: expect.stringMatching(/Z$/),
      credentials: [
        {
          id: first.credential_id,
          identity_id: first.identity_id,
          credential_type: 'credentials',
          status: 'active',
          last_used_at: expect.stringMatching(/Z$/),
          created_at: expect.stringMatching(/Z$/),
          signed_in_at: expect.stringMatching(/Z$/),
        },
      ],
    });
    const [unused] = identities[0]?.credentials ?? [];
    expect(unused?.last_used_at).toBe(unused?.created_at);
    const only = await service.call('GET', `/identities?catalog_id=${elsewhere.catalog_id}`);
    expect(only.body.identities).toEqual([identities[2]]);
  });

  it('[list-identities.catalog-id] [get-identity.answer] [get-identity.not-found] one by one; others are not found, byte for byte', async () => {
    const service = await start();
    const { identity_id, catalog_id } = (await login(service)).body;
    const [listed] = await identitiesOf(service);
    const single = await service.call('GET', `/identities/${identity_id}`);
    expect([single.status, single.body]).toEqual([200, { status: 'ok', identity: listed }]);
    const none = await service.call('GET', '/identities?catalog_id=00000000-0000-4000-8000-000000000000');
    expect(none.body).toEqual({ status: 'ok', identities: [] });
    const stranger = await addTestUser(service, 'stranger');
    const foreign = await service.call('GET', `/identities/${identity_id}`, undefined, stranger.headers);
    const unknown = await service.call('GET', '/identities/00000000-0000-4000-8000-000000000000');
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
    expect(
      (await service.call('GET', `/identities?catalog_id=${catalog_id}`, undefined, stranger.headers)).body,
    ).toEqual({ status: 'ok', identities: [] });
  });
});

describe('tasks with credentials', () => {
  const submit = (service: TestService, action_id: string, credential_id?: unknown, headers = {}) =>
    service.call('POST', '/task', { action_id, credential_id }, headers);
  const ranWith = async (service: TestService, action_id: string, credential_id?: unknown) => {
    const accepted = await submit(service, action_id, credential_id);
    expect(accepted.status).toBe(202);
    return (await service.finished(accepted.body.job_id)).data;
  };

  it('[task.auth-required] a required action without a credential names where to connect, and costs nothing', async () => {
    const service = await start();
    const { status, body } = await submit(service, 'inbox');
    expect([status, body.error]).toEqual([
      401,
      { code: 'AUTH_REQUIRED', message: expect.any(String), connect_url: '/connect/members' },
    ]);
    expect((await service.call('GET', '!/connect/members')).text).toContain('<h1>Sign in</h1>');
    expect((await readMoney(service)).balances.default).toBe(1000);
  });

  it('[task.optional-anonymous] [task.optional-credential] [task.none-ignores-credential] [search-result.connected] the mode decides who runs', async () => {
    const service = await start();
    const connected = async () => {
      const { body } = await service.call('GET', '/search?catalog=members');
      return Array.isArray(body.results) && body.results.every((result) => result.connected);
    };
    expect(await connected()).toBe(false);
    const { credential_id } = (await login(service)).body;
    expect(await connected()).toBe(true);
    expect(await ranWith(service, 'inbox', credential_id)).toEqual({ cookies: secretCookies });
    expect(await ranWith(service, 'feed', credential_id)).toEqual({ cookies: secretCookies });
    expect(await ranWith(service, 'feed')).toEqual({ cookies: null });
    expect(await ranWith(service, 'news', credential_id)).toEqual({ cookies: null });
    expect(await ranWith(service, 'news', 'not even an id')).toEqual({ cookies: null });
    const [identity] = await identitiesOf(service);
    expect(identity?.credentials[0]?.last_used_at).toMatch(/Z$/);
  });

  it("[task.forbidden] another user's, another catalog's and nobody's credential are refused with the same bytes", async () => {
    const service = await start();
    const stranger = await addTestUser(service, 'stranger');
    const { credential_id } = (await login(service)).body;
    const answers = [
      await submit(service, 'inbox', credential_id, stranger.headers),
      await submit(service, 'other_inbox', credential_id),
      await submit(service, 'inbox', '00000000-0000-4000-8000-000000000000'),
      await submit(service, 'feed', 'no id'),
    ];
    for (const { status, text, body } of answers) {
      expect([status, text]).toEqual([403, answers[0]?.text]);
      expect(body.error).toMatchObject({ code: 'FORBIDDEN' });
    }
  });

  it('[task.auth-expired] [auth.credential-types] an ended session is refused before the charge and listed as expired', async () => {
    const expiresAt = new Date(Date.now() + 50);
    const service = await start({ logins: runnerOf(() => verified({ expiresAt })).logins });
    const { credential_id } = (await login(service)).body;
    await expect.poll(async () => (await submit(service, 'inbox', credential_id)).status).toBe(401);
    const { body } = await submit(service, 'inbox', credential_id);
    expect(body.error).toMatchObject({ code: 'AUTH_EXPIRED' });
    expect((await identitiesOf(service))[0]?.credentials[0]?.status).toBe('expired');
  });

  it('[task.auth-expired] a session that the site ended fails and refunds the job, and expires the credential until the next login', async () => {
    const service = await start({
      runner: {
        run: () => Promise.reject(new RunError('The session has ended', { code: 'AUTH_EXPIRED' })),
      },
    });
    const { credential_id } = (await login(service)).body;
    const accepted = await submit(service, 'inbox', credential_id);
    expect(await service.finished(accepted.body.job_id)).toMatchObject({
      status: 'failed',
      error: { code: 'AUTH_EXPIRED' },
      credits_used: 0,
    });
    expect((await submit(service, 'inbox', credential_id)).body.error).toMatchObject({
      code: 'AUTH_EXPIRED',
    });
    expect((await readMoney(service)).balances.default).toBe(1000);
    expect((await login(service)).body.credential_id).toBe(credential_id);
    expect((await submit(service, 'inbox', credential_id)).status).toBe(202);
  });
});

describe('encryption', () => {
  it('a key that was put in front of the file leaves the older sessions readable', async () => {
    const service = await start();
    const { credential_id } = (await login(service)).body;
    const path = join(service.dataDir, 'credential-keys.json');
    const { keys } = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify({ keys: [{ ...keys[0], kid: 'new', k: 'A'.repeat(43) }, ...keys] }));
    const again = await start({ dataDir: service.dataDir });
    const accepted = await again.call('POST', '/task', { action_id: 'inbox', credential_id });
    expect(await again.finished(accepted.body.job_id)).toMatchObject({ data: { cookies: secretCookies } });
  });

  it('with a lost key identities need a login again, and everything else works', async () => {
    const service = await start();
    const { credential_id } = (await login(service)).body;
    running.splice(running.indexOf(service), 1);
    const dataDir = service.dataDir;
    const keep = await startTestService({ dataDir });
    await rm(join(dataDir, 'credential-keys.json'));
    await keep.close();
    const again = await start({ dataDir });
    expect((await identitiesOf(again))[0]?.credentials[0]?.status).toBe('expired');
    expect(
      (await again.call('POST', '/task', { action_id: 'inbox', credential_id })).body.error,
    ).toMatchObject({ code: 'AUTH_EXPIRED' });
    const news = await again.call('POST', '/task', { action_id: 'news' });
    expect(await again.finished(news.body.job_id)).toMatchObject({ status: 'completed' });
    expect((await login(again)).body.credential_id).toBe(credential_id);
    expect((await again.call('POST', '/task', { action_id: 'inbox', credential_id })).status).toBe(202);
    await again.close();
    await service.close();
  });

  it.each(['', '{"keys":[]}'])(
    'with a damaged key file identities need a login again, and everything else works: %j',
    async (damaged) => {
      const service = await start();
      const { credential_id } = (await login(service)).body;
      const path = join(service.dataDir, 'credential-keys.json');
      const keys = await readFile(path, 'utf8');
      await writeFile(path, damaged);
      const again = await start({ dataDir: service.dataDir });
      expect((await identitiesOf(again))[0]?.credentials[0]?.status).toBe('expired');
      const inbox = { action_id: 'inbox', credential_id };
      expect((await again.call('POST', '/task', inbox)).body.error).toMatchObject({ code: 'AUTH_EXPIRED' });
      const news = await again.call('POST', '/task', { action_id: 'news' });
      expect(await again.finished(news.body.job_id)).toMatchObject({ status: 'completed' });
      const refused = await login(again);
      expect([refused.status, refused.body.error]).toEqual([
        503,
        { code: 'STORE_UNAVAILABLE', message: expect.stringContaining('key file of the service is damaged') },
      ]);
      // A service that has the keys keeps them, and the damaged file is as it was.
      expect((await identitiesOf(service))[0]?.credentials[0]?.status).toBe('active');
      expect(await readFile(path, 'utf8')).toBe(damaged);
      await writeFile(path, keys);
      expect((await again.call('POST', '/task', inbox)).status).toBe(202);
      await writeFile(path, damaged);
      const removed = await start({ dataDir: service.dataDir });
      await rm(path);
      expect((await login(removed)).body.credential_id).toBe(credential_id);
    },
  );

  it('a ciphertext cannot be decrypted in another row', async () => {
    const service = await start();
    const first = (await login(service, { identity_name: 'first' })).body;
    const second = (await login(service, { identity_name: 'second' })).body;
    await withDatabase(service, async ({ query }) => {
      const row = await query
        .selectFrom('credentials')
        .selectAll()
        .where('id', '=', String(first.credential_id))
        .executeTakeFirstOrThrow();
      await query
        .updateTable('credentials')
        .set({ encrypted_data: row.encrypted_data })
        .where('id', '=', String(second.credential_id))
        .execute();
    });
    const accepted = await service.call('POST', '/task', {
      action_id: 'inbox',
      credential_id: second.credential_id,
    });
    expect(await service.finished(accepted.body.job_id)).toMatchObject({
      status: 'failed',
      error: { code: 'AUTH_EXPIRED' },
    });
  });
});

it('a login during which the account is disconnected answers with a credential that exists', async () => {
  let disconnect = async () => {};
  const { logins } = runnerOf(async () => {
    await disconnect();
    return verified();
  });
  const service = await start({ logins });
  const signIn = () =>
    service.call('POST', '/login', {
      catalog_slug: 'members',
      params: { username: 'ann', password: secret },
    });
  const first = await signIn();
  // While the website is being signed in to.
  disconnect = () =>
    withDatabase(service, async (database) => {
      const { id, user_id } = await database.query
        .selectFrom('identities')
        .select(['id', 'user_id'])
        .executeTakeFirstOrThrow();
      await disconnectIdentity(database, user_id, id);
    });
  const { body } = await signIn();
  expect(body.status).toBe('verified');
  expect(body.credential_id).not.toBe(first.body.credential_id);
  expect((await service.call('GET', '/identities')).body.identities).toMatchObject([
    { id: body.identity_id, credentials: [{ id: body.credential_id, status: 'active' }] },
  ]);
});

it('a login that ends after its user was removed stores no session', async () => {
  let remove = async (): Promise<unknown> => undefined;
  const { logins } = runnerOf(async () => {
    await remove();
    return verified();
  });
  const service = await start({ logins });
  const { headers } = await addTestUser(service, 'ann');
  remove = () => withDatabase(service, (database) => removeUser(database, 'ann'));
  const params = { catalog_slug: 'members', params: { username: 'ann', password: secret } };
  const { status } = await service.call('POST', '/login', params, headers);
  expect(status).toBe(401);
  const identities = await withDatabase(service, (database) =>
    database.query.selectFrom('identities').select('id').execute(),
  );
  expect(identities).toEqual([]);
});
