/** Actions whose pages need a browser, through the spawned program and its own service. Needs `dist/` and Chromium. */
import { readdir, readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { hasBrowser } from '../support/browser.ts';
import { connectProgram, endPrograms } from '../support/program.ts';
import { runHere } from '../support/run-here.ts';
import { Done, Failed, items, openScriptShop } from '../support/script-shop.ts';
import type { WebServer } from '../support/web-server.ts';

afterEach(endPrograms);

let site: WebServer;

async function setUp(extra: Record<string, string> = {}) {
  const opened = await openScriptShop(extra);
  site = opened.site;
  return opened.environment;
}

describe.skipIf(!hasBrowser)('an action with a browser', () => {
  it('reads what scripts show, what a button adds, and what the page fetches', {
    timeout: 120_000,
  }, async () => {
    const { client } = await connectProgram('legacy', await setUp());
    const run = async (name: string) => {
      const { structuredContent } = await client.callTool({ name, arguments: {} });
      return Done.parse(structuredContent);
    };
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'shop_first')?.description).toMatch(
      /browser.*2 credits|2 credits.*browser/is,
    );
    const first = await run('shop_first');
    expect(first).toMatchObject({ credits_used: 2, data: { items: items.slice(0, 2) } });
    expect((await run('shop_all')).data.items).toEqual(items);
    expect((await run('shop_answers')).data.items).toEqual(items);
  });

  it('whose page hangs fails with a refund, and the next one works', { timeout: 120_000 }, async () => {
    const { client } = await connectProgram('legacy', await setUp({ SVC_WAIT_SECONDS: '90' }));
    const call = (name: string) => client.callTool({ name, arguments: {} }, { timeout: 100_000 });
    const hung = Failed.parse((await call('shop_hangs')).structuredContent);
    expect(hung.error.message).toMatch(/not complete after 30 s/);
    expect(Done.parse((await call('shop_first')).structuredContent).data.items).toHaveLength(2);
  });
});

/** Processes of the browser that descend from this one. */
async function browserProcesses(ancestor: number): Promise<number[]> {
  const parents = new Map<number, number>();
  const names = new Map<number, string>();
  for (const entry of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    const [, name = '', parent = ''] = /^\d+ \((.*)\) \S (\d+)/.exec(stat) ?? [];
    parents.set(Number(entry), Number(parent));
    names.set(Number(entry), name);
  }
  const descends = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (pid === ancestor || descends(parents.get(pid)));
  return [...parents.keys()].filter((pid) => /chrom/i.test(names.get(pid) ?? '') && descends(pid));
}

describe.skipIf(!hasBrowser)('a page that misbehaves', () => {
  it.skipIf(process.platform !== 'linux')(
    'whose browser dies is tried again in a new one, and paid once',
    {
      timeout: 120_000,
    },
    async () => {
      const { client, pid } = await connectProgram('legacy', await setUp({ SVC_WAIT_SECONDS: '90' }));
      const call = async (name: string) =>
        (await client.callTool({ name, arguments: {} }, { timeout: 100_000 })).structuredContent;
      const calling = call('shop_hangs-once');
      const isOpen = () => site.asked.some(({ path }) => path === '/never');
      await vi.waitUntil(isOpen, { timeout: 60_000, interval: 100 });
      for (const browserPid of await browserProcesses(pid() ?? 0)) process.kill(browserPid, 'SIGKILL');
      expect(Done.parse(await calling)).toMatchObject({
        credits_used: 2,
        data: { items: [{ name: 'lamp' }] },
      });
      expect(await call('get_usage')).toMatchObject({ today: { spent: 2 } });
    },
  );
});

const Built = z.object({
  status: z.literal('success'),
  build_request: z.object({ action_id: z.string() }),
});

