/** Keys that clients bring: an address that sends many wrong ones keeps nobody waiting. */
import { afterEach, expect, it } from 'vitest';
import { closeHttp, serveHttp, standalone } from '../../support/http.ts';

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
