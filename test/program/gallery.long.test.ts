/**
 * The practice gallery through MCP, in one session of an agent: an application shell with a JSON interface, a button for more,
 * and a sign-in that only works with scripts, in a visible window. Needs `dist/`, Chromium and Xvfb.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hasBrowser } from '../support/browser.ts';
import { openBrowser } from '../support/console.ts';
import { endScreens, hasScreen, openScreen, type Screen } from '../support/display.ts';
import { temporaryFolder } from '../support/gateway.ts';
import { connectProgram, endPrograms, type Mode, spawnProgram } from '../support/program.ts';
import { runHere } from '../support/run-here.ts';
import { endTerminals, hasTerminal, runOnTerminal } from '../support/terminal.ts';
import { startWebServer } from '../support/web-server.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await endTerminals();
  await endPrograms();
  for (const close of closers.splice(0)) await close();
  await endScreens();
});

const eras: [string, Mode][] = [
  ['the current revision', { pin: '2026-07-28' }],
  ['the older revisions', 'legacy'],
];
const Catalogs = z.object({ catalogs: z.array(z.object({ slug: z.string(), url: z.string() })) });
const Works = z.object({
  status: z.literal('completed'),
  credits_used: z.number(),
  data: z.object({ items: z.array(z.looseObject({ title: z.string() })) }),
});
const titles = [
  ...['Harbour at Dusk', 'Three Lemons', 'The Ferryman', 'Study in Grey'],
  ...['Market in Rain', 'Night Train', 'White Boats'],
];
const favourites = titles.slice(1, 3);

async function settings() {
  const folder = await temporaryFolder();
  const screen = await openScreen(folder);
  const environment = {
    SVC_DATA_DIR: folder,
    SVC_WAIT_SECONDS: '90',
    SVC_BROWSER_SANDBOX: process.getuid?.() === 0 ? 'off' : 'on',
    ...screen.environment,
  };
  return { folder, screen, environment };
}

/** A site that does not say how a signed-in page looks. */
const clubAt = (origin: string) => ({
  ...{ slug: 'club', name: 'Club', url: `${origin}/`, category: 'social', description: 'A club' },
  ...{ auth_types: ['browser_state'], auth_login_url: `${origin}/login` },
  actions: [
    {
      ...{ action_id: 'club_list', name: 'List', auth_mode: 'required' },
      parameters: { type: 'object', properties: {} },
      recipe: {
        request: { url: `${origin}/` },
        not_logged_in: [{ text: 'Sign in' }],
        extract: { kind: 'html', list: 'li', fields: { name: { select: 'b', required: true } } },
      },
    },
  ],
});

/** The person at the window. */
async function signInAtWindow(screen: Screen): Promise<void> {
  const page = await screen.windowAt('/gallery/login');
  expect(await page.evaluate('document.visibilityState')).toBe('visible');
  await page.getByLabel('User').fill('demo');
  await page.getByLabel('Password').fill('demo');
  await page.getByRole('button', { name: 'Sign in' }).click();
}

