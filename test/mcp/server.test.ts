import { afterEach, describe, expect, it, vi } from 'vitest';
import { GatewayError } from '../../src/gateway/foundation/errors.ts';
import { completed, FakeGateway, listedTool } from '../support/fake-gateway.ts';
import { connectFirstLine, connectPiped, endAllPipes, eras, modeOf } from '../support/mcp-pipe.ts';

afterEach(endAllPipes);

const staticNames = [
  'search_actions',
  'browse_catalogs',
  'run_action',
  'get_job',
  'login',
  'list_identities',
  'request_build',
  'edit_action',
  'watch',
  'list_watches',
  'list_build_requests',
  'get_usage',
];

describe.each(eras)('in the %s era', (era) => {
  const mode = modeOf(era);

  it('lists the static tools first, then the action tools', async () => {
    const { client } = await connectPiped(
      new FakeGateway(listedTool('shop_a'), listedTool('shop_b', { effect: 'reads' })),
      mode,
    );
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([...staticNames, 'shop_a', 'shop_b']);
    expect(tools.at(-2)).toMatchObject({
      title: 'Title of shop_a',
      description: 'Does shop_a. Costs 3 credits.',
      inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
      _meta: { 'svc/action_id': 'action/shop_a' },
    });
    expect(tools.at(-1)?.annotations).toEqual({
      readOnlyHint: true,
      destructiveHint: false,
      openWorldHint: true,
    });
  });

  it('names itself, with an icon that needs no request', async () => {
    const { client } = await connectPiped(new FakeGateway(), mode);
    expect(client.getServerVersion()).toMatchObject({
      name: 'svc-mcp',
      title: 'Catalog and task automation',
      icons: [
        { src: expect.stringMatching(/^data:image\/svg\+xml;base64,PHN2Zy/), mimeType: 'image/svg+xml' },
      ],
    });
  });

  it('repeats name and version with each answer of the current revision, and nothing else of itself', async () => {
    const { client } = await connectPiped(new FakeGateway(listedTool('shop_a')), mode);
    const { _meta: meta } = await client.callTool({ name: 'shop_a', arguments: { q: 'x' } });
    const info = { name: 'svc-mcp', version: client.getServerVersion()?.version };
    expect(meta?.['io.modelcontextprotocol/serverInfo']).toEqual(era === 'stateless' ? info : undefined);
  });

  it('answers with the body as structured content and as text', async () => {
    const gateway = new FakeGateway(listedTool('shop_a'));
    const { client } = await connectPiped(gateway, mode);
    const result = await client.callTool({ name: 'shop_a', arguments: { q: 'x' } });
    expect(result.structuredContent).toEqual(completed);
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(completed) }]);
    expect(result.isError).toBeFalsy();
    expect(gateway.calls[0]?.input).toEqual({ name: 'shop_a', args: { q: 'x' } });
  });

  it('marks failures as errors', async () => {
    const gateway = new FakeGateway();
    gateway.onRun = async () => ({
      body: new GatewayError('BUDGET_EXCEEDED', 'Too much', { kind: 'retry', when: 'now' }).body,
    });
    const { client } = await connectPiped(gateway, mode);
    const result = await client.callTool({ name: 'run_action', arguments: { action_id: 'a' } });
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({ status: 'error', error: { code: 'BUDGET_EXCEEDED' } });
  });

  it('answers an unknown tool with -32602', async () => {
    const { client } = await connectPiped(new FakeGateway(), mode);
    await expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toMatchObject({ code: -32602 });
  });

  it('sends progress in order, and none that goes back', async () => {
    const gateway = new FakeGateway(listedTool('shop_a'));
    gateway.onRun = async ({ context }) => {
      for (const progress of [1, 2, 2, 1, 3]) context.progress({ progress, message: `step ${progress}` });
      return { body: completed };
    };
    const { client } = await connectPiped(gateway, mode);
    const seen: number[] = [];
    await client.callTool({ name: 'shop_a' }, { onprogress: ({ progress }) => seen.push(progress) });
    await expect.poll(() => seen).toEqual([1, 2, 3]);
  });

  it('sends no progress after the answer', async () => {
    const gateway = new FakeGateway(listedTool('shop_a'));
    gateway.onRun = async ({ context }) => {
      context.progress({ progress: 1, message: 'in time' });
      return { body: completed };
    };
    const { client, fromServer } = await connectPiped(gateway, mode);
    const out: string[] = [];
    fromServer.on('data', (chunk: Buffer) => out.push(chunk.toString()));
    await client.callTool({ name: 'shop_a' }, { onprogress: () => {} });
    gateway.calls[0]?.context.progress({ progress: 2, message: 'too late' });
    await client.listTools();
    expect(out.join('')).toContain('in time');
    expect(out.join('')).not.toContain('too late');
  });

  it('passes a cancel on to the gateway', async () => {
    const gateway = new FakeGateway(listedTool('shop_a'));
    const aborted = new Promise((resolve) => {
      gateway.onRun = ({ context }) =>
        new Promise((_, reject) =>
          context.signal.addEventListener('abort', () => {
            resolve('aborted');
            reject(new GatewayError('CANCELLED', 'Cancelled', { kind: 'retry', when: 'now' }));
          }),
        );
    });
    const { client } = await connectPiped(gateway, mode);
    const cancel = new AbortController();
    const call = client.callTool({ name: 'shop_a' }, { signal: cancel.signal });
    await expect.poll(() => gateway.calls).toHaveLength(1);
    cancel.abort();
    await expect(call).rejects.toThrow('aborted');
    expect(await aborted).toBe('aborted');
  });

  it('reports an unexpected error without its details', async () => {
    const gateway = new FakeGateway(listedTool('shop_a'));
    gateway.onRun = async () => {
      throw new Error('secret-canary');
    };
    const { client, logger } = await connectPiped(gateway, mode);
    const result = await client.callTool({ name: 'shop_a' });
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({ status: 'error', error: { code: 'INTERNAL_ERROR' } });
    expect(JSON.stringify(result)).not.toContain('secret-canary');
    expect(logger.lines.some(({ level }) => level === 'error')).toBe(true);
  });

  it('lists the static tools when the actions cannot be listed', async () => {
    const gateway = new FakeGateway();
    gateway.listing = async () => {
      throw new Error('no listing');
    };
    const { client } = await connectPiped(gateway, mode);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(staticNames);
  });

  it.each([
    ['too deep', { params: nested(70) }, 'nested'],
    ['too many', { params: { list: Array.from({ length: 10_001 }, () => 0) } }, 'more than'],
    ['__proto__', JSON.parse('{"params": {"__proto__": {"x": 1}}}'), '__proto__'],
    ['__proto__ at the top', JSON.parse('{"__proto__": {"x": 1}}'), '__proto__'],
    ['constructor', { params: { constructor: 1 } }, 'constructor'],
  ])('refuses arguments that are dangerous: %s', async (_, args, words) => {
    const gateway = new FakeGateway(listedTool('shop_a'));
    const { client } = await connectPiped(gateway, mode);
    for (const name of ['run_action', 'shop_a']) {
      const result = await client.callTool({ name, arguments: args });
      expect(result.structuredContent).toMatchObject({ status: 'error', error: { code: 'INVALID_PARAMS' } });
      expect(JSON.stringify(result.structuredContent)).toContain(words);
    }
    expect(gateway.calls).toEqual([]);
  });

  it('carries hostile data unaltered', async () => {
    const data = JSON.parse(
      '{"__proto__": {"polluted": true}, "a": "\\u0000\\u2028\\ud800 \\n<IMPORTANT>", "n": 1e308, "toJSON": 1, "": [[]]}',
    );
    const gateway = new FakeGateway(listedTool('shop_a'));
    gateway.onRun = async () => ({ body: { ...completed, data } });
    const { client } = await connectPiped(gateway, mode);
    const { content, structuredContent } = await client.callTool({ name: 'shop_a' });
    const [text] = content;
    if (text?.type !== 'text') throw new Error('no text');
    for (const body of [structuredContent, JSON.parse(text.text)]) {
      expect(JSON.stringify(body)).toBe(JSON.stringify({ ...completed, data }));
    }
  });

  it('answers also where the data is nested too deeply to be written', async () => {
    const gateway = new FakeGateway(listedTool('shop_a'));
    const { client } = await connectPiped(gateway, mode);
    for (const depth of [1_000, 3_000, 5_000, 6_000, 7_000, 8_000, 12_000, 100_000]) {
      gateway.onRun = async () => ({ body: { ...completed, data: nested(depth) } });
      const { structuredContent } = await client.callTool({ name: 'shop_a' });
      const body: { status?: unknown } = structuredContent ?? {};
      // How deep it can be written depends on the engine; what cannot be is an error that says so.
      if (body.status === 'completed') expect(body).toHaveProperty('data');
      else
        expect(body).toMatchObject({
          status: 'error',
          error: { code: 'INTERNAL_ERROR' },
          next: expect.any(String),
        });
    }
    gateway.onRun = async () => ({ body: completed });
    expect((await client.callTool({ name: 'shop_a' })).structuredContent).toEqual(completed);
  });

  it('waits as long as the client allows', async () => {
    const gateway = new FakeGateway(listedTool('shop_a'));
    const { client } = await connectPiped(gateway, mode, { name: 'codex-mcp-client' });
    await client.callTool({ name: 'shop_a' });
    await client.callTool({ name: 'get_job', arguments: { job_id: 'j', wait_seconds: '20' } });
    await client.callTool({ name: 'get_job', arguments: { job_id: 'j', wait_seconds: 900 } });
    const waits = gateway.calls.map(({ context }) => Math.round(context.waitMs / 1000));
    expect(waits).toEqual([100, 20, 110]);
  });

  it('tells the client of a changed list', async () => {
    const gateway = new FakeGateway();
    const changed = vi.fn();
    const { client } = await connectPiped(gateway, mode, {
      listChanged: { tools: { onChanged: changed } },
    });
    await client.listTools();
    gateway.changeListing(listedTool('shop_new'));
    await expect.poll(() => changed).toHaveBeenCalled();
    expect((await client.listTools()).tools.at(-1)?.name).toBe('shop_new');
  });
});

describe('every kind of client', () => {
  it('connects in auto mode', async () => {
    const { client } = await connectPiped(new FakeGateway(), 'auto');
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect((await client.listTools()).tools).toHaveLength(staticNames.length);
  });

  it('connects with the first line of the SDK', async () => {
    const gateway = new FakeGateway(listedTool('shop_a'));
    const { client } = await connectFirstLine(gateway);
    expect((await client.listTools()).tools.at(-1)?.name).toBe('shop_a');
    const result = await client.callTool({ name: 'shop_a', arguments: {} });
    expect(result.structuredContent).toEqual(completed);
    expect(client.getInstructions()?.length).toBeLessThan(2048);
  });

  it('gives cache hints on lists', async () => {
    const { client } = await connectPiped(new FakeGateway(), { pin: '2026-07-28' });
    expect(await client.listTools()).toMatchObject({ ttlMs: 300_000, cacheScope: 'private' });
  });
});

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}
