/** The spawned program through real clients. Needs `dist/`: `npm test` builds it first. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  ageSnapshots,
  closeGateways,
  openStore,
  scriptedUpstream,
  temporaryFolder,
} from '../support/gateway.ts';
import {
  connectFirstLine,
  connectProgram,
  endPrograms,
  environmentOf,
  type Mode,
  runProgram,
  type Spawned,
  spawnProgram,
} from '../support/program.ts';
import type { UpstreamScript } from '../support/upstream-script.ts';

afterEach(async () => {
  await endPrograms();
  await closeGateways();
});

const list = { action_id: 'shop-list', catalog_slug: 'shop', name: 'List', credits: 3 };
const run = { name: 'run_action', arguments: { action_id: 'shop-list', params: { q: 1 } } };
const slow = { ...list, job: { ms: Number.POSITIVE_INFINITY, data: 'paid' } };

async function start(script: UpstreamScript = { actions: [list] }) {
  const upstream = await scriptedUpstream(script);
  const folder = await temporaryFolder();
  return { upstream, folder, environment: environmentOf(upstream, folder) };
}

const modes: [string, Mode][] = [
  ['the current revision', { pin: '2026-07-28' }],
  ['the older revisions', 'legacy'],
  ['a client that finds out', 'auto'],
];

describe('a client', () => {
  it.each(modes)('lists, searches and runs (%s)', async (_, mode) => {
    const { upstream, environment } = await start();
    const { client } = await connectProgram(mode, environment);
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(12);
    expect(tools.at(-1)).toMatchObject({
      name: 'shop-list',
      title: 'List',
      _meta: { 'svc/action_id': 'shop-list' },
    });
    const found = await client.callTool({ name: 'search_actions', arguments: { q: 'list' } });
    expect(found.structuredContent).toMatchObject({ results: [{ tool: 'shop-list', credits: 3 }] });
    const result = await client.callTool({ name: 'shop-list', arguments: { q: 1 } });
    expect(result.isError ?? false).toBe(false);
    expect(result.structuredContent).toMatchObject({
      status: 'completed',
      data: { params: { q: 1 } },
      credits_used: 3,
    });
    expect(JSON.parse(Object(result.content)[0].text)).toEqual(result.structuredContent);
    await expect(client.callTool({ name: 'no_such_tool' })).rejects.toMatchObject({ code: -32602 });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('of the first line lists and runs', async () => {
    const { environment } = await start();
    const client = await connectFirstLine(environment);
    expect((await client.listTools()).tools).toHaveLength(12);
    const result = await client.callTool(run);
    expect(result.structuredContent).toMatchObject({ status: 'completed', data: { params: { q: 1 } } });
  });

  it.each(modes.slice(0, 2))('hears of new tools (%s)', async (_, mode) => {
    const { upstream, environment, folder } = await start();
    await connectProgram('legacy', environment).then(({ client }) => client.listTools());
    await endPrograms();
    await ageSnapshots(folder, 600_000);
    upstream.fail('search', { kind: 'delay', ms: 700 });
    upstream.service.addAction({ action_id: 'shop-new', catalog_slug: 'shop' });
    let changed = 0;
    const { client } = await connectProgram(mode, environment, {
      listChanged: {
        tools: {
          onChanged: () => {
            changed += 1;
          },
        },
      },
    });
    // What is on disk answers before the network does.
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names()).not.toContain('shop-new');
    await expect.poll(() => changed).toBeGreaterThan(0);
    // Types that arrive are announced, too.
    await expect.poll(names).toContain('shop-new');
  });

  it.each(modes.slice(0, 2))('is asked before much is spent (%s)', async (_, mode) => {
    const { upstream, environment } = await start();
    const asked: string[] = [];
    const answers: ('accept' | 'decline')[] = ['decline', 'accept'];
    const { client } = await connectProgram(
      mode,
      { ...environment, SVC_CONFIRM_ABOVE_CREDITS: '2' },
      {
        capabilities: { elicitation: { form: {} } },
        prepare: (one) =>
          one.setRequestHandler('elicitation/create', async ({ params }) => {
            asked.push(params.message);
            // A person needs longer than a moment to answer.
            await delay(1_100);
            const action = answers.shift() ?? 'decline';
            return action === 'accept' ? { action, content: {} } : { action };
          }),
      },
    );
    const declined = await client.callTool(run);
    expect(declined).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'CONFIRMATION_DECLINED', price: 3 } },
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(0);
    expect((await client.callTool(run)).structuredContent).toMatchObject({ status: 'completed' });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
    expect(asked[0]).toContain('3 credits');
  });

  it('that cannot be asked is told the setting', async () => {
    const { upstream, environment } = await start();
    const { client } = await connectProgram('legacy', { ...environment, SVC_CONFIRM_ABOVE_CREDITS: '2' });
    expect((await client.callTool(run)).structuredContent).toMatchObject({
      error: { code: 'CONFIRMATION_UNAVAILABLE', price: 3, limit: 2 },
      next: expect.stringContaining('SVC_CONFIRM_ABOVE_CREDITS'),
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(0);
  });

  it('that cancels and calls again gets what it paid for', async () => {
    const { upstream, environment } = await start({ actions: [slow] });
    const { client } = await connectProgram({ pin: '2026-07-28' }, environment);
    const cancel = new AbortController();
    const call = client.callTool(run, { signal: cancel.signal }).catch(() => 'cancelled');
    await upstream.waitForRequests('getJob', 1);
    cancel.abort();
    expect(await call).toBe('cancelled');
    for (const job of upstream.service.jobs.values()) job.script = { data: 'paid' };
    const again = await client.callTool(run);
    expect(again.structuredContent).toMatchObject({ data: 'paid', attached: true });
    const third = await client.callTool({ name: 'get_job', arguments: {} });
    expect(third.structuredContent).toMatchObject({ credits_spent_today: 3 });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('on the embedded service runs what the practice sites offer', async () => {
    const folder = await temporaryFolder();
    const { client } = await connectProgram('auto', { SVC_DATA_DIR: folder });
    const found = await client.callTool({ name: 'search_actions', arguments: { q: 'books' } });
    expect(JSON.stringify(found.structuredContent)).toContain('bookshop_list_books');
    const result = await client.callTool({ name: 'bookshop_list_books', arguments: {} });
    expect(result.structuredContent).toMatchObject({ status: 'completed', credits_used: expect.any(Number) });
    await client.close();
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      const { mode } = await stat(join(file.parentPath, file.name));
      expect({ file: file.name, mode: mode & 0o777 }).toEqual({
        file: file.name,
        mode: file.isDirectory() ? 0o700 : 0o600,
      });
    }
  });
});

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};
const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: run });
const send = ({ child }: Spawned, ...messages: object[]) =>
  child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
const Message = z.looseObject({ jsonrpc: z.literal('2.0'), id: z.number().optional() });
const messages = ({ out }: Spawned) =>
  out()
    .split('\n')
    .filter(Boolean)
    .map((line) => Message.parse(JSON.parse(line)));

/** The program's own limits add up to 750 ms. What is above a second is left to a machine that runs other tests meanwhile. */
const endsWithinMs = 2_000;

