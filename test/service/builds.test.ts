import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { BuildRequest } from '../../src/contract/resources.ts';
import type { Builder, BuildTask } from '../../src/service/foundation/ports.ts';
import {
  action,
  addTestUser,
  catalog,
  gate,
  type Json,
  readMoney,
  sourceOf,
  startTestService,
  type TestService,
  type TestServiceOptions,
  withDatabase,
} from '../support/service.ts';

const shop = catalog({
  slug: 'shop',
  actions: [
    action({
      action_id: 'shop_books',
      name: 'Books',
      recipe: {
        request: { url: 'https://shop.example/books/{list}?page={page}' },
        defaults: { list: 'all' },
      },
    }),
  ],
});

const running: TestService[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.close()));
});
async function start(options: TestServiceOptions = {}): Promise<TestService> {
  const service = await startTestService({ catalogs: sourceOf(shop), ...options });
  running.push(service);
  return service;
}

const noPreview: Builder['preview'] = async () => ({
  ok: false,
  errorType: 'NO_DATA_FOUND',
  message: 'No',
});

/** Builds an action that answers with the goal. */
function builderOf(seen: BuildTask[] = [], wait: () => Promise<void> = async () => undefined): Builder {
  return {
    build: async (task) => {
      seen.push(task);
      await wait();
      const { actions: _, ...head } = catalog({ slug: 'built', url: task.websiteUrl, actions: [] });
      const built = action({ action_id: 'built_action', name: task.goal });
      return { built: true, catalog: head, action: built };
    },
    preview: noPreview,
  };
}

const wanted = { website_url: 'https://www.New.example/list?x=1', goal: 'List the things' };
const request = (service: TestService, body: Json = {}, headers = {}) =>
  service.call('POST', '/build-request', { ...wanted, ...body }, headers);
async function builds(service: TestService, headers = {}): Promise<BuildRequest[]> {
  const { status, body } = await service.call('GET', '/build-requests', undefined, headers);
  expect([status, body.status]).toEqual([200, 'ok']);
  return Array.isArray(body.build_requests) ? body.build_requests.map((row) => BuildRequest.parse(row)) : [];
}
async function ended(service: TestService, headers = {}): Promise<BuildRequest[]> {
  await expect
    .poll(async () => (await builds(service, headers)).some(({ status }) => status === 'pending'))
    .toBe(false);
  return builds(service, headers);
}

it('a build that takes longer than an attempt may is told to stop, fails and is refunded', async () => {
  const stopped: AbortSignal[] = [];
  const builder: Builder = {
    preview: noPreview,
    build: (_task, { signal }) => {
      stopped.push(signal);
      return new Promise(() => undefined);
    },
  };
  const service = await start({ builder, jobs: { timeLimit: 200 } });
  await request(service);
  expect(await ended(service)).toMatchObject([
    { status: 'failed', error_type: 'TIMEOUT', error: 'The build took longer than 0.2 s' },
  ]);
  expect(stopped.map(({ aborted }) => aborted)).toEqual([true]);
  expect((await readMoney(service)).balances.default).toBe(1000);
});

it('[build-request.created] [build.pending] [build.fields] [build.domain] [build-request.cost] a build request is answered with 201, pending and charged, with every field', async () => {
  const { wait, open } = gate();
  const service = await start({ builder: builderOf([], wait) });
  const { status, body } = await request(service);
  expect(status).toBe(201);
  expect(body).toEqual({
    status: 'ok',
    build_request: {
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
      user_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
      website_url: 'https://www.new.example/list?x=1',
      domain: 'new.example',
      goal: 'List the things',
      visibility: 'private',
      status: 'pending',
      credits_charged: 25,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    },
  });
  expect((await readMoney(service)).balances.default).toBe(975);
  open();
});

it('a build that fails after its lease was lost writes no candidates', async () => {
  const { wait, open, reached } = gate();
  const candidates = [{ id: 't1', kind: 'table', rows: 0, columns: [] }];
  const build: Builder['build'] = async () => {
    await wait();
    return { built: false, errorType: 'CHOICE_NEEDED', message: 'Choose', candidates };
  };
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-builds-'));
  const service = await start({
    dataDir,
    builder: { build, preview: noPreview },
    jobs: { leaseDuration: 600_000 },
  });
  await request(service);
  await reached;
  // As if another process had taken the job.
  await withDatabase(service, ({ query }) =>
    query
      .updateTable('jobs')
      .set({ fence: 7, lease_owner: 'other', lease_until: Date.now() + 600_000 })
      .execute(),
  );
  open();
  running.splice(running.indexOf(service), 1);
  await service.close();
  const stored = await withDatabase(service, ({ query }) =>
    query.selectFrom('build_requests').select(['candidates', 'status']).execute(),
  );
  await rm(dataDir, { recursive: true });
  expect(stored).toEqual([{ candidates: null, status: 'pending' }]);
});