describe.skipIf(!hasBrowser || !hasScreen)('the practice gallery', () => {
  it.each(eras)(
    'is looked at, built, run, signed in to and run as the person, in one session (%s)',
    {
      timeout: 180_000,
    },
    async (_, mode) => {
      const { folder, screen, environment } = await settings();
      const { client } = await connectProgram(mode, environment);
      const call = async (name: string, args: Record<string, unknown> = {}) =>
        (await client.callTool({ name, arguments: args }, { timeout: 120_000 })).structuredContent;
      const worksOf = async (name: string, args: Record<string, unknown> = {}) => {
        const { credits_used, data } = Works.parse(await call(name, args));
        return { credits_used, titles: data.items.map(({ title }) => title) };
      };
      const { catalogs } = Catalogs.parse(await call('browse_catalogs'));
      const gallery = catalogs.find(({ slug }) => slug === 'gallery')?.url ?? '';

      // The shell shows nothing; its data comes from its JSON interface, which needs no browser.
      const goal = 'List all works with title, artist, year and price';
      const seen = await call('request_build', { website_url: gallery, preview: true });
      expect(JSON.stringify(seen)).toContain('Harbour at Dusk');
      const built = await call('request_build', { website_url: gallery, goal, force: true });
      expect(built).toMatchObject({ status: 'success', credits_used: 25 });
      const { tool } = z.object({ tool: z.string() }).parse(built);
      expect(await worksOf(tool)).toEqual({ credits_used: 1, titles: titles.slice(0, 3) });

      // A button shows more.
      expect(await worksOf('gallery_works')).toEqual({ credits_used: 2, titles });

      // The sign-in works with scripts only: in a window on this machine, opened from the console.
      const refused = await call('gallery_favourites');
      const { error } = z
        .object({ error: z.object({ code: z.literal('AUTH_REQUIRED'), login_url: z.url() }) })
        .parse(refused);
      const { origin, pathname } = new URL(error.login_url);
      const person = openBrowser(origin);
      await person.signIn((await readFile(join(folder, 'api-key'), 'utf8')).trim(), pathname);
      await person.submit(pathname, `${pathname}/window`, { identity_name: 'demo' });
      await signInAtWindow(screen);
      await expect
        .poll(async () => (await person.get(pathname)).$('.good').text(), { timeout: 30_000, interval: 500 })
        .toContain('demo is connected');
      const own = await call('gallery_favourites');
      expect(own).toMatchObject({ account: 'demo', credits_used: 2 });
      expect(Works.parse(own).data.items.map(({ title }) => title)).toEqual(favourites);
      expect(await call('get_usage')).toMatchObject({ today: { spent: 25 + 1 + 2 + 2 } });
    },
  );

  it('is connected by svc-mcp connect in a visible window, then run as the person', {
    timeout: 120_000,
  }, async () => {
    const { screen, environment } = await settings();
    const connecting = spawnProgram(['connect', 'gallery', '--identity', 'demo'], environment);
    await signInAtWindow(screen);
    expect(await connecting.exited).toEqual([0, null]);
    expect(connecting.out()).toMatch(/^Connected\. 2 cookies of the site/);
    expect(`${connecting.out()}${connecting.err()}`).not.toContain('token-of-demo');
    const { stdout } = await runHere(['call', 'gallery_favourites', '--json'], environment);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'completed', account: 'demo' });
    expect(Works.parse(JSON.parse(stdout)).data.items.map(({ title }) => title)).toEqual(favourites);
  });

  it.skipIf(!hasTerminal)(
    'svc-mcp connect ends by Enter or by closing the window where the site declares no check',
    {
      timeout: 180_000,
    },
    async () => {
      const { folder, screen, environment } = await settings();
      const site = await startWebServer(({ path, headers }, response) => {
        response.setHeader('content-type', 'text/html');
        if (path === '/login')
          return void response.end(
            '<form action="/in"><label>Secret <input name="secret"></label><button>Go</button></form>',
          );
        if (path.startsWith('/in')) {
          const cookie = `session=of-${path.split('=')[1]}; Max-Age=3600`;
          return void response.writeHead(302, { location: '/', 'set-cookie': cookie }).end();
        }
        const name = /session=of-(\w+)/.exec(headers.cookie ?? '')?.[1];
        return void response.end(name === undefined ? '<p>Sign in</p>' : `<ul><li><b>${name}</b></li></ul>`);
      });
      closers.push(() => site.close());
      await mkdir(join(folder, 'catalogs'));
      await writeFile(join(folder, 'catalogs', 'club.json'), JSON.stringify(clubAt(site.origin)));
      const own = { ...environment, SVC_SERVICE_ALLOW_ORIGINS: site.origin };
      const owner = async () => {
        const { stdout } = await runHere(['call', 'club_list', '--json'], own);
        return JSON.parse(stdout).data?.items;
      };
      const signIn = async (secret: string) => {
        const page = await screen.windowAt('/login');
        await page.getByLabel('Secret').fill(secret);
        await page.getByRole('button', { name: 'Go' }).click();
        await page.getByText(secret).waitFor();
        return page;
      };

      const entered = runOnTerminal(['connect', 'club'], own);
      await signIn('canaryone');
      await entered.answer('press Enter here', '');
      expect(await entered.exited).toEqual([0, null]);
      expect(entered.output()).toContain('Connected.');
      expect(await owner()).toEqual([{ name: 'canaryone' }]);

      const closed = spawnProgram(['connect', 'club'], { ...own, SVC_LOG_LEVEL: 'debug' });
      const page = await signIn('canarytwo');
      // The state is taken each second while the window is open.
      await page.waitForTimeout(2_500);
      await page.close();
      expect(await closed.exited).toEqual([0, null]);
      expect(await owner()).toEqual([{ name: 'canarytwo' }]);
      expect(`${entered.output()}${closed.out()}${closed.err()}`).not.toContain('canary');
    },
  );
});
