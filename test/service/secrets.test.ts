/** Canaries: nothing that a user gives in confidence is in a log, an answer or a file. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { expect, it } from 'vitest';
import { RunError } from '../../src/service/foundation/errors.ts';
import { action, addTestUser, catalog, sourceOf, startTestService } from '../support/service.ts';

const canary = (name: string) => `canary-${name}-${'x'.repeat(8)}`;

it('keys, passwords, cookies, params and search words are in no log at any level', async () => {
  let logs = '';
  const logger = pino(
    { level: 'trace' },
    {
      write: (line: string) => {
        logs += line;
      },
    },
  );
  const site = catalog({
    slug: 'site',
    auth_types: ['credentials'],
    login: {
      fields: [
        { name: 'username', type: 'string', required: true, description: '' },
        { name: 'password', type: 'string', required: true, description: '' },
      ],
      recipe: {},
    },
    actions: [
      action({ action_id: 'good', auth_mode: 'optional', credits_expression: '[' }),
      action({ action_id: 'bad', parameters: { type: 'object', properties: { text: { type: 'number' } } } }),
    ],
  });
  let fails = false;
  const service = await startTestService({
    catalogs: sourceOf(site),
    logger,
    logins: {
      login: async ({ params }) => {
        if (fails) throw new Error(`cannot send ${JSON.stringify(params)}`);
        return { verified: true, cookies: canary('cookies'), expiresAt: undefined };
      },
    },
    runner: {
      run: async ({ params }) => {
        if (params.text === canary('failing')) throw new RunError('It failed', { transient: false });
        return { data: { ok: true } };
      },
    },
  });
  const user = await addTestUser(service, 'user');
  const params = { username: canary('username'), password: canary('password') };
  const signedIn = await service.call('POST', '/login', { catalog_slug: 'site', params });
  fails = true;
  await service.call('POST', '/login', { catalog_slug: 'site', params });
  for (const text of [canary('params'), canary('failing')]) {
    const { body } = await service.call('POST', '/task', {
      action_id: 'good',
      credential_id: signedIn.body.credential_id,
      params: { text },
    });
    await service.finished(body.job_id);
  }
  await service.call('POST', '/task', { action_id: 'bad', params: { text: canary('invalid') } });
  await service.call('POST', '/task', `{"broken": "${canary('broken')}"`);
  await service.call('GET', `/search?q=${canary('words')}`);
  await service.call('GET', '/catalog', undefined, { 'x-api-key': canary('wrong-key') });
  await service.call('POST', '/build-request', {
    website_url: `https://a.example/?t=${canary('url')}`,
    goal: canary('goal'),
  });

  expect(logs).toContain('The job has ended');
  expect(logs).toContain('"route"');
  for (const secret of ['canary', service.apiKey, user.headers['x-api-key']])
    expect(logs).not.toContain(secret);
  for (const file of (await readdir(service.dataDir)).filter((name) => name.startsWith('service.db'))) {
    const bytes = await readFile(join(service.dataDir, file));
    for (const secret of [canary('password'), canary('cookies'), service.apiKey])
      expect(bytes.includes(secret), file).toBe(false);
  }
  await service.close();
});
