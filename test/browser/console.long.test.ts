/** The console in a real browser: the way of a person, without scripts of ours, by day, by night and on a phone. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import type { BrowserContextOptions, Cookie, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { practiceCatalogs } from '../../src/practice/catalogs.ts';
import { startPracticeSites } from '../../src/practice/sites/practice-sites.ts';
import { LoginRunner } from '../../src/service/accounts/login-runner.ts';
import { createBuilder } from '../../src/service/builder/builder.ts';
import { createCatalogSource } from '../../src/service/catalog/source.ts';
import { Fetcher } from '../../src/service/fetch/fetcher.ts';
import { RecipeRunner } from '../../src/service/recipes/runner.ts';
import { closeBrowser, hasBrowser, openPage } from '../support/browser.ts';
import { analysisPool, parsePool } from '../support/page-pools.ts';
import { practiceAt } from '../support/practice.ts';
import {
  action,
  addTestUser,
  catalog,
  gate,
  importOf,
  startTestService,
  type TestService,
} from '../support/service.ts';

/** Where pictures for people are wanted. */
const pictures = process.env.SVC_TEST_PICTURES;

const closers: (() => Promise<unknown> | undefined)[] = [];
let service: TestService;
/** The practice site with a table of weather stations. */
let stations: string;

beforeAll(async () => {
  if (!hasBrowser) return;
  if (pictures !== undefined) await mkdir(pictures, { recursive: true });
  const sites = await startPracticeSites();
  closers.push(() => sites.close());
  const fetcher = new Fetcher({ allowOrigins: [sites.origin] });
  closers.push(() => fetcher.close());
  const logger = pino({ level: 'silent' });
  const catalogs = await createCatalogSource({ further: practiceCatalogs(), logger });
  closers.push(() => catalogs.close());
  const runner = new RecipeRunner({ fetcher, parsePool });
  const logins = new LoginRunner({ fetcher, parsePool });
  const forum = catalog({
    slug: 'forum',
    name: 'A forum with a long name, for people who talk a lot',
    auth_types: ['browser_state'],
    auth_login_url: 'https://www.forum.example/login',
    actions: [action({ action_id: 'forum_threads', auth_mode: 'required' })],
  });
  const source = { ...catalogs, current: () => [...catalogs.current(), importOf(forum)] };
  const builder = createBuilder({ fetcher, runner, pool: analysisPool });
  stations = practiceAt(sites.origin).find(({ slug }) => slug === 'stations')?.url ?? '';
  service = await startTestService({
    ...{ catalogs: source, runner, logins, builder },
    practiceUrl: sites.origin,
    allowedOrigins: [sites.origin],
  });
  closers.push(() => service.close());
  closers.push(closeBrowser);
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

/** A page that fails the test for anything the content policy refuses, any script and any error of the server. */
async function openConsole(options: BrowserContextOptions = {}): Promise<{ page: Page; problems: string[] }> {
  const page = await openPage({ javaScriptEnabled: false, ...options });
  page.setDefaultTimeout(10_000);
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(service.baseUrl)) problems.push(`asked for ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 500) problems.push(`${response.status()} ${response.url()}`);
  });
  return { page, problems };
}

async function signIn(
  page: Page,
  { baseUrl, apiKey }: Pick<TestService, 'baseUrl' | 'apiKey'> = service,
): Promise<void> {
  await page.goto(baseUrl);
  await page.getByLabel('API key').fill(apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

async function picture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

describe.skipIf(!hasBrowser)('a person', () => {
  it('follows connect_url, signs in, mistypes the password, connects, and sees the job and the ledger', async () => {
    const { page, problems } = await openConsole();
    const refused = await service.call('POST', '/task', { action_id: 'members_orders', params: {} });
    const { connect_url } = refused.body.error as { connect_url: string };

    await page.goto(service.baseUrl + connect_url);
    await page.getByLabel('API key').fill('svc_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('API key is not valid');
    await picture(page, 'sign-in-wrong');
    await page.getByLabel('API key').fill(service.apiKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page
      .getByRole('heading', { name: 'Connect an account: Riverside Rowing Club (practice)' })
      .waitFor();
    await picture(page, 'connect');

    await page.getByLabel('Username').fill('demo');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in to Riverside Rowing Club (practice)' }).click();
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('rejected the user name');
    expect(await page.title()).toMatch(/^Error: /);
    expect(await page.getByLabel('Username').inputValue()).toBe('demo');
    expect(await page.getByLabel('Password').inputValue()).toBe('');
    await picture(page, 'connect-wrong');
    await page.getByLabel('Password').fill('demo');
    await page.getByRole('button', { name: 'Sign in to Riverside Rowing Club (practice)' }).click();
    await expect.poll(() => page.getByRole('status').textContent()).toContain('demo is connected');
    await picture(page, 'connected');

    const { identities } = (await service.call('GET', '/identities')).body as {
      identities: { credentials: { id: string }[] }[];
    };
    const credential_id = identities[0]?.credentials[0]?.id;
    const task = await service.call('POST', '/task', {
      action_id: 'members_orders',
      credential_id,
      params: {},
    });
    const job = await service.finished(task.body.job_id);
    expect(job.status).toBe('completed');

    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('link', { name: /orders/i }).click();
    await page.getByRole('cell', { name: 'Oar grips, pair' }).waitFor();
    await picture(page, 'job');
    await page.getByRole('link', { name: 'Usage' }).click();
    await expect.poll(() => page.locator('.balance').textContent()).toBe('998 credits');
    await picture(page, 'ledger');

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    await page.goBack();
    expect(await page.getByText('998 credits').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it('runs an action after confirming its price, then sorts and filters its rows where scripts run', async () => {
    const { page, problems } = await openConsole({ javaScriptEnabled: true });
    await signIn(page);
    await page.goto(`${service.baseUrl}/console/actions/bookshop_list_books/run`);
    await picture(page, 'run-form');
    await page.getByRole('button', { name: 'Continue' }).click();
    await picture(page, 'run-confirm');
    await page.getByRole('button', { name: /^Run for/ }).click();
    // The page of a job that runs looks again by itself.
    await page.getByRole('searchbox').waitFor({ timeout: 20_000 });
    await picture(page, 'job-table');
    await page.getByRole('button', { name: 'title' }).click();
    const titles = await page.locator('tbody tr td:first-child').allTextContents();
    expect(titles).toEqual(
      [...titles].sort((one, other) =>
        one.localeCompare(other, undefined, { numeric: true, sensitivity: 'base' }),
      ),
    );
    await page.getByRole('searchbox').fill(titles[0] ?? '');
    await expect.poll(() => page.getByRole('status').textContent()).toContain('1 of ');
    await page.getByText('Copy as MCP call').click();
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByText(/^(Copied|Selected)/).waitFor();
    await page.getByRole('link', { name: 'Run again' }).click();
    await page.getByRole('button', { name: 'Continue' }).waitFor();
    expect(problems).toEqual([]);
  });

  it('looks at a page, chooses and names its columns, sees rows and builds the action', async () => {
    const { page, problems } = await openConsole();
    const builder = await addTestUser(service, `builder-${Date.now()}`, 100);
    await signIn(page, { ...service, apiKey: builder.headers['x-api-key'] ?? '' });
    await page.getByRole('link', { name: 'Builds', exact: true }).click();
    await page.getByRole('link', { name: 'Build a new action' }).click();
    await page.getByLabel('Address of the page').fill(stations);
    await page.getByRole('button', { name: 'Look at the page' }).click();
    await page.getByRole('checkbox', { name: /^Take/ }).first().check();
    await page
      .getByLabel(/^Name of/)
      .first()
      .fill('place');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '3 The first rows' }).waitFor();
    await page.getByRole('columnheader', { name: 'Place', exact: true }).waitFor();
    await page.getByLabel('What the action does').fill('Places with their weather');
    await page.getByRole('button', { name: 'Build for 25 credits' }).click();
    await page.getByRole('heading', { name: 'Builds' }).waitFor();
    await page.getByText('Published').waitFor({ timeout: 30_000 });
    await picture(page, 'built');
    expect(await page.getByText('75 credits').count()).toBe(1);
    expect(problems).toEqual([]);
  }, 60_000);

  it('follows a link from another site and is still signed in', async () => {
    const { page } = await openConsole();
    await signIn(page);
    await page.route('http://elsewhere.example/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<a href="${service.baseUrl}/connect/members">go</a>`,
      }),
    );
    await page.goto('http://elsewhere.example/');
    await page.getByRole('link', { name: 'go' }).click();
    await page.getByRole('heading', { name: /^Connect an account/ }).waitFor();
  });

  it('reaches everything by keyboard, the skip link first', async () => {
    const { page } = await openConsole({ javaScriptEnabled: true });
    await signIn(page);
    const focused = () => page.evaluate('document.activeElement.textContent.trim()');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to the content');
    const names: unknown[] = [];
    for (let count = 0; count < 10; count += 1) {
      await page.keyboard.press('Tab');
      names.push(await focused());
    }
    expect(names).toEqual([
      ...[
        'svc-mcp',
        'Sign out',
        'Overview',
        'Runs',
        'Actions',
        'Builds',
        'Accounts',
        'Usage',
        'Keys',
        'Users',
      ],
    ]);
    await page.goto(`${service.baseUrl}/connect/members`);
    await page.getByLabel('Username').fill('demo');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: /^Sign in to/ }).click();
    await page.getByRole('alert').waitFor();
    expect(await focused()).toContain('There is a problem');
  });
});

