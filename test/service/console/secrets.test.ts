/** Canaries: what a person gives the console in confidence is in no page, address, log or file. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { expect, it } from 'vitest';
import type { LoginOutcome } from '../../../src/service/accounts/runner.ts';
import { RunError } from '../../../src/service/foundation/errors.ts';
import { openBrowser, type View } from '../../support/console.ts';
import { action, catalog, sourceOf, startTestService } from '../../support/service.ts';

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
  const service = await startTestService({
    catalogs: sourceOf(site),
    logger: pino({ level: 'trace' }, { write }),
    logins: {
      login: async ({ params }) => {
        if (outcome === 'throws') throw new Error(`cannot send ${JSON.stringify(params)}`);
        return outcome;
      },
    },
    runner: {
      run: async ({ cookies }) => {
        if (cookies?.includes('refused')) throw new RunError('No', { code: 'AUTH_EXPIRED' });
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

  const sendCookies = async (cookie_file: string) =>
    views.push(
      await browser.submit('/connect/site', '/connect/site/cookies', { cookie_file, identity_name: 'b' }),
    );
  const line = (domain: string, value: string) => `${domain}\tTRUE\t/\tTRUE\t0\tsid\t${value}`;
  await sendCookies(line('.site.example', canary('cookie')));
  await sendCookies(line('.bank.example', canary('foreign-cookie')));
  await sendCookies(`${line('.site.example', canary('cut-cookie'))}\nbroken ${canary('garbage')}`);
  await sendCookies(
    JSON.stringify([{ name: canary('json'), value: `${canary('value')};`, domain: 'site.example' }]),
  );
  await sendCookies(
    JSON.stringify([{ name: 'sid', value: `${canary('json-cookie')}-refused`, domain: '.site.example' }]),
  );

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
    '/console/catalogs/site',
    '/console/accounts',
    '/connect/site',
    '/console/jobs',
    '/console/ledger',
  ];
  for (const path of [...paths, ...jobs.map((id) => `/console/jobs/${id}`)])
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
