/** Forbidden addresses in every form: none is ever connected to. A canary listens where they would lead. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Resolver, SiteConnector } from '../../../src/service/fetch/connector.ts';
import { Fetcher } from '../../../src/service/fetch/fetcher.ts';
import { isPublicAddress } from '../../../src/service/fetch/network-addresses.ts';
import { FetchError } from '../../../src/service/foundation/errors.ts';
import { startWebServer, type WebServer } from '../../support/web-server.ts';

/** Hosts as they may stand in an address. */
const forbiddenHosts = [
  // Loopback in all the ways IPv4 can be written
  ...['127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.0.0.1', '0177.0.0.1'],
  ...['017700000001', '0x7f.1', '0x7F.0x0.0x0.0x1', '127.255.255.254', '%31%32%37.0.0.1', '127%2e0%2e0%2e1'],
  ...['①②⑦.⓪.⓪.①', '127。0。0。1', '１２７.0.0.1', '0.0.0.0', '0', '0x0', '00000'],
  // Private, link-local, shared, reserved, multicast
  ...['10.0.0.1', '10.255.255.255', '012.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', '3232235521'],
  ...['169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.0.1'],
  ...[
    '100.64.0.1',
    '100.127.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '198.18.0.1',
    '198.19.255.255',
  ],
  ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  // IPv6: loopback, IPv4 inside of it in every way, tunnels, private, documentation, unassigned
  ...[
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[0000::0001]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::FFFF:7F00:1]',
  ],
  ...['[::7f00:1]', '[::127.0.0.1]', '[::ffff:0:127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b::10.0.0.1]'],
  ...['[64:ff9b:1::1]', '[2002:7f00:1::]', '[2002:a00:1::1]', '[2001::1]', '[2001:0:7f00:1::]', '[fe80::1]'],
  ...['[fc00::1]', '[fd00:ec2::254]', '[fec0::1]', '[ff02::1]', '[100::1]', '[2001:db8::1]', '[2001:10::1]'],
  ...[
    '[3fff::1]',
    '[5f00::1]',
    '[4000::1]',
    '[fe80::a9fe:a9fe]',
    '[::ffff:a9fe:a9fe]',
    '[::ffff:169.254.169.254]',
  ],
  // Names
  ...['localhost', 'localhost.', 'LOCALHOST', 'app.localhost', 'loopback.example', 'metadata.example'],
];

const addressesOf: Readonly<Record<string, string>> = { 'metadata.example': '169.254.169.254' };
const resolver: Resolver = async (hostname) => [{ address: addressesOf[hostname] ?? '127.0.0.1', family: 4 }];

let canary: WebServer;
let canary6: WebServer | undefined;
let redirector: WebServer;
let fetcher: Fetcher;
const canaryConnections = () => canary.connections() + (canary6?.connections() ?? 0);

beforeAll(async () => {
  canary = await startWebServer((_, response) => response.end('secret'));
  canary6 = await startWebServer((_, response) => response.end('secret'), '::1').catch(() => undefined);
  redirector = await startWebServer(({ path }, response) => {
    const target = new URL(path, 'http://x').searchParams.get('to');
    if (target === null) response.writeHead(404).end();
    // Header values are bytes: a target with other letters goes out as UTF-8.
    else response.writeHead(302, { location: Buffer.from(target).toString('latin1') }).end();
  });
  fetcher = new Fetcher({ allowOrigins: [redirector.origin], network: { resolver }, paceMs: 0 });
});
afterAll(async () => {
  await fetcher.close();
  await Promise.all([canary.close(), canary6?.close(), redirector.close()]);
});

const openTunnel = (url: URL, answers: Resolver) =>
  new SiteConnector({ resolver: answers }, 500).tunnel(url, {
    isOwn: false,
    signal: new AbortController().signal,
  });

async function problemOf(url: string): Promise<string> {
  const signal = new AbortController().signal;
  const outcome = await fetcher.fetch({ url, signal }).catch((error: unknown) => error);
  return outcome instanceof FetchError ? outcome.problem : `no error for ${url}`;
}

