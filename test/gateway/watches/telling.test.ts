import { readdir, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseAtomFeed } from 'feedsmith';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, it, vi } from 'vitest';
import { WebhookSender } from '../../../src/client/webhook.ts';
import {
  callContext,
  closeGateways,
  closeLater,
  openGateway,
  openStore,
  scriptedUpstream,
  temporaryFolder,
} from '../../support/gateway.ts';
import { dayMs, minuteMs, passTime } from '../../support/watches.ts';

afterEach(closeGateways);

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** A receiver that checks each message as the standard says. */
async function receive() {
  const messages: { readonly id: unknown; readonly body: unknown }[] = [];
  let status = 204;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const verified = new Webhook(secret).verify(body, Object(request.headers));
    messages.push({ id: request.headers['webhook-id'], body: verified });
    response.writeHead(status, { location: '/elsewhere' }).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  closeLater(async () => void server.close());
  const { port } = server.address() as AddressInfo;
  return {
    messages,
    port: new WebhookSender({ url: `http://127.0.0.1:${port}/told?by=watches`, secret }),
    answers: (next: number) => {
      status = next;
    },
  };
}

async function start({ rows = false } = {}) {
  let prices = [10, 20];
  const data = () => ({
    books: prices.map((price, id) => ({ url: `https://shop.example/${id}`, title: `A & <b> ${id}`, price })),
  });
  const upstream = await scriptedUpstream({
    actions: [
      { action_id: 'shop-list', catalog_slug: 'shop', type: 'scrape', job: () => ({ data: data() }) },
    ],
  });
  const folder = await temporaryFolder();
  const receiver = await receive();
  const feedFolder = join(folder, 'watches');
  const more = { watchOutlets: { feedFolder, webhook: { port: receiver.port, rows } } };
  const { gateway } = openGateway(upstream, folder, {}, upstream.apiKey, more);
  const { body } = await gateway.watch({ action_id: 'shop-list', every: '1h' }, callContext());
  const store = await openStore(folder);
  const id = String(body.watch_id);
  return {
    ...receiver,
    gateway,
    id,
    feedFolder,
    pass: async (ms: number) => {
      await passTime(store, ms);
      await gateway.runDueWatches();
    },
    change: (...next: number[]) => {
      prices = next;
    },
  };
}

it('the webhook is told in order, signed, with the same id until it took the message', async () => {
  const { pass, change, messages, answers, id, gateway } = await start();
  await pass(64 * minuteMs);
  expect(messages).toEqual([]);
  answers(500);
  change(9, 20);
  await pass(64 * minuteMs);
  change(8, 20);
  await pass(64 * minuteMs);
  answers(302);
  await pass(5 * minuteMs);
  answers(204);
  await pass(0);
  expect(messages.map((message) => message.id)).toEqual(Array(3).fill(`${id}_1`));
  await pass(31 * minuteMs);
  expect(messages.map((message) => message.id)).toEqual([...Array(4).fill(`${id}_1`), `${id}_2`]);
  await gateway.watch({ watch_id: id, set: 'end' }, callContext());
  await pass(0);
  expect(messages.slice(3).map(({ body }) => body)).toEqual([
    {
      type: 'watch.changed',
      timestamp: expect.stringMatching(/Z$/),
      data: { watch_id: id, action_id: 'shop-list', seq: 1, summary: 'price changed in 1 row; 2 rows now.' },
    },
    expect.objectContaining({ type: 'watch.changed', data: expect.objectContaining({ seq: 2 }) }),
    expect.objectContaining({ type: 'watch.ended', data: expect.objectContaining({ seq: 3 }) }),
  ]);
});

it('a webhook that takes nothing is tried five times a day, and old news are not told any more', async () => {
  const { pass, change, messages, answers } = await start({ rows: true });
  answers(410);
  await pass(64 * minuteMs);
  change(9, 20);
  await pass(64 * minuteMs);
  expect(messages[0]?.body).toMatchObject({ data: { changed: [{ field: 'price', before: 10, after: 9 }] } });
  for (let tries = 0; tries < 8; tries += 1) await pass(121 * minuteMs);
  expect(messages).toHaveLength(5);
  await pass(dayMs);
  expect(messages).toHaveLength(6);
  answers(204);
  await pass(7 * dayMs);
  await pass(minuteMs);
  expect(messages).toHaveLength(6);
});

it('each watch that told something has an Atom file, readable by its owner only', async () => {
  const { pass, change, id, feedFolder } = await start();
  await pass(64 * minuteMs);
  expect(await readdir(feedFolder).catch(() => [])).toEqual([]);
  change(9, 20);
  await pass(64 * minuteMs);
  change(9, 20, 30);
  await pass(64 * minuteMs);
  expect(await readdir(feedFolder)).toEqual([`${id}.atom`]);
  const file = join(feedFolder, `${id}.atom`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const feed = parseAtomFeed(await readFile(file, 'utf8'));
  expect(feed).toMatchObject({
    id: `svc://watches/${id}`,
    entries: [
      {
        title: { value: 'shop-list: 1 row added; 3 rows now.' },
        content: { value: expect.stringContaining('"title":"A & 2"') },
      },
      { content: { value: expect.stringContaining('price: 10 -> 9') } },
    ],
  });
});

it('listeners are told which watches have news, also of another gateway in the process', async () => {
  const { pass, change, id, gateway } = await start();
  const told = vi.fn();
  const stop = gateway.onWatchNews(told);
  await pass(64 * minuteMs);
  expect(told).not.toHaveBeenCalled();
  change(9, 20);
  await pass(64 * minuteMs);
  expect(told).toHaveBeenCalledWith([id]);
  expect(gateway.watchNews()).toEqual({ text: '1 changed: list_watches', places: new Map([[id, 1]]) });
  const { body } = await gateway.listWatches(
    { watch_id: id, after: 'newest', marksRead: false },
    callContext(),
  );
  expect(body).toMatchObject({ changes: [{ seq: 1 }], next_after: 1 });
  expect(gateway.watchNews()).toBeDefined();
  await gateway.listWatches({ watch_id: id }, callContext());
  await vi.waitFor(() => expect(gateway.watchNews()).toBeUndefined(), 20_000);
  stop();
});
