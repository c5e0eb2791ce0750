/** The practice catalogs as their users meet them: through the service's own interface, over HTTP. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  CatalogDetails,
  LoginVerified,
  SearchResults,
  TaskAccepted,
} from '../../../src/contract/endpoints.ts';
import { ErrorEnvelope } from '../../../src/contract/errors.ts';
import { Job } from '../../../src/contract/resources.ts';
import { practiceCatalogs } from '../../../src/practice/catalogs.ts';
import { startPracticeSites } from '../../../src/practice/sites/practice-sites.ts';
import { LoginRunner } from '../../../src/service/accounts/login-runner.ts';
import { createCatalogSource } from '../../../src/service/catalog/source.ts';
import { Fetcher } from '../../../src/service/fetch/fetcher.ts';
import { RecipeRunner } from '../../../src/service/recipes/runner.ts';
import { type RunningService, startService } from '../../../src/service/service.ts';
import { parsePool } from '../../support/page-pools.ts';
import { longestStall } from '../../support/stalls.ts';
import { startWebServer, type WebServer } from '../../support/web-server.ts';

const closers: (() => Promise<unknown>)[] = [];
const logged: string[] = [];
let service: RunningService;
let dataDir: string;
let hostile: WebServer;
/** Of the member `demo`. */
let credential_id: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'practice-'));
  const logger = pino({ level: 'debug' }, { write: (line: string) => logged.push(line) });
  const sites = await startPracticeSites();
  hostile = await startWebServer(({ path }, response) => {
    const serve = hostilePages[path];
    if (serve === undefined) response.writeHead(404).end();
    else serve(response.setHeader('content-type', 'text/html'));
  });
  const fetcher = new Fetcher({ allowOrigins: [sites.origin, hostile.origin], timeoutMs: 8_000 });
  const loginFetcher = new Fetcher({ allowOrigins: [sites.origin] });
  const directory = join(dataDir, 'catalogs');
  const catalogs = await createCatalogSource({ further: practiceCatalogs(), directory, logger });
  const runner = new RecipeRunner({ fetcher, parsePool });
  const logins = new LoginRunner({ fetcher: loginFetcher, parsePool });
  service = await startService({
    ...{ dataDir, catalogs, practiceUrl: sites.origin, runner, logins, logger },
    jobs: { retryDelay: 50 },
  });
  credential_id = LoginVerified.parse((await signIn('demo', 'demo')).body).credential_id;
  closers.push(
    () => service.close(),
    () => Promise.all([fetcher.close(), loginFetcher.close(), catalogs.close()]),
    () => Promise.all([sites.close(), hostile.close()]),
    () => rm(dataDir, { recursive: true, force: true }),
  );
});
afterAll(async () => {
  for (const close of closers) await close();
});

/** Made once: while it is compressed this process could not answer for the other pages. */
const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));

const hostilePages: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/text': (response) => response.end(`<p>${'a'.repeat(60)}!</p>`),
  '/deep': (response) => response.end('<div>'.repeat(20_000)),
  '/nested': (response) => response.end('<div><p></p>'.repeat(400)),
  '/endless': (response) => {
    const timer = setInterval(() => response.write('<p>more</p>'), 5);
    response.on('close', () => clearInterval(timer));
  },
  // 64 MB of zeros in some 64 kB.
  '/bomb': (response) => response.setHeader('content-encoding', 'gzip').end(bomb),
};