describe('the process', () => {
  it.each<[string, (spawned: Spawned) => void]>([
    ['stdin ends', ({ child }) => child.stdin.end()],
    ['it gets SIGTERM', ({ child }) => child.kill('SIGTERM')],
    ['it gets SIGHUP', ({ child }) => child.kill('SIGHUP')],
  ])('ends soon when %s during a job, which stays fetchable', async (_, leave) => {
    const { upstream, environment } = await start({ actions: [slow] });
    const spawned = spawnProgram([], environment);
    send(spawned, initialize, call(2));
    await upstream.waitForRequests('getJob', 1);
    const left = Date.now();
    leave(spawned);
    expect(await spawned.exited).toEqual([0, null]);
    expect(Date.now() - left).toBeLessThan(endsWithinMs);
    // Protocol only, also under way.
    expect(messages(spawned).map(({ id }) => id)).toContain(1);
    for (const job of upstream.service.jobs.values()) job.script = { data: 'paid' };
    const { client } = await connectProgram('legacy', environment);
    expect((await client.callTool(run)).structuredContent).toMatchObject({ data: 'paid', attached: true });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('ends soon on the embedded service too, and leaves no listener', async () => {
    const folder = await temporaryFolder();
    const spawned = spawnProgram([], { SVC_DATA_DIR: folder });
    send(spawned, initialize, { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} });
    await expect.poll(() => messages(spawned).map(({ id }) => id)).toContain(2);
    const left = Date.now();
    spawned.child.stdin.end();
    expect(await spawned.exited).toEqual([0, null]);
    expect(Date.now() - left).toBeLessThan(endsWithinMs);
  });

  it('writes protocol only to stdout, whatever it is sent', async () => {
    const { environment } = await start();
    const spawned = spawnProgram([], { ...environment, SVC_LOG_LEVEL: 'debug' });
    spawned.child.stdin.write('not json\n[]\n{"jsonrpc":"2.0"}\n');
    send(spawned, initialize, call(2), { jsonrpc: '2.0', id: 3, method: 'no/such/method' });
    await expect.poll(() => messages(spawned).map(({ id }) => id)).toEqual(expect.arrayContaining([1, 2, 3]));
    spawned.child.stdin.end();
    await spawned.exited;
    expect(() => messages(spawned)).not.toThrow();
  });

  it('killed while it submits leaves a doubt that the next one says at once', async () => {
    const { upstream, environment } = await start();
    upstream.fail('submitTask', { kind: 'hang', carriedOut: true }, { times: 1 });
    const spawned = spawnProgram([], environment);
    send(spawned, initialize, call(2));
    await upstream.waitForRequests('submitTask', 1);
    spawned.child.kill('SIGKILL');
    await spawned.exited;
    const { client } = await connectProgram('legacy', environment);
    const started = Date.now();
    const answer = await client.callTool(run);
    expect(Date.now() - started).toBeLessThan(2_000);
    expect(answer).toMatchObject({
      isError: true,
      structuredContent: {
        status: 'unknown',
        error: { code: 'SUBMISSION_UNKNOWN', credits_at_stake: 3 },
        next: expect.stringContaining('resubmit'),
      },
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
    const resubmit = { ...run, arguments: { ...run.arguments, resubmit: true } };
    expect((await client.callTool(resubmit)).structuredContent).toMatchObject({ status: 'completed' });
    expect(upstream.requestsTo('submitTask')).toHaveLength(2);
  });

  it('killed after the job was accepted loses nothing', async () => {
    const { upstream, environment, folder } = await start({ actions: [slow] });
    const spawned = spawnProgram([], environment);
    send(spawned, initialize, call(2));
    await upstream.waitForRequests('getJob', 1);
    // The first look goes out beside the write of what was accepted.
    const { query } = await openStore(folder);
    const accepted = () =>
      query.selectFrom('gateway_intent').select('id').where('state', '=', 'submitted').execute();
    await expect.poll(accepted).toHaveLength(1);
    spawned.child.kill('SIGKILL');
    await spawned.exited;
    for (const job of upstream.service.jobs.values()) job.script = { data: 'paid' };
    const { client } = await connectProgram('legacy', environment);
    expect((await client.callTool(run)).structuredContent).toMatchObject({ data: 'paid', attached: true });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('says what is wrong with its settings on stderr and ends', async () => {
    const folder = await temporaryFolder();
    const { code, stdout, stderr } = await runProgram([], {
      SVC_DATA_DIR: folder,
      SVC_BASE_URL: 'http://127.0.0.1:9',
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('SVC_API_KEY');
  });
});

describe('two processes on one folder', () => {
  it('send one request for the same call, and spend one budget', async () => {
    const { upstream, environment } = await start({ actions: [{ ...list, job: { polls: 3 } }] });
    upstream.fail('submitTask', { kind: 'delay', ms: 300 });
    const budgeted = { ...environment, SVC_MAX_CREDITS_PER_DAY: '10' };
    const clients = await Promise.all(
      [1, 2].map(async () => (await connectProgram('legacy', budgeted)).client),
    );
    const answers = await Promise.all(clients.map((client) => client.callTool(run)));
    for (const { structuredContent } of answers)
      expect(structuredContent).toMatchObject({ status: 'completed' });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
    const more = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        clients[n % 2]?.callTool({
          name: 'run_action',
          arguments: { action_id: 'shop-list', params: { n } },
        }),
      ),
    );
    const codes = more.map((answer) => Object(answer?.structuredContent).error?.code ?? 'done');
    expect(codes.filter((code) => code === 'done')).toHaveLength(2);
    expect(codes.filter((code) => code === 'BUDGET_EXCEEDED')).toHaveLength(6);
    expect(upstream.service.balance).toBe(1_000 - 9);
  });

  it('start at once on a new folder of the embedded service', async () => {
    const folder = await temporaryFolder();
    const clients = await Promise.all(
      [1, 2, 3].map(async () => (await connectProgram('legacy', { SVC_DATA_DIR: folder })).client),
    );
    const answers = await Promise.all(
      clients.map((client, n) => client.callTool({ name: 'quotes_get', arguments: { id: n + 1 } })),
    );
    for (const { structuredContent } of answers)
      expect(structuredContent).toMatchObject({ status: 'completed' });
  });
});

/** An idle process takes 16 MB more with Node 22 than with Node 20, and 31 MB more with Node 24. */
const moreMegabytes = Number.parseInt(process.versions.node, 10) > 20 ? 40 : 0;

it.each([
  { count: 10_000, megabytes: 200 },
  // Such a catalog need only work.
  { count: 50_000, megabytes: 600 },
])('the process holds $count actions in $megabytes MB', async ({ count, megabytes }) => {
  const many = Array.from({ length: count }, (_, n) => ({
    action_id: `site${n % 100}-action-${n}`,
    catalog_slug: `site${n % 100}`,
    description: 'Finds a thing '.repeat(5),
    parameters: {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 8 }, (_, p) => [`p${p}`, { type: 'string', description: 'Some text' }]),
      ),
    },
  }));
  const { environment } = await start({ actions: many });
  const { client, pid } = await connectProgram('legacy', environment);
  // On a loaded machine the first list is sent before the catalog was read.
  const tools = await vi.waitFor(
    async () => {
      const listed = (await client.listTools()).tools;
      expect(listed.length).toBeGreaterThan(40);
      return listed;
    },
    { timeout: 30_000 },
  );
  expect(JSON.stringify(tools).length).toBeLessThanOrEqual(60_000);
  const run = await client.callTool({ name: 'run_action', arguments: { action_id: 'site99-action-9999' } });
  expect(run.structuredContent).toMatchObject({ status: 'completed' });
  const search = await client.callTool({ name: 'search_actions', arguments: { q: 'finds a thing' } });
  expect(search.structuredContent).toMatchObject({ total: count });
  expect(await residentMegabytes(pid())).toBeLessThan(megabytes + moreMegabytes);
});

/** Only Linux tells it by a file; elsewhere nothing is claimed. */
async function residentMegabytes(pid: number | null): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

const Coverage = z.object({ result: z.array(z.object({ url: z.string() })) });

it('a start loads six files, all chunks of one build', async () => {
  const { environment } = await start();
  const folder = await temporaryFolder();
  const { code } = await runProgram([], { ...environment, NODE_V8_COVERAGE: folder });
  expect(code).toBe(0);
  const [report = ''] = await readdir(folder);
  const { result } = Coverage.parse(JSON.parse(await readFile(join(folder, report), 'utf8')));
  const loaded = result.flatMap(({ url }) => url.split('/dist/')[1] ?? []);
  expect(loaded.map((file) => file.replace(/[0-9a-f]{16}|[0-9A-Z]{8}(?=\.js)/g, '*'))).toEqual([
    'cli/main.js',
    'chunks/*/stdio-*.js',
    'chunks/*/start.js',
    'chunks/*/joined-*.js',
    'chunks/*/joined-*.js',
    'chunks/*/joined-*.js',
  ]);
});
