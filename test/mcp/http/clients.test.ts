import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { completed, listedTool } from '../../support/fake-gateway.ts';
import {
  closeHttp,
  connectFirstLineHttp,
  connectHttp,
  initialize,
  jsonHeaders,
  serveHttp,
  sharedKey,
  standalone,
  token,
} from '../../support/http.ts';
import { eras } from '../../support/mcp-pipe.ts';

afterEach(closeHttp);

/** A request that comes so long after an answer shows that the answer was read. */
const reaction = () => delay(120);

const authorization = `Bearer ${token}`;

describe('what a client accepts', () => {
  const post = async (origin: string, accept: string | undefined, body: object, headers = {}) => {
    const { accept: _accept, ...others } = jsonHeaders;
    const answer = await fetch(`${origin}/mcp/`, {
      method: 'POST',
      headers: { ...others, ...headers, ...(accept !== undefined && { accept }) },
      body: JSON.stringify(body),
    });
    return {
      status: answer.status,
      type: answer.headers.get('content-type'),
      text: await answer.text(),
      answer,
    };
  };

  it.each([
    ['*/*', 'text/event-stream'],
    [undefined, 'text/event-stream'],
    ['text/event-stream', 'text/event-stream'],
    ['application/json', 'application/json'],
    ['application/json;q=0.9, text/plain', 'application/json'],
  ])('%s is answered in that form, also at the path with a slash', async (accept, type) => {
    const { server } = await serveHttp();
    const first = await post(server.origin, accept, initialize);
    expect(first).toMatchObject({ status: 200, type });
    const headers = { 'mcp-session-id': first.answer.headers.get('mcp-session-id') ?? '' };
    const call = {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'shop_a', arguments: {}, _meta: { progressToken: 1.5 } },
    };
    const second = await post(server.origin, accept, call, headers);
    expect(second).toMatchObject({ status: 200, type });
    const text = type === 'application/json' ? second.text : (/^data: (.*)$/m.exec(second.text)?.[1] ?? '');
    expect(JSON.parse(text)).toMatchObject({ id: 2, result: { structuredContent: { job_id: 'job-1' } } });
  });

  it('is JSON for a request that stands alone, too', async () => {
    const { server } = await serveHttp();
    const { body, headers } = standalone('tools/call', { name: 'shop_a', arguments: {} });
    const { accept: _accept, ...others } = headers;
    const answer = await fetch(`${server.origin}/mcp`, {
      method: 'POST',
      body,
      headers: { ...others, accept: 'application/json' },
    });
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(await answer.json()).toMatchObject({ result: { structuredContent: { job_id: 'job-1' } } });
  });
});

describe.each(eras)('a %s client', (era) => {
  it('lists and calls tools, and gets progress', async () => {
    const { server, gateways } = await serveHttp({
      access: { sharedKey, token },
      prepare: (gateway) => {
        gateway.onRun = async ({ context }) => {
          context.progress({ progress: 1, message: 'half' });
          return { body: completed };
        };
      },
    });
    const client = await connectHttp(server.origin, era, { authorization });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('shop_a');
    const messages: unknown[] = [];
    const result = await client.callTool(
      { name: 'shop_a', arguments: { q: 'x' } },
      { onprogress: ({ message }) => messages.push(message) },
    );
    expect(result.structuredContent).toMatchObject({ status: 'completed', job_id: 'job-1' });
    expect(messages).toEqual(['half']);
    expect([...gateways.keys()]).toEqual([sharedKey]);
    expect(gateways.get(sharedKey)?.calls[0]?.input).toEqual({ name: 'shop_a', args: { q: 'x' } });
  });

  it('has each paid call in the log, with the id of its HTTP request', async () => {
    const { server, logger } = await serveHttp();
    const client = await connectHttp(server.origin, era, { 'x-request-id': 'edge-1' });
    await client.callTool({ name: 'shop_a', arguments: { q: 'not for the log' } });
    const lines = logger.lines.filter(({ message }) => message === 'Paid tool call');
    expect(lines).toMatchObject([
      {
        level: 'info',
        fields: {
          request_id: 'edge-1',
          tool: 'shop_a',
          job_id: 'job-1',
          status: 'completed',
          credits_used: 3,
        },
      },
    ]);
    expect(JSON.stringify(logger.lines)).not.toContain('not for the log');
    expect(JSON.stringify(logger.lines)).not.toContain(`"${sharedKey}"`);
  });

  it('is told that the list changed', async () => {
    const { server, gateways } = await serveHttp();
    const client = await connectHttp(server.origin, era);
    const changed = vi.fn();
    client.setNotificationHandler('notifications/tools/list_changed', changed);
    if (era === 'stateless') await client.listen({ toolsListChanged: true });
    await client.listTools();
    await vi.waitFor(() => {
      gateways.get(sharedKey)?.changeListing(listedTool('shop_a'), listedTool('shop_b'));
      expect(changed).toHaveBeenCalled();
    }, 20_000);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('shop_b');
  });
});

