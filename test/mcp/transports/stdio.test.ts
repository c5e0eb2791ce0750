import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { staticTools } from '../../../src/mcp/tools/index.ts';
import { bundleProgram } from '../../support/bundled-program.ts';
import { completed, FakeGateway, listedTool } from '../../support/fake-gateway.ts';
import { connectPiped, endAllPipes, eras, modeOf, servePiped } from '../../support/mcp-pipe.ts';

afterEach(endAllPipes);

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const listeners = () => signals.map((name) => process.listenerCount(name));

const huge = 'x'.repeat(5_000);

describe('the end', () => {
  it.each(eras)('comes with the end of stdin, also during a call (%s)', async (era) => {
    const before = listeners();
    const gateway = new FakeGateway(listedTool('shop_a'));
    let aborted = false;
    gateway.onRun = ({ context }) =>
      new Promise((resolve) =>
        context.signal.addEventListener('abort', () => {
          aborted = true;
          resolve({ body: completed });
        }),
      );
    const { client, toServer, served, fromServer } = await connectPiped(gateway, modeOf(era));
    const call = client.callTool({ name: 'shop_a' }).catch(() => 'gone');
    await expect.poll(() => gateway.calls).toHaveLength(1);
    expect(gateway.listeners).toBe(1);
    toServer.end();
    await served;
    expect(aborted).toBe(true);
    expect(gateway.closedWith).toEqual([500]);
    expect(gateway.listeners).toBe(0);
    expect(listeners()).toEqual(before);
    expect(toServer.listenerCount('data')).toBe(0);
    expect(fromServer.writableLength).toBe(0);
    await client.close();
    expect(await call).toBe('gone');
  });

  it('comes within a second even if the gateway does not close', async () => {
    const gateway = new FakeGateway();
    gateway.close = () => new Promise(() => {});
    const { toServer, served } = servePiped(gateway);
    const started = Date.now();
    toServer.end();
    await served;
    expect(Date.now() - started).toBeLessThan(1000);
  });

  it('comes with a line that is too long, and says so', async () => {
    const { toServer, served, logger } = servePiped(new FakeGateway());
    toServer.write('"');
    for (let written = 0; written <= 10; written += 1) toServer.write('x'.repeat(1 << 20));
    await served;
    expect(JSON.stringify(logger.lines.map(({ fields }) => String(Object.values(fields)[0])))).toContain(
      'A message is longer than',
    );
  });
});