describe.skipIf(!hasBrowser)('a page that waits for a build', () => {
  it('is loaded again by itself, but not while something on it is open to be read', async () => {
    const { wait, open } = gate();
    const { actions: _, ...head } = catalog({ slug: 'other', url: 'https://other.example/', actions: [] });
    const waiting = await startTestService({
      builder: {
        async build({ goal }) {
          if (goal === 'waits') await wait();
          const sample = [{ title: 'First row' }];
          return { built: true, catalog: head, action: action({ action_id: `other_${goal}` }), sample };
        },
        preview: async () => ({ ok: false, errorType: 'NO_DATA_FOUND', message: 'No' }),
      },
    });
    closers.push(() => waiting.close());
    const ask = (goal: string) =>
      waiting.call('POST', '/build-request', { website_url: 'https://other.example/', goal, force: true });
    await ask('ends');
    await expect
      .poll(async () => JSON.stringify((await waiting.call('GET', '/build-requests')).body))
      .toContain('First row');
    await ask('waits');

    const page = await openPage();
    await page.clock.install();
    await signIn(page, waiting);
    await page.goto(`${waiting.baseUrl}/console/builds`);
    // The browser itself loads nothing again where scripts run.
    expect(await page.locator('meta[http-equiv=refresh]').count()).toBe(0);
    let loads = 0;
    page.on('load', () => {
      loads += 1;
    });
    const details = page.locator('details', { hasText: 'First row' });
    await details.locator('summary').click();
    await page.clock.runFor(20_000);
    expect([loads, await details.getAttribute('open')]).toEqual([0, '']);
    await details.locator('summary').click();
    const loaded = page.waitForEvent('load');
    await page.clock.runFor(5_000);
    await loaded;
    open();
    await expect
      .poll(async () => JSON.stringify((await waiting.call('GET', '/build-requests')).body))
      .not.toContain('pending');
  });
});

