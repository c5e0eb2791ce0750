/** A shop whose pages show what their scripts make, with pages that misbehave, and a data folder with actions for them. Needs Chromium. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { temporaryFolder } from './gateway.ts';
import { startWebServer, type WebServer } from './web-server.ts';

const shell = `<title>Shop</title><ul id="list"></ul><button id="more">More</button><script>
  let page = 0;
  const load = async () => {
    const { items, last } = await (await fetch('/api/items?page=' + page++)).json();
    for (const { name, price } of items) list.insertAdjacentHTML('beforeend', '<li><b>' + name + '</b> <i>' + price + '</i></li>');
    if (last) more.remove();
  };
  more.onclick = load; load();
</script>`;
/** Its scripts hold the data in a form that only running them gives. */
const inline = `<title>Shop</title><div id="app"></div><script>
  const names = atob('${Buffer.from('lamp|chair|table|shelf|sofa').toString('base64')}').split('|');
  app.innerHTML = '<table><tr><th>Name</th><th>Price</th></tr>' + names.map((name, index) => '<tr><td>' + name + '</td><td>' + (index + 10) + '</td></tr>').join('') + '</table>';
</script>`;
export const items = ['lamp', 'chair', 'table', 'shelf', 'sofa'].map((name, index) => ({
  name,
  price: index + 10,
}));

/** Its script never ends. It waits where another would count: a loop that counts would take a core from the other tests. */
const hanging = `<script>for (;;) try {
  const request = new XMLHttpRequest();
  request.open('GET', '/never', false);
  request.send();
} catch {}</script>`;

const inlineList = '<ul><li><b>lamp</b> <i>10</i></li></ul>';

export const takesAllMemory = 'const kept = []; for (;;) kept.push(new Uint8Array(4e6).fill(7))';

/** Scripts of pages that show one item, unless the script keeps them from it. */
const hostilePages: Record<string, string | undefined> = {
  '/tabs': 'for (let i = 0; i < 1000; i++) window.open("/")',
  '/memory': takesAllMemory,
  '/closes': 'window.close(); location = "chrome://quit"; location = "chrome://crash"',
};

function shop(): Promise<WebServer> {
  let hung = false;
  return startWebServer(({ path }, response) => {
    const { pathname, searchParams } = new URL(path, 'http://shop');
    if (pathname === '/') return void response.setHeader('content-type', 'text/html').end(shell);
    if (pathname === '/inline') return void response.setHeader('content-type', 'text/html').end(inline);
    if (pathname === '/hangs') return void response.setHeader('content-type', 'text/html').end(hanging);
    if (pathname === '/hangs-once') {
      response.setHeader('content-type', 'text/html').end(hung ? inlineList : hanging);
      hung = true;
      return;
    }
    if (pathname === '/never') return;
    const hostile = hostilePages[pathname];
    if (hostile !== undefined)
      return void response
        .setHeader('content-type', 'text/html')
        .end(`${inlineList}<script>${hostile}</script>`);
    if (pathname !== '/api/items') return void response.writeHead(404).end();
    const first = Number(searchParams.get('page')) * 2;
    const body = JSON.stringify({ items: items.slice(first, first + 2), last: first + 2 >= items.length });
    response.setHeader('content-type', 'application/json').end(body);
  });
}

function catalog(origin: string) {
  const parameters = { type: 'object', properties: {} };
  const html = {
    kind: 'html',
    list: 'li',
    fields: { name: { select: 'b', required: true }, price: { select: 'i', type: 'number' } },
  };
  const action = (id: string, recipe: Record<string, unknown>) => ({
    action_id: id,
    name: id,
    parameters,
    recipe,
  });
  return {
    slug: 'shop',
    name: 'Shop',
    url: `${origin}/`,
    category: 'commerce',
    description: 'A shop of scripts',
    actions: [
      action('shop_first', { request: { url: `${origin}/` }, render: true, extract: html }),
      action('shop_all', {
        request: { url: `${origin}/` },
        render: { click: '#more', clicks: 9 },
        extract: html,
      }),
      action('shop_answers', {
        request: { url: `${origin}/` },
        render: { click: '#more', clicks: 9 },
        extract: { kind: 'json', response: '*/api/items*', list: '[].items[]' },
      }),
      ...Object.keys(hostilePages).map((path) =>
        action(`shop_${path.slice(1)}`, { request: { url: origin + path }, render: true, extract: html }),
      ),
      ...['hangs', 'hangs-once'].map((path) =>
        action(`shop_${path}`, { request: { url: `${origin}/${path}` }, render: true, extract: html }),
      ),
    ],
  };
}

/** The shop, until the test has finished, and the settings of a program that has its actions. */
export async function openScriptShop(extra: Record<string, string> = {}) {
  const site = await shop();
  onTestFinished(() => site.close());
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'catalogs'), { recursive: true });
  await writeFile(join(folder, 'catalogs', 'shop.json'), JSON.stringify(catalog(site.origin)));
  const environment: Record<string, string> = {
    SVC_DATA_DIR: folder,
    SVC_SERVICE_ALLOW_ORIGINS: site.origin,
    SVC_BROWSER_SANDBOX: process.getuid?.() === 0 ? 'off' : 'on',
    ...extra,
  };
  return { site, environment };
}

export const Done = z.object({
  status: z.literal('completed'),
  credits_used: z.number(),
  data: z.object({ items: z.array(z.object({ name: z.string(), price: z.number() })) }),
});

export const Failed = z.object({
  status: z.literal('failed'),
  credits_used: z.literal(0),
  error: z.object({ message: z.string() }),
});
