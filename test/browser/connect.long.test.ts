/** A site that is connected in a browser window: an agent's call waits for its user at the service's own page. */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { closeBrowser, executablePath, hasBrowser, openPage } from '../support/browser.ts';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { connectProgram, endPrograms, type Mode } from '../support/program.ts';
import { startWebServer, type WebServer } from '../support/web-server.ts';

let site: WebServer | undefined;
afterEach(async () => {
  await endPrograms();
  await site?.close();
  await closeGateways();
});
afterAll(closeBrowser);

const cookie = 'session=canary-of-a-session';

const catalogOf = (origin: string) => ({
  slug: 'boats',
  name: 'Boats',
  url: `${origin}/`,
  category: 'sports',
  description: 'Boats for those who are signed in.',
  auth_types: ['browser_state'],
  auth_login_url: `${origin}/login`,
  signed_in: { select: '.welcome' },
  actions: [
    {
      action_id: 'boats_list',
      name: 'List boats',
      auth_mode: 'required',
      credits_per_call: 1,
      parameters: { type: 'object', properties: {} },
      recipe: {
        request: { url: `${origin}/boats` },
        not_logged_in: [{ text: 'Sign in first' }],
        extract: { kind: 'html', list: 'li', fields: { name: { select: 'b', required: true } } },
      },
    },
  ],
});

/** A browser whose windows nobody sees, so that no display is needed. */
async function windowlessBrowser(folder: string): Promise<string> {
  const file = join(folder, 'browser');
  await writeFile(file, `#!/bin/sh\nexec ${executablePath} --headless=new "$@"\n`);
  await chmod(file, 0o755);
  return file;
}

/** The embedded service with the site's catalog, and an agent whose client may show pages. */
async function startAgent(mode: Mode, canShow: boolean) {
  site = await startWebServer(({ path, headers }, response) => {
    response.setHeader('content-type', 'text/html');
    if (path === '/login') response.setHeader('set-cookie', cookie).end('<p class="welcome">Welcome</p>');
    else response.end(headers.cookie === cookie ? '<ul><li><b>Skiff</b></li></ul>' : '<p>Sign in first</p>');
  });
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'catalogs'));
  await writeFile(join(folder, 'catalogs', 'boats.json'), JSON.stringify(catalogOf(site.origin)));
  let shown: (url: string) => void = () => undefined;
  const address = new Promise<string>((resolve) => {
    shown = resolve;
  });
  const { client } = await connectProgram(
    mode,
    {
      SVC_DATA_DIR: folder,
      SVC_SERVICE_ALLOW_ORIGINS: site.origin,
      SVC_LOG_LEVEL: 'silent',
      SVC_BROWSER: await windowlessBrowser(folder),
      SVC_BROWSER_SANDBOX: process.getuid?.() === 0 ? 'off' : 'on',
      DISPLAY: ':0',
    },
    canShow
      ? {
          capabilities: { elicitation: { url: {} } },
          prepare: (made) =>
            made.setRequestHandler('elicitation/create', async ({ params }) => {
              shown(z.looseObject({ url: z.url() }).parse(params).url);
              return { action: 'accept' };
            }),
        }
      : {},
  );
  return { client, folder, address };
}

/** The person at the console's page: signs in with the API key and opens the window, in which the site signs in at once. */
async function connectAccount(address: string, folder: string): Promise<void> {
  expect(new URL(address).pathname).toBe('/connect/boats');
  const page = await openPage({ javaScriptEnabled: false });
  await page.goto(address);
  await page.getByLabel('API key').fill((await readFile(join(folder, 'api-key'), 'utf8')).trim());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Open a browser window' }).click();
  await page.getByText('default is connected').waitFor();
}

const list = { name: 'run_action', arguments: { action_id: 'boats_list' } };
const listed = { status: 'completed', data: { items: [{ name: 'Skiff' }] } };

describe.skipIf(!hasBrowser)('an action of a site that is connected in the console', () => {
  it.each<[string, Mode]>([
    ['the current revision', { pin: '2026-07-28' }],
    ['the older revisions', 'legacy'],
  ])('goes on once the account is connected (%s)', async (_, mode) => {
    const { client, folder, address } = await startAgent(mode, true);
    const called = client.callTool(list);
    const early = await Promise.race([called, address]);
    if (typeof early !== 'string') throw new Error(`No page: ${JSON.stringify(early.structuredContent)}`);
    await connectAccount(early, folder);
    const result = await called;
    expect(result.structuredContent).toMatchObject(listed);
    expect(JSON.stringify(result)).not.toContain('canary');
  });

  it('says where to connect it to a client that shows no pages, and runs when it is repeated', async () => {
    const { client, folder } = await startAgent('auto', false);
    const { structuredContent } = await client.callTool(list);
    const { error } = z
      .looseObject({ error: z.looseObject({ code: z.literal('AUTH_REQUIRED'), login_url: z.url() }) })
      .parse(structuredContent);
    await connectAccount(error.login_url, folder);
    const result = await client.callTool(list);
    expect(result.structuredContent).toMatchObject(listed);
    expect(JSON.stringify(result)).not.toContain('canary');
  });
});
