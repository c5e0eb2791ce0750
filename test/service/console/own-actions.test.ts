/** What owners do with the actions that they built, and the operator with those that wait for a review. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Builder } from '../../../src/service/foundation/ports.ts';
import { openBrowser } from '../../support/console.ts';
import {
  action,
  addTestUser,
  type Json,
  readMoney,
  startTestService,
  type TestService,
} from '../../support/service.ts';

let versions = 0;
const builder: Builder = {
  preview: async () => ({ ok: false, errorType: 'NO_DATA_FOUND', message: 'No' }),
  build: async ({ catalog, goal }) => {
    versions += 1;
    const built = { action_id: `${catalog?.slug}_things`, name: goal, wheel_version: `v${versions}` };
    return { built: true, action: action(built), sample: [{ price: 1 }, { price: 2 }] };
  },
};

let service: TestService;
beforeEach(async () => {
  service = await startTestService({ builder });
});
afterEach(() => service.close());

async function build(headers: Record<string, string> = {}, more: Json = {}): Promise<string> {
  const body = { website_url: 'https://site.example/', goal: 'Things <b>', force: true, ...more };
  expect((await service.call('POST', '/build-request', body, headers)).status).toBe(201);
  await expect.poll(async () => (await buildsOf(headers))[0]?.status).toBe('success');
  return String((await buildsOf(headers))[0]?.action_id);
}

async function buildsOf(headers: Record<string, string>): Promise<Json[]> {
  const { body } = await service.call('GET', '/build-requests', undefined, headers);
  return body.build_requests as Json[];
}

async function actions(headers: Record<string, string> = {}): Promise<Json[]> {
  return (await service.call('GET', '/search', undefined, headers)).body.results as Json[];
}

async function visit(apiKey: string) {
  const browser = openBrowser(service.baseUrl);
  await browser.signIn(apiKey);
  return browser;
}

it('the owner renames, rebuilds and deletes an action; its jobs stay readable', async () => {
  const id = await build();
  const submitted = await service.call('POST', '/task', { action_id: id, params: {} });
  await service.finished(submitted.body.job_id);
  const browser = await visit(service.apiKey);
  const page = `/console/actions/${id}/run`;
  const change = (what: string) => `/console/actions/${id}/${what}`;

  expect((await browser.submit(page, change('rename'), { name: '' })).status).toBe(400);
  const renamed = await browser.submit(page, change('rename'), { name: 'My <i> things' });
  expect([renamed.status, renamed.headers.get('location')]).toEqual([303, page]);
  expect(await actions()).toMatchObject([{ action_id: id, name: 'My <i> things' }]);
  expect((await browser.get(page)).$('h1').text()).toBe('My <i> things');

  const rebuilt = await browser.submit(page, change('rebuild'));
  expect([rebuilt.status, rebuilt.headers.get('location')]).toEqual([303, '/console/builds']);
  await expect
    .poll(async () => (await buildsOf({})).map(({ status }) => status))
    .toEqual(['success', 'success']);
  expect(await actions()).toMatchObject([{ action_id: id, name: 'My <i> things' }]);
  expect((await readMoney(service)).balances.default).toBe(1000 - 25 - 1 - 25);

  expect((await browser.submit(page, change('delete'))).status).toBe(303);
  expect(await actions()).toEqual([]);
  expect((await service.call('GET', `/jobs/${submitted.body.job_id}`)).body.status).toBe('completed');
});

it('nobody changes what another user built', async () => {
  const alice = await addTestUser(service, 'alice');
  const id = await build({}, { visibility: 'private' });
  const browser = await visit(String(alice.headers['x-api-key']));
  const csrf_token = (await browser.get('/')).$('input[name=csrf_token]').attr('value') ?? '';
  for (const change of ['rename', 'rebuild', 'repair', 'revert', 'delete', 'approve', 'reject'])
    expect((await browser.post(`/console/actions/${id}/${change}`, { csrf_token, name: 'x' })).status).toBe(
      404,
    );
  expect(await actions()).toMatchObject([{ action_id: id, name: 'Things <b>' }]);
});

it.each(['approve', 'reject'])('the operator may %s what waits for a review', async (decision) => {
  const [alice, bob] = [await addTestUser(service, 'alice'), await addTestUser(service, 'bob')];
  const id = await build(alice.headers, { visibility: 'public' });
  expect(await actions(bob.headers)).toEqual([]);
  const hers = await visit(String(alice.headers['x-api-key']));
  expect((await hers.get('/console/builds')).html).not.toContain('Waiting for your review');
  const tags = async () => (await hers.get('/console/builds')).$('article .tags').text();
  expect(await tags()).toContain('Waits for review');
  const browser = await visit(service.apiKey);
  expect((await browser.get('/console/builds')).html).toContain('Waiting for your review');
  const answer = await browser.submit('/console/builds', `/console/actions/${id}/${decision}`);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/console/builds']);
  expect((await browser.get('/console/builds')).html).not.toContain('Waiting for your review');
  expect(await actions(bob.headers)).toHaveLength(decision === 'approve' ? 1 : 0);
  expect(await tags()).toContain(decision === 'approve' ? 'Public' : 'Private');
  expect(await actions(alice.headers)).toMatchObject([{ action_id: id }]);
});

it('a build says which order it does not apply, and that its action has been removed', async () => {
  const id = await build({}, { goal: 'List all things sorted by price' });
  const browser = await visit(service.apiKey);
  const facts = async () => (await browser.get('/console/builds')).$('article dl').text();
  expect(await facts()).toMatch(/Order not applied.*price/);
  expect(await facts()).not.toContain('removed');
  await browser.submit(`/console/actions/${id}/run`, `/console/actions/${id}/delete`);
  expect(await facts()).toContain('It has been removed.');
});