/** The operator has done a bit of everything; the ids of a run that completed and of one that failed. */
let busy: Promise<{ job: string; failed: string }> | undefined;
async function beBusy(): Promise<{ job: string; failed: string }> {
  const call = (path: string, body: unknown) => service.call('POST', path, body);
  const signedIn = await call('/login', {
    catalog_slug: 'members',
    params: { username: 'demo', password: 'demo' },
  });
  const { credential_id } = signedIn.body;
  const submitted = [
    await call('/task', { action_id: 'bookshop_list_books', params: {} }),
    await call('/task', { action_id: 'members_orders', credential_id, params: {} }),
    await call('/task', { action_id: 'bookshop_book_details', params: { book: 'no-such-book' } }),
  ];
  for (const { body } of submitted) await service.finished(body.job_id);
  const goal = 'List all products with prices';
  await call('/build-request', { website_url: 'https://www.example.com/', goal });
  await addTestUser(service, 'colleague', 500);
  const [job, , failed] = submitted.map(({ body }) => String(body.job_id));
  return { job: job ?? '', failed: failed ?? '' };
}

const pages = {
  overview: '/',
  runs: '/console/runs',
  'one action': '/console/runs?action=bookshop_list_books',
  actions: '/console/actions',
  action: '/console/actions/bookshop_book_details/run',
  builds: '/console/builds',
  'new action': '/console/builds/new',
  accounts: '/console/accounts',
  connect: '/connect/members',
  window: '/connect/forum',
  usage: '/console/usage',
  keys: '/console/keys',
  users: '/console/users',
  health: '/console/health',
} as const;

