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
  const wrong = Array.from({ length: 1_200 }, (_, index) => ask(`wrong-${index}`));
  const answered = Promise.all(wrong);
  // All beyond the limit are answered while none has been checked.
  await Promise.any(wrong);
  const started = performance.now();
  const good = await ask('good-new');
  const known = await ask('good-before');
  expect(performance.now() - started).toBeLessThan(5_000);
  if (good.status !== 200) expect(good).toEqual({ status: 429, retryAfter: 1 });
  expect([first.status, known.status]).toEqual([200, 200]);
  const end = setInterval(() => {
    for (const check of checks.splice(0)) check();
  }, 10);
  const statuses = new Set((await answered).map(({ status }) => status));
  clearInterval(end);
  expect([...statuses].sort()).toEqual([401, 429]);
  expect(await ask('good-new')).toMatchObject({ status: 200 });
});
