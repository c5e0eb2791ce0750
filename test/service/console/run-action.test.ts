/** Running an action from the console: a form from its schema, the price confirmed before each run, one run a confirmation. */
import { afterEach, expect, it } from 'vitest';
import { type Browser, openBrowser, type View } from '../../support/console.ts';
import {
  action,
  addTestUser,
  catalog,
  readMoney,
  sourceOf,
  startTestService,
  type TestService,
} from '../../support/service.ts';
import { browserCookie, signInBrowserWith } from '../../support/sign-in-browser.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const hostile = '"><script>alert(1)</script>';
const path = '/console/actions/list/run';
const parameters = {
  type: 'object',
  properties: {
    q: { type: 'string', description: hostile, maxLength: 20 },
    pages: { type: 'integer', minimum: 1, maximum: 5, default: 1 },
    sort: { enum: ['price', hostile] },
    sold: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
    [hostile]: { type: 'number' },
  },
  required: ['q'],
  additionalProperties: false,
};
const shop = (price: number) =>
  catalog({
    slug: 'site',
    auth_types: ['browser_state'],
    actions: [
      action({ action_id: 'list', name: `List ${hostile}`, credits_per_call: price, parameters }),
      action({ action_id: 'mine', auth_mode: 'required' }),
    ],
  });

async function start(): Promise<{
  service: TestService;
  browser: Browser;
  setPrice: (price: number) => void;
}> {
  const source = sourceOf(shop(3));
  const signInBrowser = signInBrowserWith(() => [browserCookie('www.site.example', 'a')]);
  const service = await startTestService({ catalogs: source, signInBrowser });
  closers.push(() => service.close());
  const browser = openBrowser(service.baseUrl);
  await browser.signIn(service.apiKey);
  return {
    service,
    browser,
    setPrice: (price) => source.set(shop(price)),
  };
}

/** Sends the form of the view with one of its buttons. */
function send(
  browser: Browser,
  { $ }: View,
  step: string,
  typed: Record<string, string> = {},
): Promise<View> {
  const form = $(`form[action="${path}"]`);
  expect(form.find(`button[name=step][value=${step}]`)).toHaveLength(1);
  const fields = form
    .find('input[name], select[name], textarea[name]')
    .toArray()
    .map((input) => [$(input).attr('name') ?? '', String($(input).val() ?? '')] as const);
  return browser.post(path, { ...Object.fromEntries(fields), step, ...typed });
}

const spent = async (service: TestService) =>
  1_000 - (Object.values((await readMoney(service)).balances)[0] ?? 0);

it('a person fills in the form, confirms the price, and sees the job', async () => {
  const { service, browser } = await start();
  const list = await browser.get('/console/actions?site=site');
  expect(list.$(`a[href="${path}"]`)).toHaveLength(1);
  const form = await browser.get(path);
  expect(form.$('script:not([src="/console/page.js"]), img')).toHaveLength(0);
  const typed = {
    'param-0': 'boats',
    'param-1': '2',
    'param-2': hostile,
    'param-3': 'true',
    'param-4': '["a"]',
    'param-5': '1.5',
  };
  const confirm = await send(browser, form, 'confirm', typed);
  expect(confirm.$('button[value=run]').text()).toBe('Run for 3 credits');
  expect(await spent(service)).toBe(0);
  const params = { q: 'boats', pages: 2, sort: hostile, sold: true, tags: ['a'], [hostile]: 1.5 };
  expect(JSON.parse(confirm.$('dd pre').text())).toEqual(params);

  const [one, two] = await Promise.all([send(browser, confirm, 'run'), send(browser, confirm, 'run')]);
  expect([one.status, two.status]).toEqual([303, 303]);
  expect(one.headers.get('location')).toBe(two.headers.get('location'));
  expect(await spent(service)).toBe(3);
  const jobId = one.headers.get('location')?.split('/').at(-1) ?? '';
  expect((await service.finished(jobId)).data).toMatchObject({ params });

  const again = await send(browser, await send(browser, form, 'confirm', typed), 'run');
  expect(again.headers.get('location')).not.toBe(one.headers.get('location'));
  expect(await spent(service)).toBe(6);
});

