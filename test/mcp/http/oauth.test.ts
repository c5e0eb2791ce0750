import { createPublicKey, createSecretKey } from 'node:crypto';
import { exportSPKI, SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { AuthorizationServer } from '../../../src/client/authorization-server.ts';
import { SubjectKeyError } from '../../../src/gateway/foundation/errors.ts';
import { ResourceServer } from '../../../src/mcp/transports/http/resource-server.ts';
import { completed } from '../../support/fake-gateway.ts';
import {
  closeHttp,
  connectHttp,
  initialize,
  jsonHeaders,
  serveHttp,
  standalone,
  token,
} from '../../support/http.ts';
import { closeIssuers, type Issuer, newKey, startIssuer } from '../../support/issuer.ts';
import { recordingLogger } from '../../support/mcp-pipe.ts';

afterEach(async () => {
  await closeHttp();
  await closeIssuers();
});

const everything = 'actions:read actions:run accounts:write builds:write';

async function serveOAuth({
  issuer: given,
  audience,
  publicUrl,
  cooldownMs = 0,
  limits = {},
}: {
  issuer?: Issuer;
  audience?: string;
  publicUrl?: string;
  cooldownMs?: number;
  limits?: object;
} = {}) {
  const issuer = given ?? (await startIssuer());
  const keys = new Map([
    ['alice', 'key-of-alice'],
    ['bob', 'key-of-bob'],
    ['carol', 'key-of-bob'],
  ]);
  /** Subjects whose keys cannot be decrypted. */
  const unreadable = new Set<string>();
  const server = new AuthorizationServer(issuer.url, { pauseMs: 1_000, timeoutMs: 2_000 });
  let baseUrl = publicUrl ?? '';
  const logger = recordingLogger();
  const resourceServer = new ResourceServer({
    issuer: issuer.url,
    audience,
    baseUrl: () => baseUrl,
    fetchKeySet: () => server.keySet(),
    retryAfterSeconds: 1,
    getKey: async ({ subject }) => {
      if (unreadable.has(subject)) throw new SubjectKeyError('The key cannot be decrypted');
      return keys.get(subject);
    },
    cooldownMs,
    logger,
  });
  const served = await serveHttp({
    access: { sharedKey: undefined, token },
    resourceServer,
    publicUrl,
    limits: { revocationMs: 20, ...limits },
  });
  baseUrl ||= served.server.origin;
  const { origin } = served.server;
  const resource = `${baseUrl}/mcp`;
  const post = async (authorization: string | undefined, init = standalone('tools/list'), path = '/mcp') => {
    const headers = { ...init.headers, ...(authorization !== undefined && { authorization }) };
    const answer = await fetch(`${origin}${path}`, { ...init, headers });
    return {
      status: answer.status,
      headers: answer.headers,
      challenge: answer.headers.get('www-authenticate'),
      text: await answer.text(),
    };
  };
  const as = async (sub: string, scope = everything) =>
    `Bearer ${await issuer.token({ sub, scope, aud: resource })}`;
  return { ...served, issuer, keys, unreadable, origin, resource, post, as, oauthLogger: logger };
}

const call = (name: string, args: object = {}) => standalone('tools/call', { name, arguments: args });

describe('a client without a token', () => {
  it('learns from the 401 where the metadata are, and from them whom to ask', async () => {
    const { issuer, origin, resource, post } = await serveOAuth();
    for (const authorization of [undefined, 'Basic YTpi', `Bearer`, 'Bearer ']) {
      const { status, challenge } = await post(authorization);
      expect([status, challenge]).toEqual([
        401,
        `Bearer scope="actions:read actions:run", resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
      ]);
    }
    for (const path of ['', '/mcp']) {
      const answer = await fetch(`${origin}/.well-known/oauth-protected-resource${path}`);
      expect([answer.status, await answer.json()]).toEqual([
        200,
        {
          resource,
          authorization_servers: [issuer.url],
          scopes_supported: ['actions:read', 'actions:run'],
          bearer_methods_supported: ['header'],
          resource_name: 'svc-mcp',
        },
      ]);
    }
    expect((await fetch(`${origin}/.well-known/oauth-protected-resource/elsewhere`)).status).toBe(404);
    const wrong = await fetch(`${origin}/.well-known/oauth-protected-resource`, { method: 'POST' });
    expect(wrong.status).toBe(405);
    expect(issuer.requests).toEqual([]);
  });

  it('finds the metadata of the legacy transport, and those below a public address with a path', async () => {
    const publicUrl = 'http://127.0.0.1:9/base';
    const { origin, post } = await serveOAuth({ publicUrl });
    const { challenge } = await post(undefined, standalone('tools/list'), '/messages?sessionId=1');
    expect(challenge).toContain(`resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/sse"`);
    for (const path of ['/sse', '/base/sse']) {
      const answer = await fetch(`${origin}/.well-known/oauth-protected-resource${path}`);
      expect(await answer.json()).toMatchObject({ resource: `${publicUrl}/sse` });
    }
  });

  it('gets nowhere with the token for the metrics, with a key, or with a token in the address', async () => {
    const { gateways, origin, post, as } = await serveOAuth();
    expect((await post(`Bearer ${token}`)).status).toBe(401);
    const own = {
      ...standalone('tools/list'),
      headers: { ...standalone('tools/list').headers, 'x-api-key': 'k' },
    };
    expect((await post(undefined, own)).status).toBe(401);
    const bearer = await as('alice');
    const query = `/mcp?access_token=${bearer.slice(7)}`;
    for (const authorization of [undefined, bearer]) {
      const refused = await post(authorization, standalone('tools/list'), query);
      expect([refused.status, refused.challenge]).toEqual([400, expect.stringContaining('invalid_request')]);
    }
    expect(gateways.size).toBe(0);
    const metrics = await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    expect(metrics.status).toBe(200);
    expect((await fetch(`${origin}/metrics`, { headers: { authorization: bearer } })).status).toBe(401);
  });
});

describe('a token', () => {
  it.each(['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'])('signed by %s is accepted', async (alg) => {
    const { post, as } = await serveOAuth({ issuer: await startIssuer({ alg }) });
    expect((await post(await as('alice'))).status).toBe(200);
  });

  it('is accepted in all forms that servers issue', async () => {
    const { issuer, resource, post } = await serveOAuth();
    const now = Math.floor(Date.now() / 1000);
    const good: readonly [object, Record<string, unknown>][] = [
      [{ scp: ['actions:read'] }, {}],
      [{ scp: 'openid actions:read' }, { typ: 'JWT' }],
      [{ scope: 'other actions:read', aud: ['elsewhere', resource] }, { typ: 'application/at+jwt' }],
      // The clocks differ a little.
      [{ scope: everything, exp: now - 5, nbf: now + 5 }, {}],
    ];
    for (const [claims, header] of good) {
      const bearer = await issuer.token({ sub: 'alice', aud: resource, ...claims }, header);
      expect((await post(`Bearer ${bearer}`)).status).toBe(200);
    }
    const untyped = await issuer.token(
      { sub: 'alice', aud: resource, scope: everything },
      { typ: undefined },
    );
    expect((await post(`Bearer ${untyped}`)).status).toBe(200);
  });

  it('that is wrong in any way is refused, with the reason, and opens nothing', async () => {
    const { issuer, resource, post, gateways, logger } = await serveOAuth({
      issuer: await startIssuer({ alg: 'RS256' }),
    });
    const now = Math.floor(Date.now() / 1000);
    const claims = { sub: 'alice', aud: resource, scope: everything };
    const full = { ...claims, iss: issuer.url, exp: now + 60 };
    const { key } = issuer;
    const other = await newKey('RS256');
    const spki = await exportSPKI(key.publicKey);
    const hmac = (secret: string | Buffer) =>
      new SignJWT(full)
        .setProtectedHeader({ alg: 'HS256', kid: key.kid, typ: 'at+jwt' })
        .sign(createSecretKey(Buffer.from(secret)));
    const good = await issuer.token(claims);
    const [header = '', payload = '', signature = ''] = good.split('.');
    const foreign = Buffer.from(JSON.stringify({ ...full, sub: 'bob' })).toString('base64url');
    const cases: readonly [string, string | Promise<string>][] = [
      ['iss', issuer.token({ ...claims, iss: 'https://other.example' })],
      ['iss', issuer.token({ ...claims, iss: `${issuer.url}/` })],
      ['aud', issuer.token({ ...claims, aud: 'https://other.example/mcp' })],
      ['aud', issuer.token({ ...claims, aud: `${resource}/more` })],
      ['aud', issuer.token({ sub: 'alice', scope: everything })],
      ['expired', issuer.token({ ...claims, exp: now - 60 })],
      ['no exp', issuer.token({ ...claims, exp: undefined })],
      ['not valid yet', issuer.token({ ...claims, nbf: now + 60 })],
      ['no sub', issuer.token({ ...claims, sub: undefined })],
      ['subject', issuer.token({ ...claims, sub: '' })],
      ['subject', issuer.token({ ...claims, sub: 5 as never })],
      ['subject', issuer.token({ ...claims, sub: ['alice'] as never })],
      ['subject', issuer.token({ ...claims, sub: 'x'.repeat(256) })],
      ['subject', issuer.token({ ...claims, sub: 'a\nb' })],
      ['bound', issuer.token({ ...claims, cnf: { jkt: 'x' } })],
      ['no access token', issuer.token(claims, { typ: 'logout+jwt' })],
      ['no access token', issuer.token(claims, { typ: 'dpop+jwt' })],
      ['algorithm', new UnsecuredJWT(full).encode()],
      ['algorithm', hmac(spki)],
      ['algorithm', hmac(createPublicKey(spki).export({ type: 'spki', format: 'der' }))],
      [
        'signature',
        new SignJWT(full).setProtectedHeader({ alg: 'RS256', kid: key.kid }).sign(other.privateKey),
      ],
      [
        'publish',
        new SignJWT(full).setProtectedHeader({ alg: 'RS256', kid: 'unknown' }).sign(other.privateKey),
      ],
      ['signature', `${header}.${foreign}.${signature}`],
      ['signature', `${header}.${payload}.${signature.slice(0, -8)}AAAAAAAA`],
      ['JSON Web Token', 'opaque'],
      ['JSON Web Token', 'a.b.c'],
      ['JSON Web Token', 'a.b.c.d.e'],
    ];
    for (const [reason, made] of cases) {
      const bad = await made;
      const { status, challenge, text } = await post(`Bearer ${bad}`);
      expect([reason, status, challenge]).toEqual([
        reason,
        401,
        expect.stringContaining('error="invalid_token"'),
      ]);
      expect(challenge).toContain('resource_metadata=');
      expect(challenge).toContain(reason);
      expect(text).not.toContain(bad);
      expect(JSON.stringify(logger.lines)).not.toContain(bad);
    }
    expect(gateways.size).toBe(0);
    expect((await post(`Bearer ${good}`)).status).toBe(200);
  });

  it('is for the audience that is set, where one is', async () => {
    const { issuer, resource, post } = await serveOAuth({ audience: 'api://svc' });
    const of = async (aud: string) =>
      `Bearer ${await issuer.token({ sub: 'alice', scope: everything, aud })}`;
    expect((await post(await of('api://svc'))).status).toBe(200);
    expect((await post(await of(resource))).status).toBe(401);
  });
});

describe('the keys of the issuer', () => {
  it('are asked for once, by however many, and a storm of unknown keys leads to one more request', async () => {
    const { issuer, resource, post, as } = await serveOAuth({ cooldownMs: 60_000 });
    const bearer = await as('alice');
    await Promise.all(Array.from({ length: 20 }, () => post(bearer)));
    expect(issuer.requests).toEqual(['/.well-known/oauth-authorization-server', '/keys']);
    const unknown = await issuer.token(
      { sub: 'alice', aud: resource, scope: everything },
      { kid: 'unknown' },
    );
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(`Bearer ${unknown}`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    expect(issuer.requests.length).toBeLessThanOrEqual(3);
  });

  it('are fetched again when one is unknown, so that a rotation needs no operator', async () => {
    const { issuer, post, as } = await serveOAuth();
    const before = await as('alice');
    expect((await post(before)).status).toBe(200);
    await issuer.rotate();
    expect((await post(await as('alice'))).status).toBe(200);
    // The key that is not published any more is not known any more.
    expect((await post(before)).status).toBe(401);
  });

  it.each(['nothing', 'nonsense', 'huge', 'redirect'] as const)(
    'that cannot be had (%s) are a 503 that says when to come back, never a 401, and are not asked for at each request',
    async (answer) => {
      const { issuer, post, as } = await serveOAuth();
      issuer.answer = answer;
      const bearer = await as('alice');
      for (let times = 0; times < 5; times += 1) {
        const { status, headers, challenge } = await post(bearer);
        expect([status, headers.get('retry-after'), challenge]).toEqual([503, '1', null]);
      }
      // At the addresses of both standards.
      expect(issuer.requests).toHaveLength(2);
      issuer.answer = 'keys';
      await expect.poll(async () => (await post(bearer)).status, { timeout: 5_000 }).toBe(200);
    },
  );

  it('keep working without the issuer once they are known', async () => {
    const { issuer, post, as } = await serveOAuth();
    expect((await post(await as('alice'))).status).toBe(200);
    issuer.answer = 'nothing';
    expect((await post(await as('alice'))).status).toBe(200);
    await issuer.rotate();
    expect((await post(await as('alice'))).status).toBe(503);
  });

  it('are found by OpenID discovery too, and for an issuer with a path', async () => {
    for (const [path, metadataPath] of [
      ['', '/.well-known/openid-configuration'],
      ['/tenant', '/.well-known/oauth-authorization-server/tenant'],
      ['/tenant', '/.well-known/openid-configuration/tenant'],
      ['/tenant', '/tenant/.well-known/openid-configuration'],
    ] as const) {
      const issuer = await startIssuer({ path });
      issuer.metadataPath = metadataPath;
      const { post, as } = await serveOAuth({ issuer });
      expect((await post(await as('alice'))).status).toBe(200);
    }
  });

  it('are not taken from metadata of another issuer, nor over a connection that anyone could answer', async () => {
    for (const metadata of [
      { issuer: 'https://other.example' },
      { jwks_uri: 'http://keys.example/keys' },
      { jwks_uri: 'file:///etc/passwd' },
      { jwks_uri: 7 },
    ]) {
      const issuer = await startIssuer();
      issuer.metadata = metadata;
      const { post, as, oauthLogger } = await serveOAuth({ issuer });
      expect((await post(await as('alice'))).status).toBe(503);
      expect(JSON.stringify(oauthLogger.lines)).toMatch(/is of the issuer|not an https address|lacks issuer/);
    }
  });
});

describe('scopes', () => {
  const needs = [
    ['actions:read', standalone('tools/list')],
    ['actions:read', call('search_actions')],
    ['actions:read', call('browse_catalogs')],
    ['actions:read', call('get_job')],
    ['actions:read', call('list_identities')],
    ['actions:read', call('list_build_requests')],
    ['actions:run', call('run_action', { action_id: 'a' })],
    ['actions:run', call('shop_a')],
    ['actions:run', call('no_such_tool')],
    ['accounts:write', call('login', { catalog: 'shop' })],
    ['builds:write', call('request_build', { website_url: 'https://a.example', goal: 'all' })],
  ] as const;

  it('each open what they are for, and nothing else: a 403 names what is missing beside what is there', async () => {
    const { post, as, gateways } = await serveOAuth();
    for (const [needed, init] of needs) {
      for (const scope of everything.split(' ')) {
        const { status, challenge } = await post(await as('alice', scope), init);
        if (scope === needed) {
          expect([needed, status]).toEqual([needed, expect.not.stringMatching('403')]);
          expect(status).not.toBe(403);
          continue;
        }
        const both = everything.split(' ').filter((one) => one === scope || one === needed);
        expect([init.body, status]).toEqual([init.body, 403]);
        expect(challenge).toContain('error="insufficient_scope"');
        expect(challenge).toContain(`scope="${both.join(' ')}"`);
        expect(challenge).toContain('resource_metadata=');
      }
    }
    const ran = gateways.get('key-of-alice')?.calls.filter(({ method }) => /^run/.test(method)) ?? [];
    expect(ran).toHaveLength(2);
  });

  it('hide no tool: who lacks one is told when it is called', async () => {
    const { post, as } = await serveOAuth();
    const { text } = await post(await as('alice', 'actions:read'));
    for (const name of ['run_action', 'login', 'request_build', 'shop_a'])
      expect(text).toContain(`"${name}"`);
  });

  it('are not needed to begin a session, and every message of a batch is checked', async () => {
    const { post, as } = await serveOAuth();
    const bearer = await as('alice', 'nothing-of-ours');
    const init = { method: 'POST', headers: jsonHeaders, body: JSON.stringify(initialize) };
    const begun = await post(bearer, init);
    expect(begun.status).toBe(200);
    const headers = { ...jsonHeaders, 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    const run = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'shop_a' } };
    const send = async (sent: unknown, scope: string) =>
      (await post(await as('alice', scope), { method: 'POST', headers, body: JSON.stringify(sent) })).status;
    expect(await send(list, 'nothing-of-ours')).toBe(403);
    expect(await send([list, run], 'actions:read')).toBe(403);
    expect(await send(run, 'actions:run')).toBe(200);
  });

  it('reach a run: without accounts:write nobody is led to connect an account', async () => {
    const { post, as, gateways } = await serveOAuth();
    await post(await as('alice', 'actions:run'), call('shop_a'));
    await post(await as('alice'), call('shop_a'));
    const contexts = gateways.get('key-of-alice')?.calls.map(({ context }) => context.mayConnect);
    expect(contexts).toEqual([false, true]);
  });

  it.each([
    ['streamable', 'stateless'],
    ['streamable', 'stateful'],
    ['sse', 'stateless'],
    ['sse', 'stateful'],
  ] as const)('reach a run over %s, %s, too', async (over, era) => {
    const { issuer, origin, gateways } = await serveOAuth();
    const aud = `${origin}/${over === 'sse' ? 'sse' : 'mcp'}`;
    const bearer = await issuer.token({ sub: 'alice', scope: 'actions:read actions:run', aud });
    const client = await connectHttp(origin, era, { authorization: `Bearer ${bearer}` }, over);
    await client.callTool({ name: 'shop_a', arguments: {} });
    const contexts = gateways.get('key-of-alice')?.calls.map(({ context }) => context.mayConnect);
    expect(contexts).toEqual([false]);
  });
});

describe('a subject', () => {
  it('without a key is told what the operator has to do, with an argument that no shell misreads', async () => {
    const { issuer, resource, post } = await serveOAuth();
    for (const [sub, argument] of [
      ['dave', 'dave'],
      ['auth0|7', "'auth0|7'"],
      ["a'; rm -rf ~ #", "'a'\\''; rm -rf ~ #'"],
      ['-x', "-- '-x'"],
    ]) {
      const bearer = `Bearer ${await issuer.token({ sub, aud: resource, scope: everything })}`;
      const { status, text, challenge } = await post(bearer);
      expect([status, challenge]).toEqual([403, null]);
      expect(JSON.parse(text).error.message).toContain(`svc-mcp http keys add ${argument}`);
      expect(JSON.parse(text).error.message.endsWith(argument)).toBe(true);
    }
  });

  it('has sessions of its own, also where another acts with the same key', async () => {
    const { post, as, origin } = await serveOAuth();
    const init = { method: 'POST', headers: jsonHeaders, body: JSON.stringify(initialize) };
    const begun = await post(await as('bob'), init);
    const ping = (id: string) => ({
      method: 'POST',
      headers: { ...jsonHeaders, 'mcp-session-id': id },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    });
    const session = begun.headers.get('mcp-session-id') ?? '';
    const comparable = async (sub: string, id: string) => {
      const { status, text } = await post(await as(sub), ping(id));
      return [status, text];
    };
    expect((await comparable('bob', session))[0]).toBe(200);
    expect(await comparable('carol', session)).toEqual(await comparable('carol', 'none'));
    expect(await comparable('alice', session)).toEqual(await comparable('carol', 'none'));
    const stream = await fetch(`${origin}/sse`, { headers: { authorization: await as('bob') } });
    const reader = stream.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    const path = /data: (\S+)/.exec(Buffer.from(value ?? []).toString())?.[1] ?? '';
    const send = async (sub: string, where: string) => {
      const { status, text } = await post(await as(sub), ping(''), where);
      return [status, text];
    };
    expect((await send('bob', path))[0]).toBe(202);
    expect(await send('carol', path)).toEqual(await send('carol', '/messages?sessionId=none'));
    await reader?.cancel();
  });

  it('whose key is revoked is refused at once, and its streams and sessions end', async () => {
    const { post, as, origin, keys, gateways } = await serveOAuth();
    const bearer = await as('alice');
    const init = { method: 'POST', headers: jsonHeaders, body: JSON.stringify(initialize) };
    const begun = await post(bearer, init);
    const session = begun.headers.get('mcp-session-id') ?? '';
    const other = await fetch(`${origin}/sse`, { headers: { authorization: await as('bob') } });
    const stream = await fetch(`${origin}/sse`, { headers: { authorization: bearer } });
    const ended = stream.text();
    keys.delete('alice');
    const headers = { ...jsonHeaders, 'mcp-session-id': session };
    const list = {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' }),
    };
    expect((await post(bearer, list)).status).toBe(403);
    await ended;
    await expect.poll(() => gateways.get('key-of-alice')?.closedWith).toEqual([30_000]);
    // Given back, it is not in the old session.
    keys.set('alice', 'key-of-alice');
    expect((await post(bearer, list)).status).toBe(404);
    expect(gateways.get('key-of-bob')?.closedWith).toEqual([]);
    await other.body?.cancel();
  });

  it('whose key cannot be read loses its streams, and does not keep those of revoked keys open', async () => {
    const { as, origin, keys, unreadable, logger } = await serveOAuth();
    const streams = [];
    for (const subject of ['alice', 'bob', 'carol']) {
      const answer = await fetch(`${origin}/sse`, { headers: { authorization: await as(subject) } });
      streams.push({ subject, answer });
    }
    unreadable.add('alice');
    keys.delete('carol');
    for (const { subject, answer } of streams) if (subject !== 'bob') await answer.text();
    expect(logger.lines).toContainEqual({
      level: 'warn',
      fields: { err: expect.any(SubjectKeyError), subject: 'alice' },
      message: 'The key of a subject could not be read',
    });
    await streams[1]?.answer.body?.cancel();
  });

  it('acts with its own key only, whatever else it sends', async () => {
    const { post, as, gateways } = await serveOAuth();
    const init = call('shop_a');
    const headers = { ...init.headers, 'x-api-key': 'key-of-bob' };
    const { text } = await post(await as('alice'), { ...init, headers });
    expect(text).toContain(completed.job_id);
    expect([...gateways.keys()]).toEqual(['key-of-alice']);
  });
});
