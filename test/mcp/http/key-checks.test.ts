/** Keys that clients bring: a revoked one opens nothing more, and an address that sends many wrong ones keeps nobody waiting. */
import { afterEach, expect, it } from 'vitest';
import { closeHttp, initialize, jsonHeaders, serveHttp, standalone } from '../../support/http.ts';

afterEach(closeHttp);

it('a good new key is answered at once, though 1,200 wrong keys of its address are being checked', async () => {
  const checks: (() => void)[] = [];
  const { server } = await serveHttp({
    access: { sharedKey: undefined, token: undefined },
    // Wrong keys are checked until the test ends.
    checkKey: async (apiKey) => {
      if (apiKey.startsWith('good')) return 'good';
      await new Promise<void>((resolve) => checks.push(resolve));
      return 'refused';
    },
  });
  const ask = async (key: string) => {
    const { headers, ...rest } = standalone('tools/list');
    const { status, headers: answered } = await fetch(`${server.origin}/mcp`, {
      ...rest,
      headers: { ...headers, 'x-api-key': key },
      signal: AbortSignal.timeout(20_000),
    });
    return { status, retryAfter: Number(answered.get('retry-after')) };
  };
  const first = await ask('good-before');
  const askWrong = (count: number, name: string) =>
    Promise.all(Array.from({ length: count }, (_, index) => ask(`wrong-${name}-${index}`)));
  const underWay = askWrong(101, 'checked');
  // A hundred, and one that is above the limit.
  await expect.poll(() => checks).toHaveLength(101);
  for (let round = 0; round < 11; round += 1) {
    const answers = await askWrong(100, `${round}`);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]));
  }
  expect(await ask('good-new')).toEqual({ status: 429, retryAfter: 1 });
  const known = await ask('good-before');
  expect([first.status, known.status]).toEqual([200, 200]);
  const end = setInterval(() => {
    for (const check of checks.splice(0)) check();
  }, 10);
  const statuses = new Set((await underWay).map(({ status }) => status));
  clearInterval(end);
  expect([...statuses].sort()).toEqual([401, 429]);
  expect(await ask('good-new')).toMatchObject({ status: 200 });
});

it.each([
  ['initialize', '/mcp', { method: 'POST', headers: jsonHeaders, body: JSON.stringify(initialize) }],
  ['server/discover', '/mcp', standalone('server/discover')],
  ['a stream of /sse', '/sse', { headers: {} }],
])(
  'a client that begins by %s with a revoked key is refused, and its sessions end',
  async (_, path, begin) => {
    let verdict: 'good' | 'refused' | 'unknown' = 'good';
    let asked = 0;
    const { server, gateways } = await serveHttp({
      access: { sharedKey: undefined, token: undefined },
      checkKey: async () => {
        asked += 1;
        return verdict;
      },
    });
    const send = async (
      to: string,
      { headers, ...rest }: { headers: object; method?: string; body?: string },
    ) => {
      const answer = await fetch(`${server.origin}${to}`, {
        ...rest,
        headers: { ...headers, 'x-api-key': 'a-key' },
      });
      await answer.body?.cancel();
      return answer;
    };
    const message = (body: object) => ({ method: 'POST', headers: jsonHeaders, body: JSON.stringify(body) });
    const session = await send('/mcp', message(initialize));
    const ping = {
      ...message({ jsonrpc: '2.0', id: 2, method: 'ping' }),
      headers: { ...jsonHeaders, 'mcp-session-id': session.headers.get('mcp-session-id') ?? '' },
    };
    expect((await send('/mcp', ping)).status).toBe(200);
    // A new key is asked about once, a request in a session not at all.
    expect(asked).toBe(1);
    verdict = 'unknown';
    expect((await send(path, begin)).status).toBe(200);
    verdict = 'refused';
    const refused = await send(path, begin);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      'ApiKey realm="svc-mcp", header="X-API-Key"',
    ]);
    expect((await send('/mcp', ping)).status).toBe(401);
    await expect.poll(() => gateways.get('a-key')?.closedWith).toHaveLength(1);
  },
);