it('[build.success] [service.build-publishes] [build-request.visibility] [list-builds.own] a private build is published to its owner only', async () => {
  const seen: BuildTask[] = [];
  const service = await start({ builder: builderOf(seen) });
  const stranger = await addTestUser(service, 'stranger');
  await request(service);
  const [built] = await ended(service);
  expect(built).toMatchObject({ status: 'success', action_id: 'built_action', credits_charged: 25 });
  expect(seen).toMatchObject([
    {
      websiteUrl: 'https://www.new.example/list?x=1',
      domain: 'new.example',
      goal: 'List the things',
      catalog: { slug: 'new-example', name: 'new.example', url: 'https://www.new.example/' },
    },
  ]);
  const mine = await service.call('GET', '/catalog/new-example');
  expect(mine.body.actions).toEqual([
    expect.objectContaining({ action_id: 'built_action', owner_user_id: built?.user_id }),
  ]);
  expect((await service.call('GET', '/catalog/new-example', undefined, stranger.headers)).status).toBe(404);
  const accepted = await service.call('POST', '/task', { action_id: 'built_action', params: { a: 1 } });
  expect(await service.finished(accepted.body.job_id)).toMatchObject({ status: 'completed' });
  expect(await builds(service, stranger.headers)).toEqual([]);
});

it('[build-request.visibility] [build-request.catalog-id] a public build in an existing catalog is seen by everybody; a taken id gets a suffix', async () => {
  const service = await start({
    builder: {
      build: async () => {
        const { actions: _, ...head } = catalog({ slug: 'ignored', actions: [] });
        return {
          built: true,
          catalog: head,
          action: action({ action_id: 'shop_books', name: 'More books' }),
        };
      },
      preview: noPreview,
    },
  });
  const { body } = await service.call('GET', '/catalog/shop');
  const wish = {
    website_url: 'https://shop.example/list',
    visibility: 'public',
    force: true,
    catalog_id: (body.catalog as Json).id,
  };
  expect((await request(service, wish)).status).toBe(201);
  const [built] = await ended(service);
  const stranger = await addTestUser(service, 'stranger');
  expect(built?.action_id).toBe('shop_books_2');
  const theirs = await service.call('GET', '/catalog/shop', undefined, stranger.headers);
  expect(theirs.body.actions).toHaveLength(2);
  expect((await service.call('GET', '/catalog/ignored')).status).toBe(404);
});

it.each([
  ['without a builder', undefined, 'BUILDER_NOT_AVAILABLE'],
  [
    'that says why',
    {
      build: async () => ({ built: false, errorType: 'SITE_UNREADABLE', message: 'No' }) as const,
      preview: noPreview,
    },
    'SITE_UNREADABLE',
  ],
  [
    'that throws',
    { build: () => Promise.reject(new Error('internals')), preview: noPreview },
    'BUILD_FAILED',
  ],
])(
  '[build.failed] a build %s fails with its reason and is refunded once',
  async (_name, builder, errorType) => {
    const service = await start(builder && { builder });
    await request(service);
    const [failed] = await ended(service);
    expect(failed).toMatchObject({
      status: 'failed',
      error_type: errorType,
      error: expect.any(String),
      credits_charged: 0,
    });
    expect(JSON.stringify(failed)).not.toContain('internals');
    expect(await readMoney(service)).toEqual({
      balances: { default: 1000 },
      mismatches: 0,
      doubleRefunds: 0,
    });
  },
);

it.each([
  [{ website_url: undefined }, 'INVALID_INPUT'],
  [{ goal: undefined }, 'INVALID_INPUT'],
  [{ goal: '  ' }, 'INVALID_INPUT'],
  [{ goal: 'a\0b' }, 'INVALID_INPUT'],
  [{ goal: 'x'.repeat(4001) }, 'INVALID_INPUT'],
  [{ website_url: 'new.example' }, 'INVALID_INPUT'],
  [{ website_url: 'ftp://new.example' }, 'INVALID_INPUT'],
  [{ website_url: 'https://user:word@new.example' }, 'INVALID_INPUT'],
  [{ visibility: 'shared' }, 'INVALID_INPUT'],
  [{ force: 'yes' }, 'INVALID_INPUT'],
  [{ catalog_id: '00000000-0000-4000-8000-000000000000' }, 'INVALID_INPUT'],
])('[build-request.invalid-input] %j is refused', async (body, code) => {
  const service = await start();
  const answer = await request(service, body);
  expect([answer.status, answer.body.error]).toMatchObject([400, { code }]);
  expect(await builds(service)).toEqual([]);
  expect((await readMoney(service)).balances.default).toBe(1000);
});

