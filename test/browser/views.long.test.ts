/** The views of results in Chromium, in a host on the official bridge. Needs `dist/`: `npm test` builds it first. */
import { afterAll, describe, expect, it } from 'vitest';
import { closeBrowser, hasBrowser } from '../support/browser.ts';
import { allCapabilities, type OpenView, openView, type ViewOptions } from '../support/views.ts';

afterAll(closeBrowser);

/** Where screenshots are wanted, for people to look at. */
const screenshots = process.env.SVC_TEST_PICTURES;
async function screenshot({ page }: OpenView, name: string): Promise<void> {
  if (screenshots !== undefined) await page.screenshot({ path: `${screenshots}/${name}.png` });
}

const run = {
  status: 'completed',
  job_id: 'j1',
  account: 'work',
  credits_used: 3,
  execution_ms: 1840,
  completed_at: '2026-11-22T10:00:00Z',
};
const book = (index: number) => ({
  title: `Book ${index}`,
  price: (index * 7919) % 10_000,
  published: new Date(Date.UTC(2020, 0, 1 + (index % 2_000))).toISOString().slice(0, 10),
  url: `https://books.example.com/${index}`,
});
const books = (count: number) => Array.from({ length: count }, (_, index) => book(index));

const text = (view: OpenView, selector: string) => view.frame.locator(selector).allTextContents();
const firstCells = (view: OpenView) => text(view, 'tbody tr td:first-child');

