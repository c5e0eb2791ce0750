/** When an answer over HTTP counts as read: real sockets, and a real gateway on a scripted service that counts what is paid. */
import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { gatewayBackend } from '../../../src/mcp/transports/http/principal.ts';
import { closeGateways, startGateway } from '../../support/gateway.ts';
import { closeHttp, initialize, jsonHeaders, serveHttp, sharedKey, standalone } from '../../support/http.ts';
import { type Era, eras } from '../../support/mcp-pipe.ts';

afterEach(async () => {
  await closeHttp();
  await closeGateways();
});

/** Also of a connection that was reset. */
const whenClosed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

/** Long enough for a request to show that the answer before it was read. */
const reaction = () => delay(120);

interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A service with one action whose result has so many characters, behind the HTTP transports. */
async function start(era: Era, { chars = 20, trustProxy = false } = {}) {
  const job = { data: { text: 'x'.repeat(chars) } };
  const { upstream, gateway } = await startGateway(
    { actions: [{ action_id: 'quick', credits: 2, job }] },
    { resultChars: 50_000_000 },
  );
  const marks: string[] = [];
  const runAction = gateway.runAction.bind(gateway);
  vi.spyOn(gateway, 'runAction').mockImplementation(async (...call) => {
    const outcome = await runAction(...call);
    const mark = (name: 'delivered' | 'unconfirmed') => async () => {
      marks.push(name);
      // Slower than the next call comes: that one has to wait for the record.
      await delay(30);
      await outcome[name]?.();
    };
    return { ...outcome, delivered: mark('delivered'), unconfirmed: mark('unconfirmed') };
  });
  const { server, logger } = await serveHttp({
    trustProxy,
    openBackend: () =>
      gatewayBackend({
        id: 'p',
        apiKey: sharedKey,
        gateway,
        endSignIns: async () => undefined,
        version: '0.0.0-test',
      }),
  });
  const headers: Record<string, string> = { ...jsonHeaders };
  if (era === 'stateful') {
    const begun = await fetch(`${server.origin}/mcp`, {
      method: 'POST',
      headers: { ...jsonHeaders, connection: 'close' },
      body: JSON.stringify(initialize),
    });
    await begun.text();
    headers['mcp-session-id'] = begun.headers.get('mcp-session-id') ?? '';
  }
  let id = 1;
  const request = (method: string, params: Readonly<Record<string, unknown>> = {}): Post => {
    id += 1;
    if (era === 'stateless') return standalone(method, params, id);
    return { headers, body: JSON.stringify({ jsonrpc: '2.0', id, method, params }) };
  };
  const run = () => request('tools/call', { name: 'run_action', arguments: { action_id: 'quick' } });
  return {
    request,
    run,
    /** What the gateway was told of the deliveries. */
    marks,
    origin: server.origin,
    stop: () => server.close(200),
    open: () => openConnection(server.origin),
    /** The same call on a new connection that stays open. */
    repeat: async () => (await openConnection(server.origin)).ask(run()),
    paid: () => upstream.requestsTo('submitTask').length,
    /** So many calls were answered, and their responses are over. */
    answered: (calls: number) =>
      vi.waitFor(() => {
        const messages = logger.lines.map(({ message }) => message);
        expect(messages.filter((message) => message === 'Paid tool call')).toHaveLength(calls);
      }, 5_000),
  };
}

/** The server's end of the next connection that brings a request. */
function nextServerSocket(): Promise<Socket> {
  const requests = channel('http.server.request.start');
  return new Promise((resolve) => {
    const onRequest = (message: unknown) => {
      const { request }: { request?: IncomingMessage } = Object(message);
      if (request === undefined || request.headers['x-raw'] === undefined) return;
      requests.unsubscribe(onRequest);
      resolve(request.socket);
    };
    requests.subscribe(onRequest);
  });
}

const open: Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});