/** Notes each place that gets the focus, and how it shows that. */
const noteFocus = `addEventListener('focusin', ({ target }) => {
  const { left, right, top, bottom } = target.getBoundingClientRect();
  const { outlineStyle, outlineWidth } = getComputedStyle(target);
  const text = (target.ariaLabel || target.textContent || target.id).trim().slice(0, 40);
  const aside = target.closest('.scroll')?.scrollLeft ?? 0;
  const place = { left: left + aside, right: right + aside, top: top + scrollY, bottom: bottom + scrollY };
  if (noted.at(-1)?.target !== target)
    noted.push({ target, text, ...place, isShown: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 });
})`;

interface Stop {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly isShown: boolean;
}

/** Whether a place is behind another one for a reader: below it, right of it, or in the next column. */
const isBehind = (next: Stop, before: Stop): boolean => {
  const isAbove = next.bottom <= before.top + 1;
  const isBeside = !isAbove && next.top < before.bottom - 1;
  return isAbove ? next.left >= before.right - 1 : !isBeside || next.right > before.left + 1;
};

describe.skipIf(!hasBrowser).each([1280, 400])('at %i pixels', (width) => {
  it('the tabulator goes through each page as it is read, once, and shows where it is', async () => {
    const { page } = await openConsole({ javaScriptEnabled: true, viewport: { width, height: 800 } });
    busy ??= beBusy();
    const { job, failed } = await busy;
    await signIn(page);
    for (const path of [...Object.values(pages), `/console/runs/${job}`, `/console/runs/${failed}`]) {
      await page.goto(service.baseUrl + path);
      if (path.endsWith(job)) await page.getByRole('searchbox').waitFor();
      const count = Number(
        await page.evaluate(`noted = []; ${noteFocus}; document.activeElement.blur();
          document.querySelector('.skip').focus({ focusVisible: true });
          [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]')]
            .filter((one) => one.checkVisibility()).length`),
      );
      // A field for a date has several stops of its own.
      const fields = await page.locator('input[type=date]').count();
      for (let pressed = 1; pressed < count + 4 * fields; pressed += 1) await page.keyboard.press('Tab');
      const all = (await page.evaluate('noted.map(({ target, ...one }) => one)')) as Stop[];
      const stops = all.slice(0, count);
      expect([path, stops.length]).toEqual([path, count]);
      expect([path, stops.filter(({ isShown }) => !isShown).map(({ text }) => text)]).toEqual([path, []]);
      const wrong = stops.flatMap((stop, index) => {
        const before = stops[index - 1];
        return before === undefined || isBehind(stop, before) ? [] : [[before.text, stop.text]];
      });
      expect([path, wrong]).toEqual([path, []]);
    }
  }, 120_000);
});

/** Of the first look's sign-in: a client may sign in ten times a minute. */
let cookies: Cookie[] | undefined;