it('the transport announces no change of the list before the handshake', async () => {
  const gateway = new FakeGateway();
  const { toServer, fromServer } = servePiped(gateway);
  const out: string[] = [];
  fromServer.on('data', (chunk: Buffer) => out.push(chunk.toString()));
  const ping = (id: number) => {
    toServer.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`);
    return expect.poll(() => out).toHaveLength(id);
  };
  await ping(1);
  gateway.changeListing(listedTool('shop_new'));
  await ping(2);
  expect(out.map((line) => JSON.parse(line).id)).toEqual([1, 2]);
});

describe('every request gets an answer', () => {
  const opened = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const call = (params: string) => `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":${params}}`;

  it.each([
    ['a byte order mark', `\ufeff${opened}`, { id: 1, result: {} }],
    [
      'null in place of params',
      '{"jsonrpc":"2.0","id":2,"method":"ping","params":null}',
      { id: 2, result: {} },
    ],
    [
      'null in place of _meta',
      call('{"name":"shop_a","arguments":{},"_meta":null}'),
      { id: 7, result: { content: expect.anything() } },
    ],
    [
      'null as progress token',
      call('{"name":"shop_a","_meta":{"progressToken":null}}'),
      { id: 7, result: expect.anything() },
    ],
    [
      'a fraction as progress token',
      call('{"name":"shop_a","_meta":{"progressToken":1.5}}'),
      { id: 7, result: expect.anything() },
    ],
    ['a line that is cut', '{"jsonrpc":"2.0","id":4,"method":"ping"', { id: 4, error: { code: -32_700 } }],
    ['a text that is cut', '{"id":"a4","jsonrpc":"2.0","method":"pi', { id: 'a4', error: { code: -32_700 } }],
    ['no JSON', 'hello', { error: { code: -32_700 } }],
    ['another version', '{"jsonrpc":"1.0","id":5,"method":"ping"}', { id: 5, error: { code: -32_600 } }],
    ['no method', '{"jsonrpc":"2.0","id":6}', { id: 6, error: { code: -32_600 } }],
    ['a fraction as id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', { id: 1.5, error: { code: -32_600 } }],
    ['params of another type', '{"jsonrpc":"2.0","id":8,"method":"ping","params":[1]}', { id: 8 }],
    [
      'two messages in a list',
      `[${opened},{"jsonrpc":"2.0","method":"notifications/initialized"}]`,
      { id: 1, result: {} },
    ],
    ['Windows line ends', `${opened}\r`, { id: 1, result: {} }],
  ])('%s', async (_, line, answer) => {
    const gateway = new FakeGateway(listedTool('shop_a'));
    const { toServer, fromServer } = await connectPiped(gateway, 'legacy');
    const out: string[] = [];
    fromServer.on('data', (chunk: Buffer) => out.push(chunk.toString()));
    toServer.write(`${line}\n`);
    await expect.poll(() => out).toHaveLength(1);
    expect(JSON.parse(out[0] ?? '')).toMatchObject({ jsonrpc: '2.0', ...answer });
  });

  it('but no notification and no answer of the client does', async () => {
    const { client, toServer, fromServer } = await connectPiped(new FakeGateway(), 'legacy');
    const out: string[] = [];
    fromServer.on('data', (chunk: Buffer) => out.push(chunk.toString()));
    toServer.write(
      '\n{"jsonrpc":"2.0","method":"notifications/x","params":5}\n{"jsonrpc":"2.0","id":9,"result":5}\n',
    );
    await client.listTools();
    expect(out.join('').trim().split('\n')).toHaveLength(1);
  });

  it('and a large integer in the arguments arrives exactly', async () => {
    const gateway = new FakeGateway(listedTool('shop_a'));
    const { toServer } = await connectPiped(gateway, 'legacy');
    toServer.write(`${call('{"name":"shop_a","arguments":{"id":9007199254740993}}')}\n`);
    await expect.poll(() => gateway.calls).toMatchObject([{ input: { args: { id: '9007199254740993' } } }]);
  });
});

it('the transport continues after lines that are not messages', async () => {
  const { client, toServer } = await connectPiped(new FakeGateway(), 'legacy');
  toServer.write('this is no JSON\n\n{"jsonrpc": "2.0"}\n[]\nnull\n');
  expect((await client.listTools()).tools).toHaveLength(staticTools.length);
});

it.each([
  ['an id', { id: huge, method: 'ping' }],
  ['a progress token', { id: 2, method: 'tools/list', params: { _meta: { progressToken: huge } } }],
  ['an address', { id: 2, method: 'resources/read', params: { uri: `svc://none/${huge}` } }],
  ['a tool', { id: 2, method: 'tools/call', params: { name: huge } }],
  ['an argument', { id: 2, method: 'tools/call', params: { name: 'get_job', arguments: { [huge]: 1 } } }],
])('the transport does not repeat a huge name: %s', async (_, request) => {
  const { client, toServer, fromServer } = await connectPiped(new FakeGateway(), 'legacy');
  let out = '';
  fromServer.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  toServer.write(`${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`);
  await expect.poll(() => out).toContain('"jsonrpc"');
  expect(out).toMatch(/error/);
  expect(out.length).toBeLessThan(2_500);
  expect((await client.listTools()).tools).toHaveLength(staticTools.length);
});

it('the transport accepts arguments of several megabytes', async () => {
  const gateway = new FakeGateway(listedTool('shop_a'));
  const { client } = await connectPiped(gateway, 'legacy');
  const q = 'ü'.repeat(3_000_000);
  await client.callTool({ name: 'shop_a', arguments: { q } });
  expect(gateway.calls[0]?.input).toEqual({ name: 'shop_a', args: { q } });
});

describe('a process', () => {
  const program = new URL('../../support/stdio-process.ts', import.meta.url);
  const running: ChildProcessWithoutNullStreams[] = [];
  afterEach(() => {
    for (const child of running.splice(0)) child.kill('SIGKILL');
  });

  /** Starts it, and a call that does not end; resolves when that call runs. */
  async function startCalling() {
    const child = spawn(process.execPath, [await bundleProgram(program)]);
    running.push(child);
    const out: string[] = [];
    const err: string[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk.toString()));
    const exited = once(child, 'exit');
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    };
    const call = {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'shop_slow', arguments: {}, _meta: { progressToken: 'p' } },
    };
    child.stdin.write(`${JSON.stringify(initialize)}\n${JSON.stringify(call)}\n`);
    await expect.poll(() => out.join('')).toContain('notifications/progress');
    return { child, exited, out, err };
  }

  const ways: [string, (child: ChildProcessWithoutNullStreams) => void][] = [
    ['the end of stdin', (child) => child.stdin.end()],
    ...signals.map((name): [string, (child: ChildProcessWithoutNullStreams) => void] => [
      name,
      (child) => child.kill(name),
    ]),
    [
      'a closed stdout, once it writes',
      (child) => {
        child.stdout.destroy();
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'ping' })}\n`);
      },
    ],
  ];

  it.each(ways)('ends soon after %s, during a call that does not end', async (_, leave) => {
    const { child, exited, out, err } = await startCalling();
    const left = Date.now();
    leave(child);
    expect(await exited).toEqual([0, null]);
    // A second on a quiet machine.
    expect(Date.now() - left).toBeLessThan(10_000);
    expect(err.join('')).toBe('closed 1, listeners 0\n');
    // Protocol only, and no answer to the call that was left.
    for (const line of out.join('').trim().split('\n')) {
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
      expect(JSON.parse(line).id).not.toBe(2);
    }
  });

  it('serves a client that starts it twice to find the era', async () => {
    const client = new Client({ name: 'a-test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const args = [await bundleProgram(program)];
    await client.connect(new StdioClientTransport({ command: process.execPath, args }));
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    const result = await client.callTool({ name: 'shop_a' });
    expect(result.structuredContent).toEqual(completed);
    await client.close();
  });
});
