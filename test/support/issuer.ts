/**
 * An issuer of access tokens in this process, whose tokens a test can make wrong in every way.
 *
 *     const issuer = await startIssuer();
 *     const token = await issuer.token({ sub: 'alice', aud: 'http://127.0.0.1:1/mcp', scope: 'actions:read' });
 *     await issuer.rotate();          // the next token is signed with another key
 *     issuer.answer = 'nothing';      // down
 */
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

const closers: (() => Promise<void>)[] = [];

/** For `afterEach`. */
export async function closeIssuers(): Promise<void> {
  for (const close of closers.splice(0)) await close();
}

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

export async function newKey(
  alg = 'ES256',
): Promise<KeyPair & { readonly alg: string; readonly kid: string }> {
  kids += 1;
  return { ...(await generateKeyPair(alg, { extractable: true })), alg, kid: `key-${kids}` };
}
let kids = 0;

export interface Issuer {
  readonly url: string;
  /** Paths that were asked for, in order. */
  readonly requests: string[];
  readonly key: Awaited<ReturnType<typeof newKey>>;
  answer: 'keys' | 'nothing' | 'nonsense' | 'huge' | 'redirect';
  /** What the metadata say beside or instead of the truth. */
  metadata: Record<string, unknown>;
  /** Where the metadata are. */
  metadataPath: string;
  /** Undefined values are left out, also of the defaults. */
  token(
    claims: Readonly<Record<string, unknown>>,
    header?: Readonly<Record<string, unknown>>,
  ): Promise<string>;
  /** Publishes another key instead. */
  rotate(): Promise<void>;
}

const withoutUndefined = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

export async function startIssuer({ path = '', alg = 'ES256' } = {}): Promise<Issuer> {
  let key = await newKey(alg);
  const server = createServer(async (request, response) => {
    const asked = request.url ?? '';
    issuer.requests.push(asked);
    if (issuer.answer === 'nothing') return request.socket.destroy();
    if (issuer.answer === 'nonsense') return response.end('<html>');
    if (issuer.answer === 'huge') return response.end(`"${'x'.repeat(3_000_000)}"`);
    if (issuer.answer === 'redirect') return response.writeHead(302, { location: '/elsewhere' }).end();
    if (asked === issuer.metadataPath) {
      const metadata = { issuer: issuer.url, jwks_uri: `${origin}/keys`, ...issuer.metadata };
      return response.end(JSON.stringify(metadata));
    }
    if (asked !== '/keys') return response.writeHead(404).end();
    const jwk = { ...(await exportJWK(key.publicKey)), kid: key.kid, use: 'sig' };
    response.end(JSON.stringify({ keys: [jwk] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const issuer: Issuer = {
    url: `${origin}${path}`,
    requests: [],
    get key() {
      return key;
    },
    answer: 'keys',
    metadata: {},
    metadataPath: `/.well-known/oauth-authorization-server${path}`,
    token: (claims, header = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const defaults = { iss: issuer.url, iat: now, exp: now + 300, jti: String(Math.random()) };
      return new SignJWT(withoutUndefined({ ...defaults, ...claims }))
        .setProtectedHeader({ alg: key.alg, ...withoutUndefined({ kid: key.kid, typ: 'at+jwt', ...header }) })
        .sign(key.privateKey);
    },
    async rotate() {
      key = await newKey(alg);
    },
  };
  return issuer;
}