it.each([
  'http://localhost',
  'http://localhost./',
  'http://127.1/',
  'http://0x7f000001',
  'http://[::1]/',
  'http://[::ffff:7f00:1]/',
  'http://10.1.2.3',
  'http://169.254.169.254/latest',
  'http://intranet',
  'http://printer.local',
  'http://db.internal',
])('[build-request.blocked] %s is refused', async (website_url) => {
  const service = await start();
  const answer = await request(service, { website_url });
  expect([answer.status, answer.body.error]).toMatchObject([
    400,
    { code: 'BLOCKED_WEBSITE', message: expect.stringContaining('SVC_SERVICE_ALLOW_ORIGINS=http://') },
  ]);
});

it("one's own origins may be built for although they are not public", async () => {
  const service = await start({ allowedOrigins: ['http://127.0.0.1:8080'] });
  expect((await request(service, { website_url: 'http://127.0.0.1:8080/books' })).status).toBe(201);
  expect((await request(service, { website_url: 'http://127.0.0.1:8081/' })).status).toBe(400);
});

it('[build-request.blocked] a listed domain is refused at once, with its subdomains, unless its origin is an own one', async () => {
  const own = 'https://own.listed.example';
  const service = await start({ allowedOrigins: [own] });
  const file = join(service.dataDir, 'blocked-websites.txt');
  const ask = async (website_url: string) => (await request(service, { website_url, force: true })).status;
  expect(await ask('https://listed.example/')).toBe(201);
  await writeFile(file, '# mine\nlisted.example # and below\nnot a domain\n');
  for (const host of ['listed.example', 'www.listed.example', 'LISTED.example.', 'a.b.listed.example:8443'])
    expect([host, await ask(`https://${host}/`)]).toEqual([host, 400]);
  expect(await request(service, { website_url: 'https://listed.example/' })).toMatchObject({
    body: { error: { code: 'BLOCKED_WEBSITE', message: expect.stringContaining('on the list') } },
  });
  expect([await ask('https://unlisted.example/'), await ask(`${own}/list`)]).toEqual([201, 201]);
  await ended(service);
  // A list that cannot be read allows nothing.
  await rm(file);
  await mkdir(file);
  expect(await ask('https://unlisted.example/')).toBe(500);
  await rm(file, { recursive: true });
  expect(await ask('https://listed.example/')).toBe(201);
});

it('[build-request.blocked] what a redirect led to is not published either', async () => {
  const recipeOf = (url: string) => ({ request: { url } });
  let address = 'https://listed.example/{page}';
  const service = await start({
    builder: {
      build: async () => {
        const { actions: _, ...head } = catalog({ slug: 'built', actions: [] });
        return {
          built: true,
          catalog: head,
          action: { ...action({ action_id: 'built_action' }), recipe: recipeOf(address) },
        };
      },
      preview: noPreview,
    },
  });
  await writeFile(join(service.dataDir, 'blocked-websites.txt'), 'listed.example');
  for (address of ['https://listed.example/{page}', 'http://127.0.0.1/x']) {
    await request(service);
    const [failed] = await ended(service);
    expect(failed).toMatchObject({ status: 'failed', error_type: 'SITE_UNREACHABLE', credits_charged: 0 });
  }
  address = 'https://new.example/{page}';
  await request(service);
  expect(await ended(service)).toMatchObject([{ status: 'success' }, {}, {}]);
  expect((await readMoney(service)).balances.default).toBe(975);
});

it('[build-request.action-exists] a second build for a page is refused, whatever its goal; another page of the site is not', async () => {
  const service = await start({ builder: builderOf() });
  const ask = async (goal: string, body: Json = {}) => {
    const answer = await request(service, { goal, ...body });
    await ended(service);
    return answer;
  };
  expect((await ask('List the jobs')).status).toBe(201);
  const refused = await ask('List the offices', { website_url: `${wanted.website_url}&page=2#top` });
  expect([refused.status, refused.body.error]).toMatchObject([
    409,
    {
      code: 'ACTION_EXISTS',
      message: 'Actions that read https://www.new.example/list already exist',
      existing_actions: [{ action_id: 'built_action', name: 'List the jobs' }],
    },
  ]);
  expect((await readMoney(service)).balances.default).toBe(975);
  expect((await ask('List the jobs', { website_url: 'https://www.new.example/' })).status).toBe(201);
  // Nobody is refused for an action that is another's.
  const stranger = await addTestUser(service, 'stranger');
  expect((await request(service, { goal: 'List the jobs' }, stranger.headers)).status).toBe(201);
});

