import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { HttpLimits } from '../../../src/mcp/transports/http/http-limits.ts';
import { completed } from '../../support/fake-gateway.ts';
import {
  closeHttp,
  connectFirstLineHttp,
  connectHttp,
  initialize,
  jsonHeaders,
  serveHttp,
  standalone,
} from '../../support/http.ts';
import { eras } from '../../support/mcp-pipe.ts';
import { longestStall } from '../../support/stalls.ts';

afterEach(closeHttp);

const post = (origin: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${origin}/mcp`, { method: 'POST', headers: { ...jsonHeaders, ...headers }, body });
const limited = (limits: Partial<HttpLimits>) => serveHttp({ limits });

describe('a body', () => {
  it('may not exceed the limit of bytes, whether it declares its length or not', async () => {
    const { server, gateways } = await limited({ bodyBytes: 1_000 });
    const padded = (length: number) => {
      const text = JSON.stringify(initialize);
      return text + ' '.repeat(length - text.length);
    };
    expect((await post(server.origin, padded(1_000))).status).toBe(200);
    const refused = await post(server.origin, padded(1_001));
    expect([refused.status, await refused.text()]).toEqual([413, expect.stringContaining('1000 bytes')]);
    // It ends: of a body without an end, fetch reads on for ever, and in one turn, once its connection is cut.
    let left = 1_000;
    const stream = new ReadableStream({
      pull: (controller) => {
        left -= 1;
        if (left < 0) controller.close();
        else controller.enqueue(Buffer.from(' '.repeat(600)));
      },
    });
    const unsized: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers: jsonHeaders,
      body: stream,
      duplex: 'half',
    };
    const outcome = await fetch(`${server.origin}/mcp`, unsized).then(
      ({ status }) => status,
      // The connection may be closed before the client has read why.
      () => 413,
    );
    expect(outcome).toBe(413);
    expect(gateways.get('the-shared-key')?.calls).toEqual([]);
  });

  it('that is sent halfway counts with the others of its key, until it has arrived or its client has gone', async () => {
    const { server } = await serveHttp({
      limits: { bodyBytes: 1_000, bodyBytesInAll: 3_000 },
      access: { sharedKey: undefined, token: undefined },
    });
    const { host, port } = new URL(server.origin);
    const sockets = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const socket = connect(Number(port), '127.0.0.1');
        const headers = Object.entries({
          ...jsonHeaders,
          host,
          'x-api-key': 'key-a',
          'content-length': '1000',
        });
        const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
        socket.write(`POST /mcp HTTP/1.1\r\n${lines}\r\n${' '.repeat(900)}`);
        return socket;
      }),
    );
    // The last of them has come too many, whichever that is.
    const [refused, answer] = await Promise.race(
      sockets.map(async (socket) => [socket, String((await once(socket, 'data'))[0])] as const),
    );
    expect(answer).toMatch(/^HTTP\/1.1 429.*retry-after: 1\r\n.*hold 3000 bytes/is);
    const send = (key: string) =>
      post(server.origin, JSON.stringify(initialize).padEnd(900), { 'x-api-key': key });
    expect((await send('key-a')).status).toBe(429);
    expect((await send('key-b')).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    expect(refused.destroyed).toBe(true);
    await expect.poll(async () => (await send('key-a')).status).toBe(200);
  });

  it.each([
    ['', 400],
    ['{', 400],
    ['null', 400],
    ['[]', 400],
    ['{"jsonrpc":"2.0"}', 400],
    ['"text"', 400],
  ])('%j is refused as %i', async (body, status) => {
    const { server } = await limited({});
    const answer = await post(server.origin, body);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } });
  });

  it('must say that it is JSON', async () => {
    const { server } = await limited({});
    expect(
      (await post(server.origin, JSON.stringify(initialize), { 'content-type': 'text/plain' })).status,
    ).toBe(415);
  });

  it('with arguments too deep or too many is a result that says so', async () => {
    const { server, gateways } = await limited({});
    const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const call = (q: string) => {
      const { body, ...rest } = standalone('tools/call', { name: 'shop_a', arguments: { q: 'here' } });
      return fetch(`${server.origin}/mcp`, { ...rest, body: body.replace('"here"', q) });
    };
    for (const q of [deep(100), JSON.stringify(Array.from({ length: 20_000 }, () => 0))]) {
      expect(await (await call(q)).json()).toMatchObject({
        result: { isError: true, structuredContent: { error: { code: 'INVALID_PARAMS' } } },
      });
    }
    const answer = await call(deep(200_000));
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('256 levels')]);
    const million = `[${'0,'.repeat(500_000)}0]`;
    let many = new Response();
    const stall = await longestStall(async () => {
      many = await call(million);
    });
    expect(stall).toBeLessThan(250);
    expect([many.status, await many.text()]).toEqual([400, expect.stringContaining('30000 elements')]);
    const large = await call(JSON.stringify('x'.repeat(1024 * 1024)));
    expect([large.status, await large.text()]).toEqual([413, expect.stringContaining('1048576 bytes')]);
    expect(gateways.get('the-shared-key')?.calls).toEqual([]);
  });
});

it('only the arguments of a tool may be large', async () => {
  const { server } = await limited({});
  const capabilities = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, {}]));
  const begin = (count: number) =>
    post(
      server.origin,
      JSON.stringify({ ...initialize, params: { ...initialize.params, capabilities: capabilities(count) } }),
    );
  const refused = await begin(2_000);
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('2000 elements')]);
  const begun = await begin(900);
  expect([begun.status, await begun.text()]).toEqual([200, expect.stringContaining('"serverInfo"')]);
});

it('a batch may not exceed the limit of messages', async () => {
  const { server } = await limited({ batch: 3 });
  const begun = await post(server.origin, JSON.stringify(initialize));
  await begun.text();
  const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
  const batch = (length: number) =>
    JSON.stringify(Array.from({ length }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' })));
  const answers = await post(server.origin, batch(3), session);
  expect((await answers.text()).match(/"result":\{\}/g)).toHaveLength(3);
  const refused = await post(server.origin, batch(4), session);
  expect([refused.status, await refused.text()]).toEqual([
    400,
    expect.stringContaining('has 4 messages; at most 3'),
  ]);
});

it('sessions and streams of one key are counted together; an ended one makes room', async () => {
  const { server } = await limited({ sessions: 2 });
  const first = await connectHttp(server.origin, 'stateful');
  const stream = await connectFirstLineHttp(server.origin, 'sse');
  const refused = await post(server.origin, JSON.stringify(initialize));
  expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('2 sessions')]);
  expect((await fetch(`${server.origin}/sse`)).status).toBe(429);
  await stream.close();
  await vi.waitFor(() => connectHttp(server.origin, 'stateful'), 20_000);
  await first.listTools();
});

it('a session that nobody uses ends, and is not found then', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'performance'] });
  try {
    const { server } = await limited({ idleSessionMs: 1_000 });
    const begun = await post(server.origin, JSON.stringify(initialize));
    await begun.text();
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
    expect((await post(server.origin, ping, session)).status).toBe(200);
    vi.advanceTimersByTime(60_000);
    await vi.waitFor(async () => expect((await post(server.origin, ping, session)).status).toBe(404), 20_000);
  } finally {
    vi.useRealTimers();
  }
});

it.each(eras)(
  'calls of one key at once are limited, for a %s client as a result with the next step',
  async (era) => {
    const running: (() => void)[] = [];
    const { server } = await serveHttp({
      limits: { calls: 2 },
      prepare: (gateway) => {
        gateway.onRun = () => new Promise((resolve) => running.push(() => resolve({ body: completed })));
      },
    });
    const client = await connectHttp(server.origin, era);
    const calls = [client.callTool({ name: 'shop_a' }), client.callTool({ name: 'shop_a' })];
    await expect.poll(() => running).toHaveLength(2);
    const third = await client.callTool({ name: 'shop_a' });
    expect(third).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'TOO_MANY_CALLS' }, next: expect.any(String) },
    });
    for (const end of running.splice(0)) end();
    await Promise.all(calls);
    const later = client.callTool({ name: 'shop_a' });
    await expect.poll(() => running).toHaveLength(1);
    running[0]?.();
    expect((await later).isError).toBeUndefined();
  },
);

it('requests of one key in a minute are limited, and those of another are not', async () => {
  const { server } = await serveHttp({
    limits: { requestsPerMinute: 3 },
    access: { sharedKey: undefined, token: undefined },
  });
  const ask = (key: string) => {
    const { headers, ...rest } = standalone('tools/list');
    return fetch(`${server.origin}/mcp`, { ...rest, headers: { ...headers, 'x-api-key': key } });
  };
  for (let count = 0; count < 3; count += 1) expect((await ask('a')).status).toBe(200);
  const refused = await ask('a');
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.text()).toContain('3 requests per minute');
  expect((await ask('b')).status).toBe(200);
});

it('keys kept open are limited: one that is not used makes room, and those in use are kept', async () => {
  const { server, gateways } = await serveHttp({
    limits: { principals: 2 },
    access: { sharedKey: undefined, token: undefined },
  });
  const a = await connectHttp(server.origin, 'stateful', { 'x-api-key': 'a' });
  const b = await connectHttp(server.origin, 'stateless', { 'x-api-key': 'b' });
  await b.listTools();
  const c = await connectHttp(server.origin, 'stateful', { 'x-api-key': 'c' });
  expect([...gateways].map(([key, { closedWith }]) => [key, closedWith.length])).toEqual([
    ['a', 0],
    ['b', 1],
    ['c', 0],
  ]);
  const refused = await fetch(`${server.origin}/mcp`, {
    method: 'POST',
    headers: { ...jsonHeaders, 'x-api-key': 'd' },
    body: JSON.stringify(initialize),
  });
  expect(refused.status).toBe(503);
  await a.listTools();
  await c.listTools();
});

it('keys that the service refuses take no place and make nothing, however many they are', async () => {
  const opened: string[] = [];
  let asked = 0;
  const { server } = await serveHttp({
    limits: { principals: 2 },
    access: { sharedKey: undefined, token: undefined },
    checkKey: async (apiKey) => {
      asked += 1;
      return apiKey.startsWith('good') ? 'good' : 'refused';
    },
    prepare: (_, apiKey) => opened.push(apiKey),
  });
  const ask = async (key: string) => {
    const { headers, ...rest } = standalone('tools/list');
    const { status, body } = await fetch(`${server.origin}/mcp`, {
      ...rest,
      headers: { ...headers, 'x-api-key': key },
    });
    await body?.cancel();
    return status;
  };
  const statuses = new Set<number>();
  for (let round = 0; round < 12; round += 1) {
    const keys = Array.from({ length: 100 }, (_, index) => `wrong-${round}-${index}`);
    for (const status of await Promise.all(keys.map(ask))) statuses.add(status);
  }
  expect([...statuses].sort()).toEqual([401, 429]);
  expect(await ask('good-1')).toBe(200);
  expect(await ask('good-2')).toBe(200);
  expect(opened).toEqual(['good-1', 'good-2']);
  // A refused key is remembered for a while.
  const before = asked;
  expect(await ask('wrong-0-0')).toBe(429);
  expect(asked).toBe(before);
});

it('a key that cannot be checked now is admitted, but never takes the place of a good one', async () => {
  const { server, gateways } = await serveHttp({
    limits: { principals: 2 },
    access: { sharedKey: undefined, token: undefined },
    checkKey: async (apiKey) => (apiKey.startsWith('good') ? 'good' : 'unknown'),
  });
  const ask = async (key: string) => {
    const { headers, ...rest } = standalone('tools/list');
    return (await fetch(`${server.origin}/mcp`, { ...rest, headers: { ...headers, 'x-api-key': key } }))
      .status;
  };
  expect([await ask('good-1'), await ask('odd-1'), await ask('odd-2')]).toEqual([200, 200, 200]);
  expect([await ask('good-2'), await ask('odd-3')]).toEqual([200, 503]);
  expect([...gateways].filter(([, { closedWith }]) => closedWith.length === 0).map(([key]) => key)).toEqual([
    'good-1',
    'good-2',
  ]);
});

it('streams that are opened at the same moment are counted too', async () => {
  const { server } = await limited({ sessions: 2 });
  const streams = await Promise.all(Array.from({ length: 10 }, () => fetch(`${server.origin}/sse`)));
  const statuses = streams.map(({ status }) => status);
  for (const { body } of streams) await body?.cancel();
  expect(statuses.filter((status) => status === 200)).toHaveLength(2);
  expect(statuses.filter((status) => status === 429)).toHaveLength(8);
});

describe('a client that does not read', () => {
  const large = { ...completed, data: 'x'.repeat(1_500_000) };
  /** Sends calls over one connection each, and reads nothing. */
  const sendUnread = async (origin: string, count: number) => {
    const { headers, body } = standalone('tools/call', { name: 'shop_a', arguments: {} });
    const sockets = await Promise.all(
      Array.from({ length: count }, async () => {
        const socket = connect(Number(new URL(origin).port), '127.0.0.1');
        await once(socket, 'connect');
        socket.pause().on('error', () => {});
        const lines = Object.entries({
          host: new URL(origin).host,
          ...headers,
          'content-length': String(Buffer.byteLength(body)),
        });
        const request = `POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
        socket.write(request.repeat(6));
        return socket;
      }),
    );
    return sockets;
  };
  const unread = async (origin: string) => {
    const metrics = await (await fetch(`${origin}/metrics`)).text();
    return Number(/svc_mcp_refusals_total\{reason="unread"\} (\d+)/.exec(metrics)?.[1] ?? 0);
  };

  it.each<[string, Partial<HttpLimits>]>([
    ['a connection of which nothing is read', { unreadBytes: 100_000, unreadMs: 500 }],
    ['the one with the most to read, when all together are too many', { unreadBytesInAll: 8_000_000 }],
  ])('loses %s', async (_, limits) => {
    const { server } = await serveHttp({
      limits,
      prepare: (gateway) => {
        gateway.onRun = async () => ({ body: large });
      },
    });
    // More than the buffers of the operating system take.
    const sockets = await sendUnread(server.origin, 12);
    await expect.poll(() => unread(server.origin), { timeout: 20_000 }).toBeGreaterThan(0);
    for (const socket of sockets) socket.destroy();
    const client = await connectHttp(server.origin, 'stateless');
    expect(await client.callTool({ name: 'shop_a' })).toMatchObject({
      structuredContent: { status: 'completed' },
    });
  });

  it('is told from one that waits for a long call', async () => {
    const { server } = await serveHttp({
      limits: { unreadMs: 100 },
      prepare: (gateway) => {
        gateway.onRun = () => delay(500, { body: completed });
      },
    });
    const client = await connectHttp(server.origin, 'stateful');
    expect(await client.callTool({ name: 'shop_a' })).toMatchObject({
      structuredContent: { status: 'completed' },
    });
    expect(await unread(server.origin)).toBe(0);
  });

  it('keeps a connection that it reads slowly', async () => {
    const { server } = await serveHttp({
      limits: { unreadBytes: 100_000, unreadMs: 1_500 },
      prepare: (gateway) => {
        gateway.onRun = async () => ({ body: { ...completed, data: 'x'.repeat(12_000_000) } });
      },
    });
    const answer = await fetch(
      `${server.origin}/mcp`,
      standalone('tools/call', { name: 'shop_a', arguments: {} }),
    );
    let length = 0;
    for await (const chunk of answer.body ?? []) {
      length += chunk.length;
      await delay(5);
    }
    expect(length).toBeGreaterThan(12_000_000);
  });
});

