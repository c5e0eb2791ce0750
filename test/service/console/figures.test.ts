/** What the console says of sums and lists: each thing by itself, and what is left out. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Browser, openBrowser } from '../../support/console.ts';
import {
  action,
  catalog,
  type Json,
  sourceOf,
  startTestService,
  type TestService,
  withDatabase,
} from '../../support/service.ts';

const sites = Array.from({ length: 203 }, (_, index) =>
  catalog({
    slug: `site${index}`,
    auth_types: ['browser_state'],
    actions: [action({ action_id: `site${index}_list` })],
  }),
);
const shop = catalog({
  slug: 'shop',
  actions: [
    action({ action_id: 'one', name: 'List books', credits_per_call: 2 }),
    action({ action_id: 'two', name: 'List books', credits_per_call: 3 }),
    action({ action_id: 'three', name: 'Builds', credits_per_call: 0 }),
  ],
});

let service: TestService;
let browser: Browser;
let data: Json = {};
beforeEach(async () => {
  const runner = { run: async () => ({ data }) };
  service = await startTestService({ catalogs: sourceOf(shop, ...sites), runner });
  browser = openBrowser(service.baseUrl);
  await browser.signIn(service.apiKey);
});
afterEach(() => service.close());

async function run(action_id: string): Promise<string> {
  const { body } = await service.call('POST', '/task', { action_id, params: {} });
  await service.finished(body.job_id);
  return String(body.job_id);
}

it('credits are summed by action, not by its name; a run counts once, also one that is paid at its end', async () => {
  const idle = await browser.get('/console/usage');
  expect(idle.$('figcaption').text()).toBe('');
  expect(idle.$('main').text()).toContain('No credits were spent in the last 30 days.');
  await run('one');
  await run('two');
  const job_id = await run('three');
  await withDatabase(service, async ({ query }) => {
    const { user_id } = await query.selectFrom('jobs').select('user_id').executeTakeFirstOrThrow();
    const created_at = Date.now();
    const entry = { id: 'settled', user_id, job_id, kind: 'settlement', amount: -5, created_at } as const;
    await query.insertInto('ledger').values(entry).execute();
  });
  const { $ } = await browser.get('/console/usage');
  const rows = $('table[aria-label="Credits by action"] tbody tr').toArray();
  expect(rows.map((row) => $(row).text())).toEqual(['Builds15', 'List books13', 'List books12']);
});

it('a result says how many columns and members it has, whether rows are missing, and offers CSV where there is one', async () => {
  const wide = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`column_${index}`, index]));
  const beside = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`member_${index}`, index]));
  data = { rows: [wide], ...beside };
  const whole = await browser.get(`/console/runs/${await run('one')}`);
  expect(whole.$('main').text()).toContain('the first 12 of 80 columns');
  expect(whole.$('details:contains("Beside the rows")').text()).toContain('and 2 more');
  expect(whole.$('a:contains(CSV)')).toHaveLength(1);
  expect(whole.$('main').text()).not.toContain('does not hold all rows');
  for (const part of [{ has_more: true }, { missing: ['Page 2 could not be read.'] }]) {
    data = { rows: [wide], ...part };
    const { $ } = await browser.get(`/console/runs/${await run('one')}`);
    expect($('p.pages').first().text()).toContain('does not hold all rows');
  }
  data = { rows: [wide], shops: [{ name: 'a' }] };
  expect((await browser.get(`/console/runs/${await run('one')}`)).$('a:contains(CSV)')).toHaveLength(0);
});

it('sites beyond those that are listed are counted', async () => {
  const { $ } = await browser.get('/console/accounts');
  expect($('tbody tr')).toHaveLength(200);
  expect($('main').text()).toContain('and 3 more sites');
});
