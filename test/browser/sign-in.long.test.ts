/**
 * The whole way in a browser without JavaScript: an agent's call, the page, a wrong password first, the resumed result.
 * Needs `dist/` and Chromium. `SVC_TEST_PICTURES=<folder>` keeps what was seen.
 */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { closeBrowser, hasBrowser, openPage } from '../support/browser.ts';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { closeHttp, connectShowing } from '../support/http.ts';
import { startHttp } from '../support/http-program.ts';
import { eras } from '../support/mcp-pipe.ts';
import { connectProgram, endPrograms, type Mode } from '../support/program.ts';
import { startWebServer } from '../support/web-server.ts';

afterEach(async () => {
  await closeHttp();
  await endPrograms();
  await closeGateways();
});
afterAll(closeBrowser);

const orders = { name: 'members_orders', arguments: {} };
const ordered = {
  status: 'completed',
  data: { items: expect.arrayContaining([expect.objectContaining({ order: 'R-1042' })]) },
};
const Required = z.looseObject({ error: z.looseObject({ code: z.string(), login_url: z.url() }) });

const looks = [
  { name: 'phone-light', width: 320, height: 640, colorScheme: 'light' },
  { name: 'phone-dark', width: 360, height: 740, colorScheme: 'dark' },
  { name: 'desktop-light', width: 1280, height: 800, colorScheme: 'light' },
  { name: 'desktop-dark', width: 1280, height: 800, colorScheme: 'dark' },
] as const;

async function look(page: Page, name: string): Promise<void> {
  const folder = process.env.SVC_TEST_PICTURES;
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

async function signIn(page: Page, user: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(user);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** A wrong password, then the right one; nothing of the wrong one is left in the page. */
async function signInAtSecondTry(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await signIn(page, 'demo', 'wrong-canary');
  const alert = page.getByRole('alert');
  await alert.waitFor();
  expect(await alert.textContent()).toContain('The site rejected the user name or the password.');
  expect(await page.getByLabel('Username').inputValue()).toBe('demo');
  expect(await page.content()).not.toContain('wrong-canary');
  await signIn(page, 'demo', 'demo');
  await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
}

/** An agent whose client shows pages; the address it was given comes out of `url`. */
async function startAgent(mode: Mode, canShow: boolean) {
  let shown: (url: string) => void = () => undefined;
  const url = new Promise<string>((resolve) => {
    shown = resolve;
  });
  const folder = await temporaryFolder();
  const { client } = await connectProgram(
    mode,
    { SVC_DATA_DIR: folder, SVC_LOG_LEVEL: 'silent' },
    canShow
      ? {
          capabilities: { elicitation: { url: {} } },
          prepare: (made) =>
            made.setRequestHandler('elicitation/create', async ({ params }) => {
              shown(z.looseObject({ url: z.string() }).parse(params).url);
              return { action: 'accept' };
            }),
        }
      : {},
  );
  return { client, url };
}

describe.skipIf(!hasBrowser)('an action that needs an account', () => {
  it.each<[string, Mode]>([
    ['the current revision', { pin: '2026-07-28' }],
    ['the older revisions', 'legacy'],
  ])('goes on by itself after the sign-in on the page (%s)', async (_, mode) => {
    const { client, url } = await startAgent(mode, true);
    const result = client.callTool(orders);
    const page = await openPage({ javaScriptEnabled: false });
    await signInAtSecondTry(page, await url);
    expect((await result).structuredContent).toMatchObject(ordered);
    await page.reload();
    await page.getByRole('heading', { name: 'This link has been used' }).waitFor();
  });

  it('says where to sign in to a client that shows no pages, and runs when it is repeated', async () => {
    const { client } = await startAgent('auto', false);
    const refused = await client.callTool(orders);
    expect(refused.isError).toBe(true);
    const { error } = Required.parse(refused.structuredContent);
    expect(error.code).toBe('AUTH_REQUIRED');
    await signInAtSecondTry(await openPage({ javaScriptEnabled: false }), error.login_url);
    expect((await client.callTool(orders)).structuredContent).toMatchObject(ordered);
  });
});

describe.skipIf(!hasBrowser)('over HTTP, an action that needs an account', () => {
  it.each(eras)(
    'goes on after the sign-in of the browser that opened the link first, from a page of another site (%s)',
    async (era) => {
      const { origin } = await startHttp({ SVC_DATA_DIR: await temporaryFolder(), SVC_LOG_LEVEL: 'silent' });
      const { client, url } = await connectShowing(origin, era);
      const result = client.callTool(orders);
      const address = await url;
      const chat = await startWebServer((_, response) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end(`<a href="${address}">Sign in here</a>`),
      );
      try {
        const page = await openPage({ javaScriptEnabled: false });
        const follow = async () => {
          // Another site than the page's: their names differ.
          await page.goto(chat.origin.replace('127.0.0.1', 'localhost'));
          await page.getByRole('link', { name: 'Sign in here' }).click();
          await page.getByRole('heading').first().waitFor();
        };
        await follow();
        expect(page.url()).toBe(address);
        await page.getByLabel('Username').waitFor();

        const other = await openPage({ javaScriptEnabled: false });
        await other.goto(address);
        await other.getByRole('heading', { name: 'This link does not work' }).waitFor();
        expect(await other.getByLabel('Username').count()).toBe(0);

        await follow();
        await signIn(page, 'demo', 'wrong-canary');
        await page.getByRole('alert').waitFor();
        await follow();
        await signIn(page, 'demo', 'demo');
        await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
        expect((await result).structuredContent).toMatchObject(ordered);
        await page.goBack();
        await follow();
        await page.getByRole('heading', { name: 'This link has been used' }).waitFor();
      } finally {
        await chat.close();
      }
    },
  );
});

describe.skipIf(!hasBrowser)('the page', () => {
  it('fits every width and theme, is labelled, and can be used by the keyboard alone', async () => {
    const { client } = await startAgent('auto', false);
    const { structuredContent } = await client.callTool({
      name: 'login',
      arguments: { catalog: 'members', identity_name: 'work' },
    });
    const { login_url } = z.looseObject({ login_url: z.url() }).parse(structuredContent);
    const grounds = new Set<string>();
    for (const { name, width, height, colorScheme } of looks) {
      const page = await openPage({ viewport: { width, height }, colorScheme, javaScriptEnabled: true });
      const problems: string[] = [];
      page.on('console', (message) => problems.push(message.text()));
      await page.goto(login_url);
      await look(page, `form-${name}`);
      const widths = await page.evaluate('[document.documentElement.scrollWidth, window.innerWidth]');
      const [content = 0, window = 0] = z.array(z.number()).parse(widths);
      expect(content).toBeLessThanOrEqual(window);
      grounds.add(String(await page.evaluate('getComputedStyle(document.body).backgroundColor')));
      expect(await page.getByLabel('Password').getAttribute('type')).toBe('password');
      // The first field that is empty has the focus: after a failure that is the password.
      const focused = await page.evaluate('document.activeElement.type');
      if (focused === 'password') await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type('mfa');
      await page.keyboard.press('Tab');
      await page.keyboard.type('demo');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Signing in' }).waitFor();
      await look(page, `busy-${name}`);
      await page.getByRole('alert').getByText('second factor').first().waitFor();
      await look(page, `failure-${name}`);
      expect(problems).toEqual([]);
    }
    expect(grounds.size).toBe(2);
    const page = await openPage({ viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    await page.goto(login_url);
    await signIn(page, 'demo', 'demo');
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    await look(page, 'verified');
  });
});
