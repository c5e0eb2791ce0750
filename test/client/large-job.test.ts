import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { createHttpClient } from '../../src/client/http-client.ts';
import type { ClientLimits } from '../../src/client/limits.ts';
import type { Api } from '../../src/contract/api.ts';

let server: Server | undefined;
let api: Api | undefined;
afterEach(async () => {
  await api?.close();
  server?.closeAllConnections();
  server?.close();
});

async function serve(body: string, limits: Partial<ClientLimits> = {}) {
  server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port }: AddressInfo = Object(server.address());
  api = createHttpClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key', limits });
  return api;
}

const rows = Array.from({ length: 60_000 }, (_, index) => ({ index, name: 'A thing with a name' }));
const large = JSON.stringify({ status: 'completed', job_id: 'job', data: { rows } });

it('large answers at once are each read as far as they are shown, with their text compressed', async () => {
  const client = await serve(large);
  const answers = await Promise.all(Array.from({ length: 12 }, (_, job) => client.getJob(`job${job}`)));
  for (const { body, text, totals } of answers) {
    const data: { rows?: unknown[] } = Object(body.data);
    expect(data.rows?.length).toBeGreaterThan(1_000);
    expect(data.rows).toEqual(rows.slice(0, data.rows?.length));
    expect([...(totals?.values() ?? [])]).toEqual([rows.length]);
    if (typeof text === 'string') return expect.fail('It should be compressed');
    expect(text.length).toBe(large.length);
    expect(gunzipSync(text.gzip).toString()).toBe(large);
  }
}, 60_000);

it('a large answer that waits for room can be cancelled, and uses no room afterwards', async () => {
  const client = await serve(large);
  const controller = new AbortController();
  const cancelled = Array.from({ length: 6 }, (_, job) =>
    client.getJob(`job${job}`, { signal: controller.signal }),
  );
  setTimeout(() => controller.abort(), 20);
  await Promise.allSettled(cancelled);
  expect((await client.getJob('job')).body.data).toMatchObject({ rows: expect.arrayContaining([rows[0]]) });
}, 60_000);

it('a large answer that is nested too deeply, or cut off, is refused', async () => {
  const deep = `{"status":"completed","data":${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}}`;
  await expect((await serve(deep)).getJob('job')).rejects.toMatchObject({ kind: 'contract' });
  server?.close();
  await expect((await serve(large.slice(0, -10))).getJob('job')).rejects.toMatchObject({ kind: 'contract' });
}, 60_000);

it('a large answer is read whole where so much of it is shown', async () => {
  const client = await serve(large, { previewChars: 1_000_000 });
  const { body, totals } = await client.getJob('job');
  expect(body.data).toEqual({ rows });
  expect(totals).toBeUndefined();
}, 60_000);
