/** A site that is connected by a browser's cookies: an agent's call waits for its user at the service's own page. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { closeBrowser, hasBrowser, openPage } from '../support/browser.ts';
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

it.skipIf(!hasBrowser).each<[string, Mode]>([
  ['the current revision', { pin: '2026-07-28' }],
  ['the older revisions', 'legacy'],
])('the call goes on once the account is connected (%s)', async (_, mode) => {
  site = await startWebServer(({ headers }, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(headers.cookie === cookie ? '<ul><li><b>Skiff</b></li></ul>' : '<p>Sign in first</p>'),
  );
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'catalogs'));
  await writeFile(join(folder, 'catalogs', 'boats.json'), JSON.stringify(catalogOf(site.origin)));
  let shown: (url: string) => void = () => undefined;
  const address = new Promise<string>((resolve) => {
    shown = resolve;
  });
  const { client } = await connectProgram(
    mode,
    { SVC_DATA_DIR: folder, SVC_SERVICE_ALLOW_ORIGINS: site.origin, SVC_LOG_LEVEL: 'silent' },
    {
      capabilities: { elicitation: { url: {} } },
      prepare: (made) =>
        made.setRequestHandler('elicitation/create', async ({ params }) => {
          shown(z.looseObject({ url: z.url() }).parse(params).url);
          return { action: 'accept' };
        }),
    },
  );
  const called = client.callTool({ name: 'run_action', arguments: { action_id: 'boats_list' } });
  const early = await Promise.race([called, address]);
  if (typeof early !== 'string') throw new Error(`No page: ${JSON.stringify(early.structuredContent)}`);

  const page = await openPage({ javaScriptEnabled: false });
  await page.goto(early);
  await page.getByLabel('API key').fill((await readFile(join(folder, 'api-key'), 'utf8')).trim());
  await page.getByRole('button', { name: 'Sign in' }).click();
  const [name = '', value = ''] = cookie.split('=');
  const cookies = [{ name, value, domain: '127.0.0.1', path: '/' }];
  await page.getByLabel('Cookie file').fill(JSON.stringify(cookies));
  await page.getByRole('button', { name: 'Use these cookies' }).click();
  const result = await called;
  expect(result.structuredContent).toMatchObject({
    status: 'completed',
    data: { items: [{ name: 'Skiff' }] },
  });
  expect(JSON.stringify(result)).not.toContain('canary');
});
