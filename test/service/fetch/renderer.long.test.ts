/** Pages in a real Chromium: what they show, what they cannot reach, and what happens when they misbehave. */
import { createSocket } from 'node:dgram';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { BrowserProcess } from '../../../src/service/fetch/browser-process.ts';
import { findBrowser } from '../../../src/service/fetch/find-browser.ts';
import { Renderer } from '../../../src/service/fetch/renderer.ts';
import { FetchError } from '../../../src/service/foundation/errors.ts';
import { browserPaths } from '../../support/browser.ts';
import { gate } from '../../support/service.ts';

const pages: Record<string, { type?: string; body: string } | undefined> = {
  '/shell': {
    body: `<title>Shop</title><div id="app"></div><script>
      fetch('/api/items.json').then((answer) => answer.json()).then(({ items }) => {
        document.getElementById('app').innerHTML = items.map((item) => '<p class="item">' + item + '</p>').join('');
      });</script>`,
  },
  '/api/items.json': { type: 'application/json', body: '{"items":["lamp","chair"]}' },
  '/more': {
    body: `<ul id="list"></ul><button id="more">More</button><script>
      let count = 0; const add = () => { for (let i = 0; i < 2; i++) list.append(Object.assign(document.createElement('li'), {textContent: 'row ' + ++count}));
      if (count >= 6) more.remove(); }; add(); more.onclick = () => setTimeout(add, 50);</script>`,
  },
  '/frames': { body: '<iframe src="/forbidden"></iframe><iframe src="/allowed"></iframe><p>whole</p>' },
  '/allowed': { body: '<p>frame</p>' },
  '/forbidden': { body: '<script>fetch("/api/of-forbidden")</script>' },
  '/late-forbidden': { body: '<script>fetch("/api/of-late-forbidden")</script>' },
  '/held': { body: '<p>held</p>' },
  '/storage': {
    body: `<p id="who"></p><script>who.textContent = localStorage.getItem('user') + ' ' + document.cookie</script>`,
  },
  '/loop': { body: '<script>for (;;) {}</script>' },
  '/tabs': { body: '<script>for (let i = 0; i < 1000; i++) window.open("/shell")</script>' },
  '/close': {
    body: '<script>window.close(); location = "chrome://crash"; alert(1); alert(2)</script><p>here</p>',
  },
  '/requests': { body: '<script>for (let i = 0; i < 200; i++) fetch("/api/items.json?" + i)</script>' },
  '/large': {
    // Requests that block the parser: the page is not read before the limit is met, however slow the machine.
    body: '<script>for (;;) try { const x = new XMLHttpRequest(); x.open("GET", "/megabytes", false); x.send(); } catch {}</script>',
  },
  '/logs': {
    body: `<p></p><script>
      const isOfBrowser = (one) => /native code/.test(one);
      const writes = Object.values(console).filter(isOfBrowser);
      const asks = [alert, confirm, prompt].filter(isOfBrowser);
      const events = [];
      const add = (event) => {
        events.push(event);
        if (events.length < 2) return;
        const reported = events.filter(({ defaultPrevented }) => !defaultPrevented);
        document.querySelector('p').textContent =
          'The browser writes of ' + writes.length + ', asks of ' + asks.length + ', reports ' + reported.length + ' of 2';
      };
      addEventListener('error', add);
      addEventListener('unhandledrejection', add);
      // Of scripts of a page, no less, which may do what they like.
      Event.prototype.preventDefault = () => undefined;
      const cancel = 'a name of the page';
      setTimeout(() => { throw new Error('x'); });
      Promise.reject(new Error('y'));
    </script>`,
  },
  '/megabytes': { type: 'text/plain', body: 'x'.repeat(3_000_000) },
};

let site: Server;
let origin: string;
let browserPath: string;
let renderer: Renderer;
const asked: string[] = [];
const received: string[] = [];
let held: () => Promise<void> = async () => undefined;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const serve = (server: Server): Promise<string> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
  });

const newRenderer = (timeoutMs: number, pagesAtOnce = 2): Renderer =>
  new Renderer({
    pagesAtOnce,
    location: findBrowser(browserPath),
    // The tests may run as root, where Chromium's sandbox cannot.
    sandbox: process.getuid?.() !== 0,
    allowOrigins: [origin],
    permit: async (url) => {
      asked.push(url);
    },
    limits: { timeoutMs, requests: 20, bytes: 10_000_000 },
  });

