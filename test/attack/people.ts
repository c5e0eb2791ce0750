/** Hostile authorization servers and tokens, and attacks on the session of the console. */
import { once } from 'node:events';
import { exportJWK, SignJWT } from 'jose';
import { type Browser, openBrowser } from '../support/console.ts';
import { standalone } from '../support/http.ts';
import { closeIssuers, newKey, startIssuer } from '../support/issuer.ts';
import { startUpstream } from '../support/upstream.ts';
import { startWebServer } from '../support/web-server.ts';
import {
  type Attack,
  type CloseLater,
  expectAlive,
  expectTrue,
  type Family,
  spawnNode,
  startTarget,
  type Target,
} from './attack.ts';

/** A server that admits the tokens of an issuer, whose subject alice has a key. */
async function startResourceServer(closeLater: CloseLater) {
  const issuer = await startIssuer();
  const upstream = await startUpstream();
  closeLater(() => upstream.close());
  const environment = {
    SVC_BASE_URL: upstream.origin,
    SVC_OAUTH_ISSUER: issuer.url,
    SVC_OAUTH_AUDIENCE: 'svc',
  };
  const gateway = await startTarget('http', environment);
  closeLater(() => gateway.close());
  const adding = spawnNode(['http', 'keys', 'add', 'alice'], {
    ...environment,
    SVC_DATA_DIR: gateway.folder,
  });
  adding.stdin?.end(`${upstream.apiKey}\n`);
  await once(adding, 'exit');
  return { issuer, gateway };
}

async function statusWith(gateway: Target, token: string): Promise<number> {
  const { headers, ...rest } = standalone('tools/list');
  const sent = { ...headers, authorization: `Bearer ${token}` };
  const answer = await fetch(`${gateway.origin}/mcp`, { ...rest, headers: sent });
  await answer.text();
  return answer.status;
}

const claims = { sub: 'alice', aud: 'svc', scope: 'actions:read actions:run' };

