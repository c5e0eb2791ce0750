/** What the fetcher does with sites that misbehave, and how it behaves itself. */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { brotliCompressSync, createGzip, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { CookieJar } from 'tough-cookie';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Fetcher, type FetcherOptions, Pacing } from '../../../src/service/fetch/fetcher.ts';
import { readBody } from '../../../src/service/fetch/response-body.ts';
import { RobotsCache, readRobots } from '../../../src/service/fetch/robots.ts';
import { FetchError } from '../../../src/service/foundation/errors.ts';
import { timeOf } from '../../support/stalls.ts';
import { type Asked, startWebServer, type WebServer } from '../../support/web-server.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const each of cleanUp.splice(0).reverse()) await each();
});

async function site(handle: (request: Asked, response: ServerResponse) => void): Promise<WebServer> {
  const server = await startWebServer((request, response) => {
    if (request.path === '/robots.txt') response.writeHead(404).end();
    else handle(request, response);
  });
  cleanUp.push(() => server.close());
  return server;
}

function fetcherFor(servers: readonly (WebServer | string)[], options: Partial<FetcherOptions> = {}) {
  const allowOrigins = servers.map((server) => (typeof server === 'string' ? server : server.origin));
  const fetcher = new Fetcher({ allowOrigins, ...options });
  cleanUp.push(() => fetcher.close());
  return fetcher;
}

/** Answers each connection with these bytes, in pieces, and closes it; robots.txt is missing. */
async function rawSite(answer: string, size = Math.max(answer.length, 1)): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', async (asked) => {
      const text = /^GET \/robots/.test(asked.toString())
        ? 'HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n'
        : answer;
      for (let at = 0; at < text.length; at += size) {
        socket.write(text.slice(at, at + size));
        await new Promise((resolve) => setImmediate(resolve));
      }
      socket.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.push(() => new Promise((resolve) => server.close(() => resolve())));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

const signal = new AbortController().signal;
const paths = (server: WebServer) =>
  server.asked.map(({ path }) => path).filter((path) => path !== '/robots.txt');

it('a request whose connection breaks is sent once more, where it is safe to repeat', async () => {
  let isBroken = true;
  const server = await site((_, response) => {
    if (isBroken) response.destroy();
    else response.end('hello');
    isBroken = !isBroken;
  });
  const fetcher = fetcherFor([server]);
  const ask = (path: string, method: 'GET' | 'POST' = 'GET') =>
    fetcher.fetch({ url: `${server.origin}${path}`, method, signal });
  expect((await ask('/one')).body.toString()).toBe('hello');
  expect(paths(server)).toEqual(['/one', '/one']);
  await expect(ask('/two', 'POST')).rejects.toMatchObject({ problem: 'reset' });
  expect(paths(server).slice(2)).toEqual(['/two']);
});