it('[build-request.action-exists] who chooses columns is refused only for an action with the same ones', async () => {
  const service = await start({ builder: builderOf() });
  const ask = async (candidate: string, fields: Json) => {
    const { status } = await request(service, { choose: { candidate, fields } });
    await ended(service);
    return status;
  };
  expect(await ask('t1', { name: 'c1', price: 'c2' })).toBe(201);
  expect(await ask('t1', { price: 'c2', name: 'c1' })).toBe(409);
  expect(await ask('t1', { name: 'c1' })).toBe(201);
  expect(await ask('r1', { name: 'c1', price: 'c2' })).toBe(201);
});

it('[build-request.catalog-id] the catalog of another domain is refused, because its cookies would go there', async () => {
  const service = await start({ builder: builderOf() });
  const { body } = await service.call('GET', '/catalog/shop');
  const catalog_id = (body.catalog as Json).id;
  const refused = await request(service, { catalog_id });
  expect([refused.status, refused.body.error]).toMatchObject([
    400,
    { code: 'INVALID_INPUT', message: expect.stringContaining('is for shop.example, not for new.example') },
  ]);
  expect((await readMoney(service)).balances.default).toBe(1000);
});

it('[build-request.action-exists] [build-request.force] an action of a file that reads the page is shown instead, unless it is forced', async () => {
  const service = await start();
  const page = { website_url: 'https://shop.example/books/all?sort=title' };
  const refused = await request(service, page);
  expect(refused.status).toBe(409);
  expect(refused.body.error).toMatchObject({
    code: 'ACTION_EXISTS',
    existing_actions: [{ action_id: 'shop_books', name: 'Books', description: null }],
  });
  expect((await readMoney(service)).balances.default).toBe(1000);
  expect((await request(service, { website_url: 'https://shop.example/books/new' })).status).toBe(201);
  expect((await request(service, { ...page, force: true })).status).toBe(201);
});

it('[build-request.action-exists] an action whose params lead to the page is shown with them, also by a preview', async () => {
  const text = { type: 'string' };
  const reading = (action_id: string, url: string, properties: Json, more: Json = {}) =>
    action({
      action_id,
      parameters: { type: 'object', properties, additionalProperties: false, ...more },
      recipe: { request: { url, query: { q: '{words}', sort: 'new' } } },
    });
  const tides = catalog({
    slug: 'tide',
    actions: [
      reading('tide_port', 'https://tide.example/ports/{port}/', { port: text, words: text }),
      reading('tide_day', 'https://tide.example/day-{day}.html', { day: { type: 'integer', minimum: 1 } }),
      reading('tide_search', 'https://tide.example/search', { words: text }, { required: ['words'] }),
    ],
  });
  const preview: Builder['preview'] = async () => ({
    ...{ ok: true, candidates: [], shown: [] },
    page: { title: 'Tides', url: 'https://tide.example/' },
  });
  const service = await start({ catalogs: sourceOf(tides), builder: { ...builderOf(), preview } });
  const existing = async (path: string, isPreview = false) => {
    const website_url = `https://tide.example${path}`;
    const asked = { website_url, goal: 'List the tides' };
    if (!isPreview) return (await request(service, asked)).body.error;
    return (await service.call('POST', '/build-request/preview', asked)).body;
  };
  const shown = (action_id: string, params?: Json) => ({
    existing_actions: [{ action_id, name: action_id, description: null, ...(params && { params }) }],
  });
  expect(await existing('/ports/saint%20malo?q=high&x=1')).toMatchObject({
    ...{ code: 'ACTION_EXISTS', ...shown('tide_port', { port: 'saint malo', words: 'high' }) },
  });
  expect(await existing('/ports/brest/')).toMatchObject(shown('tide_port', { port: 'brest' }));
  expect(await existing('/day-3.html')).toMatchObject(shown('tide_day', { day: 3 }));
  const { existing_actions } = Object(await existing('/search'));
  expect(existing_actions).toEqual(shown('tide_search').existing_actions);
  expect(await existing('/ports/brest', true)).toMatchObject(shown('tide_port', { port: 'brest' }));
  expect((await readMoney(service)).balances.default).toBe(1000);
  // A page that no params of theirs lead to.
  for (const path of ['/ports/', '/ports/brest/today', '/day-0.html', '/day-.html'])
    expect(await existing(path, true)).not.toHaveProperty('existing_actions');
  expect(await existing('/ports')).toBeUndefined();
});