describe.skipIf(!hasBrowser)('the view of a result', () => {
  it('loads the whole result, then pages, sorts and filters 10,000 rows', async () => {
    const whole = { ...run, data: { count: 10_000, books: books(10_000) } };
    const view = await openView('result', {
      input: { action_id: 'books_list' },
      result: {
        ...run,
        truncated: { total_chars: 900_000, rows_shown: 20, rows_total: 10_000, resource: 'svc://jobs/j1' },
        data: { count: 10_000, books: books(20) },
      },
      resources: { 'svc://jobs/j1': JSON.stringify(whole) },
    });
    const { frame } = view;
    await frame.getByText('20 of 10000 rows are here').waitFor();
    await frame.getByRole('button', { name: 'Load all' }).click();
    await frame.getByText('10000 rows').waitFor();
    expect(await view.asked()).toEqual([{ kind: 'resource', uri: 'svc://jobs/j1' }]);
    expect(await text(view, '.facts dd')).toEqual([
      'books_list',
      '3 credits',
      'work',
      '22 Nov 2026, 10:00 UTC',
      '1.8 s',
    ]);

    await frame.getByRole('button', { name: 'Next' }).click();
    expect((await firstCells(view))[0]).toBe('Book 50');
    await frame.getByRole('button', { name: 'price' }).click();
    const prices = books(10_000)
      .map(({ price }) => price)
      .sort((one, other) => one - other);
    expect(await text(view, 'td.number')).toEqual(prices.slice(0, 50).map(String));
    await frame.getByRole('button', { name: 'price' }).click();
    expect((await text(view, 'td.number'))[0]).toBe(String(prices.at(-1)));
    expect(await frame.locator('th[aria-sort="descending"]').count()).toBe(1);
    await frame.getByRole('searchbox').fill('book 999');
    await frame.getByText('11 of 10000 rows').waitFor();
    expect(view.incidents).toEqual([]);
  });

  it('takes less than 200 ms a step with 10,000 rows', async () => {
    const view = await openView('result', { result: { ...run, data: books(10_000) } });
    await view.frame.getByText('10000 rows').waitFor();
    // The slowest step of the best round: other work of the machine, which may disturb many rounds, is not the view's.
    const limit = 200;
    const best = await view.frame.evaluate((limit) => {
      const { document, Event } = Object(globalThis);
      const time = (step: () => void) => {
        const start = performance.now();
        step();
        // Reading the height makes the browser lay out what changed.
        document.body.getBoundingClientRect();
        return performance.now() - start;
      };
      const rounds = (...steps: (() => void)[]) => {
        let best = Number.POSITIVE_INFINITY;
        for (let round = 0; round < 10 && best >= limit; round += 1)
          best = Math.min(best, Math.max(...steps.map((step) => time(step))));
        return best;
      };
      const press = (selector: string) => () => document.querySelector(selector).click();
      const filter = document.querySelector('input[type=search]');
      const type = (wanted: string) => () => {
        filter.value = wanted;
        filter.dispatchEvent(new Event('input'));
      };
      const [next, previous] = [press('.paging button:last-child'), press('.paging button:first-child')];
      const [numbers, texts] = [press('th:nth-child(2) button'), press('th:nth-child(1) button')];
      return {
        page: rounds(next, previous),
        sortNumbers: rounds(numbers, numbers, numbers),
        sortTexts: rounds(texts, texts, texts),
        filter: rounds(type('book 9'), type('2024'), type('')),
      };
    }, limit);
    if (screenshots !== undefined) process.stdout.write(`${JSON.stringify(best)}\n`);
    for (const [step, ms] of Object.entries(best)) expect(ms, step).toBeLessThan(limit);
  });

  it('shows hostile data as text, and opens only addresses of the web, by the host', async () => {
    const bidi = '\u202Egpj.exe';
    const view = await openView('result', {
      result: {
        ...run,
        account: '<img src=x onerror=alert(1)>',
        data: [
          {
            name: '<script>alert(1)</script><img src="https://evil.example/x.png" onerror="alert(2)">',
            link: 'javascript:alert(3)',
            other: 'data:text/html,<script>alert(4)</script>',
            user: 'https://bank.example@evil.example/',
            good: 'https://books.example.com/a.png',
            [bidi]: bidi,
            huge: 'x'.repeat(2_000_000),
            __proto__x: { deep: [[[['<b>']]]] },
            '<svg onload=alert(5)>': 'onclick=alert(6)',
          },
          { name: 'ok', constructor: 1, toString: 2 },
        ],
      },
    });
    const { frame } = view;
    await frame.getByText('2 rows').waitFor();
    expect(
      await frame.locator('img, script:not(:first-of-type), svg, iframe, [onerror], [onload]').count(),
    ).toBe(0);
    expect(
      await frame.locator('td a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
    ).toEqual(['https://books.example.com/a.png']);
    expect((await frame.locator('main').textContent())?.includes('\u202E')).toBe(false);
    expect((await frame.locator('main').textContent())?.length).toBeLessThan(60_000);
    await frame.locator('td a').click();
    await expect.poll(() => view.asked()).toEqual([{ kind: 'link', url: 'https://books.example.com/a.png' }]);
    for (const summary of await frame.locator('summary').all()) await summary.click();
    await frame.getByRole('searchbox').fill('<script>');
    await frame.getByText('1 of 2 rows').waitFor();
    expect(view.incidents).toEqual([]);
    await screenshot(view, 'hostile');
  });

  it('shows a page with its text as it is set, and folds the same text in a table', async () => {
    const main = `# Tides\n\n- high: *6 m*\n${'- low\n'.repeat(40)}`;
    const view = await openView('result', { result: { ...run, data: { title: 'Tides', main } } });
    const whole = view.frame.locator('.tree .whole');
    await whole.waitFor();
    expect((await whole.innerText()).trimEnd()).toBe(main.trimEnd());
    const table = await openView('result', { result: { ...run, data: [{ title: 'Tides', main }] } });
    await table.frame.getByText('1 row').waitFor();
    expect(await table.frame.locator('.whole').isVisible()).toBe(false);
    expect([...view.incidents, ...table.incidents]).toEqual([]);
    await screenshot(view, 'page');
  });

  it('hands downloads to the host, without cells that spreadsheets run as formulas', async () => {
    const data = [{ a: '=1+1', b: -5, c: '@x', d: '+1', e: '-1', f: 'a "b", c' }];
    const view = await openView('result', { result: { ...run, data } });
    await view.frame.getByRole('button', { name: 'CSV' }).click();
    await view.frame.getByText('Saved.').waitFor();
    await view.frame.getByRole('button', { name: 'JSON' }).click();
    await expect.poll(async () => (await view.asked()).length).toBe(2);
    const [csv, json] = (await view.asked()).map(({ contents }) => Object(contents)[0].resource);
    expect(csv).toMatchObject({
      mimeType: 'text/csv',
      text: `a,b,c,d,e,f\r\n'=1+1,-5,'@x,'+1,'-1,"a ""b"", c"\r\n`,
    });
    expect(JSON.parse(json.text)).toEqual(data);
  });

  it('shows the state of a job, polls it again, and shows an error with its next step', async () => {
    const view = await openView('result', {
      result: { status: 'processing', job_id: 'j1', next: 'Call get_job.' },
      tools: {
        get_job: {
          status: 'failed',
          job_id: 'j1',
          credits_used: 0,
          error: { code: 'EXECUTION_FAILED', message: 'The site is down' },
          next: 'Try later.',
        },
      },
    });
    await view.frame.getByRole('button', { name: 'Look again' }).click();
    await view.frame.getByText('The site is down').waitFor();
    expect(await text(view, '.message')).toEqual(['The run failedThe site is downTry later.']);
    expect(await view.asked()).toEqual([
      { kind: 'tool', name: 'get_job', args: { job_id: 'j1', wait_seconds: 20 } },
    ]);
  });

  it('offers a person who must sign in the page for it', async () => {
    const loginUrl = 'http://127.0.0.1:4000/sign-in/abc';
    const view = await openView('result', {
      result: {
        status: 'error',
        error: {
          code: 'AUTH_REQUIRED',
          message: 'The service refused (AUTH_REQUIRED): "This action needs a signed-in account"',
          login_url: loginUrl,
        },
        next: 'Give the user login_url to open and sign in there; when they have, repeat this call.',
      },
    });
    await view.frame.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => view.asked()).toEqual([{ kind: 'link', url: loginUrl }]);
    expect(await text(view, '.message h2')).toEqual(['A sign-in is needed']);
    expect((await text(view, '.message')).join()).not.toContain('Give the user');
    await screenshot(view, 'sign-in');
  });

  it('lists what is wrong with each param', async () => {
    const view = await openView('result', {
      result: {
        status: 'error',
        error: {
          code: 'INVALID_PARAMS',
          message: 'The params do not match the schema of shop_list; see issues. Nothing was sent.',
          issues: [
            { path: 'max_pages', message: 'max_pages: at most 5' },
            { path: 'colour', message: 'is not an argument', allowed: ['select', 'category'] },
          ],
        },
        next: 'Correct the params listed in issues and call again.',
      },
    });
    await view.frame.getByText('max_pages: at most 5').waitFor();
    expect(await text(view, '.message li')).toEqual([
      'max_pages: at most 5',
      'colour is not an argument (allowed: select, category)',
    ]);
    await screenshot(view, 'issues');
  });

  it('works by keyboard and without capabilities of the host', async () => {
    const view = await openView('result', { result: { ...run, data: books(60) }, capabilities: {} });
    await view.frame.getByText('60 rows').waitFor();
    await view.frame.getByRole('searchbox').focus();
    await view.page.keyboard.press('Tab');
    await view.page.keyboard.press('Tab');
    await view.page.keyboard.press('Enter');
    expect(await view.frame.locator('th[aria-sort="ascending"]').textContent()).toBe('Title');
    await view.frame.getByText('Chart').press('Enter');
    expect(await view.frame.locator('svg polyline').count()).toBe(1);
    expect(await view.frame.locator('svg').getAttribute('aria-label')).toContain(
      'from 2020-01-01 to 2020-02-29',
    );
  });
});

