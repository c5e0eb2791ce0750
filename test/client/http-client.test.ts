/** The endpoints as they are documented, and the forms of answers that are taken beside. */
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttpClient } from '../../src/client/http-client.ts';
import type { Api } from '../../src/contract/api.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { envelope } from '../support/upstream-faults.ts';
import { getSmallJob } from './support.ts';

let upstream: Upstream;
let api: Api;

beforeEach(async () => {
  upstream = await startUpstream({
    catalogs: [
      {
        slug: 'shop',
        auth_types: ['credentials'],
        login_input_schema: [
          { name: 'email', type: 'string', required: true, description: 'E-mail' },
          { name: 'password', type: 'string', required: true, description: 'Password' },
        ],
      },
    ],
    actions: [
      { action_id: 'list-books', catalog_slug: 'shop', credits: 3, job: { data: { books: [1] }, polls: 1 } },
      { action_id: 'mine', catalog_slug: 'own', mine: true },
    ],
  });
  api = createHttpClient({ baseUrl: upstream.origin, apiKey: upstream.apiKey });
});
afterEach(async () => {
  await api.close();
  await upstream.close();
});

const failure = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('The call should have failed'),
    (error: unknown) => error,
  );
const answer = (body: unknown, status = 200) => ({ kind: 'answer', status, body }) as const;

describe('every endpoint', () => {
  it('catalogs, with and without scope', async () => {
    expect((await api.listCatalogs({})).items.map((catalog) => catalog.slug)).toEqual(['shop', 'own']);
    expect((await api.listCatalogs({ scope: 'my' })).items.map((catalog) => catalog.slug)).toEqual(['own']);
  });

  it('catalog details with the login form', async () => {
    const details = await api.getCatalog('shop');
    expect(details.catalog.slug).toBe('shop');
    expect(details.actions.map((action) => action.action_id)).toEqual(['list-books']);
    expect(details.loginInputSchema?.map((field) => field.name)).toEqual(['email', 'password']);
    expect((await api.getCatalog('own')).loginInputSchema).toBeUndefined();
    expect(await failure(api.getCatalog('none'))).toMatchObject({
      kind: 'service',
      httpStatus: 404,
      code: 'NOT_FOUND',
    });
  });

  it('search, with its filters encoded', async () => {
    expect((await api.search({})).items).toHaveLength(2);
    await api.search({ q: 'a&b=c d/ü', catalog: 'shop', category: undefined, auth: 'false' });
    const query = upstream.requestsTo('search').at(-1)?.query;
    expect([...(query ?? [])]).toEqual([
      ['q', 'a&b=c d/ü'],
      ['catalog', 'shop'],
      ['auth', 'false'],
    ]);
  });

  it('a task and its job', async () => {
    const params = { text: 'ü"\n', nested: { list: [1, null] } };
    const task = await api.submitTask({ action_id: 'list-books', params });
    if (task.kind !== 'accepted') return expect.fail('The task should be accepted');
    expect(upstream.requestsTo('submitTask')[0]?.body).toEqual({ action_id: 'list-books', params });
    expect(upstream.requestsTo('submitTask')[0]?.headers['content-type']).toBe('application/json');
    expect((await getSmallJob(api, task.jobId)).body.status).toBe('processing');
    const { body, text } = await getSmallJob(api, task.jobId);
    expect(body).toMatchObject({ status: 'completed', data: { books: [1] }, credits_used: 3 });
    expect(JSON.parse(String(text))).toEqual(body);
  });

  it('login and identities', async () => {
    const verified = await api.login({ catalog_slug: 'shop', params: { email: 'a@b.c', password: 'p' } });
    expect(verified).toMatchObject({ status: 'verified', identity_name: 'a@b.c' });
    const { items } = await api.listIdentities({ catalog_id: verified.catalog_id });
    expect(items[0]?.credentials[0]?.id).toBe(verified.credential_id);
    expect((await api.listIdentities({ catalog_id: 'other' })).items).toEqual([]);
    expect((await api.getIdentity(verified.identity_id)).name).toBe('a@b.c');
  });

  it('builds', async () => {
    const body = { website_url: 'https://www.new.example/', goal: 'List prices' };
    expect(await api.requestBuild(body)).toMatchObject({ domain: 'new.example', status: 'pending' });
    expect((await api.listBuildRequests()).items).toHaveLength(1);
    const existing = { website_url: 'https://shop.example/', goal: 'List books' };
    expect(await failure(api.requestBuild(existing))).toMatchObject({
      kind: 'service',
      code: 'ACTION_EXISTS',
      extra: { existing_actions: [{ action_id: 'list-books' }] },
    });
  });
});