/** A connection that reads nothing until it is told to. */
async function openConnection(origin: string) {
  const { port, hostname } = new URL(origin);
  const socket = connect(Number(port), hostname);
  // A reset is what some tests are about.
  socket.on('error', () => undefined);
  open.push(socket);
  await once(socket, 'connect');
  const send = async (post: Post, more: Readonly<Record<string, string>> = {}) => {
    const server = nextServerSocket();
    const headers = {
      ...post.headers,
      host: `${hostname}:${port}`,
      'content-length': String(Buffer.byteLength(post.body)),
      'x-raw': '1',
      ...more,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${post.body}`);
    return server;
  };
  /** What arrives until the pattern matches it. */
  const readUntil = async (pattern: RegExp) => {
    let text = '';
    for (;;) {
      const chunk: Buffer | null = socket.read();
      if (chunk === null) await once(socket, 'readable');
      else text += chunk.toString();
      const match = pattern.exec(text);
      if (match !== null) return match;
    }
  };
  /** The next whole response. */
  const read = async () => {
    const chunks: string[] = [];
    let missing: number | undefined;
    for (;;) {
      const chunk: Buffer | null = socket.read();
      if (chunk === null) {
        await once(socket, 'readable');
        continue;
      }
      const text = chunk.toString();
      if (chunks.length === 0) {
        const length = /content-length: (\d+)/i.exec(text)?.[1];
        if (length !== undefined) missing = text.indexOf('\r\n\r\n') + 4 + Number(length);
      }
      chunks.push(text);
      if (missing !== undefined) missing -= text.length;
      if (missing === undefined ? text.endsWith('\r\n0\r\n\r\n') : missing <= 0) return chunks.join('');
    }
  };
  return {
    socket,
    send,
    read,
    readUntil,
    /** Opens the stream of the legacy transport. */
    stream: async () => {
      const server = nextServerSocket();
      socket.write(`GET /sse HTTP/1.1\r\nhost: ${hostname}:${port}\r\nx-raw: 1\r\n\r\n`);
      const [, path = ''] = await readUntil(/data: (\/messages\S+)/);
      return { server: await server, path };
    },
    ask: async (post: Post, more?: Readonly<Record<string, string>>) => {
      await send(post, more);
      return read();
    },
  };
}

describe.each(eras)('an answer over HTTP to a %s client', (era) => {
  it('that was reset before it was read is joined by a repeat, however late and whatever came between', async () => {
    const { open, run, request, repeat, paid, answered, marks } = await start(era);
    const { socket, send } = await open();
    const server = await send(run());
    await once(socket, 'readable');
    await answered(1);
    socket.resetAndDestroy();
    await whenClosed(server);
    await reaction();
    const other = await open();
    await other.ask(request('tools/list'));
    await reaction();
    await other.ask(request('tools/list'));
    expect(marks).toEqual([]);
    expect(await repeat()).toContain('attached');
    expect(paid()).toBe(1);
  });

  it('of which the client read a half before its reset is joined by a repeat', async () => {
    const { open, run, repeat, paid, marks } = await start(era, { chars: 8_000_000 });
    const { socket, send } = await open();
    const server = await send(run());
    await once(socket, 'readable');
    socket.read(1_000);
    socket.resetAndDestroy();
    await whenClosed(server);
    await reaction();
    expect(marks).toEqual([]);
    expect(await repeat()).toContain('attached');
    expect(paid()).toBe(1);
  });

  it('of which the client read a half before it left is joined by a repeat', async () => {
    const { open, run, repeat, paid, marks } = await start(era, { chars: 8_000_000 });
    const { socket, send } = await open();
    const server = await send(run());
    await once(socket, 'readable');
    socket.read(1_000);
    socket.end();
    socket.destroy();
    await whenClosed(server);
    await reaction();
    expect(marks).toEqual([]);
    expect(await repeat()).toContain('attached');
    expect(paid()).toBe(1);
  });

  it('whose client leaves right after it has read it is joined by a repeat', async () => {
    const { open, run, repeat, paid, marks } = await start(era);
    const { socket, send, read } = await open();
    const server = await send(run());
    await read();
    socket.end();
    await whenClosed(server);
    await reaction();
    expect(marks).toEqual(['unconfirmed']);
    expect(await repeat()).toContain('attached');
    expect(paid()).toBe(1);
  });

  it('whose client wants its connection closed is joined by a repeat', async () => {
    const { open, run, repeat, paid, marks } = await start(era);
    const { socket, send, read } = await open();
    const server = await send(run(), { connection: 'close' });
    const closed = whenClosed(server);
    expect(await read()).toContain('completed');
    socket.end();
    await closed;
    expect(marks).toEqual(['unconfirmed']);
    expect(await repeat()).toContain('attached');
    expect(paid()).toBe(1);
  });

  it('that was not seen to be read at a shutdown stays unconfirmed', async () => {
    const { open, run, stop, marks } = await start(era);
    await (await open()).ask(run());
    await stop();
    expect(marks).toEqual(['unconfirmed']);
  });

  it('is joined by the same call on another connection at once, and later by one on the same connection not', async () => {
    const { open, run, repeat, paid } = await start(era);
    const { ask } = await open();
    expect(await ask(run())).toContain('completed');
    await reaction();
    const attached = await repeat();
    expect(attached).toContain('attached');
    // The first answer told the cost.
    expect(attached).toMatch(/credits_used\\?":0,.*job_credits\\?":2/);
    expect(paid()).toBe(1);
    const again = await ask(run());
    expect(again).toContain('completed');
    expect(again).not.toContain('attached');
    expect(paid()).toBe(2);
  });

  it('counts as read with a later request on its connection, which is recorded before the next call is looked at', async () => {
    const { open, run, request, repeat, paid } = await start(era);
    const { ask } = await open();
    await ask(run());
    await reaction();
    await ask(request('tools/list'));
    expect(await repeat()).not.toContain('attached');
    expect(paid()).toBe(2);
  });

  it('counts as read after five seconds on an open connection, behind a proxy on any', async () => {
    const direct = await start(era);
    const proxied = await start(era, { trustProxy: true });
    await (await direct.open()).ask(direct.run());
    const { socket, send, read, ask } = await proxied.open();
    await ask(proxied.run());
    await reaction();
    // The proxy uses its connections for other clients, too, and ends them when it likes.
    const server = await send(proxied.request('tools/list'));
    await read();
    socket.end();
    await whenClosed(server);
    expect(await proxied.repeat()).toContain('attached');
    expect(proxied.paid()).toBe(1);
    await delay(5_100);
    for (const { repeat, paid } of [direct, proxied]) {
      expect(await repeat()).not.toContain('attached');
      expect(paid()).toBe(2);
    }
  }, 15_000);

  it('that was reset, or whose client left at once, is joined though the client goes on for longer', async () => {
    const reset = await start(era);
    const halfClosed = await start(era);
    const left = await start(era);
    for (const { open, run, answered } of [reset, halfClosed]) {
      const { socket, send } = await open();
      const closed = whenClosed(await send(run()));
      await answered(1);
      await reaction();
      // The end and then the reset: the client has read nothing.
      if (open === halfClosed.open) socket.end();
      await reaction();
      socket.resetAndDestroy();
      await closed;
    }
    const { socket, ask } = await left.open();
    await ask(left.run());
    socket.end();
    await delay(5_100);
    for (const { open, request, repeat, paid } of [reset, halfClosed, left]) {
      await (await open()).ask(request('tools/list'));
      expect(await repeat()).toContain('attached');
      expect(paid()).toBe(1);
    }
  }, 15_000);
});

describe('an answer over the legacy transport', () => {
  /** A stream on which a call was answered, by a client that then ends the stream so. */
  async function answerAndEnd(end: (socket: Socket) => void) {
    const { origin, open, marks, paid, repeat } = await start('stateless');
    const { socket, stream, readUntil } = await open();
    const { server, path } = await stream();
    const post = async (message: object) =>
      fetch(`${origin}${path}`, { method: 'POST', headers: jsonHeaders, body: JSON.stringify(message) });
    await post(initialize);
    await readUntil(/"id":1/);
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const params = { name: 'run_action', arguments: { action_id: 'quick' } };
    await post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params });
    await readUntil(/"id":2/);
    end(socket);
    await whenClosed(server);
    await reaction();
    return { marks, paid, repeat };
  }

  it('whose stream is reset is joined by a repeat', async () => {
    const { marks, paid, repeat } = await answerAndEnd((socket) => socket.resetAndDestroy());
    expect(marks).toEqual([]);
    expect(await repeat()).toContain('attached');
    expect(paid()).toBe(1);
  });

  it('whose client ends its stream at once is joined by a repeat', async () => {
    const { marks, paid, repeat } = await answerAndEnd((socket) => socket.end());
    expect(marks).toEqual(['unconfirmed']);
    expect(await repeat()).toContain('attached');
    expect(paid()).toBe(1);
  });
});