const preview: ViewOptions = {
  input: { website_url: 'https://shop.example.com', goal: 'List the books', preview: true },
  result: {
    page: { title: 'A shop <b>', url: 'https://shop.example.com' },
    candidates: [
      {
        id: 't1',
        kind: 'repeated records',
        about: 'Books',
        rows: 20,
        columns: [
          {
            id: 'c1',
            label: 'Title',
            kind: 'text',
            samples: ['Around the World', 'Twenty Thousand Leagues'],
          },
          { id: 'c2', label: 'Price (£)', kind: 'number', samples: ['12.50', '8.00'] },
        ],
      },
      {
        id: 't2',
        kind: 'table',
        rows: 4,
        columns: [{ id: 'c9', label: 'Opening hours', kind: 'text', samples: ['9-17'] }],
      },
    ],
    next: 'Put the columns …',
  },
};

describe.skipIf(!hasBrowser)('the view of a build', () => {
  it('sends the columns that a person picked and named to the conversation', async () => {
    const view = await openView('build', preview);
    const { frame } = view;
    await frame.getByRole('button', { name: 'Opening hours' }).click();
    await frame.getByRole('button', { name: 'Title' }).click();
    await frame.getByRole('button', { name: 'Price (£)' }).click();
    await frame.getByRole('textbox', { name: 'Price' }).fill('cost');
    await screenshot(view, 'build-light');
    await frame.getByRole('button', { name: 'Send this choice' }).click();
    await frame.getByText('Sent to the conversation.').waitFor();
    const [{ content } = { content: [] }] = await view.asked();
    const said: string = Object(content)[0].text;
    expect(JSON.parse(said.slice(said.indexOf('{')))).toEqual({
      website_url: 'https://shop.example.com',
      goal: 'List the books',
      choose: { candidate: 't1', fields: { title: 'c1', cost: 'c2' } },
    });
    expect(view.incidents).toEqual([]);
  });
});

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
const usage: ViewOptions = {
  result: {
    today: { spent: 12, budget_left: 38, resets_at: '2026-11-23T00:00:00Z' },
    by_action: [
      { action_id: 'shop-list', last_costs: [3, 3], runs: 9, spent: 27, spent_today: 12 },
      { build_for: 'https://shop.example.com', runs: 1, spent: 100, spent_today: 0 },
    ],
    by_day: [
      { day: day(0), runs: 4, spent: 12 },
      { day: day(3), runs: 5, spent: 15 },
      { day: day(8), runs: 1, spent: 100 },
    ],
    balance: 873,
    balance_at: '2026-11-22T10:00:00Z',
  },
};

