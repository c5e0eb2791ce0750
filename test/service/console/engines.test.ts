/** The console's own statements on each database. */
import { describe, expect, it } from 'vitest';
import { openBrowser } from '../../support/console.ts';
import { useDatabases } from '../../support/databases.ts';
import { engines } from '../../support/postgres.ts';
import { action, addTestUser, catalog, sourceOf, startTestService } from '../../support/service.ts';
import { browserCookie, signInBrowserWith } from '../../support/sign-in-browser.ts';

const site = catalog({
  slug: 'site',
  auth_types: ['browser_state'],
  actions: [action({ action_id: 'list', credits_per_call: 2 })],
});
const signInBrowser = signInBrowserWith(() => [browserCookie('www.site.example', 'a')]);

const createDatabase = useDatabases();

describe.each(engines)('on %s', (engine) => {
  it('sign in, connect, choose a default, look at jobs and ledger, sign out', async () => {
    const databaseUrl = engine === 'postgres' ? await createDatabase() : undefined;
    const service = await startTestService({ catalogs: sourceOf(site), databaseUrl, signInBrowser });
    try {
      const browser = openBrowser(service.baseUrl);
      await browser.signIn(service.apiKey);
      for (const name of ['one', 'two']) {
        await browser.submit('/connect/site', '/connect/site/window', { identity_name: name });
        await expect
          .poll(async () => (await browser.get('/connect/site')).$('.message.good').text())
          .toContain(`${name} is connected`);
      }
      expect((await browser.submit('/connect/site', '/connect/site/default')).status).toBe(303);
      expect((await service.call('GET', '/identities')).body.identities).toMatchObject([
        { name: 'one', is_default: false },
        { name: 'two', is_default: true },
      ]);
      const { body } = await service.call('POST', '/task', {
        action_id: 'list',
        params: { q: 'Österreich' },
      });
      await service.finished(body.job_id);
      const job = await browser.get(`/console/runs/${body.job_id}`);
      expect(job.$('dl').text()).toContain('2 credits');
      expect((await browser.get('/console/runs')).$('tbody tr').length).toBe(1);
      const ledger = await browser.get('/console/usage');
      const entries = ledger.$('[aria-label^=Ledger] tbody tr').length;
      expect([ledger.$('.balance').text(), entries]).toEqual(['998 credits', 2]);
      const today = new Date().toISOString().slice(0, 10);
      for (const query of ['?q=LIST', '?q=%C3%96sterREICH', '?action=list&state=completed', `?day=${today}`])
        expect((await browser.get(`/console/runs${query}`)).$('tbody tr').length).toBe(1);
      for (const query of [
        '?q=%25',
        '?state=failed',
        '?day=2020-01-01',
        '?site=elsewhere',
        '?account=nobody',
      ])
        expect((await browser.get(`/console/runs${query}`)).$('tbody tr').length).toBe(0);
      expect((await browser.get('/console/builds')).status).toBe(200);
      const stranger = await addTestUser(service, 'stranger');
      const other = openBrowser(service.baseUrl);
      await other.signIn(stranger.headers['x-api-key'] ?? '');
      expect((await other.get(`/console/runs/${body.job_id}`)).status).toBe(404);
      expect((await browser.submit('/', '/console/sign-out')).status).toBe(303);
      expect((await browser.get('/')).$('h1').text()).toBe('Sign in');
    } finally {
      await service.close();
    }
  });

  it('the same account connected twice at once is one identity with one credential', async () => {
    const databaseUrl = engine === 'postgres' ? await createDatabase() : undefined;
    const service = await startTestService({ catalogs: sourceOf(site), databaseUrl, signInBrowser });
    try {
      const { signal } = new AbortController();
      const connect = () => service.connectInBrowser({ catalogSlug: 'site', identityName: 'me', signal });
      const connected = await Promise.all([connect(), connect(), connect()]);
      expect(new Set(connected.map(({ identityId }) => identityId)).size).toBe(1);
      const { identities } = (await service.call('GET', '/identities')).body as {
        identities: { credentials: unknown[] }[];
      };
      expect(identities.map(({ credentials }) => credentials.length)).toEqual([1]);
    } finally {
      await service.close();
    }
  });
});