describe('forbidden addresses', () => {
  it('are at least 60 different forms', () => {
    expect(new Set(forbiddenHosts).size).toBe(forbiddenHosts.length);
    expect(forbiddenHosts.length).toBeGreaterThanOrEqual(60);
  });

  it.each(forbiddenHosts)('%s is refused directly, on the default port and the canary’s', async (host) => {
    for (const url of [`http://${host}/`, `https://${host}/`, `http://${host}:${canary.port}/`])
      expect(await problemOf(url), url).toMatch(/^(?:private|forbidden)$/);
    expect(canaryConnections()).toBe(0);
  });

  it.each(forbiddenHosts)('%s is refused after a redirect', async (host) => {
    for (const target of [`http://${host}/`, `//${host}/`, `http://${host}:${canary.port}/`]) {
      const url = `${redirector.origin}/?to=${encodeURIComponent(target)}`;
      // Some forms are no address at all once a redirect carries them.
      expect(await problemOf(url), target).toMatch(/^(?:private|forbidden)$/);
    }
    expect(canaryConnections()).toBe(0);
  });

  it.each(forbiddenHosts)('%s is refused by the connection itself, whatever the port', async (host) => {
    const url = new URL(`http://${host}:${canary.port}/`);
    const outcome = await openTunnel(url, resolver).catch((error: unknown) => error);
    expect(outcome).toMatchObject({ problem: 'private' });
    expect(canaryConnections()).toBe(0);
  });

  it.each([
    'file:///etc/passwd',
    'ftp://example.com/',
    'gopher://example.com/',
    'data:text/html,hello',
    'javascript:alert(1)',
    'unix:/var/run/docker.sock',
    'http://user:password@example.com/',
    'http://user@example.com/',
    'http://example.com:22/',
    'https://example.com:80/',
    'http://example.com:6379/',
    'http://exa mple.com/',
    'http://[::1%25lo]/',
    'http://%00/',
    '//example.com/',
    `http://example.com/${'a'.repeat(3_000)}`,
    '',
  ])('%s is not an address to fetch', async (url) => {
    expect(await problemOf(url)).toBe('forbidden');
  });

  it('are refused when a name has one private address among public ones', async () => {
    const mixed: Resolver = async () => [
      { address: '93.184.216.34', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    const opened = openTunnel(new URL(`http://mixed.example:${canary.port}`), mixed);
    await expect(opened).rejects.toMatchObject({ problem: 'private' });
    expect(canaryConnections()).toBe(0);
  });

  it('cannot be slipped in by a resolver that changes its answer', async () => {
    let asked = 0;
    // Public when it is vetted, the canary's address at any later question.
    const rebinding: Resolver = async () => {
      asked += 1;
      return [{ address: asked % 2 === 1 ? '2a00::1' : '127.0.0.1', family: asked % 2 === 1 ? 6 : 4 }];
    };
    const url = new URL(`http://rebinding.example:${canary.port}`);
    const problems: unknown[] = [];
    for (let attempt = 0; attempt < 4; attempt++) {
      const outcome = await openTunnel(url, rebinding).catch((error: unknown) => error);
      const isPrivate = outcome instanceof FetchError && outcome.problem === 'private';
      problems.push(isPrivate ? 'private' : 'not connected');
    }
    // Each connection asked once and used that answer: the public one (nobody there), the private one (refused).
    expect(asked).toBe(4);
    expect(problems).toEqual(['not connected', 'private', 'not connected', 'private']);
    expect(canaryConnections()).toBe(0);
  });

  it('are open for exactly the allowed origins', async () => {
    const open = await startWebServer((_, response) => response.end('mine'));
    const own = new Fetcher({ allowOrigins: [open.origin] });
    const signal = new AbortController().signal;
    expect((await own.fetch({ url: `${open.origin}/page`, signal })).body.toString()).toBe('mine');
    const other = open.origin.replace('127.0.0.1', 'localhost');
    await expect(own.fetch({ url: `${other}/page`, signal })).rejects.toMatchObject({ problem: 'private' });
    await expect(own.fetch({ url: 'http://127.0.0.1/', signal })).rejects.toMatchObject({
      problem: 'private',
    });
    await own.close();
    await open.close();
  });
});

describe('public addresses', () => {
  it.each([
    '93.184.216.34',
    '1.1.1.1',
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700:4700::1111',
    '2a00:1450::1',
  ])('%s is one', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each(['', 'localhost', '::1%lo', '2606:4700::1%eth0', '1.1.1.1/32', '1.1.1.1:80'])(
    '%s is none',
    (address) => {
      expect(isPublicAddress(address)).toBe(false);
    },
  );
});