describe('identifiers in paths', () => {
  it('are encoded', async () => {
    await failure(api.getJob('a/b?c#d ü%2e'));
    expect(upstream.requests[0]?.url).toBe('/v1/svc/jobs/a%2Fb%3Fc%23d%20%C3%BC%252e');
  });

  it.each(['', '.', '..', '\ud800'])('%j is refused before anything is sent', async (id) => {
    expect(await failure(api.getCatalog(id))).toMatchObject({ kind: 'contract' });
    expect(upstream.requests).toEqual([]);
  });
});

describe('the answer to a task', () => {
  const submit = () => api.submitTask({ action_id: 'list-books' });

  it.each([
    ['documented', { status: 'processing', job_id: 'j', poll_url: 'https://evil.example/jobs/x' }],
    ['without status', { job_id: 'j' }],
    ['with an unknown status', { status: 'queued', job_id: 'j' }],
    ['processing with a null result', { status: 'processing', job_id: 'j', data: null }],
    ['processing with first data', { status: 'processing', job_id: 'j', data: { part: 1 } }],
    ['another word with first data', { status: 'running', job_id: 'j', data: { part: 1 } }],
  ])('accepted: %s', async (_name, body) => {
    upstream.fail('submitTask', answer(body, 202));
    expect(await submit()).toEqual({ kind: 'accepted', jobId: 'j' });
  });

  it.each([
    ['a completed job', { status: 'completed', data: { a: 1 }, credits_used: 1 }, { a: 1 }],
    ['a completed job with its id', { status: 'completed', job_id: 'j', data: { a: 1 } }, { a: 1 }],
    ['only data', { data: [1, 2] }, [1, 2]],
    ['data beside another status', { status: 'ok', data: { a: 1 } }, { a: 1 }],
    ['the bare result', { books: ['}'] }, { books: ['}'] }],
    ['the bare result with a status of its own', { status: 'ok', books: [] }, { status: 'ok', books: [] }],
    ['a bare array', [1], [1]],
    ['a bare null', null, null],
  ])('finished: %s', async (_name, body, data) => {
    upstream.fail('submitTask', { kind: 'answer', body: ` ${JSON.stringify(body)}\n` });
    const task = await submit();
    if (task.kind !== 'finished') return expect.fail('The task should be finished');
    expect(task.answer.body).toMatchObject({ status: 'completed', data });
    expect(JSON.parse(String(task.answer.text))).toEqual(task.answer.body);
  });

  it.each([
    ['a number', '{"status":"processing","job_id":123}', '123'],
    [
      'a number beyond 2^53',
      '{"job_id": 12345678901234567890, "status":"processing"}',
      '12345678901234567890',
    ],
    ['an id with NUL', '{"job_id":"job\\u00001"}', 'encoded-job%001'],
    ['an id with a mark that nobody sees', '{"job_id":"a\\u202eb"}', 'encoded-a%E2%80%AEb'],
    ['an id that looks like one of ours', '{"job_id":"local-1"}', 'encoded-local-1'],
    ['an id that looks like a batch', '{"job_id":"batch-1"}', 'encoded-batch-1'],
    ['an id that looks encoded', '{"job_id":"encoded-a%"}', 'encoded-encoded-a%25'],
  ])('with %s: the id can be stored, and names the job', async (_name, body, jobId) => {
    upstream.fail('submitTask', { kind: 'answer', status: 202, body });
    expect(await submit()).toEqual({ kind: 'accepted', jobId });
    await failure(api.getJob(jobId));
    const path = upstream.requestsTo('getJob')[0]?.url.split('/').at(-1) ?? '';
    const { job_id: id }: { job_id: unknown } = JSON.parse(body.replace(/: ?(\d+)/, ':"$1"'));
    expect(decodeURIComponent(path)).toBe(id);
  });

  it('failed at once', async () => {
    const body = { status: 'failed', error: { code: 'EXECUTION_FAILED', message: 'm' }, credits_used: 0 };
    upstream.fail('submitTask', answer(body));
    expect(await submit()).toMatchObject({ kind: 'finished', answer: { body } });
  });

  it.each([
    ['no job_id', { status: 'processing' }],
    ['an empty job_id', { status: 'processing', job_id: '' }],
    ['a huge job_id', { status: 'processing', job_id: 'j'.repeat(201) }],
    ['a job_id that is no string', { job_id: { a: 1 } }],
    ['a fraction for a job_id', { job_id: 1.5 }],
    ['true for a job_id', { job_id: true }],
    ['a job_id that no path can carry', { job_id: '..' }],
    ['a job_id with half a character', { job_id: 'a\ud800' }],
  ])('unusable: %s', async (_name, body) => {
    upstream.fail('submitTask', answer(body, 202));
    expect(await failure(submit())).toMatchObject({ kind: 'contract', sent: 'maybe', httpStatus: 202 });
  });
});

