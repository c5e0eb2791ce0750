/** The way to websites behind a company's proxy, with NAT64, and with a VPN that answers addresses of its own. */
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createProxyRule, type NetworkRules, SiteConnector } from '../../../src/service/fetch/connector.ts';
import { Fetcher } from '../../../src/service/fetch/fetcher.ts';
import { isFakeAddress, isPublicAddress } from '../../../src/service/fetch/network-addresses.ts';
import { startWebServer } from '../../support/web-server.ts';

const cleanUp: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const each of cleanUp.splice(0).reverse()) await each();
});
const signal = new AbortController().signal;

const nowhere = async (name: string) => {
  throw Object.assign(new Error(name), { code: 'ENOTFOUND' });
};

/** Leads every name to `port`, and every request to its own answer; `status` refuses tunnels. */
async function startProxy(port = 0, status = 200) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    response.writeHead(status === 407 ? 407 : 200, { 'content-type': 'text/html' }).end('<p>by the proxy');
  });
  server.on('connect', (request, client) => {
    asked.push(`CONNECT ${request.url}`);
    client.on('error', () => {});
    if (status !== 200) return client.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const site = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      site.pipe(client).pipe(site);
    });
    site.on('error', () => client.destroy());
    client.on('close', () => site.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return { asked, host: `127.0.0.1:${typeof address === 'object' ? address?.port : 0}` };
}

function fetcherFor(network: NetworkRules): Fetcher {
  const fetcher = new Fetcher({ allowOrigins: [], network, paceMs: 0 });
  cleanUp.push(() => fetcher.close());
  return fetcher;
}

describe('behind a proxy', () => {
  it('a page is asked of the proxy, which resolves its name and gets its own credentials', async () => {
    const { asked, host } = await startProxy();
    const fetcher = fetcherFor({
      resolver: nowhere,
      proxyFor: createProxyRule(`http://user:pass%21@${host}`),
    });
    const page = await fetcher.fetch({ url: 'http://shop.example/list?a=b', signal });
    expect(page.body.toString()).toBe('<p>by the proxy');
    const credentials = Buffer.from('user:pass!').toString('base64');
    expect(asked).toContain(`GET http://shop.example/list?a=b Basic ${credentials}`);
  });

  it('a page with encryption is reached through a tunnel', async () => {
    const site = await startWebServer((_, response) => response.end('tunnelled'));
    cleanUp.push(() => site.close());
    const { asked, host } = await startProxy(site.port);
    const connector = new SiteConnector(
      { resolver: nowhere, proxyFor: createProxyRule(`http://${host}`) },
      1_000,
    );
    const socket = await connector.tunnel(new URL('https://shop.example/'), { isOwn: false, signal });
    socket.write('GET / HTTP/1.1\r\nhost: shop.example\r\nconnection: close\r\n\r\n');
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect(text).toContain('tunnelled');
    expect(asked).toEqual(['CONNECT shop.example:443']);
  });

  it.each([403, 407, 502])('its status %d is named, with the setting', async (status) => {
    const { host } = await startProxy(0, status);
    const fetcher = fetcherFor({ proxyFor: createProxyRule(`http://${host}`) });
    await expect(fetcher.fetch({ url: 'https://shop.example/', signal })).rejects.toMatchObject({
      problem: 'proxy',
      message: expect.stringContaining('SVC_FETCH_PROXY'),
    });
  });

  it('a proxy that is not there is named', async () => {
    const fetcher = fetcherFor({ proxyFor: createProxyRule('http://127.0.0.1:1') });
    await expect(fetcher.fetch({ url: 'http://shop.example/', signal })).rejects.toMatchObject({
      problem: 'proxy',
    });
  });

  it.each([
    'http://127.0.0.1/',
    'https://[::1]/',
    'http://10.0.0.1/',
    'http://2130706433/',
    'http://169.254.169.254/',
    'http://localhost/',
    'http://printer.local/',
    'http://intranet/',
  ])('%s is refused, and the proxy is not asked', async (url) => {
    const { asked, host } = await startProxy();
    const fetcher = fetcherFor({ proxyFor: createProxyRule(`http://${host}`) });
    await expect(fetcher.fetch({ url, signal })).rejects.toMatchObject({ problem: 'private' });
    expect(asked).toEqual([]);
  });

  it('the variables of other programs are obeyed where the setting is env', () => {
    const rule = createProxyRule('env', {
      HTTPS_PROXY: 'http://one:1',
      http_proxy: 'two:2',
      NO_PROXY: 'corp.example, .lan.example,port.example:8443',
    });
    const hostFor = (url: string) => rule(new URL(url))?.host;
    expect(hostFor('https://shop.example/')).toBe('one:1');
    expect(hostFor('http://shop.example/')).toBe('two:2');
    for (const url of ['https://corp.example/', 'https://a.corp.example/', 'https://a.lan.example/'])
      expect(hostFor(url)).toBeUndefined();
    expect(hostFor('https://port.example/')).toBe('one:1');
    expect(hostFor('https://port.example:8443/')).toBeUndefined();
    expect(createProxyRule('env', {})(new URL('https://shop.example/'))).toBeUndefined();
    expect(
      createProxyRule('env', { ALL_PROXY: 'http://a:1', NO_PROXY: '*' })(new URL('http://x.example')),
    ).toBe(undefined);
  });
});

describe('an address of NAT64', () => {
  it.each([
    ['64:ff9b::5db8:d822', true],
    ['64:ff9b::8.8.8.8', true],
    ['64:ff9b::7f00:1', false],
    ['64:ff9b::a00:1', false],
    ['64:ff9b::a9fe:a9fe', false],
    ['64:ff9b::c0a8:101', false],
    ['64:ff9b::', false],
    ['64:ff9b:1::808:808', false],
    ['64:ff9b:0:0:1::808:808', false],
  ])('%s is public by the address inside: %s', (address, isPublic) => {
    expect(isPublicAddress(address)).toBe(isPublic);
  });
});

describe('an address that a VPN answers for names', () => {
  const ranges = ['198.18.0.0/15', 'fd00::/8', '127.0.0.0/8', '169.254.0.0/16', '::/0'];
  it.each([
    ['198.18.0.12', true],
    ['198.20.0.1', false],
    ['fd00::1', true],
    ['10.0.0.1', false],
    ['127.0.0.1', false],
    ['169.254.169.254', false],
    ['::1', false],
    ['fe80::1', false],
    ['::ffff:127.0.0.1', false],
  ])('%s is one of the ranges, and none of this machine: %s', (address, isFake) => {
    expect(isFakeAddress(address, ranges)).toBe(isFake);
  });

  it('is refused without the setting and as a number, and connected to for a name with it', async () => {
    const resolver = async () => [{ address: '198.18.0.12', family: 4 }];
    const ask = (url: string, fakeIps: readonly string[]) =>
      new SiteConnector({ resolver, fakeIps }, 200)
        .tunnel(new URL(url), { isOwn: false, signal })
        .then((socket) => socket.destroy())
        .then(
          () => 'connected',
          (error: { readonly problem?: string }) => error.problem ?? 'no way there',
        );
    expect(await ask('http://shop.example/', [])).toBe('private');
    expect(await ask('http://198.18.0.12/', ['198.18.0.0/15'])).toBe('private');
    expect(await ask('http://shop.example/', ['198.18.0.0/15'])).not.toBe('private');
  });
});