describe.skipIf(!hasBrowser)('the view of usage', () => {
  it('shows credits by day and by action, and what is left', async () => {
    const view = await openView('usage', usage);
    await view.frame.getByRole('heading', { name: 'Credits by action' }).waitFor();
    expect(await text(view, '.facts dd')).toEqual([
      '12 credits',
      '38 credits',
      '23 Nov 2026, 00:00 UTC',
      '873 credits',
      '22 Nov 2026, 10:00 UTC',
    ]);
    expect(await view.frame.locator('svg rect').count()).toBe(30);
    expect(await firstCells(view)).toEqual(['shop-list', 'Build for https://shop.example.com']);
    expect(view.incidents).toEqual([]);
  });
});

const told = {
  watch_id: 'watch-1',
  changes: [
    {
      ...{
        seq: 1,
        at: '2026-11-22T10:00:00Z',
        kind: 'changed',
        summary: '1 row added, price changed in 1 row; 4 rows now.',
      },
      ...{ added: [book(4)], removed: [], more: 2 },
      changed: [{ key: 'https://books.example.com/1', field: 'price', before: 10, after: 9 }],
    },
    {
      ...{
        seq: 2,
        at: '2026-11-22T11:00:00Z',
        kind: 'needs_person',
        summary: 'The price rose to 3 credits.',
      },
      ...{ added: [], removed: [], changed: [] },
    },
  ],
  ...{ next_after: 2, state: 'needs_person', next_run_at: null, credits_used: 8, missed: 3 },
};

