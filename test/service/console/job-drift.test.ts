/** What the page of a job says where its result departs from those before it. */
import { afterEach, expect, it } from 'vitest';
import { openBrowser } from '../../support/console.ts';
import {
  action,
  addTestUser,
  catalog,
  type Json,
  sourceOf,
  startTestService,
  type TestService,
} from '../../support/service.ts';

let service: TestService | undefined;
afterEach(() => service?.close());

it('a list that lost its rows is told, with since when, and nothing else is', async () => {
  let items: Json[] = Array.from({ length: 12 }, (_, id) => ({ id, title: `Title ${id}` }));
  const runner = { run: async () => ({ data: { items } }) };
  service = await startTestService({
    catalogs: sourceOf(catalog({ slug: 'shop', actions: [action({ action_id: 'shop_list' })] })),
    runner,
  });
  const { baseUrl, apiKey, call, finished } = service;
  const run = async (headers?: Record<string, string>) => {
    const { body } = await call('POST', '/task', { action_id: 'shop_list', params: {} }, headers);
    await finished(body.job_id);
    return String(body.job_id);
  };
  const browser = openBrowser(baseUrl);
  await browser.signIn(apiKey);
  const doubtOf = async (id: string) =>
    (await browser.get(`/console/runs/${id}`)).$('.message.wait').text().replace(/\s+/g, ' ').trim();
  const usual = [await run(), await run(), await run()];
  for (const id of usual) expect(await doubtOf(id)).toBe('');
  items = [];
  const [first, second] = [await run(), await run()];
  expect(await doubtOf(first)).toContain('There are no rows; the last 3 runs like this had 12.');
  expect(await doubtOf(first)).not.toContain('since');
  expect(await doubtOf(second)).toContain('since');
  // What came later changes nothing of it, and another user's runs are not usual for anybody else.
  expect(await doubtOf(String(usual[2]))).toBe('');
  const other = await addTestUser(service, 'other');
  const browserOfOther = openBrowser(baseUrl);
  await browserOfOther.signIn(String(other.headers['x-api-key']));
  const page = await browserOfOther.get(`/console/runs/${await run(other.headers)}`);
  expect(page.$('.message.wait').text()).toBe('');
});

it('the first run of a built action is compared with its test', async () => {
  const items: Json[] = Array.from({ length: 12 }, (_, id) => ({ id, title: null }));
  const usual = { rows: 12, fields: { title: { fill: 1, kinds: ['text'], values: 3 } } };
  const built = { ...action({ action_id: 'shop_list' }), usual };
  service = await startTestService({
    catalogs: sourceOf(catalog({ slug: 'shop', actions: [built] })),
    runner: { run: async () => ({ data: { items } }) },
  });
  const { body } = await service.call('POST', '/task', { action_id: 'shop_list', params: {} });
  await service.finished(body.job_id);
  const browser = openBrowser(service.baseUrl);
  await browser.signIn(service.apiKey);
  const page = await browser.get(`/console/runs/${body.job_id}`);
  expect(page.$('.message.wait').text()).toContain('title is empty; when the action was built it was not.');
  const { results } = (await service.call('GET', '/search?q=shop')).body;
  expect(results).toMatchObject([{ action_id: 'shop_list', usual }]);
});