describe('an answer', () => {
  it.each([
    ['gzip', gzipSync('hello')],
    ['br', brotliCompressSync('hello')],
    ['deflate', deflateSync('hello')],
    ['identity', Buffer.from('hello')],
  ])('in %s is decoded', async (encoding, body) => {
    const server = await site((_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(body),
    );
    const page = await fetcherFor([server]).fetch({ url: `${server.origin}/a?b=c#d`, signal });
    expect(page).toMatchObject({ status: 200, url: `${server.origin}/a?b=c` });
    expect(page.body.toString()).toBe('hello');
    expect(server.asked.at(-1)?.headers['user-agent']).toMatch(/^svc-mcp\/\d+\.\d+\.\d+ /);
  });

  it('that becomes 300 MB is cut off while it is decompressed', async () => {
    const server = await site((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      const gzip = createGzip();
      gzip.pipe(response);
      const chunk = Buffer.alloc(1024 * 1024);
      let left = 300;
      const write = () => {
        while (left > 0 && gzip.write(chunk)) left -= 1;
        if (left > 0) gzip.once('drain', write);
        else gzip.end();
      };
      write();
      response.on('close', () => gzip.destroy());
    });
    const before = process.memoryUsage().rss;
    const fetcher = fetcherFor([server]);
    await expect(fetcher.fetch({ url: `${server.origin}/`, signal })).rejects.toMatchObject({
      problem: 'too-large',
    });
    // Both ends run in this process; 300 MB in one piece would show.
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });

  it.each(['br', 'deflate', 'identity'])('of a %s bomb is cut off', async (encoding) => {
    const zeros = Buffer.alloc(20 * 1024 * 1024);
    const body =
      encoding === 'br' ? brotliCompressSync(zeros) : encoding === 'deflate' ? deflateSync(zeros) : zeros;
    const server = await site((_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(body),
    );
    const fetcher = fetcherFor([server]);
    await expect(fetcher.fetch({ url: `${server.origin}/`, signal })).rejects.toMatchObject({
      problem: 'too-large',
    });
  });

  it('has its limit at most, also where it may be cut there; one that breaks off is a failure', async () => {
    const limits = { contentEncoding: undefined, maxBytes: 1_000, signal };
    const read = (chunks: readonly Buffer[], truncate: boolean) =>
      readBody(Readable.from(chunks), { ...limits, truncate });
    const half = Buffer.alloc(500);
    expect(await read([half, half], false)).toHaveLength(1_000);
    await expect(read([half, half, Buffer.alloc(1)], false)).rejects.toMatchObject({ problem: 'too-large' });
    expect(await read([half, half, half], true)).toHaveLength(1_000);
    const broken = new Readable({ read: () => broken.destroy(new Error('It broke off')) });
    await expect(readBody(broken, { ...limits, truncate: true })).rejects.toThrow('It broke off');
  });

  it.each([
    ['raw deflate', 'deflate', deflateRawSync('hello')],
    ['deflate without its checksum', 'deflate', deflateSync('hello').subarray(0, -4)],
    ['gzip without its trailer', 'gzip', gzipSync('hello').subarray(0, -8)],
    ['gzip with a part of its trailer', 'gzip', gzipSync('hello').subarray(0, -3)],
    ['gzip with an empty name beside it', 'gzip, ', gzipSync('hello')],
    ['gzip twice', 'gzip, gzip', gzipSync(gzipSync('hello'))],
    ['a character set', 'UTF-8', Buffer.from('hello')],
    ['none', 'none', Buffer.from('hello')],
  ])('in %s is read, as browsers or curl read it', async (_, encoding, body) => {
    const server = await site((_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(body),
    );
    const page = await fetcherFor([server]).fetch({ url: `${server.origin}/`, signal });
    expect(page.body.toString()).toBe('hello');
  });

  const text = 'HTTP/1.1 200 OK\r\n';
  it.each([
    ['a length that is said twice', `${text}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello`],
    ['a length that is said twice in a line', `${text}Content-Length: 5, 5\r\n\r\nhello`],
    ['lines without CR', 'HTTP/1.1 200 OK\nContent-Length: 5\nX-A: b\n\nhello'],
    ['an empty line before it', `\r\n${text}Content-Length: 5\r\n\r\nhello`],
    ['an early hint', `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${text}Content-Length: 5\r\n\r\nhello`],
    ['no length', `${text}\r\nhello`],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nhello'],
    ['chunks', `${text}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`],
  ])('with %s is read', async (_, answer) => {
    for (const size of [answer.length, 7]) {
      const origin = await rawSite(answer, size);
      const page = await fetcherFor([origin]).fetch({ url: `${origin}/`, signal });
      expect(page.body.toString()).toBe('hello');
    }
  });

  it.each([
    ['two lengths', `${text}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`, 'parser'],
    ['two lengths in a line', `${text}Content-Length: 5, 6\r\n\r\nhello!`, 'parser'],
    [
      'a length and chunks',
      `${text}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
      'parser',
    ],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', 'parser'],
    ['a body that is cut short', `${text}Content-Length: 50\r\n\r\nhello`, 'reset'],
    ['chunks without an end', `${text}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`, 'reset'],
    ['nothing', '', 'reset'],
  ])('with %s is refused, and the cause is named', async (_, answer, problem) => {
    const origin = await rawSite(answer);
    await expect(fetcherFor([origin]).fetch({ url: `${origin}/`, signal })).rejects.toMatchObject({
      problem,
    });
  });

  it('whose compressed text is cut short is refused', async () => {
    const body = gzipSync(randomBytes(3_000)).subarray(0, 2_000);
    const server = await site((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(body),
    );
    await expect(fetcherFor([server]).fetch({ url: `${server.origin}/`, signal })).rejects.toMatchObject({
      problem: 'encoding',
    });
  });

  it('names what keeps its site from being reached', async () => {
    const network = {
      resolver: async (name: string) => {
        throw Object.assign(new Error(name), { code: 'ENOTFOUND' });
      },
    };
    const unknown = fetcherFor([], { network }).fetch({ url: 'http://shop.example/', signal });
    await expect(unknown).rejects.toMatchObject({
      problem: 'name',
      message: expect.stringContaining('SVC_FETCH_PROXY'),
    });
    const server = await site(() => {});
    await server.close();
    await expect(fetcherFor([server]).fetch({ url: server.origin, signal })).rejects.toMatchObject({
      problem: 'refused',
    });
  });

  it('that is broken, or in an encoding nobody asked for, is a failure', async () => {
    const server = await site(({ path }, response) =>
      response
        .writeHead(200, { 'content-encoding': path === '/broken' ? 'gzip' : 'zstd' })
        .end('not compressed'),
    );
    const fetcher = fetcherFor([server]);
    for (const path of ['/broken', '/zstd'])
      await expect(fetcher.fetch({ url: `${server.origin}${path}`, signal })).rejects.toMatchObject({
        problem: 'encoding',
      });
  });

  it('that never ends is ended by the time limit', async () => {
    const server = await site((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('<p>more</p>'), 10);
      response.on('close', () => clearInterval(timer));
    });
    const fetcher = fetcherFor([server], { timeoutMs: 300 });
    await expect(fetcher.fetch({ url: `${server.origin}/`, signal })).rejects.toMatchObject({
      problem: 'timeout',
    });
  });

  it('that never ends is ended by the time limit also when garbage is collected meanwhile', async () => {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    if (typeof collect !== 'function') throw new Error('no gc');
    const server = await site((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => {
        response.write('<p>more</p>');
        collect();
      }, 10);
      response.on('close', () => clearInterval(timer));
    });
    const fetcher = fetcherFor([server], { timeoutMs: 500 });
    const fetched = fetcher.fetch({ url: `${server.origin}/`, signal: new AbortController().signal });
    await expect(fetched).rejects.toMatchObject({ problem: 'timeout' });
  });

  it('that stops in the middle, or never starts, is ended by the idle limit', async () => {
    const server = await site(({ path }, response) => {
      if (path === '/stops') response.writeHead(200).write('<p>');
    });
    const fetcher = fetcherFor([server], { idleTimeoutMs: 300 });
    for (const path of ['/stops', '/silent'])
      await expect(fetcher.fetch({ url: `${server.origin}${path}`, signal })).rejects.toMatchObject({
        problem: 'timeout',
      });
  });

  it('with endless headers is a failure', async () => {
    const server = await site((_, response) =>
      response.writeHead(200, { 'x-long': 'a'.repeat(100_000) }).end(),
    );
    const fetcher = fetcherFor([server]);
    await expect(fetcher.fetch({ url: `${server.origin}/`, signal })).rejects.toMatchObject({
      problem: 'parser',
    });
  });

  it('is not waited for once the caller has left', async () => {
    const leaving = new AbortController();
    const server = await site(() => leaving.abort());
    const fetcher = fetcherFor([server]);
    const fetched = fetcher.fetch({ url: `${server.origin}/`, signal: leaving.signal });
    await expect(fetched).rejects.toMatchObject({ problem: 'cancelled' });
  });
});

describe('a redirect', () => {
  it('is followed at most twenty times', async () => {
    const server = await site(({ path }, response) => {
      const left = Number(path.slice(1));
      if (left === 0) response.end('there');
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    const fetcher = fetcherFor([server]);
    expect((await fetcher.fetch({ url: `${server.origin}/20`, signal })).url).toBe(`${server.origin}/0`);
    await expect(fetcher.fetch({ url: `${server.origin}/21`, signal })).rejects.toMatchObject({
      problem: 'redirects',
    });
  });

  it('takes no secret to another origin', async () => {
    const other = await startWebServer((_, response) => response.end('other'));
    cleanUp.push(() => other.close());
    const otherOrigin = other.origin.replace('127.0.0.1', 'localhost');
    const server = await site((_, response) =>
      response.writeHead(302, { location: `${otherOrigin}/x` }).end(),
    );
    const jar = new CookieJar();
    await jar.setCookie('session=secret; Path=/', server.origin);
    const headers = { authorization: 'Bearer secret', 'x-api-key': 'secret', accept: 'application/json' };
    const named = [server.origin, otherOrigin];
    await fetcherFor(named).fetch({ url: `${server.origin}/`, headers, jar, signal, named });
    expect(server.asked.at(-1)?.headers).toMatchObject({ ...headers, cookie: 'session=secret' });
    expect(paths(other)).toEqual(['/x']);
    expect(JSON.stringify(other.asked)).not.toContain('secret');
    expect(other.asked.at(-1)?.headers.accept).toBe('application/json');
  });

  it('leads to an allowed origin only where the request names it', async () => {
    const other = await site((_, response) => response.end('private'));
    const server = await site((_, response) =>
      response.writeHead(302, { location: `${other.origin}/x` }).end(),
    );
    const fetcher = fetcherFor([server, other]);
    const url = `${server.origin}/`;
    // An open connection to the other one must not be used either.
    expect((await fetcher.fetch({ url: `${other.origin}/own`, signal })).status).toBe(200);
    for (const named of [undefined, [], [server.origin]])
      await expect(fetcher.fetch({ url, signal, named })).rejects.toMatchObject({ problem: 'private' });
    expect(paths(other)).toEqual(['/own']);
    const named = [server.origin, other.origin];
    expect((await fetcher.fetch({ url, signal, named })).body.toString()).toBe('private');
    await expect(fetcher.permit(`${other.origin}/`, signal, [server.origin])).rejects.toMatchObject({
      problem: 'private',
    });
  });

  it('of a form goes on as a page, or with its form to the same origin only', async () => {
    const other = await startWebServer((_, response) => response.end('other'));
    cleanUp.push(() => other.close());
    const server = await site(({ path, method }, response) => {
      if (path === '/303') response.writeHead(303, { location: '/end' }).end();
      else if (path === '/307') response.writeHead(307, { location: '/end' }).end();
      else if (path.startsWith('/away'))
        response.writeHead(Number(path.slice(-3)), { location: `${other.origin}/` }).end();
      else response.end(method);
    });
    const fetcher = fetcherFor([server, other]);
    const form = { method: 'POST', body: 'password=secret', signal } as const;
    // What may go to the same origin goes there again.
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-api-key': 'secret' };
    expect((await fetcher.fetch({ url: `${server.origin}/303`, ...form, headers })).body.toString()).toBe(
      'GET',
    );
    expect(server.asked.at(-1)).toMatchObject({ body: '' });
    expect(server.asked.at(-1)?.headers['content-type']).toBeUndefined();
    expect(server.asked.at(-1)?.headers['x-api-key']).toBe('secret');
    expect((await fetcher.fetch({ url: `${server.origin}/307`, ...form, headers })).body.toString()).toBe(
      'POST',
    );
    expect(server.asked.at(-1)).toMatchObject({ body: 'password=secret', headers });
    const named = [server.origin, other.origin];
    for (const status of [307, 308]) {
      const away = fetcher.fetch({ url: `${server.origin}/away/${status}`, ...form, headers, named });
      await expect(away).rejects.toMatchObject({ problem: 'redirects' });
    }
    expect(paths(other)).toEqual([]);
  });

  it('is followed only where the check of the request allows it, and what the check refuses is not asked', async () => {
    const server = await site((_, response) => response.writeHead(302, { location: '/next' }).end());
    const checked: string[] = [];
    const check = async ({ pathname }: URL) => {
      checked.push(pathname);
      if (pathname === '/next') throw new FetchError('forbidden', 'No');
    };
    const fetched = fetcherFor([server]).fetch({ url: `${server.origin}/first`, signal, check });
    await expect(fetched).rejects.toMatchObject({ problem: 'forbidden', message: 'No' });
    expect(checked).toEqual(['/first', '/next']);
    expect(paths(server)).toEqual(['/first']);
  });

  it('to the same page ends where it only sets a cookie, which lives for one fetch', async () => {
    const server = await site(({ headers }, response) => {
      if (headers.cookie === 'seen=1') response.end('page');
      else response.writeHead(302, { location: '/', 'set-cookie': 'seen=1' }).end();
    });
    const fetcher = fetcherFor([server]);
    expect((await fetcher.fetch({ url: `${server.origin}/`, signal })).body.toString()).toBe('page');
    await fetcher.fetch({ url: `${server.origin}/`, signal });
    expect(server.asked.map(({ headers }) => headers.cookie).filter(Boolean)).toHaveLength(2);
  });

  it.each([
    ['an element', '<meta http-equiv="Refresh" content="0; URL=/target">', {}],
    ['an element with quotes', `<meta content="1;url='target'" http-equiv=refresh>`, {}],
    ['a header', '<p>Wait', { refresh: '3, url="/target"' }],
  ])('may be made by %s of the page, once', async (_, body, headers) => {
    const server = await site(({ path }, response) => {
      response.writeHead(200, { 'content-type': 'text/html', ...headers });
      response.end(path === '/' ? body : '<meta http-equiv="refresh" content="0; url=/third">second');
    });
    const page = await fetcherFor([server]).fetch({ url: `${server.origin}/`, signal });
    expect(page.url).toBe(`${server.origin}/target`);
    // The second one is told.
    if (!('refresh' in headers)) expect(page.refresh).toBe(`${server.origin}/third`);
    expect(paths(server)).toEqual(['/', '/target']);
  });

  it.each([
    ['after a long time', '<meta http-equiv="refresh" content="60; url=/target">', '/target'],
    [
      'to a private address',
      '<meta http-equiv="refresh" content="0; url=http://127.0.0.1:1/">',
      'http://127.0.0.1:1/',
    ],
    ['to itself', '<meta http-equiv="refresh" content="0; url=/">', undefined],
    [
      'for those without scripts',
      '<noscript><meta http-equiv="refresh" content="0; url=/a"></noscript>',
      undefined,
    ],
    ['in a comment', '<!-- <meta http-equiv="refresh" content="0; url=/a"> -->', undefined],
  ])('of a page %s is told, not followed', async (_, body, refresh) => {
    const server = await site((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(`${body}page`),
    );
    const page = await fetcherFor([server]).fetch({ url: `${server.origin}/`, signal });
    expect(page.body.toString()).toContain('page');
    expect(page.refresh).toBe(refresh && new URL(refresh, server.origin).href);
    expect(paths(server)).toEqual(['/']);
  });

  it('may set cookies on its way, for the site that set them', async () => {
    const server = await site(({ path }, response) => {
      if (path === '/in')
        response.writeHead(302, { location: '/home', 'set-cookie': 'session=1; Path=/' }).end();
      else response.end('home');
    });
    const jar = new CookieJar();
    await fetcherFor([server]).fetch({ url: `${server.origin}/in`, jar, signal });
    expect(server.asked.at(-1)).toMatchObject({ path: '/home', headers: { cookie: 'session=1' } });
    await jar.setCookie('wide=1; Domain=example.com', server.origin, { ignoreError: true });
    expect(await jar.getCookieString('http://example.com/')).toBe('');
  });
});

describe('robots.txt', () => {
  it('is read again after an hour, also where the clock was set back', async () => {
    const cache = new RobotsCache();
    const rules = readRobots({ status: 200, text: 'User-agent: *\nDisallow: /' }, 'svc-mcp/1');
    const load = vi.fn(async () => rules);
    await cache.getRules('https://site.example', load);
    await cache.getRules('https://site.example', load);
    expect(load).toHaveBeenCalledTimes(1);
    const monotonic = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => monotonic + 3_700_000);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 24 * 3_600_000 });
    try {
      await cache.getRules('https://site.example', load);
      expect(load).toHaveBeenCalledTimes(2);
    } finally {
      vi.useRealTimers();
      clock.mockRestore();
    }
  });

  it('that could not be served is read again after a minute', async () => {
    const cache = new RobotsCache();
    const statuses = [503, 200];
    const load = vi.fn(async () => readRobots({ status: statuses.shift() ?? 500, text: '' }, 'svc-mcp/1'));
    const ask = () => cache.getRules('https://site.example', load);
    expect((await ask()).unavailable).toBe(503);
    expect((await ask()).unavailable).toBe(503);
    const monotonic = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => monotonic + 61_000);
    try {
      expect((await ask()).allows('https://site.example/page')).toBe(true);
      expect(load).toHaveBeenCalledTimes(2);
    } finally {
      clock.mockRestore();
    }
  });

  async function siteWithRobots(status: number, text: string) {
    const server = await startWebServer(({ path }, response) => {
      if (path === '/robots.txt') response.writeHead(status).end(text);
      else if (path === '/to-private') response.writeHead(302, { location: '/private/page' }).end();
      else response.end('page');
    });
    cleanUp.push(() => server.close());
    return server;
  }

  it('is obeyed, also for where a redirect leads, and read once', async () => {
    const server = await siteWithRobots(200, 'User-agent: *\nDisallow: /private/\nAllow: /private/open\n');
    const fetcher = fetcherFor([server]);
    const get = (path: string) => fetcher.fetch({ url: `${server.origin}${path}`, signal });
    await Promise.all([get('/a'), get('/b'), get('/private/open')]);
    await expect(get('/private/page')).rejects.toMatchObject({ problem: 'robots' });
    await expect(get('/to-private')).rejects.toMatchObject({ problem: 'robots' });
    expect(paths(server)).not.toContain('/private/page');
    expect(server.asked.filter(({ path }) => path === '/robots.txt')).toHaveLength(1);
  });

  it('may be meant for us by name', async () => {
    const server = await siteWithRobots(200, 'User-agent: svc-mcp\nDisallow: /\n\nUser-agent: *\nAllow: /\n');
    const fetched = fetcherFor([server]).fetch({ url: `${server.origin}/`, signal });
    await expect(fetched).rejects.toMatchObject({ problem: 'robots' });
  });

  it('that cannot be served right now keeps us away; a missing or overlong one does not', async () => {
    for (const status of [503, 429]) {
      const broken = await siteWithRobots(status, '');
      const refused = fetcherFor([broken]).fetch({ url: `${broken.origin}/`, signal });
      await expect(refused).rejects.toMatchObject({
        problem: 'unreachable',
        message: expect.stringContaining(`HTTP ${status} for its robots.txt`),
      });
      expect(paths(broken)).toEqual([]);
    }
    const missing = await siteWithRobots(404, 'User-agent: *\nDisallow: /');
    await fetcherFor([missing]).fetch({ url: `${missing.origin}/`, signal });
    const long = await siteWithRobots(200, `User-agent: *\nDisallow: /no\n${'# comment\n'.repeat(100_000)}`);
    const fetcher = fetcherFor([long]);
    await fetcher.fetch({ url: `${long.origin}/`, signal });
    await expect(fetcher.fetch({ url: `${long.origin}/no`, signal })).rejects.toMatchObject({
      problem: 'robots',
    });
  });

  it('that is made to be slow to match does not stall', async () => {
    const server = await siteWithRobots(
      200,
      `User-agent: *\n${`Disallow: /${'*a'.repeat(250)}b\n`.repeat(250)}`,
    );
    const started = performance.now();
    await fetcherFor([server]).fetch({ url: `${server.origin}/${'a'.repeat(1_900)}`, signal });
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});

it.each([
  ['Crawl-delay: 7', 7_000],
  ['Crawl-delay: 0.5', 500],
  ['Crawl-delay: soon', undefined],
  ['Crawl-delay:', undefined],
  ['', undefined],
])('%j asks for a delay of %j ms', (line, expected) => {
  const text = `User-agent: *\n${line}\nDisallow: /x\n`;
  const rules = readRobots({ status: 200, text }, 'svc-mcp/1');
  expect(rules.crawlDelayMs).toBe(expected);
});

describe('a rule of robots.txt', () => {
  const allows = (text: string, path: string) =>
    readRobots({ status: 200, text }, 'svc-mcp/1').allows(`https://site.example${path}`);

  it.each<[string, string, boolean]>([
    ['User-agent: *\nDisallow: /a', '/ab', false],
    ['User-agent: *\nDisallow: /a$', '/ab', true],
    ['User-agent: *\nDisallow: /*.pdf$', '/x/y.pdf', false],
    ['User-agent: *\nDisallow: /*.pdf$', '/x/y.pdf?z', true],
    ['User-agent: *\nDisallow: /a*b*c', '/a1b2c3', false],
    ['User-agent: *\nDisallow: /a*b*c', '/a1c2b3', true],
    ['User-agent: *\nDisallow: /a*a$', '/a', true],
    ['User-agent: *\nDisallow: *?sort=', '/x?sort=1', false],
    ['User-agent: *\nDisallow: /\nAllow: /open', '/open/x', true],
    ['User-agent: *\nDisallow: /same\nAllow: /same', '/same', true],
    ['User-agent: *\nDisallow:', '/x', true],
    ['User-agent: *\nDisallow: / # all of it', '/x', false],
    ['User-agent: *\nDisallow: /x', '/robots.txt', true],
    ['User-agent: *\nDisallow: /', '/robots.txt', true],
    ['User-agent: *\nDisallow: /é', '/%c3%a9', false],
    ['User-agent: other\nDisallow: /', '/x', true],
    ['User-agent: *\nDisallow: /\n\nUser-agent: svc-mcp\nDisallow: /own', '/x', true],
    ['User-agent: other\nUser-agent: SVC-MCP/2.0\nDisallow: /own', '/own', false],
    ['User-agent: svc-mcp\nDisallow: /a\nUser-agent: svc-mcp\nDisallow: /b', '/b', false],
    ['Disallow: /\nUser-agent: other\nDisallow: /', '/x', true],
  ])('%j: %s', (text, path, expected) => expect(allows(text, path)).toBe(expected));

  it.each<[string, string]>([
    ['one pattern of wildcards', `Disallow: ${'*a'.repeat(200_000)}b`],
    ['many patterns of wildcards', 'Disallow: /*a*a*a*a*a*a*a*b\n'.repeat(15_000)],
    ['many rules with a wildcard', 'Disallow: /*aaaaab\n'.repeat(27_000)],
    ['many names', `${'User-agent: x\nUser-agent: *\n'.repeat(8_000)}${'Disallow: /y\n'.repeat(8_000)}`],
    ['one long line', `Disallow: ${' '.repeat(500_000)}`],
  ])('is matched in time: %s', (_, rules) => {
    const time = timeOf(() => allows(`User-agent: *\n${rules}`, `/${'a'.repeat(2_000)}`));
    // Matching every place with every character took more than 10 s.
    expect(time).toBeLessThan(250);
  });
});

describe('pacing', () => {
  it('keeps requests to one host apart, and others not', async () => {
    const pacing = new Pacing();
    // Others would wait until the test is ended.
    for (const host of ['a', 'b', 'c']) await pacing.turn(host, 3_600_000, signal);
    const started = performance.now();
    for (let turn = 0; turn < 3; turn += 1) await pacing.turn('d', 60, signal);
    // Timers may fire up to a millisecond early.
    expect(performance.now() - started).toBeGreaterThanOrEqual(118);
  });

  it('forgets no host before its time, however many others there are', async () => {
    const pacing = new Pacing();
    await pacing.turn('a', 60_000, signal);
    for (let host = 0; host <= 10_000; host += 1) await pacing.turn(`${host}`, 0, signal);
    const leaving = new AbortController();
    const waiting = pacing.turn('a', 60_000, leaving.signal);
    leaving.abort();
    await expect(waiting).rejects.toThrow('aborted');
  });

  it('does not hold up requests to an own origin', async () => {
    const server = await site((_, response) => response.end('page'));
    const fetcher = fetcherFor([server], { paceMs: 3_600_000 });
    for (const path of ['/one', '/two']) await fetcher.fetch({ url: `${server.origin}${path}`, signal });
    expect(paths(server)).toEqual(['/one', '/two']);
  });

  it('gives up its turn when the caller leaves', async () => {
    const pacing = new Pacing();
    await pacing.turn('a', 60_000, signal);
    const leaving = new AbortController();
    const waiting = pacing.turn('a', 60_000, leaving.signal);
    leaving.abort();
    await expect(waiting).rejects.toThrow('aborted');
  });
});

it('counts every request it sends', async () => {
  const server = await site((_, response) => response.end());
  const hosts: string[] = [];
  await fetcherFor([server], { onFetch: (host) => hosts.push(host) }).fetch({
    url: `${server.origin}/`,
    signal,
  });
  expect(hosts).toEqual([`127.0.0.1:${server.port}`, `127.0.0.1:${server.port}`]);
});