describe.skipIf(!hasBrowser)('the view of watches', () => {
  it('lists them with their problems, and opens what one told, the newest first', async () => {
    const watch = { action_id: 'shop-list', params: {}, every: '1h', changes: 1, credits_used: 8 };
    const view = await openView('watches', {
      result: {
        watches: [
          {
            ...{ ...watch, watch_id: 'watch-0', state: 'active', params: { q: 'boats' } },
            next_run_at: '2026-11-22T12:00:00Z',
            last_run: { outcome: 'unknown', at: '2026-11-22T11:00:00Z', message: 'Nobody knows.' },
          },
          {
            ...{ ...watch, action_id: '<b>other</b>', watch_id: 'watch-1', next_run_at: null, unread: 2 },
            ...{
              state: 'needs_person',
              error: { code: 'PRICE_CHANGED', message: 'It costs 3 credits now.' },
              next: 'Call watch to resume it.',
            },
          },
        ],
      },
      tools: { list_watches: told },
    });
    const { frame } = view;
    await frame.getByText('<b>other</b>: It costs 3 credits now. Call watch to resume it.').waitFor();
    await frame
      .getByText(/^shop-list .*: Its last run .*11:00.* brought no version, unknown: Nobody/)
      .waitFor();
    await frame.getByRole('button', { name: 'What shop-list {"q":"boats"} told' }).waitFor();
    expect(await text(view, 'tbody tr td:nth-child(2)')).toEqual(['active', 'needs person']);
    await frame.getByRole('button', { name: 'What <b>other</b> told' }).click();
    await frame.getByText('2 more are not shown.').waitFor();
    expect(await view.asked()).toEqual([
      { kind: 'tool', name: 'list_watches', args: { watch_id: 'watch-1' } },
    ]);
    expect(await text(view, 'h2')).toEqual([
      'needs person',
      '1 row added, price changed in 1 row; 4 rows now.',
    ]);
    expect(await text(view, '.facts dd')).toEqual(['needs person', '8 credits', '3']);
    expect(view.incidents).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)('a view', () => {
  it('follows its host: theme, colors, room, a cancel and its end', async () => {
    const view = await openView('result', { result: { ...run, data: books(3) } });
    const { frame, page } = view;
    await frame.getByText('3 rows').waitFor();
    const heightOf = () => page.evaluate(() => Number(Reflect.get(globalThis, 'viewHeight')));
    await expect.poll(heightOf).toBeGreaterThan(100);
    const pageHeight = await frame.evaluate(() => Object(globalThis).document.body.scrollHeight);
    expect(Math.abs((await heightOf()) - pageHeight)).toBeLessThan(40);

    const ofHost = (body: string) => page.evaluate(`(async () => { const { bridge } = window; ${body} })()`);
    await ofHost(
      `await bridge.sendHostContextChange({ theme: 'dark', styles: { variables: { '--color-text-primary': 'rgb(1, 2, 3)' } }, safeAreaInsets: { top: 7, right: 0, bottom: 0, left: 0 } })`,
    );
    const looks = () =>
      frame.evaluate(() => {
        const { document } = Object(globalThis);
        const { dataset, style } = document.documentElement;
        const color = style.getPropertyValue('--color-text-primary');
        return [dataset.theme, style.colorScheme, color, document.body.style.paddingTop];
      });
    await expect.poll(looks).toEqual(['dark', 'dark', 'rgb(1, 2, 3)', '7px']);

    // Another result of the same call takes the place of the first, at its own height.
    const before = await heightOf();
    await ofHost(`await bridge.sendToolResult({ content: [{ type: 'text', text: '{"data":[]}' }] })`);
    await expect.poll(heightOf).toBeLessThan(before);
    await ofHost(`await bridge.sendToolCancelled({ reason: 'stopped' })`);
    await frame.getByText('The call was cancelled.').waitFor();
    expect(await ofHost('return bridge.teardownResource({})')).toEqual({});
    expect(view.incidents).toEqual([]);
  });

  it('believes nobody but its host, and refuses what it does not offer', async () => {
    const view = await openView('result', { result: { ...run, data: books(3) } });
    await view.frame.getByText('3 rows').waitFor();
    const answers = await view.page.evaluate(async () => {
      const { document, window } = Object(globalThis);
      const frame = document.querySelector('iframe').contentWindow;
      const result = { jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: { content: [] } };
      // A frame beside the view.
      const other = document.createElement('iframe');
      document.body.append(other);
      other.contentWindow.eval(`window.send = (frame, message) => frame.postMessage(message, '*')`);
      other.contentWindow.send(frame, result);
      const heard: unknown[] = [];
      window.addEventListener('message', ({ data }: { data: { id?: unknown } }) => {
        if (typeof data.id === 'string') heard.push(data);
      });
      for (const message of [
        null,
        'text',
        [],
        { ...result, jsonrpc: '1.0' },
        { jsonrpc: '2.0', method: 'constructor', params: null },
        { jsonrpc: '2.0', id: 99, result: {} },
        { jsonrpc: '2.0', id: 'a', method: 'tools/call', params: {} },
        { jsonrpc: '2.0', id: 'b', method: 'ping' },
      ])
        frame.postMessage(message, '*');
      while (heard.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
      return heard;
    });
    expect(answers).toEqual([
      { jsonrpc: '2.0', id: 'a', error: { code: -32601, message: 'Method not found' } },
      { jsonrpc: '2.0', id: 'b', result: {} },
    ]);
    expect(await text(view, 'tbody tr td:first-child')).toEqual(['Book 0', 'Book 1', 'Book 2']);
    expect(view.incidents).toEqual([]);
  });
});

describe.skipIf(!hasBrowser).each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  const views: [name: 'result' | 'build' | 'usage' | 'watches', ViewOptions][] = [
    [
      'result',
      {
        result: {
          ...run,
          data: {
            count: 60,
            books: books(60).map((one) => ({ ...one, note: 'A long text '.repeat(20), tags: ['a', 'b'] })),
          },
        },
      },
    ],
    ['build', preview],
    ['usage', usage],
    ['watches', { result: told }],
  ];
  it.each(views)('the %s view fits 320 pixels and has enough contrast', async (name, options) => {
    for (const width of [320, 900]) {
      const view = await openView(name, { ...options, theme, width, capabilities: allCapabilities });
      await view.frame.locator('.facts').waitFor();
      if (name === 'result' && width === 900) await view.frame.getByText('Chart').click();
      const page = await view.frame.evaluate(() => {
        const { document } = Object(globalThis);
        const style = Object(globalThis).getComputedStyle(document.body);
        return {
          wide: document.documentElement.scrollWidth,
          color: style.color,
          ground: style.backgroundColor,
        };
      });
      expect(page.wide).toBeLessThanOrEqual(width);
      expect(contrast(page.color, page.ground)).toBeGreaterThan(7);
      expect(luminance(page.ground) < 0.5).toBe(theme === 'dark');
      await screenshot(view, `${name}-${theme}-${width}`);
      expect(view.incidents).toEqual([]);
    }
  });
});

/** Of WCAG 2. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map((part) => {
    const value = Number(part) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