it('[build-request.insufficient-credits] less than 25 credits are refused with both numbers', async () => {
  const service = await start();
  const poor = await addTestUser(service, 'poor', 24);
  const { status, body } = await request(service, {}, poor.headers);
  expect([status, body.error]).toMatchObject([
    402,
    { code: 'INSUFFICIENT_CREDITS', balance: 24, required: 25 },
  ]);
});

it('[build-request.limit] of ten requests at once three are accepted; when one has ended, one more', async () => {
  const { wait, open } = gate();
  const service = await start({ builder: builderOf([], wait) });
  const answers = await Promise.all(Array.from({ length: 10 }, () => request(service)));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(3).fill(201), ...Array(7).fill(429)]);
  const limited = answers.find(({ status }) => status === 429);
  expect(limited?.body.error).toMatchObject({ code: 'BUILD_LIMIT_REACHED' });
  expect((await readMoney(service)).balances.default).toBe(925);
  open();
  const all = await ended(service);
  expect(all.map(({ status }) => status)).toEqual(['success', 'success', 'success']);
  expect(new Set(all.map(({ action_id }) => action_id)).size).toBe(3);
  expect((await request(service, { force: true })).status).toBe(201);
});

it('builds are listed with the newest first, and survive a restart', async () => {
  const service = await start();
  await request(service, { goal: 'first' });
  await ended(service);
  await request(service, { goal: 'second' });
  expect((await ended(service)).map(({ goal }) => goal)).toEqual(['second', 'first']);
  const again = await startTestService({ dataDir: service.dataDir });
  expect((await builds(again)).map(({ goal }) => goal)).toEqual(['second', 'first']);
  await again.close();
});

it('however many builds there were, the list stays bounded: the newest thousand, rows of the newest fifty', async () => {
  const service = await start({ builder: builderOf() });
  await request(service);
  await ended(service);
  await withDatabase(service, (database) =>
    database.transaction(async (transaction) => {
      const job = await transaction.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
      const build = await transaction.selectFrom('build_requests').selectAll().executeTakeFirstOrThrow();
      const more = Array.from({ length: 1_010 }, (_, index) => ({ id: randomUUID(), index }));
      for (let at = 0; at < more.length; at += 101) {
        const some = more.slice(at, at + 101);
        await transaction
          .insertInto('jobs')
          .values(some.map(({ id }) => ({ ...job, id })))
          .execute();
        await transaction
          .insertInto('build_requests')
          .values(
            some.map(({ id, index }) => ({
              ...build,
              id,
              job_id: id,
              goal: `goal ${index}`,
              created_at: build.created_at + index + 1,
              sample: '[{"a":1}]',
            })),
          )
          .execute();
      }
    }),
  );
  const all = await builds(service);
  expect(all.slice(0, 2).map(({ goal }) => goal)).toEqual(['goal 1009', 'goal 1008']);
  expect(all).toHaveLength(1_000);
  expect(all.map(({ sample }) => sample !== undefined)).toEqual([
    ...Array(50).fill(true),
    ...Array(950).fill(false),
  ]);
});

it('a build tells what its test could not read', async () => {
  const missing = ['The page says "40 boats", and 4 rows were read.'];
  const builder: Builder = {
    preview: noPreview,
    build: async () => ({ built: true, action: action({ action_id: 'boats' }), sample: [{ a: 1 }], missing }),
  };
  const service = await start({ builder });
  await request(service);
  expect(await ended(service)).toMatchObject([{ status: 'success', sample: [{ a: 1 }], missing }]);
});

it('a build that asks again for an action with the same choice knows what its columns were', async () => {
  const seen: BuildTask[] = [];
  const column = { label: 'Name', kind: 'text', path: '[]', samples: ['Albatross'] };
  const columns = {
    candidate: { id: 't1', kind: 'table', layout: 'a' },
    fields: { name: column },
  };
  const builder: Builder = {
    preview: noPreview,
    build: async (task) => {
      seen.push(task);
      return { built: true, action: { ...action({ action_id: 'new_list' }), columns } };
    },
  };
  const service = await start({ builder });
  const ask = async (fields: Json, force: boolean) => {
    expect((await request(service, { choose: { candidate: 't1', fields }, force })).status).toBe(201);
    await ended(service);
    return seen.at(-1)?.kept;
  };
  expect(await ask({ name: 'c1' }, false)).toBeUndefined();
  expect(await ask({ name: 'c1' }, true)).toEqual(columns);
  expect(await ask({ name: 'c2' }, true)).toBeUndefined();
});