async function ask(
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${service.baseUrl}/v1/svc${path}`, {
    method,
    headers: { 'x-api-key': service.apiKey, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

async function finish(action_id: string, params: object, credential_id?: string): Promise<Job> {
  const submitted = await ask('POST', '/task', { action_id, params, credential_id });
  if (submitted.status === 200) return Job.parse(submitted.body);
  expect(submitted, JSON.stringify(submitted.body)).toMatchObject({ status: 202 });
  const { job_id } = TaskAccepted.parse(submitted.body);
  return vi.waitFor(
    async () => {
      const job = Job.parse((await ask('GET', `/jobs/${job_id}`)).body);
      expect(job.status, action_id).not.toBe('processing');
      return job;
    },
    { timeout: 40_000, interval: 50 },
  );
}

/** At most ten times in this file: that is the limit of a minute. */
const signIn = (username: string, password: string) =>
  ask('POST', '/login', { catalog_slug: 'members', params: { username, password } });

const Parameters = z.looseObject({
  properties: z.record(z.string(), z.looseObject({ examples: z.array(z.unknown()).optional() })),
  required: z.array(z.string()).optional(),
});

describe('through the service', () => {
  it('[action.final-cost] every practice action does its work with its own examples, and costs what it says', async () => {
    const { results } = SearchResults.parse((await ask('GET', '/search')).body);
    const practice = results.filter(({ catalog_slug }) =>
      ['bookshop', 'stations', 'quotes', 'members'].includes(catalog_slug),
    );
    expect(practice).toHaveLength(12);
    for (const action of practice) {
      const { properties, required = [] } = Parameters.parse(action.params);
      const params = Object.fromEntries(required.map((name) => [name, properties[name]?.examples?.[0]]));
      const job = await finish(
        action.action_id,
        params,
        action.auth_mode === 'none' ? undefined : credential_id,
      );
      expect(job, action.action_id).toMatchObject({ status: 'completed' });
      const data = z
        .looseObject({ items: z.array(z.looseObject({})).min(1).optional(), count: z.number().optional() })
        .parse(job.data);
      const { items, count } = data;
      // What the search announced is what came.
      const [first] = items ?? [];
      const { source_url: _, ...record } = data;
      expect(action.returns, action.action_id).toEqual(
        first === undefined ? Object.keys(record) : { items: Object.keys(first) },
      );
      // The one with a credits expression costs a credit for each book.
      expect(job.credits_used).toBe(action.action_id === 'bookshop_catalogue' ? count : action.credits);
    }
  });

  it('[catalog.login-schema] [login.failed-200] the members’ catalog describes its login, and each of its users ends as promised', async () => {
    const details = CatalogDetails.parse((await ask('GET', '/catalog/members')).body);
    expect(details.catalog).toMatchObject({ auth_types: ['credentials'], auth_required: true });
    expect(details.login_input_schema?.map(({ name, required }) => [name, required])).toEqual([
      ['username', true],
      ['password', true],
    ]);
    const ends = {
      locked: 'ACCOUNT_LOCKED',
      mfa: 'MFA_REQUIRED',
      captcha: 'CAPTCHA_REQUIRED',
      changed: 'LOGIN_PAGE_CHANGED',
      nocookie: 'LOGIN_NO_COOKIES',
      down: 'LOGIN_INFRASTRUCTURE_ERROR',
      odd: 'LOGIN_FAILED',
    };
    for (const [user, code] of Object.entries(ends)) {
      const { status, body } = await signIn(user, 'demo');
      expect({ status, code: ErrorEnvelope.parse(body).error.code }).toEqual({ status: 200, code });
    }
  });

  it('a slow sign-in is LOGIN_TIMEOUT within ten seconds', async () => {
    const started = performance.now();
    const { body } = await signIn('slow', 'demo');
    expect(ErrorEnvelope.parse(body).error.code).toBe('LOGIN_TIMEOUT');
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('what members see differs from what visitors see', async () => {
    const visitor = await finish('members_offers', {});
    const member = await finish('members_offers', {}, credential_id);
    expect(visitor.data).toMatchObject({ count: 3 });
    expect(member.data).toMatchObject({ count: 5 });
    const { status, body } = await ask('POST', '/task', { action_id: 'members_orders', params: {} });
    expect({ status, code: ErrorEnvelope.parse(body).error.code }).toEqual({
      status: 401,
      code: 'AUTH_REQUIRED',
    });
  });

  it('a file dropped into the data folder brings actions; hostile pages are failed and refunded jobs', async () => {
    const catastrophic = 'div:has(div:has(div:has(div:has(div:has(b)))))';
    const actions = {
      own_text: ['/text', { select: 'p', match: '^(a+)+!$' }],
      // A lookahead: what RE2 lacks does not run in linear time.
      own_pattern: ['/text', { select: 'p', match: '^(?=a)(a+)+$' }],
      own_deep: ['/deep', { select: 'div' }],
      own_selector: ['/nested', { select: catastrophic }],
      own_endless: ['/endless', { select: 'p' }],
      own_bomb: ['/bomb', { select: 'p' }],
    } as const;
    const file = {
      slug: 'own',
      name: 'My site',
      url: `${hostile.origin}/`,
      category: 'test',
      description: 'A site of mine',
      actions: Object.entries({ ...actions, own_dear: ['/text', { select: 'p' }] as const }).map(
        ([action_id, [path, text]]) => ({
          action_id,
          name: action_id,
          credits_per_call: action_id === 'own_dear' ? 1_000_000 : 7,
          ...(action_id === 'own_text' && { credits_expression: '`99`', credits_max: 8 }),
          parameters: { type: 'object', properties: {} },
          recipe: {
            request: { url: `${hostile.origin}${path}` },
            extract: { kind: 'html', fields: { text } },
          },
        }),
      ),
    };
    await writeFile(join(dataDir, 'catalogs', 'own.json'), JSON.stringify(file));
    await vi.waitFor(async () => expect((await ask('GET', '/catalog/own')).status).toBe(200), 5_000);
    /** What is left, as the refusal of what nobody can pay tells. */
    const balance = async () => {
      const { body } = await ask('POST', '/task', { action_id: 'own_dear', params: {} });
      return z.object({ error: z.looseObject({ balance: z.number() }) }).parse(body).error.balance;
    };
    expect(await finish('own_text', {})).toMatchObject({ status: 'completed', credits_used: 8 });
    expect(await ask('GET', '/search?catalog=own&q=own_text')).toMatchObject({
      body: { results: [{ credits: 7, credits_computed: true, credits_max: 8 }] },
    });

    const [before, memory] = [await balance(), process.memoryUsage().rss];
    const ends = {
      own_pattern: 'Parsing the page takes too long',
      own_deep: 'The elements of the page are nested too deeply',
      own_selector: 'Parsing the page takes too long',
      own_endless: 'The site took too long to answer',
      own_bomb: 'The page is larger than the limit of 10240 KiB',
    };
    const stall = await longestStall(async () => {
      const jobs = Object.entries(ends).map(async ([action_id, message]) => ({
        message,
        job: await finish(action_id, {}),
      }));
      for (const { message, job } of await Promise.all(jobs))
        expect(job).toMatchObject({
          status: 'failed',
          credits_used: 0,
          error: { code: 'EXECUTION_FAILED', message },
        });
    });
    expect(await balance()).toBe(before);
    // Site, service and test share this process; what runs wild would take gigabytes and seconds.
    expect(process.memoryUsage().rss - memory).toBeLessThan(400 * 1024 * 1024);
    expect(stall).toBeLessThan(250);
  }, 60_000);

  it('no password and no cookie is logged', async () => {
    const secret = 'canary-77c1d0';
    const { body } = await signIn('demo', secret);
    expect(ErrorEnvelope.parse(body).error.code).toBe('BAD_PASSWORD');
    expect(JSON.stringify(body)).not.toContain(secret);
    expect(logged.join('')).not.toContain(secret);
    expect(logged.join('')).not.toContain('members_session');
  });
});
