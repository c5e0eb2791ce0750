import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { closeGateways, scriptedUpstream, temporaryFolder } from '../support/gateway.ts';
import { standalone } from '../support/http.ts';
import { callTool as call, startHttp } from '../support/http-program.ts';
import { PlainBrowser } from '../support/plain-browser.ts';
import { hasPostgres, type PostgresCluster, startPostgres } from '../support/postgres.ts';
import { type Environment, endPrograms, environmentOf, runProgram } from '../support/program.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await endPrograms();
  await closeGateways();
});

const token = 'a-token-of-the-tests';

const endless = [{ action_id: 'endless', catalog_slug: 'shop', job: { ms: Number.POSITIVE_INFINITY } }];
const wait = { SVC_WAIT_SECONDS: '50' };

describe('svc-mcp http', () => {
  it('does not start where everyone could spend the key', async () => {
    const upstream = await scriptedUpstream();
    const environment = environmentOf(upstream, await temporaryFolder());
    const open = [
      [['--host', '0.0.0.0'], {}],
      [['--host', '::'], {}],
      [['--host', '192.0.2.1'], {}],
      [[], { SVC_PUBLIC_URL: 'https://tools.example' }],
      [['--host', '0.0.0.0'], { SVC_BASE_URL: '', SVC_API_KEY: '' }],
    ] as const;
    for (const [args, more] of open) {
      const { code, stderr } = await runProgram(['http', '--port', '0', ...args], {
        ...environment,
        ...more,
      });
      expect([code, stderr]).toEqual([2, expect.stringContaining('SVC_HTTP_TOKEN')]);
    }
  });

  it('starts on every address with a token, or where clients bring keys', async () => {
    const upstream = await scriptedUpstream();
    const folder = await temporaryFolder();
    const { SVC_API_KEY: _, ...keyless } = environmentOf(upstream, folder);
    const args = ['--host', '0.0.0.0'];
    const bringing = await startHttp(keyless, args);
    const { origin } = bringing;
    expect((await fetch(`${origin}/mcp`, standalone('tools/list'))).status).toBe(401);
    const found = await call(origin, 'search_actions', {}, { 'x-api-key': upstream.apiKey });
    expect(found.results).toEqual([]);
    const tokened = await startHttp({ ...environmentOf(upstream, folder), SVC_HTTP_TOKEN: token }, args);
    const second = tokened.origin;
    expect((await fetch(`${second}/mcp`, standalone('tools/list'))).status).toBe(401);
    expect((await call(second, 'search_actions', {}, { authorization: `Bearer ${token}` })).results).toEqual(
      [],
    );
    const sent = upstream.requests.map(({ headers }) => headers.authorization);
    expect(new Set(sent)).toEqual(new Set([undefined]));
  });

  it('serves the page on which a person signs in, to which a form may be sent from that page only', async () => {
    const field = { name: 'password', type: 'string', required: true, description: 'Password' };
    const catalog = { slug: 'shop', auth_types: ['credentials'], login_input_schema: [field] };
    const upstream = await scriptedUpstream({ catalogs: [catalog] });
    const program = await startHttp(environmentOf(upstream, await temporaryFolder()));
    const { login_url: url } = await call(program.origin, 'login', { catalog_slug: 'shop' });
    expect(url).toMatch(program.origin);
    const browser = new PlainBrowser();
    const form = await browser.open(String(url));
    const typed = ['secret'];
    const foreign = await browser.submit(form, typed, { origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
    expect(upstream.requestsTo('login')).toHaveLength(0);
    expect((await browser.submit(form, typed)).status).toBe(200);
    await upstream.waitForRequests('login', 1);
  });

  it('answers a call under way with a handle when it is told to end, and takes no new ones', async () => {
    const upstream = await scriptedUpstream({ actions: endless });
    const program = await startHttp({ ...environmentOf(upstream, await temporaryFolder()), ...wait });
    const session = new Client({ name: 'a-test', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    closers.push(() => session.close());
    await session.connect(new StreamableHTTPClientTransport(new URL('/mcp', program.origin)));
    const inSession = session.callTool({ name: 'shop_endless', arguments: { a: 1 } });
    const alone = call(program.origin, 'shop_endless', { a: 2 });
    await upstream.waitForRequests('getJob', 2);
    const startedAt = Date.now();
    program.child.kill('SIGTERM');
    const handles = [(await inSession).structuredContent, await alone];
    for (const handle of handles) {
      expect(handle).toMatchObject({ status: 'processing', job_id: expect.stringMatching(/./) });
    }
    expect(await program.exited).toEqual([0, null]);
    expect(Date.now() - startedAt).toBeLessThan(10_000);
    const known = [...upstream.service.jobs.keys()];
    expect(handles.map((handle) => new Map(Object.entries(Object(handle))).get('job_id')).sort()).toEqual(
      known.sort(),
    );
  });
});

describe.skipIf(!hasPostgres)('two replicas of the worked example on one PostgreSQL', () => {
  let postgres: PostgresCluster | undefined;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  /** The example's settings, with the test's addresses and secrets in the files it names. */
  async function replicas(origin: string, apiKey: string, more: Environment = {}) {
    const folder = await temporaryFolder();
    const text = await readFile(new URL('../../examples/replicas/replica.env', import.meta.url), 'utf8');
    const example = Object.fromEntries(
      [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
    );
    const secrets: Record<string, string> = {
      SVC_API_KEY_FILE: apiKey,
      SVC_HTTP_TOKEN_FILE: token,
      SVC_DATABASE_URL_FILE: (await postgres?.createDatabase()) ?? '',
    };
    for (const [name, secret] of Object.entries(secrets)) {
      expect(example).toHaveProperty(name);
      await writeFile(join(folder, name), secret);
      example[name] = join(folder, name);
    }
    return Promise.all(
      ['one', 'two'].map(async (name) => {
        const SVC_DATA_DIR = join(folder, name);
        await mkdir(SVC_DATA_DIR);
        return startHttp({ ...example, ...wait, ...more, SVC_BASE_URL: origin, SVC_DATA_DIR }, [
          '--host',
          '0.0.0.0',
        ]);
      }),
    );
  }

  /** Each request goes to the next replica that listens, as the example's proxy sends those of 2026-07-28. */
  async function balance(ports: readonly string[]) {
    let turn = 0;
    const server = createServer((request, response) => {
      turn += 1;
      const port = ports[turn % ports.length];
      const options = { port, path: request.url, method: request.method, headers: request.headers };
      const passed = httpRequest(options, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      passed.on('error', () => response.writeHead(502).end());
      request.pipe(passed);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(async () => server.close());
    const address = server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address?.port}`;
  }

  const authorization = `Bearer ${token}`;

  it('pay once for identical calls at both, and lose nothing when one is killed', async () => {
    const upstream = await scriptedUpstream({ actions: endless });
    const [one, two] = await replicas(upstream.origin, upstream.apiKey);
    if (one === undefined || two === undefined) throw new Error('Two replicas were to be started');
    const origin = await balance([one, two].map((replica) => new URL(replica.origin).port));
    const calls = Array.from({ length: 8 }, () =>
      call(origin, 'shop_endless', { a: 1 }, { authorization }).catch(() => undefined),
    );
    await upstream.waitForRequests('getJob', 2);
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);

    one.child.kill('SIGKILL');
    await one.exited;
    const [jobId] = [...upstream.service.jobs.keys()];
    const job = upstream.service.jobs.get(jobId ?? '');
    if (jobId === undefined || job === undefined) throw new Error('There is no job');
    // What it was called with, by a client of the replica that is gone.
    const survivor = two.origin;
    const again = call(survivor, 'shop_endless', { a: 1 }, { authorization });
    const read = call(survivor, 'get_job', { job_id: jobId, wait_seconds: 0 }, { authorization });
    expect(await read).toMatchObject({ status: 'processing', job_id: jobId });
    two.child.kill('SIGTERM');
    const answers = (await Promise.all([...calls, again])).filter((answer) => answer !== undefined);
    expect(answers.length).toBeGreaterThan(1);
    for (const answer of answers) expect(answer).toMatchObject({ status: 'processing', job_id: jobId });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('share the budget of the day', async () => {
    const actions = [{ action_id: 'dear', catalog_slug: 'shop', credits: 10 }];
    const upstream = await scriptedUpstream({ actions });
    const started = await replicas(upstream.origin, upstream.apiKey, { SVC_MAX_CREDITS_PER_DAY: '35' });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        const origin = started[index % 2]?.origin ?? '';
        return call(origin, 'shop_dear', { a: index }, { authorization });
      }),
    );
    expect(answers.filter(({ status }) => status === 'completed')).toHaveLength(3);
    expect(answers.filter(({ error }) => error?.code === 'BUDGET_EXCEEDED')).toHaveLength(9);
    expect(upstream.requestsTo('submitTask')).toHaveLength(3);
  });
});
