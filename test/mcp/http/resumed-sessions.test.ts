/** Sessions that go on after a restart of the server, and on another replica. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GatewayDatabase } from '../../../src/gateway/store/gateway-database.ts';
import { SessionRecords } from '../../../src/gateway/store/session-records.ts';
import { completed } from '../../support/fake-gateway.ts';
import { closeHttp, initialize, jsonHeaders, serveHttp } from '../../support/http.ts';

let folder: string;
let databases: GatewayDatabase[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sessions-'));
  databases = [];
});
afterEach(async () => {
  await closeHttp();
  for (const database of databases) await database.close();
  await rm(folder, { recursive: true, force: true });
});

/** One replica on the same store; each client brings its key. */
async function startReplica(port = 0, limits = {}) {
  const database = new GatewayDatabase({ file: join(folder, 'gateway.db') });
  databases.push(database);
  const replica = await serveHttp({
    port,
    limits,
    access: { sharedKey: undefined, token: undefined },
    sessionRecords: new SessionRecords(database),
  });
  return { ...replica, database };
}

const post = async (origin: string, body: object, headers: Readonly<Record<string, string>>) => {
  const answer = await fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: { ...jsonHeaders, ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.status, text: await answer.text(), id: answer.headers.get('mcp-session-id') ?? '' };
};
const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
const begin = async (origin: string, key: string) =>
  (await post(origin, initialize, { 'x-api-key': key })).id;
const isRecorded = async ({ database }: { database: GatewayDatabase }) => {
  const { query } = await database.open();
  return (await query.selectFrom('gateway_session').select('id').execute()).length;
};

describe('a session', () => {
  it('goes on after a restart, with the capabilities and the name of its client', async () => {
    const first = await startReplica();
    const { port } = new URL(first.server.origin);
    const client = new Client(
      { name: 'a-client', version: '7' },
      { versionNegotiation: { mode: 'legacy' }, capabilities: { elicitation: { form: {}, url: {} } } },
    );
    const headers = { 'x-api-key': 'a' };
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', first.server.origin), { requestInit: { headers } }),
    );
    await client.listTools();
    await expect.poll(() => isRecorded(first)).toBe(1);
    await first.server.close(200);
    const second = await startReplica(Number(port));
    // The client may still hold a connection of the first process.
    const { tools } = await vi.waitFor(() => client.listTools(), 20_000);
    expect(tools.length).toBeGreaterThan(1);
    const gateway = second.gateways.get('a');
    expect(await client.callTool({ name: 'shop_a' })).toMatchObject({ structuredContent: completed });
    // The client can show pages and forms, so that the gateway may ask.
    expect(gateway?.calls.at(-1)?.context.confirmation).not.toBe('cannot-ask');
    await client.close();
  });

  it('goes on at another replica, for many requests at once', async () => {
    const [one, two] = [await startReplica(), await startReplica()];
    const headers = { 'x-api-key': 'a', 'mcp-session-id': await begin(one.server.origin, 'a') };
    await expect.poll(() => isRecorded(two)).toBe(1);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, id) => post(two.server.origin, { ...ping, id }, headers)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect((await post(one.server.origin, ping, headers)).status).toBe(200);
  });

  it('is not found at another replica after it was ended, was idle, is forged, or is of another principal', async () => {
    const idleSessionMs = 3_000;
    const [one, two] = [await startReplica(0, { idleSessionMs }), await startReplica(0, { idleSessionMs })];
    const statusOf = async (id: string, key = 'a') =>
      (await post(two.server.origin, ping, { 'x-api-key': key, 'mcp-session-id': id })).status;

    const foreign = await begin(one.server.origin, 'a');
    const ended = await begin(one.server.origin, 'a');
    await expect.poll(() => isRecorded(two)).toBe(2);
    expect(await statusOf(foreign, 'b')).toBe(404);
    expect(await statusOf(`${foreign.slice(0, -4)}AAAA`)).toBe(404);
    expect(await statusOf('none')).toBe(404);
    const headers = { 'x-api-key': 'a', 'mcp-session-id': ended };
    expect((await fetch(`${one.server.origin}/mcp`, { method: 'DELETE', headers })).status).toBe(200);
    expect(await statusOf(ended)).toBe(404);
    expect((await post(one.server.origin, ping, headers)).status).toBe(404);

    const { query } = await two.database.open();
    await query
      .updateTable('gateway_session')
      .set({ used_at: Date.now() - idleSessionMs - 1 })
      .execute();
    expect(await statusOf(foreign)).toBe(404);
  });
});
