import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { loginErrors } from '../../../src/contract/errors.ts';
import type { LoginInput } from '../../../src/gateway/interface/gateway.ts';
import { callContext, closeGateways, startGateway } from '../../support/gateway.ts';
import { envelope } from '../../support/upstream-faults.ts';

afterEach(closeGateways);

const fields = [
  { name: 'email', type: 'string', required: true, description: 'Email' },
  { name: 'password', type: 'password', required: true, description: 'Password' },
  { name: 'tenant', type: 'string', required: false, description: 'Tenant' },
];
const script = {
  catalogs: [
    { slug: 'shop', auth_types: ['credentials'], login_input_schema: fields },
    { slug: 'open', auth_types: ['browser_state'] },
  ],
  actions: [
    { action_id: 'shop-buy', catalog_slug: 'shop', auth_mode: 'required' },
    { action_id: 'open-a', catalog_slug: 'open' },
  ],
};
const secret = 'canary-4f0c-password';
const params = { email: 'a@b.example', password: secret };

async function login(input: LoginInput) {
  const started = await startGateway(script);
  const { body } = await started.gateway.login(input, callContext());
  return { body, ...started };
}

describe('login', () => {
  it('[client.login-fields] sends exactly the fields and answers with what the service says', async () => {
    const { body, upstream } = await login({ catalog: 'shop', identity_name: ' work ', params });
    expect(upstream.requestsTo('login')[0]?.body).toEqual({
      catalog_slug: 'shop',
      identity_name: 'work',
      params,
    });
    expect(body).toMatchObject({
      status: 'verified',
      identity_name: 'work',
      catalog_slug: 'shop',
      credential_id: expect.any(String),
    });
  });

  it('says which of several accounts acts where a call names none', async () => {
    const { gateway } = await startGateway(script);
    const note = async (identity_name: string) =>
      (await gateway.login({ catalog: 'shop', identity_name, params }, callContext())).body.note;
    expect(await note('home')).toBeUndefined();
    expect(await note('home')).toBeUndefined();
    expect(await note('work')).toBe(
      'Calls that name no account act for "home", the default one: name "work" as identity to act for it.',
    );
    expect(await note('home')).toBe(
      'Calls that name no account act for "home", the default one; identity names another.',
    );
  });

  it('remembers when the newest 200 credentials expire', async () => {
    const { gateway } = await startGateway(script);
    const names = Array.from({ length: 201 }, (_, index) => `account ${index}`);
    // Ten sign-ins a minute are allowed.
    const { now } = performance;
    let lateMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + lateMs);
    for (const [index, identity_name] of names.entries()) {
      if (index % 10 === 0) lateMs += 62_000;
      const { body } = await gateway.login({ catalog: 'shop', identity_name, params }, callContext());
      expect(body.status).toBe('verified');
    }
    const expiryOf = async (name: string) => {
      const { identities } = (await gateway.listIdentities({ catalog: 'shop' }, callContext())).body;
      const found = Object(identities).find((one: { name: string }) => one.name === name);
      return found?.credentials[0].expires_at;
    };
    expect(await expiryOf('account 1')).toEqual(expect.any(String));
    expect(await expiryOf('account 0')).toBeUndefined();
    vi.restoreAllMocks();
  });

  it.each<[string, Record<string, unknown>, unknown]>([
    ['missing', { email: 'a' }, { missing_fields: ['password'], unknown_fields: [] }],
    ['blank', { email: 'a', password: '  ' }, { missing_fields: ['password'] }],
    ['null', { email: null, password: secret }, { missing_fields: ['email'] }],
    ['unknown', { ...params, otp: '1' }, { missing_fields: [], unknown_fields: ['otp'] }],
  ])('[client.login-fields] sends nothing where a field is %s', async (_, given, error) => {
    const { body, upstream } = await login({ catalog: 'shop', params: given });
    expect(body).toMatchObject({ status: 'error', error: { code: 'INVALID_PARAMS', ...Object(error) } });
    expect(JSON.stringify(body)).not.toContain(secret);
    expect(upstream.requestsTo('login')).toHaveLength(0);
  });

  it('of a catalog without credentials sends nothing', async () => {
    const { body, upstream } = await login({ catalog: 'open', params });
    expect(body).toMatchObject({ error: { code: 'LOGIN_NOT_SUPPORTED' }, next: { kind: 'sign-in-failed' } });
    expect(upstream.requestsTo('login')).toHaveLength(0);
  });

  it('of a catalog that does not exist says so', async () => {
    const { body } = await login({ catalog: 'nowhere', params });
    expect(body).toMatchObject({ status: 'error', error: { code: 'NOT_FOUND' } });
  });

  it.each(Object.entries(loginErrors))('explains %s, without the words of the site', async (code, entry) => {
    const { gateway, upstream } = await startGateway(script);
    const status =
      typeof entry === 'number' ? entry : Number(Object(entry).httpStatus ?? Object(entry).status ?? 200);
    upstream.fail('login', envelope(status, code, `site said ${secret}`, { detail: secret }));
    const { body } = await gateway.login({ catalog: 'shop', params }, callContext());
    expect(body).toMatchObject({
      status: 'error',
      error: { code, message: expect.stringMatching(/^[A-Z].*\.$/) },
    });
    expect(body.next).toEqual({ kind: 'sign-in-failed', code });
    expect(JSON.stringify(body)).not.toContain(secret);
  });

  it('explains a code that is new', async () => {
    const { gateway, upstream } = await startGateway(script);
    upstream.fail('login', envelope(200, 'NEW_CODE', 'x'));
    const { body } = await gateway.login({ catalog: 'shop', params }, callContext());
    expect(body).toMatchObject({
      error: { code: 'NEW_CODE', message: expect.any(String) },
      next: { kind: 'sign-in-failed', code: 'LOGIN_FAILED' },
    });
  });

  it.each([200, 201])(
    '[client.login-verified-only] accepts no other status as a success (HTTP %i)',
    async (status) => {
      const { gateway, upstream } = await startGateway(script);
      upstream.fail('login', { kind: 'answer', status, body: { status: 'pending', credential_id: 'x' } });
      const { body } = await gateway.login({ catalog: 'shop', params }, callContext());
      expect(body).toMatchObject({ status: 'error' });
    },
  );

  it('leaves no secret in a result, a log line or a file', async () => {
    const { gateway, upstream, folder, logger } = await startGateway(script);
    const bodies: unknown[] = [];
    const tryLogin = async () =>
      bodies.push((await gateway.login({ catalog: 'shop', params }, callContext())).body);
    await tryLogin();
    for (const fault of [
      envelope(200, 'BAD_PASSWORD', `wrong: ${secret}`),
      { kind: 'html' as const, status: 502 },
      { kind: 'reset' as const },
      { kind: 'answer' as const, status: 500, body: `stack ${secret}` },
    ]) {
      upstream.clearFaults();
      upstream.fail('login', fault);
      await tryLogin();
    }
    await gateway.close();
    const files = await Promise.all(
      (await readdir(folder)).map((name) => readFile(join(folder, name), 'latin1')),
    );
    const everything = JSON.stringify([bodies, logger.lines]) + files.join('');
    expect(bodies).toHaveLength(5);
    for (const canary of [secret, upstream.apiKey]) expect(everything).not.toContain(canary);
  });
});