const render = (path: string, options: Partial<Parameters<Renderer['render']>[0]> = {}, by = renderer) =>
  by.render({
    url: `${origin}${path}`,
    signal: new AbortController().signal,
    ...options,
  });

describe.each(browserPaths)('a page in %s', (path) => {
  beforeAll(async () => {
    browserPath = path;
    received.length = 0;
    asked.length = 0;
    site = createServer(async (request, response) => {
      received.push(request.url ?? '');
      if (request.url?.startsWith('/held')) await held();
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://site');
      const location = searchParams.get('to');
      if (location !== null) {
        response.writeHead(302, { location }).end();
        return;
      }
      const page = pages[pathname];
      response.writeHead(page === undefined ? 404 : 200, { 'content-type': page?.type ?? 'text/html' });
      response.end(page?.body ?? 'no such page');
    });
    origin = await serve(site);
    renderer = newRenderer(60_000);
  });
  afterAll(async () => {
    await renderer?.close();
    site?.close();
  });

  it('shows what its scripts made, and gives the JSON that they fetched', async () => {
    const page = await render('/shell', { responses: ['*/api/*.json'] });
    expect(String(page.body)).toContain('<p class="item">lamp</p>');
    expect(page.responses.map(({ url, body }) => [new URL(url).pathname, String(body)])).toEqual([
      ['/api/items.json', '{"items":["lamp","chair"]}'],
    ]);
    expect(asked).toContain(`${origin}/shell`);
  });

  it('is clicked for more until the button is gone', async () => {
    const page = await render('/more', { click: { selector: '#more', times: 10 } });
    expect(String(page.body).match(/<li>/g)).toHaveLength(6);
  });

  it('waits for its turn where two others are open', async () => {
    const { wait, open } = gate();
    held = wait;
    const paths = ['/held?1', '/held?2', '/held?3'];
    const rendered = paths.map((path) => render(path));
    const arrived = () => received.filter((path) => path.startsWith('/held'));
    await vi.waitUntil(() => arrived().length === 2, { timeout: 10_000 });
    open();
    for (const page of await Promise.all(rendered)) expect(String(page.body)).toContain('held');
    expect(arrived().sort()).toEqual(paths);
  });

  it('obeys the rules of the fetcher for each document, also behind a redirect and in a frame', async () => {
    const guarded = new Renderer({
      location: findBrowser(browserPath),
      sandbox: process.getuid?.() !== 0,
      allowOrigins: [origin],
      permit: async (url) => {
        if (url.includes('/forbidden')) throw new FetchError('robots', 'robots.txt forbids it');
      },
    });
    const open = (path: string) =>
      guarded.render({ url: origin + path, signal: new AbortController().signal });
    try {
      await expect(open('/forbidden')).rejects.toThrow('robots.txt forbids it');
      await expect(open('/shell?to=/forbidden')).rejects.toThrow('robots.txt forbids it');
      expect(String((await open('/frames')).body)).toContain('whole');
    } finally {
      await guarded.close();
    }
    expect(received).toContain('/allowed');
    expect(received).not.toContain('/api/of-forbidden');
  });

  it('waits for the permission of where a redirect leads, before anything of it is used', async () => {
    const { wait, open, reached } = gate();
    const slow = new Renderer({
      location: findBrowser(browserPath),
      sandbox: process.getuid?.() !== 0,
      allowOrigins: [origin],
      permit: async (url) => {
        if (new URL(url).pathname !== '/late-forbidden') return;
        await wait();
        throw new FetchError('robots', 'robots.txt forbids it');
      },
    });
    try {
      const rendered = slow.render({
        url: `${origin}/shell?to=/late-forbidden`,
        signal: new AbortController().signal,
      });
      rendered.catch(() => undefined);
      await reached;
      // Longer than a page without requests takes to be quiet.
      await delay(2_000);
      open();
      await expect(rendered).rejects.toThrow('robots.txt forbids it');
    } finally {
      await slow.close();
    }
    expect(received).not.toContain('/api/of-late-forbidden');
  });

  it('shares one browser with the pages of the next minute, which ends by itself', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-browser-'));
    const log = join(folder, 'starts');
    const starter = join(folder, 'browser');
    await writeFile(starter, `#!/bin/sh\necho $$ >> '${log}'\nexec '${browserPath}' "$@"\n`, {
      mode: 0o700,
    });
    const warm = new Renderer({
      location: findBrowser(starter),
      sandbox: process.getuid?.() !== 0,
      allowOrigins: [origin],
      permit: async () => {},
      idleMs: 2_000,
    });
    const pids = async () => (await readFile(log, 'utf8')).trim().split('\n').map(Number);
    const open = () => warm.render({ url: `${origin}/allowed`, signal: new AbortController().signal });
    try {
      await open();
      await open();
      const [pid = 0, ...others] = await pids();
      expect(others).toEqual([]);
      await vi.waitUntil(() => !isAlive(pid), { timeout: 20_000, interval: 100 });
      await open();
      expect(await pids()).toHaveLength(2);
    } finally {
      await warm.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('has the cookies and the local storage of its session, and leaves none to the next page', async () => {
    const { hostname } = new URL(origin);
    const session = {
      cookies: [
        {
          name: 'id',
          value: '7',
          domain: hostname,
          path: '/',
          expires: -1,
          httpOnly: false,
          secure: false,
          sameSite: 'Lax' as const,
        },
      ],
      origins: [{ origin, localStorage: [{ name: 'user', value: 'ada' }] }],
    };
    expect(String((await render('/storage', { session })).body)).toContain('ada id=7');
    expect(String((await render('/storage')).body)).toContain('null ');
  });

  it.each([
    ['opens 1,000 windows', '/tabs', /too many windows|^$/],
    ['makes 200 requests', '/requests', /more than 20 requests/],
    ['loads without end', '/large', /loads more than/],
  ])('that %s fails, and the next page works', async (_, path, message) => {
    const outcome = await render(path).then(
      () => '',
      (error: Error) => error.message,
    );
    expect(outcome).toMatch(message);
    expect(String((await render('/shell')).body)).toContain('lamp');
  });

  it('that loops for ever fails, and takes none of the time of a page that waits for its turn', async () => {
    const impatient = newRenderer(12_000, 1);
    onTestFinished(() => impatient.close());
    const [looping, next] = await Promise.allSettled([
      render('/loop', {}, impatient),
      render('/shell', {}, impatient),
    ]);
    expect(looping).toMatchObject({
      reason: { message: expect.stringContaining('not complete after 12 s') },
    });
    expect(next).toMatchObject({ status: 'fulfilled' });
  });

  it('writes, asks and throws nothing to this process', async () => {
    const page = await render('/logs');
    expect(String(page.body)).toContain('The browser writes of 0, asks of 0, reports 0 of 2');
  });

  it('that closes its window fails or is read, and the next page works', async () => {
    await render('/close').catch(() => undefined);
    expect(String((await render('/shell')).body)).toContain('lamp');
  });

  it('reaches no address outside the public internet, whatever its scripts try', async () => {
    const hits: string[] = [];
    const canary = createServer((request, response) => {
      hits.push(request.url ?? '');
      response.writeHead(200, { 'access-control-allow-origin': '*' }).end('secret');
    });
    canary.on('connection', () => hits.push('connection'));
    const target = await serve(canary);
    const { port } = new URL(target);
    const datagrams = createSocket('udp4').on('message', () => hits.push('datagram'));
    await new Promise<void>((resolve) => datagrams.bind(Number(port), '127.0.0.1', resolve));
    const hosts = [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '0.0.0.0',
      '2130706433',
      '0x7f.1',
      '[::ffff:127.0.0.1]',
      '169.254.169.254',
    ];
    pages['/attack'] = {
      body: `<body><script>
        for (const host of ${JSON.stringify(hosts)}) for (const port of [${port}, 80]) {
          const url = 'http://' + host + ':' + port + '/';
          const attempt = (work) => { try { Promise.resolve(work()).catch(() => {}); } catch {} };
          attempt(() => fetch(url + 'fetch', { mode: 'no-cors' }));
          attempt(() => fetch('/?to=' + url + 'redirected', { mode: 'no-cors' }));
          attempt(() => document.body.append(Object.assign(document.createElement('iframe'), { src: '/?to=' + url + 'redirected-frame' })));
          attempt(() => document.body.append(Object.assign(document.createElement('object'), { data: url + 'object' })));
          attempt(() => document.body.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: url + 'style' })));
          attempt(() => navigator.sendBeacon(url + 'beacon', 'x'));
          attempt(() => new WebSocket('ws://' + host + ':' + port + '/ws'));
          attempt(() => new EventSource(url + 'events'));
          attempt(() => { new Image().src = url + 'image'; });
          attempt(() => document.body.append(Object.assign(document.createElement('iframe'), { src: url + 'frame' })));
          attempt(() => document.body.append(Object.assign(document.createElement('script'), { src: url + 'script' })));
          attempt(() => document.body.append(Object.assign(document.createElement('link'), { rel: 'prefetch', href: url + 'prefetch' })));
          attempt(() => document.body.append(Object.assign(document.createElement('link'), { rel: 'preconnect', href: url })));
          attempt(() => new Worker(URL.createObjectURL(new Blob(['fetch("' + url + 'worker",{mode:"no-cors"}).catch(()=>{})']))));
          attempt(async () => { const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:' + host + ':' + port }, { urls: 'turn:' + host + ':' + port + '?transport=tcp', username: 'a', credential: 'b' }] });
            peer.createDataChannel('x'); await peer.setLocalDescription(await peer.createOffer()); });
          attempt(() => navigator.serviceWorker.register('/sw.js'));
          attempt(() => new WebTransport('https://' + host + ':' + port + '/'));
        }
        setTimeout(() => { document.title = 'tried'; }, 500);
      </script><p>attack</p>`,
    };
    const wide = new Renderer({
      location: findBrowser(browserPath),
      sandbox: process.getuid?.() !== 0,
      allowOrigins: [origin],
      permit: async () => {},
      limits: { requests: 2_000, timeoutMs: 90_000 },
    });
    try {
      const page = await wide.render({
        url: `${origin}/attack`,
        waitFor: 'title',
        signal: new AbortController().signal,
      });
      expect(String(page.body)).toContain('attack');
      // A redirect of an allowed site leads to the canary no more than a script does.
      await expect(
        wide.render({ url: `${origin}/?to=${target}/redirect`, signal: new AbortController().signal }),
      ).rejects.toThrow(/could not be reached/);
    } finally {
      await wide.close();
      canary.close();
      datagrams.close();
    }
    expect(hits).toEqual([]);
  }, 120_000);
});

describe.each(browserPaths)('%s without the guard of its pages', (path) => {
  it('sends no datagram for WebRTC', async () => {
    browserPath = path;
    const hits: string[] = [];
    const datagrams = createSocket('udp4').on('message', () => hits.push('datagram'));
    await new Promise<void>((resolve) => datagrams.bind(0, '127.0.0.1', resolve));
    const browserProcess = new BrowserProcess({
      location: findBrowser(browserPath),
      sandbox: process.getuid?.() !== 0,
      proxyServer: 'http://127.0.0.1:1',
    });
    try {
      const state = await browserProcess.use(async (browser) => {
        const page = await browser.newPage();
        await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '<p>x</p>' }));
        await page.goto('https://site.example/');
        return page.evaluate(`(async () => {
          const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${datagrams.address().port}' }] });
          peer.createDataChannel('x');
          await peer.setLocalDescription(await peer.createOffer());
          await new Promise((resolve) => setTimeout(resolve, 1500));
          return peer.connectionState;
        })()`);
      });
      expect(state).toBe('new');
    } finally {
      await browserProcess.close();
      datagrams.close();
    }
    expect(hits).toEqual([]);
  });
});

describe('without a browser', () => {
  it('a page is refused with what to install', async () => {
    const none = new Renderer({
      location: findBrowser('auto', { PATH: '' }, 'darwin'),
      sandbox: true,
      allowOrigins: [],
      permit: async () => {},
    });
    await expect(
      none.render({ url: 'https://example.com/', signal: new AbortController().signal }),
    ).rejects.toThrow(/Install Chromium, Chrome or Edge/);
    await none.close();
  });
});