describe.skipIf(!hasBrowser)('a build of a page that needs a browser', () => {
  it.each([
    [
      'takes the data that the page fetches, without the browser',
      '/',
      'List the articles with name and price',
      1,
    ],
    [
      'reads the page in the browser where nothing else has the data',
      '/inline',
      'List the articles with name and price',
      2,
    ],
  ])('%s', { timeout: 120_000 }, async (_, path, goal, credits) => {
    const environment = await setUp({ SVC_WAIT_SECONDS: '90' });
    const { client } = await connectProgram('legacy', environment);
    const website_url = `${environment.SVC_SERVICE_ALLOW_ORIGINS}${path}`;
    const call = async (name: string, args: object) =>
      (await client.callTool({ name, arguments: { ...args } }, { timeout: 100_000 })).structuredContent;
    // An action of the file reads the first of these pages.
    const answer = await call('request_build', { website_url, goal, force: true });
    const { action_id } = Built.parse(answer).build_request;
    const done = Done.parse(await call('run_action', { action_id, params: {} }));
    expect(done.credits_used).toBe(credits);
    expect(done.data.items.slice(0, 2)).toMatchObject(items.slice(0, 2));
  });
});

describe('without a browser', () => {
  it('an action that needs one fails, is refunded, and says what to install', {
    timeout: 60_000,
  }, async () => {
    const environment = await setUp({ SVC_BROWSER: 'off' });
    const { stdout } = await runHere(['call', 'shop_first', '--json'], environment);
    const failed = Failed.parse(JSON.parse(stdout));
    expect(failed.error.message).toContain('SVC_BROWSER');
    const checks = JSON.parse((await runHere(['doctor', '--json'], environment)).stdout);
    expect(checks.checks).toContainEqual(
      expect.objectContaining({ name: 'browser', ok: true, detail: expect.stringContaining('off') }),
    );
  });

  it('the address of one elsewhere is refused, because its pages would reach whatever that machine reaches', async () => {
    const { code, stderr } = await runHere(['tools'], await setUp({ SVC_BROWSER: 'ws://127.0.0.1:1/' }));
    expect(code).not.toBe(0);
    expect(stderr).toContain('SVC_BROWSER must be auto, off or a path');
  });
});

describe.skipIf(!hasBrowser)('the practice gallery', () => {
  it('is read by its actions, and as a person who signed in', { timeout: 120_000 }, async () => {
    const environment = { ...(await setUp()), SVC_SERVICE_ALLOW_ORIGINS: '' };
    const { client } = await connectProgram({ pin: '2026-07-28' }, environment);
    const run = async (name: string) => (await client.callTool({ name, arguments: {} })).structuredContent;
    const Works = z.object({ data: z.object({ items: z.array(z.object({ title: z.string() })) }) });
    const titles = async (name: string) => Works.parse(await run(name)).data.items.map(({ title }) => title);
    expect(await titles('gallery_works')).toHaveLength(7);
    expect(await titles('gallery_catalogue')).toEqual(await titles('gallery_works'));
    expect(await run('gallery_favourites')).toMatchObject({ error: { code: 'AUTH_REQUIRED' } });
  });
});

describe.skipIf(!hasBrowser)('previews of pages that need a browser', () => {
  it('are limited to five a minute; pages that are kept cost none', { timeout: 180_000 }, async () => {
    const environment = await setUp({ SVC_WAIT_SECONDS: '90' });
    const { client } = await connectProgram('legacy', environment);
    const preview = async (path: string) => {
      const website_url = `${environment.SVC_SERVICE_ALLOW_ORIGINS}${path}`;
      const args = { website_url, preview: true };
      const answer = await client.callTool({ name: 'request_build', arguments: args }, { timeout: 100_000 });
      return JSON.stringify(answer.structuredContent);
    };
    for (const number of [1, 2, 3, 4, 5]) expect(await preview(`/inline?${number}`)).toContain('"Price"');
    expect(await preview('/inline?5')).toContain('"Price"');
    expect(await preview('/inline?6')).toContain('NEEDS_JAVASCRIPT');
  });
});
