import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { completed } from '../../support/fake-gateway.ts';
import {
  closeHttp,
  connectFirstLineHttp,
  initialize,
  jsonHeaders,
  serveHttp,
  standalone,
} from '../../support/http.ts';

afterEach(closeHttp);

const access = { sharedKey: undefined, token: undefined };

/** Each gateway answers with its key, after a while that differs, so that answers overtake each other. */
const marked = () =>
  serveHttp({
    access,
    prepare: (gateway, apiKey) => {
      let calls = 0;
      gateway.onRun = async ({ input, context }) => {
        calls += 1;
        context.progress({ progress: 1, message: `progress of ${apiKey}` });
        await delay((calls * 7) % 23);
        return { body: { ...completed, data: { key: apiKey, input } } };
      };
    },
  });

interface Sent {
  readonly key: string;
  readonly mark: string;
}

const call = ({ mark }: Sent) => ({
  name: 'shop_a',
  arguments: { q: mark },
});

async function askStandalone(origin: string, sent: Sent): Promise<string> {
  const { headers, ...rest } = standalone('tools/call', call(sent), 7);
  const answer = await fetch(`${origin}/mcp`, { ...rest, headers: { ...headers, 'x-api-key': sent.key } });
  return answer.text();
}

async function askInSession(origin: string, sent: Sent): Promise<string> {
  const headers = { ...jsonHeaders, 'x-api-key': sent.key };
  const begun = await fetch(`${origin}/mcp`, { method: 'POST', headers, body: JSON.stringify(initialize) });
  await begun.text();
  const answer = await fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: { ...headers, 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { ...call(sent), _meta: { progressToken: 7 } },
    }),
  });
  return answer.text();
}

async function askOverSse(origin: string, sent: Sent): Promise<string> {
  const client = await connectFirstLineHttp(origin, 'sse', { 'x-api-key': sent.key });
  const result = await client.callTool(call(sent));
  await client.close();
  return JSON.stringify(result);
}

const ways = [askStandalone, askInSession, askStandalone, askInSession, askOverSse];

it('100 clients of 20 principals at once, with the same request ids, each get their own answers only', async () => {
  const { server, gateways } = await marked();
  const clients = Array.from({ length: 100 }, (_, index) => ({
    key: `key-${index % 20}`,
    mark: `mark-${index}`,
  }));
  const answers = await Promise.all(
    clients.map(async (sent, index) => {
      const ask = ways[Math.floor(index / 20) % ways.length] ?? askStandalone;
      return { ...sent, texts: [await ask(server.origin, sent), await ask(server.origin, sent)] };
    }),
  );
  for (const { key, mark, texts } of answers) {
    for (const text of texts) {
      expect(text).toContain(`"key":"${key}"`);
      expect(text).toContain(`"q":"${mark}"`);
      expect(new Set(text.match(/key-\d+/g))).toEqual(new Set([key]));
      expect(new Set(text.match(/mark-\d+/g))).toEqual(new Set([mark]));
    }
  }
  expect(gateways.size).toBe(20);
  for (const [key, { calls }] of gateways) {
    const marks = calls.map(({ input }) => JSON.stringify(input).match(/mark-(\d+)/)?.[1]);
    expect(marks).toHaveLength(10);
    expect(marks.every((mark) => `key-${Number(mark) % 20}` === key)).toBe(true);
  }
});

it("a session and a stream of another principal are not found, exactly as ones that don't exist", async () => {
  const { server } = await marked();
  const ask = async (path: string, key: string, headers: object = {}) => {
    const answer = await fetch(`${server.origin}${path}`, {
      method: 'POST',
      headers: { ...jsonHeaders, 'x-api-key': key, ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    });
    return [answer.status, await answer.text()];
  };
  const begun = await fetch(`${server.origin}/mcp`, {
    method: 'POST',
    headers: { ...jsonHeaders, 'x-api-key': 'a' },
    body: JSON.stringify(initialize),
  });
  await begun.text();
  const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
  expect((await ask('/mcp', 'a', session))[0]).toBe(200);
  const none = await ask('/mcp', 'b', { 'mcp-session-id': 'none' });
  expect(none[0]).toBe(404);
  expect(await ask('/mcp', 'b', session)).toEqual(none);

  const stream = await fetch(`${server.origin}/sse`, { headers: { 'x-api-key': 'a' } });
  const reader = stream.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  const path =
    Buffer.from(value ?? [])
      .toString()
      .match(/data: (\S+)/)?.[1] ?? '';
  expect(path).toMatch(/^\/messages\?sessionId=/);
  expect((await ask(path, 'a'))[0]).toBe(202);
  expect(await ask(path, 'b')).toEqual(await ask('/messages?sessionId=none', 'b'));
  await reader?.cancel();
});