describe.skipIf(!hasBrowser).each([
  ['light', { colorScheme: 'light', viewport: { width: 1280, height: 800 } }],
  ['dark', { colorScheme: 'dark', viewport: { width: 1280, height: 800 } }],
  ['phone', { colorScheme: 'light', viewport: { width: 400, height: 740 }, isMobile: true, hasTouch: true }],
  [
    'dark phone',
    { colorScheme: 'dark', viewport: { width: 400, height: 740 }, isMobile: true, hasTouch: true },
  ],
] as const)('%s', (look, options) => {
  it('every page fits its width, is named, readable, reachable and high enough for a finger', async () => {
    const { page, problems } = await openConsole({ ...options, javaScriptEnabled: true });
    busy ??= beBusy();
    const { job, failed } = await busy;
    await page.goto(service.baseUrl);
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('api-key');
    await picture(page, `${look}-sign-in`);
    if (cookies === undefined) await signIn(page);
    else await page.context().addCookies(cookies);
    cookies ??= await page.context().cookies();
    const steps = ['Look at the page', 'Show the first rows'];
    let headerAt: unknown;
    for (const [name, path] of [
      ...Object.entries({ ...pages, run: `/console/runs/${job}`, failed: `/console/runs/${failed}` }),
      ...steps.map((step) => [step, undefined] as const),
    ]) {
      if (path !== undefined) await page.goto(service.baseUrl + path);
      else {
        const address = page.getByLabel('Address of the page');
        if (name === steps[0]) await page.goto(`${service.baseUrl}/console/builds/new`);
        if (name === steps[0]) await address.fill(stations);
        await page
          .getByRole('button', { name: new RegExp(`^${name}`) })
          .first()
          .click();
        await page.waitForLoadState();
      }
      if (['action', 'new action', 'connect'].includes(name))
        await expect
          .poll(async () => [name, await page.evaluate('document.activeElement.tagName')])
          .toEqual([name, 'INPUT']);
      const header = await page.evaluate(
        "JSON.stringify([...document.querySelectorAll('.brand, .bar nav a')].map((one) => [one.offsetLeft, one.offsetTop]))",
      );
      headerAt ??= header;
      expect([name, header]).toEqual([name, headerAt]);
      await picture(page, `${look}-${name}`);
      const found = await page.evaluate(`({
        sideways: Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth),
        headings: document.querySelectorAll('h1').length,
        landmarks: ['header', 'nav', 'main'].filter((one) => document.querySelector(one) === null),
        unnamed: [...document.querySelectorAll('input:not([type=hidden]), textarea')].filter((one) => one.labels.length === 0 && one.ariaLabel === null).length,
        // A link within a sentence is as high as its line.
        low: [...document.querySelectorAll('a:not(.skip), button, summary, select, input:not([type=hidden], [type=checkbox])')]
          .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 24)
          .filter((one) => one.parentElement.textContent.trim() === one.textContent.trim() || one.localName !== 'a')
          .map((one) => one.outerHTML.slice(0, 80)),
        order: document.querySelectorAll('[tabindex]:not([tabindex="0"], [tabindex="-1"])').length,
        cut: [...document.querySelectorAll('.scroll.cards, .card, main')].filter((one) => one.scrollWidth > one.clientWidth + 1)
          .map((one) => one.outerHTML.slice(0, 80)),
        // A column too narrow for its texts makes rows of one letter a line.
        tall: [...document.querySelectorAll('.records tbody tr, .tools + .scroll tbody tr')].filter((one) => one.offsetHeight > 160).length,
        heads: [...document.querySelectorAll('thead th')].filter((one) => one.scope !== 'col').length,
        ids: [...document.querySelectorAll('[id]')].length - new Set([...document.querySelectorAll('[id]')].map((one) => one.id)).size,
        pale: [...document.querySelectorAll('p, a, h1, h2, h3, th, td, dt, dd, label, button, summary, .tag, .hint, .quiet')].filter((one) => {
          const channels = (text) => text.match(/[\\d.]+/g).map(Number);
          const luminance = (color) => channels(color).slice(0, 3)
            .map((value) => value / 255).map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
            .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
          let ground = one;
          while (ground !== null && channels(getComputedStyle(ground).backgroundColor)[3] === 0) ground = ground.parentElement;
          const pair = [getComputedStyle(one).color, ground === null ? 'rgb(255, 255, 255)' : getComputedStyle(ground).backgroundColor]
            .map(luminance).sort((a, b) => b - a);
          return (pair[0] + 0.05) / (pair[1] + 0.05) < 4.5;
        }).map((one) => one.outerHTML.slice(0, 80)),
      })`);
      expect([name, found]).toEqual([
        name,
        {
          sideways: 0,
          headings: 1,
          landmarks: [],
          unnamed: 0,
          tall: 0,
          heads: 0,
          ids: 0,
          pale: [],
          low: [],
          order: 0,
          cut: [],
        },
      ]);
    }
    expect(problems).toEqual([]);
  });
});