describe('a job', () => {
  it.each([
    ['an unknown status', { status: 'paused', at: 1 }],
    ['unknown fields', { status: 'completed', data: { a: 1 }, extra: { b: 2 } }],
    ['a null error', { status: 'completed', data: 1, error: null }, { status: 'completed', data: 1 }],
    [
      'odd numbers',
      { status: 'completed', data: 1, credits_used: 'free', execution_ms: null },
      { status: 'completed', data: 1 },
    ],
    [
      'an error that is text',
      { status: 'failed', error: 'Boom' },
      { status: 'failed', error: { code: 'EXECUTION_FAILED', message: 'Boom' } },
    ],
  ])('is read with %s', async (_name, body, expected: object = body) => {
    upstream.fail('getJob', answer(body));
    expect((await getSmallJob(api, 'j')).body).toEqual(expected);
  });

  it('keeps keys that are dangerous elsewhere as plain data', async () => {
    const text = '{"status":"completed","data":{"__proto__":{"polluted":true},"constructor":1}}';
    upstream.fail('getJob', { kind: 'answer', body: text });
    const job = await getSmallJob(api, 'j');
    expect(job.text).toBe(text);
    expect(JSON.stringify(job.body.data)).toBe('{"__proto__":{"polluted":true},"constructor":1}');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('is the JSON text as received, compressed, at 5 MB', async () => {
    const data = { rows: Array.from({ length: 50_000 }, (_, row) => ({ row, text: 'ü'.repeat(45) })) };
    const text = JSON.stringify({ status: 'completed', data }, null, 1);
    upstream.fail('getJob', { kind: 'answer', body: text });
    const job = await api.getJob('j');
    if ('body' in job) return expect.fail('So large an answer is not read here');
    expect(gunzipSync(job.gzip).toString()).toBe(text);
  });

  it('may begin with a byte order mark', async () => {
    upstream.fail('getJob', { kind: 'answer', body: '\uFEFF{"status":"processing"}' });
    expect((await getSmallJob(api, 'j')).text).toBe('{"status":"processing"}');
  });
});

describe('lists', () => {
  it('keep their good elements if one is bad', async () => {
    upstream.service.addAction({ action_id: 'bad', overrides: { credits: 'free' } });
    const { items, unreadable } = await api.search({});
    expect(items).toHaveLength(2);
    expect(unreadable).toMatchObject([{ id: 'bad' }]);
  });

  it.each([
    ['search', () => api.search({}), { results: {} }],
    ['listCatalogs', () => api.listCatalogs({}), { catalogs: [] }],
    ['listIdentities', () => api.listIdentities({}), []],
    ['getCatalog', () => api.getCatalog('shop'), { catalog: { slug: 'shop' } }],
    ['getCatalog', () => api.getCatalog('shop'), { catalog: null, actions: [] }],
    ['getIdentity', () => api.getIdentity('i'), { identity: 'i' }],
    ['getJob', () => api.getJob('i'), { data: 1 }],
    ['requestBuild', () => api.requestBuild({ website_url: 'u', goal: 'g' }), { build_request: {} }],
  ] as const)('%s of another form is a contract error that names the endpoint', async (name, call, body) => {
    upstream.fail(name, answer(body));
    expect(await failure(call())).toMatchObject({
      kind: 'contract',
      endpoint: name,
      httpStatus: 200,
      message: expect.stringMatching(/^(?:GET|POST) \/\S+ was answered with .* \(HTTP 200\)$/),
    });
  });

  it.each([
    ['documented nowhere, as ours', { status: 'ok', build_requests: [{ id: 'b' }] }],
    ['under another name', { items: [{ id: 'b' }], total: 1 }],
    ['bare', [{ id: 'b' }]],
  ])('build requests: %s', async (_name, body) => {
    upstream.fail('listBuildRequests', answer(body));
    expect((await api.listBuildRequests()).items.map((build) => build.id)).toEqual(['b']);
  });

  it('a build request without its wrapper', async () => {
    upstream.fail('requestBuild', answer({ id: 'b', status: 'pending' }, 201));
    const body = { website_url: 'https://a.example', goal: 'g' };
    expect(await api.requestBuild(body)).toMatchObject({ id: 'b', status: 'pending' });
  });
});

describe('failures that the service names', () => {
  it.each([200, 202, 400, 402, 500])('an error envelope outranks HTTP %i', async (status) => {
    upstream.fail('submitTask', envelope(status, 'INSUFFICIENT_CREDITS', 'No', { balance: 1, required: 2 }));
    expect(await failure(api.submitTask({ action_id: 'list-books' }))).toMatchObject({
      kind: 'service',
      httpStatus: status,
      code: 'INSUFFICIENT_CREDITS',
      message: 'No',
      extra: { balance: 1, required: 2 },
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it.each([
    [{ status: 'error' }, 'UNKNOWN_ERROR', 'The service gave no message'],
    [{ status: 'error', error: 'Boom' }, 'UNKNOWN_ERROR', 'Boom'],
    [{ status: 'error', error: null, message: 'Boom' }, 'UNKNOWN_ERROR', 'Boom'],
    [{ status: 'error', error: { code: 7, message: [] } }, 'UNKNOWN_ERROR', 'The service gave no message'],
  ])('an incomplete envelope: %j', async (body, code, message) => {
    upstream.fail('search', answer(body));
    expect(await failure(api.search({}))).toMatchObject({ kind: 'service', code, message });
  });

  it.each([
    ['BAD_PASSWORD in a 200', envelope(200, 'BAD_PASSWORD', 'No'), 'BAD_PASSWORD'],
    ['another status', answer({ status: 'pending' }), 'LOGIN_FAILED'],
    [
      'another status with a code',
      answer({ status: 'mfa', error: { code: 'MFA_REQUIRED' } }),
      'MFA_REQUIRED',
    ],
    ['no status', answer({}, 201), 'LOGIN_FAILED'],
  ])('a sign-in that is not verified: %s', async (_name, fault, code) => {
    upstream.fail('login', fault);
    const call = api.login({ catalog_slug: 'shop', params: {} });
    expect(await failure(call)).toMatchObject({ kind: 'service', code });
  });

  it('a verified sign-in without a credential counts as failed', async () => {
    upstream.fail('login', answer({ status: 'verified' }, 201));
    const call = api.login({ catalog_slug: 'shop', params: {} });
    expect(await failure(call)).toMatchObject({ kind: 'contract' });
  });
});

describe('what it is created with', () => {
  it.each([
    ['ftp://a.example', 'http:// or https://'],
    ['a.example', 'not a URL'],
    ['https://user:secret@a.example', 'user name'],
    ['https://a.example/?x=1', 'without ? or #'],
  ])('refuses the base URL %s', (baseUrl, message) => {
    expect(() => createHttpClient({ baseUrl, apiKey: 'k' })).toThrow(message);
  });

  it('refuses an unusable prefix or key, without repeating the key', () => {
    expect(() => createHttpClient({ baseUrl: 'https://a.example', apiKey: 'k', apiPrefix: 'v1?' })).toThrow(
      'API prefix',
    );
    const create = () => createHttpClient({ baseUrl: 'https://a.example', apiKey: 'se\r\ncret' });
    expect(create).toThrow('API key');
    expect(create).not.toThrow('cret');
  });

  it('keeps the path of the base URL before the prefix', async () => {
    const behindPath = createHttpClient({
      baseUrl: `${upstream.origin}/tenant/`,
      apiKey: upstream.apiKey,
      apiPrefix: '/v1/product/',
    });
    await failure(behindPath.listCatalogs({}));
    expect(upstream.requests[0]?.url).toBe('/tenant/v1/product/catalog');
    expect(behindPath.origin).toBe(upstream.origin);
    await behindPath.close();
  });
});
