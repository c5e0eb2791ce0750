/** Canaries: what a person gives the console in confidence is in no page, address, log or file. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { expect, it, vi } from 'vitest';
import type { LoginOutcome } from '../../../src/service/accounts/login-runner.ts';
import { RunError } from '../../../src/service/foundation/errors.ts';
import { openBrowser, type View } from '../../support/console.ts';
import { action, catalog, sourceOf, startTestService } from '../../support/service.ts';
import { browserCookie, signInBrowserWith } from '../../support/sign-in-browser.ts';

const secretNames = ['password', 'pin', 'otp_code', 'token', 'api_key', 'secret_answer'];
const site = catalog({
  slug: 'site',
  auth_types: ['credentials', 'browser_state'],
  login: {
    fields: ['username', ...secretNames].map((name) => ({
      name,
      type: 'string',
      required: true,
      description: '',
    })),
    recipe: {},
  },
  actions: [action({ action_id: 'list', auth_mode: 'optional' })],
});

it('twenty secrets typed into every form appear nowhere else', async () => {
  const canaries: string[] = [];
  const canary = (name: string) => {
    const text = `canary-${canaries.length}-${name}`;
    canaries.push(text);
    return text;
  };
  let logs = '';
  const write = (line: string) => {
    logs += line;
  };
  const issued = canary('session-of-the-site');
  let outcome: LoginOutcome | 'throws' = { verified: true, cookies: issued, expiresAt: undefined };
  let cookies: ReturnType<typeof browserCookie>[] = [];
  const service = await startTestService({
    catalogs: sourceOf(site),
    logger: pino({ level: 'trace' }, { write }),
    logins: {
      login: async ({ params }) => {
        if (outcome === 'throws') throw new Error(`cannot send ${JSON.stringify(params)}`);
        return outcome;
      },
    },
    signInBrowser: signInBrowserWith(() => cookies),
    runner: {
      run: async ({ cookies: stored }) => {
        if (stored?.includes('refused')) throw new RunError('No', { code: 'AUTH_EXPIRED' });
        return { data: { rows: [{ a: 1 }] } };
      },
    },
  });
  const views: View[] = [];
  const browser = openBrowser(service.baseUrl);
  views.push(await browser.submit('/', '/console/sign-in', { api_key: canary('wrong-key') }));
  views.push(await browser.signIn(service.apiKey));
  canaries.push(service.apiKey, browser.cookies.get('svc_console') ?? 'no session');

  const logIn = async (name: string) => {
    const secrets = secretNames.map((field, index) => [`field-${index + 1}`, canary(`${name}-${field}`)]);
    views.push(
      await browser.submit('/connect/site', '/connect/site/login', {
        'field-0': 'ann',
        ...Object.fromEntries(secrets),
      }),
    );
  };
  await logIn('good');
  outcome = { verified: false, code: 'BAD_PASSWORD' };
  await logIn('bad');
  outcome = 'throws';
  await logIn('broken');

  const signInAtWindow = async (...given: typeof cookies) => {
    cookies = given;
    views.push(await browser.submit('/connect/site', '/connect/site/window', { identity_name: 'b' }));
    const end = await vi.waitFor(async () => {
      const page = await browser.get('/connect/site');
      expect(page.$('.message.good, [role=alert]').text()).not.toBe('');
      return page;
    }, 20_000);
    views.push(end);
  };
  const own = (value: string, more: Parameters<typeof browserCookie>[2] = {}) =>
    browserCookie('.site.example', value, more);
  await signInAtWindow(own(canary('cookie')), browserCookie('.bank.example', canary('foreign-cookie')));
  await signInAtWindow(browserCookie('.bank.example', canary('only-foreign')));
  await signInAtWindow(own(canary('nameless'), { name: '' }));
  await signInAtWindow(
    own(canary('expired'), { expires: 1 }),
    own(canary('named'), { name: canary('name') }),
  );
  await signInAtWindow(own(`${canary('last-cookie')}-refused`));

  const { identities } = (await service.call('GET', '/identities')).body as {
    identities: { credentials: { id: string }[] }[];
  };
  const jobs: unknown[] = [];
  for (const { credentials } of identities) {
    const credential_id = credentials[0]?.id;
    const { body } = await service.call('POST', '/task', { action_id: 'list', credential_id, params: {} });
    await service.finished(body.job_id);
    jobs.push(body.job_id);
  }
  const paths = [
    '/',
    '/console/actions?site=site',
    '/console/accounts',
    '/connect/site',
    '/console/runs',
    '/console/usage',
  ];
  for (const path of [...paths, ...jobs.map((id) => `/console/runs/${id}`)])
    views.push(await browser.get(path));
  views.push(await browser.submit('/', '/console/sign-out'));

  expect(views.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
  expect(identities.map(({ credentials }) => credentials.length)).toEqual([1, 1]);
  expect(canaries.length).toBeGreaterThan(20);
  // `api-key` is where the key of the default user is meant to be.
  const names = (await readdir(service.dataDir)).filter((name) => name !== 'api-key');
  const files = await Promise.all(names.map((name) => readFile(join(service.dataDir, name), 'latin1')));
  const addresses = views.map(({ headers }) => headers.get('location') ?? '');
  const places = { pages: views.map(({ html }) => html), addresses, logs: [logs], files };
  const found = Object.entries(places).flatMap(([place, texts]) =>
    canaries.filter((text) => texts.some((one) => one.includes(text))).map((text) => `${text} in ${place}`),
  );
  expect(found).toEqual([]);
  expect(logs).toContain('"/connect/*"');
  await service.close();
});