it('wrong params are said beside what was typed, and nothing is run', async () => {
  const { service, browser } = await start();
  const form = await browser.get(path);
  expect(form.$('#param-1').attr('max')).toBe('5');
  expect(form.$('#param-1-hint').text()).toBe('1 to 5. Default: 1.');
  expect(form.$('#param-4-hint').text()).toBe('Any of: "a", "b".');
  for (const [typed, problem] of [
    [{ 'param-0': '' }, 'q is missing.'],
    [{ 'param-0': 'a', 'param-1': '9' }, 'pages: at most 5.'],
    [{ 'param-0': 'a', 'param-4': '[' }, 'tags is not valid JSON.'],
  ] as const) {
    const answer = await send(browser, form, 'confirm', typed);
    expect(answer.status).toBe(422);
    expect(answer.$('[role=alert] p').text()).toBe(problem);
    expect(answer.$('#param-0').val()).toBe(typed['param-0']);
  }
  expect(await spent(service)).toBe(0);
});

it('a price that changed since it was shown is confirmed anew', async () => {
  const { service, browser, setPrice } = await start();
  const confirm = await send(browser, await browser.get(path), 'confirm', { 'param-0': 'boats' });
  setPrice(5);
  await expect
    .poll(async () => (await browser.get('/console/actions?site=site')).html)
    .toContain('5 credits');
  const changed = await send(browser, confirm, 'run');
  expect(changed.$('[role=alert]').text()).toContain('The price has changed');
  expect(await spent(service)).toBe(0);
  expect((await send(browser, changed, 'run')).status).toBe(303);
  expect(await spent(service)).toBe(5);
});

it('an action that needs an account leads to where one is connected; unknown ones and foreign forms lead nowhere', async () => {
  const { service, browser } = await start();
  expect((await browser.get('/console/actions/mine/run')).$('a[href="/connect/site"]')).toHaveLength(1);
  expect((await browser.get('/console/actions/none/run')).status).toBe(404);
  const confirm = await send(browser, await browser.get(path), 'confirm', { 'param-0': 'boats' });
  expect((await send(browser, confirm, 'run', { csrf_token: 'x' })).status).toBe(403);
  expect(await spent(service)).toBe(0);
});

it('somebody with too few credits is told who adds some, and has nothing to press', async () => {
  const { service } = await start();
  const poor = await addTestUser(service, 'poor', 2);
  const browser = openBrowser(service.baseUrl);
  await browser.signIn(poor.headers['x-api-key'] ?? '');
  const confirm = await send(browser, await browser.get(path), 'confirm', { 'param-0': 'boats' });
  expect(confirm.$('.message p').text()).toBe(
    'You have too few credits: this costs 3. The operator of this service can add some.',
  );
  expect(confirm.$('button[value=run]')).toHaveLength(0);
});

it('a run is done again, here and from elsewhere, with the account that it had', async () => {
  const { service, browser } = await start();
  const { signal } = new AbortController();
  const connect = (identityName: string) =>
    service.connectInBrowser({ catalogSlug: 'site', identityName, signal });
  await connect('ann');
  await connect('bob');
  const { identities } = (await service.call('GET', '/identities')).body as {
    identities: { name: string; credentials: { id: string }[] }[];
  };
  const credential_id = identities.find(({ name }) => name === 'bob')?.credentials[0]?.id;
  const { body } = await service.call('POST', '/task', { action_id: 'mine', params: {}, credential_id });
  await service.finished(body.job_id);
  const run = await browser.get(`/console/runs/${body.job_id}`);
  expect(JSON.parse(run.$('#mcp-call').text()).arguments).toMatchObject({ identity: credential_id });
  expect(run.$('#command-line').text()).toContain(`"identity":"${credential_id}"`);
  expect(run.$('#curl').text()).toContain(`"credential_id":"${credential_id}"`);
  const again = run.$('a:contains("Run again")').attr('href') ?? '';
  const chosen = async () => (await browser.get(again)).$('#credential option[selected]').text();
  expect(await chosen()).toBe('bob');

  const row = (await browser.get('/connect/site')).$('tr:contains(bob) form[action$="/disconnect"] input');
  const fields = row.toArray().map((input) => [input.attribs.name ?? '', input.attribs.value ?? '']);
  expect((await browser.post('/connect/site/disconnect', Object.fromEntries(fields))).status).toBe(303);
  expect(await chosen()).toBe('Choose an account');
  const runPath = '/console/actions/mine/run';
  const confirm = await browser.submit(again, runPath, { step: 'confirm', credential_id: '' });
  const csrf_token = confirm.$('input[name=csrf_token]').attr('value') ?? '';
  const price = confirm.$('input[name=price]').attr('value') ?? '';
  const refused = await browser.post(runPath, { csrf_token, price, step: 'run', credential_id: '' });
  expect(refused.$('[role=alert]').text()).toContain('needs a signed-in account');
});