it.each(eras)('a %s client is served over the legacy transport, too', async (era) => {
  const delivered = vi.fn(async () => {});
  const { server, gateways } = await serveHttp({
    access: { sharedKey, token },
    prepare: (gateway) => {
      gateway.onRun = async () => ({ body: completed, delivered });
    },
  });
  const client = await connectHttp(server.origin, era, { authorization }, 'sse');
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('shop_a');
  const result = await client.callTool({ name: 'shop_a', arguments: { q: 'x' } });
  expect(result.structuredContent).toMatchObject({ status: 'completed', job_id: 'job-1' });
  await reaction();
  expect(delivered).not.toHaveBeenCalled();
  await client.callTool({ name: 'get_usage' });
  await expect.poll(() => delivered).toHaveBeenCalledOnce();
  const changed = vi.fn();
  client.setNotificationHandler('notifications/tools/list_changed', changed);
  if (era === 'stateless') await client.listen({ toolsListChanged: true });
  await vi.waitFor(() => {
    gateways.get(sharedKey)?.changeListing(listedTool('shop_a'), listedTool('shop_b'));
    expect(changed).toHaveBeenCalled();
  }, 20_000);
});

describe.each(['sse', 'streamable'] as const)(
  'a client of the first line of packages, over %s',
  (transport) => {
    it('lists and calls tools, and its answer counts as delivered', async () => {
      const delivered = vi.fn(async () => {});
      const { server } = await serveHttp({
        access: { sharedKey, token },
        prepare: (gateway) => {
          gateway.onRun = async () => ({ body: completed, delivered });
        },
      });
      const client = await connectFirstLineHttp(server.origin, transport, { authorization });
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('shop_a');
      const result = await client.callTool({ name: 'shop_a', arguments: {} });
      expect(result.structuredContent).toMatchObject({ status: 'completed' });
      await reaction();
      await client.listTools();
      await expect.poll(() => delivered).toHaveBeenCalledOnce();
    });
  },
);

describe('a client that goes away during its call', () => {
  /** The first call ends when the test says so, every other at once. */
  async function start() {
    let signal: AbortSignal | undefined;
    let answer = () => {};
    const delivered = vi.fn(async (_mark: string) => {});
    const { server, logger } = await serveHttp({
      prepare: (gateway) => {
        gateway.onRun = async ({ context, input }) => {
          const first = signal === undefined;
          signal ??= context.signal;
          if (first) {
            await new Promise<void>((resolve) => {
              answer = resolve;
            });
          }
          return { body: completed, delivered: () => delivered(JSON.stringify(input)) };
        };
      },
    });
    const callAndGoAway = async (init: RequestInit) => {
      const client = new AbortController();
      const sent = fetch(`${server.origin}/mcp`, { ...init, signal: client.signal }).then((it) => it.text());
      await expect.poll(() => signal?.aborted).toBe(false);
      client.abort();
      await expect(sent).rejects.toThrow('aborted');
      // The server has seen it go.
      await expect
        .poll(() => logger.lines.filter(({ message }) => message === 'Request').length)
        .toBeGreaterThan(0);
    };
    /** The answer is made, and another call has been through everything that comes after. */
    const answered = async () => {
      answer();
      await expect
        .poll(() => logger.lines.filter(({ message }) => message === 'Paid tool call'))
        .toHaveLength(1);
      const other = standalone('tools/call', { name: 'shop_a', arguments: { q: 'other' } }, 9);
      await (await fetch(`${server.origin}/mcp`, other)).text();
      await reaction();
      await (await fetch(`${server.origin}/mcp`, standalone('tools/list'))).text();
      await expect.poll(() => delivered).toHaveBeenCalledWith(expect.stringContaining('other'));
    };
    return { server, logger, signal: () => signal, callAndGoAway, answered, delivered };
  }
  const call = { name: 'shop_a', arguments: {} };

  it('cancels it by 2026-07-28', async () => {
    const { signal, callAndGoAway, answered, delivered } = await start();
    await callAndGoAway(standalone('tools/call', call));
    await expect.poll(() => signal()?.aborted).toBe(true);
    await answered();
    expect(delivered).toHaveBeenCalledTimes(1);
  });

  it('does not cancel it by 2025-11-25, and the answer is not taken for delivered', async () => {
    const { server, logger, signal, callAndGoAway, answered, delivered } = await start();
    const begun = await fetch(`${server.origin}/mcp`, {
      method: 'POST',
      headers: jsonHeaders,
      body: JSON.stringify(initialize),
    });
    const session = begun.headers.get('mcp-session-id') ?? '';
    await begun.text();
    await expect.poll(() => logger.lines.filter(({ message }) => message === 'Request').length).toBe(1);
    logger.lines.length = 0;
    await callAndGoAway({
      method: 'POST',
      headers: { ...jsonHeaders, 'mcp-session-id': session },
      body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: call }),
    });
    expect(signal()?.aborted).toBe(false);
    await answered();
    expect(signal()?.aborted).toBe(false);
    expect(delivered).toHaveBeenCalledTimes(1);
  });
});
