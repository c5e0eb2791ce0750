/** The whole life of a watch as an agent sees it: a page that changes, the embedded service, and a client over stdio. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { closeGateways, closeLater, openStore, temporaryFolder } from '../../support/gateway.ts';
import { connectProgram, endPrograms, expectBuilt } from '../../support/program.ts';
import { minuteMs, passTime } from '../../support/watches.ts';
import { startWebServer } from '../../support/web-server.ts';

beforeAll(expectBuilt);
afterEach(async () => {
  await endPrograms();
  await closeGateways();
});

const Shown = z.looseObject({
  changes: z.array(z.looseObject({ seq: z.number(), kind: z.string(), summary: z.string().nullable() })),
  state: z.string(),
  credits_used: z.number(),
});

const list = (books: Readonly<Record<string, number>>) =>
  `<title>Books</title><h1>Books</h1><ul>${Object.entries(books)
    .map(([name, price]) => `<li class="book"><a href="/${name}">${name}</a> <b>€ ${price}</b></li>`)
    .join('')}</ul><p>All prices include shipping to every country that we know of.</p>`;
const signIn =
  '<title>Sign in</title><h1>Sign in to go on</h1><form method="post" action="/login">' +
  '<input type="email" name="email"><input type="password" name="password"><button>Sign in</button></form>';

async function start() {
  const books = { Emma: 10, Ulysses: 20, Dracula: 30, Walden: 40 };
  let page = { status: 200, html: list(books) };
  const site = await startWebServer(({ path }, response) => {
    if (path === '/robots.txt') return response.writeHead(404).end();
    return response.writeHead(page.status, { 'content-type': 'text/html; charset=utf-8' }).end(page.html);
  });
  closeLater(() => site.close());
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'catalogs'), { recursive: true });
  const catalog = {
    ...{ slug: 'shelf', name: 'Shelf', url: `${site.origin}/`, category: 'commerce', description: 'Books' },
    actions: [
      {
        ...{ action_id: 'shelf_books', name: 'Books', description: 'Lists all books', credits_per_call: 1 },
        ...{ type: 'scrape', parameters: { type: 'object', properties: {} } },
        recipe: {
          request: { url: `${site.origin}/books` },
          extract: {
            ...{ kind: 'html', list: 'li.book' },
            fields: {
              title: { select: 'a', required: true },
              price: { select: 'b', type: 'number' },
              url: { select: 'a', type: 'url' },
            },
          },
        },
      },
    ],
  };
  await writeFile(join(folder, 'catalogs', 'shelf.json'), JSON.stringify(catalog));
  const environment = { SVC_DATA_DIR: folder, SVC_SERVICE_ALLOW_ORIGINS: site.origin };
  const { client } = await connectProgram('legacy', environment);
  const call = async (name: string, args: Record<string, unknown>) =>
    Object((await client.callTool({ name, arguments: args })).structuredContent);
  const show = async (watch_id: string) => Shown.parse(await call('list_watches', { watch_id }));
  const made = await call('watch', { action_id: 'shelf_books', every: '1h', max_credits: 6 });
  const store = await openStore(folder);
  const id = String(made.watch_id);
  const asked = () => site.asked.filter(({ path }) => path === '/books').length;
  return {
    ...{ books, call, id, made, folder, client, show: () => show(id) },
    becomes: (html: string, status = 200) => {
      page = { status, html };
    },
    /** Lets time pass until the page was read once more, and what came of it is written. */
    pass: async (ms: number) => {
      const before = asked();
      await passTime(store, ms);
      await vi.waitFor(
        async () => {
          // A look at what was told makes the clock look, too.
          await show(id);
          expect(asked()).toBeGreaterThan(before);
          const open = store.query
            .selectFrom('gateway_watch_run')
            .select('due_at')
            .where('outcome', 'is', null);
          expect(await open.execute()).toEqual([]);
        },
        { timeout: 30_000, interval: 1_000 },
      );
    },
    /** Lets time pass until a due time was skipped. */
    skip: async (ms: number) => {
      await passTime(store, ms);
      const isSkipped = async () => expect((await show(id)).changes.at(-1)?.kind).toBe('skipped');
      await vi.waitFor(isSkipped, { timeout: 30_000, interval: 1_000 });
    },
    told: async () => (await show(id)).changes.map(({ kind, summary }) => `${kind}: ${summary}`),
  };
}

it('change, loss, failure, limit, sign-in and end', async () => {
  const { made, books, becomes, pass, skip, told, show, call, id, client } = await start();
  expect(made).toMatchObject({ state: 'active', compared_by: 'url', first: { rows: 4 }, costs: { each: 1 } });
  await client.subscribeResource({ uri: 'svc://watches' });
  const updated = vi.fn();
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => updated(params.uri));

  await pass(64 * minuteMs);
  becomes(list({ ...books, Emma: 9 }));
  await pass(64 * minuteMs);
  expect(await told()).toEqual(['changed: price changed in 1 row; 4 rows now.']);
  await vi.waitFor(() => expect(updated).toHaveBeenCalledWith('svc://watches'), 20_000);

  becomes(list({ Emma: 9 }));
  await pass(64 * minuteMs);
  expect(await told()).toHaveLength(1);
  await pass(5 * minuteMs);
  expect((await told()).at(-1)).toBe('changed: 3 rows removed; 1 row now.');

  becomes('broken', 404);
  for (let failures = 0; failures < 3; failures += 1) await pass(64 * minuteMs);
  expect(await show()).toMatchObject({
    state: 'failing',
    changes: [
      {},
      {},
      { kind: 'failing', summary: expect.stringMatching(/^3 runs in a row .*HTTP status 404/) },
    ],
    next: expect.stringContaining('"set":"pause"'),
  });
  becomes(list({ Emma: 9 }));
  await pass(130 * minuteMs);
  expect((await told()).at(-1)).toBe('recovered: It runs again.');

  await skip(130 * minuteMs);
  expect((await told()).at(-1)).toMatch(/^skipped: .*not made up.*this watch may cost/);
  expect((await show()).next).toContain('a larger max_credits');
  const more = await call('watch', { action_id: 'shelf_books', max_credits: 100 });
  expect(more).toMatchObject({ watch_id: id, replaced: ['max_credits'] });

  becomes(signIn);
  await pass(64 * minuteMs);
  const next = expect.stringMatching(/signed in to the site \(login\), call watch .*"set":"resume"/);
  expect(await show()).toMatchObject({ state: 'needs_person', next });
  expect((await call('list_watches', {})).watches).toMatchObject([{ state: 'needs_person', next }]);
  becomes(list({ Emma: 9 }));
  expect(await call('watch', { watch_id: id, set: 'resume' })).toMatchObject({ state: 'active' });
  expect(await show()).not.toHaveProperty('next');
  await pass(64 * minuteMs);
  expect(await call('watch', { watch_id: id, set: 'end' })).toMatchObject({ state: 'ended' });
  expect((await told()).map((text) => text.split(':')[0])).toEqual([
    ...['changed', 'changed', 'failing', 'recovered', 'skipped', 'needs_person', 'ended'],
  ]);
}, 300_000);