/** Each has a server of its own, because good metadata are kept. */
const hostileMetadata = (closeLater: CloseLater, inside: string): readonly Attack[] => {
  const documents: readonly Readonly<Record<string, unknown>>[] = [
    ...[
      `${inside}/keys`.replace('127.0.0.1', '127.1'),
      'http://169.254.169.254/keys',
      'http://evil.example/keys',
    ].map((jwks_uri) => ({ jwks_uri })),
    ...[
      'file:///etc/passwd',
      'javascript:alert(1)',
      'data:application/json,{"keys":[]}',
      '//evil.example/keys',
      '',
    ].map((jwks_uri) => ({ jwks_uri })),
    ...[
      'https://me:secret@127.0.0.1:1/keys',
      'x'.repeat(100_000),
      5,
      null,
      { a: 1 },
      ['http://127.0.0.1:1/'],
    ].map((jwks_uri) => ({ jwks_uri })),
    { issuer: 'https://evil.example' },
    { issuer: null },
    JSON.parse('{"__proto__":{"issuer":"https://evil.example"},"jwks_uri":"http://evil.example/"}'),
  ];
  return documents.map((metadata) => ({
    name: `metadata ${JSON.stringify(metadata).slice(0, 80)}`,
    async run() {
      const { issuer, gateway } = await startResourceServer(closeLater);
      issuer.metadata = metadata;
      const status = await statusWith(gateway, await issuer.token(claims));
      // A loopback address is trusted as the issuer's own is; nothing else is asked.
      expectTrue([401, 503].includes(status), `HTTP ${status}`);
      await expectAlive(gateway.origin);
      expectTrue(!gateway.errors().includes('    at '), 'a stack trace in the log');
    },
  }));
};

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function hostileTokens(closeLater: CloseLater): Promise<readonly Attack[]> {
  const { issuer, gateway } = await startResourceServer(closeLater);
  const now = Math.floor(Date.now() / 1_000);
  const evil = await newKey();
  const jwk = await exportJWK(evil.publicKey);
  const honest = await issuer.token(claims);
  const [, payload = '', signature = ''] = honest.split('.');
  const signedByEvil = (header: object) =>
    new SignJWT({ ...claims, iss: issuer.url, iat: now, exp: now + 300 })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: issuer.key.kid, ...header })
      .sign(evil.privateKey);
  const publicText = JSON.stringify(await exportJWK(issuer.key.publicKey));
  const tokens: Readonly<Record<string, string>> = {
    'no algorithm': `${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
    'no algorithm, with a signature': `${encode({ alg: 'none' })}.${payload}.${signature}`,
    'the public key as a secret': await new SignJWT({ ...claims, iss: issuer.url, exp: now + 300 })
      .setProtectedHeader({ alg: 'HS256', kid: issuer.key.kid, typ: 'at+jwt' })
      .sign(new TextEncoder().encode(publicText)),
    'another key under the same id': await signedByEvil({}),
    'a key in the header': await signedByEvil({ jwk }),
    'an address of keys in the header': await signedByEvil({
      jku: 'http://169.254.169.254/keys',
      x5u: 'http://127.0.0.1:1/',
    }),
    'another issuer': await issuer.token({ ...claims, iss: 'https://evil.example' }),
    'another audience': await issuer.token({ ...claims, aud: 'other' }),
    'no audience': await issuer.token({ ...claims, aud: undefined }),
    'a past time': await issuer.token({ ...claims, exp: now - 3_600 }),
    'no end': await issuer.token({ ...claims, exp: undefined }),
    'a future start': await issuer.token({ ...claims, nbf: now + 3_600 }),
    'no subject': await issuer.token({ ...claims, sub: undefined }),
    'an empty subject': await issuer.token({ ...claims, sub: '' }),
    'a subject of the prototype': await issuer.token({ ...claims, sub: '__proto__' }),
    'a subject with a path': await issuer.token({ ...claims, sub: '../alice' }),
    'a subject with NUL': await issuer.token({ ...claims, sub: 'alice\0' }),
    'a subject of 7,000 characters': await issuer.token({ ...claims, sub: 'a'.repeat(7_000) }),
    'the type of an id token': await issuer.token(claims, { typ: 'secevent+jwt' }),
    'an unknown key': await issuer.token(claims, { kid: '../../etc/passwd' }),
    'a changed payload': honest.replace(
      payload,
      encode({ ...claims, sub: 'bob', iss: issuer.url, exp: now + 300 }),
    ),
    'nothing but dots': '..',
    'five parts': `${honest}.a.b`,
    '7,000 characters': 'a.'.repeat(3_500),
  };
  const baseline: Attack = {
    name: 'an honest token is admitted',
    async run() {
      const status = await statusWith(gateway, honest);
      expectTrue(status === 200, `HTTP ${status}`);
    },
  };
  return [
    baseline,
    ...Object.entries(tokens).map(
      ([name, token]): Attack => ({
        name,
        async run() {
          const status = await gateway.survive(() => statusWith(gateway, token));
          expectTrue(status === 401 || status === 403, `HTTP ${status}`);
        },
      }),
    ),
  ];
}

export const tokens: Family = {
  name: 'tokens',
  async prepare(closeLater) {
    const inside = await startWebServer((_, response) => response.writeHead(200).end('{"keys":[]}'));
    closeLater(() => inside.close());
    closeLater(closeIssuers);
    return [...hostileMetadata(closeLater, inside.origin), ...(await hostileTokens(closeLater))];
  },
};

const asksForKey = (html: string) => html.includes('name="api_key"');

async function formTokenOf(browser: Browser): Promise<string> {
  const { $ } = await browser.get('/');
  return $('input[name="csrf_token"]').attr('value') ?? '';
}

export const sessions: Family = {
  name: 'sessions',
  async prepare(closeLater) {
    const service = await startTarget('service');
    closeLater(() => service.close());
    const { origin, apiKey } = service;
    const open = () => openBrowser(origin);
    const cookieOf = (browser: ReturnType<typeof open>) => browser.cookies.get('svc_console') ?? '';
    return [
      {
        name: 'a session id that the attacker chose admits nobody, and is replaced by the sign-in',
        async run() {
          const victim = open();
          victim.cookies.set('svc_console', 'A'.repeat(43));
          expectTrue(asksForKey((await victim.get('/')).html), 'the id was taken');
          await victim.signIn(apiKey);
          expectTrue(!['', 'A'.repeat(43)].includes(cookieOf(victim)), 'the id stayed');
          const { html } = await open().get('/', { cookie: `svc_console=${'A'.repeat(43)}` });
          expectTrue(asksForKey(html), 'the id became a session');
        },
      },
      {
        name: "the attacker's own session in the victim's browser ends with the victim's sign-in",
        async run() {
          const attacker = open();
          await attacker.signIn(apiKey);
          const planted = cookieOf(attacker);
          const victim = open();
          const csrf_token = await formTokenOf(victim);
          victim.cookies.set('svc_console', planted);
          const { status } = await victim.post('/console/sign-in', { csrf_token, api_key: apiKey });
          expectTrue(status === 303 && cookieOf(victim) !== planted, 'the planted session stayed');
          const { html } = await open().get('/', { cookie: `svc_console=${planted}` });
          expectTrue(asksForKey(html), 'the planted session was not ended');
        },
      },
      ...[`/?svc_console=TOKEN`, `/;svc_console=TOKEN`, `/console/sign-in?svc_console=TOKEN`].map((path) => ({
        name: `a session id in the address is none: ${path}`,
        async run() {
          const browser = open();
          await browser.signIn(apiKey);
          const { html, status } = await open().get(path.replace('TOKEN', cookieOf(browser)));
          expectTrue(asksForKey(html) || status >= 400, 'signed in by an address');
        },
      })),
      {
        name: "a form token of the attacker's browser signs nobody else in",
        async run() {
          const attacker = open();
          const csrf_token = await formTokenOf(attacker);
          const victim = open();
          await victim.get('/');
          const { status } = await victim.post('/console/sign-in', { csrf_token, api_key: apiKey });
          expectTrue(status === 403 && !victim.cookies.has('svc_console'), `HTTP ${status}`);
        },
      },
      {
        name: 'a form that another site sends is refused, also with the tokens',
        async run() {
          const victim = open();
          const csrf_token = await formTokenOf(victim);
          const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
          const { status } = await victim.post('/console/sign-in', { csrf_token, api_key: apiKey }, headers);
          expectTrue(status === 403 && !victim.cookies.has('svc_console'), `HTTP ${status}`);
        },
      },
      {
        name: 'an ended session stays ended',
        async run() {
          const browser = open();
          await browser.signIn(apiKey);
          const before = cookieOf(browser);
          await browser.submit('/', '/console/sign-out');
          const { html } = await open().get('/', { cookie: `svc_console=${before}` });
          expectTrue(asksForKey(html), 'the copied cookie was taken');
        },
      },
    ];
  },
};