it('reading a resource counts among the calls under way', async () => {
  const { server, gateways } = await limited({ calls: 1 });
  const client = await connectHttp(server.origin, 'stateful');
  await client.listTools();
  const gateway = gateways.get('the-shared-key');
  if (gateway === undefined) throw new Error('No gateway');
  let end = () => undefined;
  gateway.onCall = () =>
    new Promise((resolve) => {
      end = () => void resolve({ body: { status: 'ok' } });
    });
  const first = client.readResource({ uri: 'svc://catalogs' });
  await expect.poll(() => gateway.calls).toHaveLength(1);
  await expect(client.readResource({ uri: 'svc://catalogs' })).rejects.toThrow('1 calls');
  end();
  await first;
});

it('answers do not repeat huge ids and addresses', async () => {
  const { server } = await limited({});
  const huge = 'x'.repeat(5_000);
  const text = JSON.stringify({ ...initialize, id: huge });
  const refused = await post(server.origin, text);
  expect(refused.status).toBe(400);
  expect((await refused.text()).length).toBeLessThan(500);
  const client = await connectHttp(server.origin, 'stateful');
  const error = await client.readResource({ uri: `svc://none/${huge}` }).catch((reason: unknown) => reason);
  expect(String(error).length).toBeLessThan(1_000);
});

it('a connection whose body was too large is closed', async () => {
  const { server } = await limited({ bodyBytes: 1_000 });
  for (const head of ['content-length: 100000', 'transfer-encoding: chunked']) {
    const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
    await once(socket, 'connect');
    const chunk = 'x'.repeat(2_000);
    socket.write(
      `POST /mcp HTTP/1.1\r\nhost: ${new URL(server.origin).host}\r\ncontent-type: application/json\r\n${head}\r\n\r\n` +
        (head.startsWith('transfer') ? `7d0\r\n${chunk}\r\n` : chunk),
    );
    let answer = '';
    socket.on('data', (data) => {
      answer += data;
    });
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  }
});
