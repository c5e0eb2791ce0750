/** The commands, most of them run here; what a process has of its own is asked of the spawned program. Needs `dist/`. */
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { staticTools } from '../../src/mcp/tools/index.ts';
import { closeGateways, scriptedUpstream, temporaryFolder } from '../support/gateway.ts';
import { endPrograms, environmentOf, runProgram, spawnProgram } from '../support/program.ts';
import { runHere } from '../support/run-here.ts';

afterEach(async () => {
  await endPrograms();
  await closeGateways();
});

const staticNames = staticTools.map(({ name }) => name);

async function start() {
  const upstream = await scriptedUpstream({
    actions: [
      { action_id: 'shop-list', catalog_slug: 'shop', name: 'List', credits: 3, job: { data: { n: 1 } } },
    ],
  });
  const folder = await temporaryFolder();
  const environment = environmentOf(upstream, folder);
  return { upstream, folder, environment, run: (...args: string[]) => runHere(args, environment) };
}

it('call prints the result, and its exit code says whether it went well', async () => {
  const { run, upstream, environment } = await start();
  const good = await runProgram(['call', 'shop-list', '{"q": 1}', '--json'], environment);
  expect(good).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(good.stdout)).toMatchObject({ status: 'completed', data: { n: 1 }, credits_used: 3 });
  const bad = await runProgram(['call', 'run_action', '{"action_id": "none"}'], environment);
  expect(bad.code).toBe(1);
  expect(JSON.parse(bad.stdout)).toMatchObject({ status: 'error', error: { code: 'ACTION_NOT_FOUND' } });
  const unknown = await run('call', 'no_such_tool');
  expect(unknown).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('Unknown tool: no_such_tool'),
  });
  const broken = await run('call', 'shop-list', '[1]');
  expect(broken).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('JSON object') });
  expect(upstream.requestsTo('submitTask')).toHaveLength(1);
});

it('tools lists what an agent sees, and doctor counts the same characters', async () => {
  const { run } = await start();
  const { stdout, code } = await run('tools', '--json');
  expect(code).toBe(0);
  const names = JSON.parse(stdout).tools.map((tool: { name: string }) => tool.name);
  // This service edits no actions.
  const listed = staticNames.filter((name) => name !== 'edit_action');
  expect(names).toEqual([...listed, 'shop-list']);
  const table = (await run('tools')).stdout;
  expect(table).toMatch(/shop-list +3 or more +List/);
  const counted = (text: string) => /(\d+) tools, (\d+) characters/.exec(text)?.slice(1);
  expect(counted(table)).toEqual([String(names.length), expect.stringMatching(/^\d+$/)]);
  expect(counted((await run('doctor')).stdout)).toEqual(counted(table));
  const fewest = await run('tools', '--json', '--max-tools', String(staticNames.length));
  expect(JSON.parse(fewest.stdout).tools).toHaveLength(listed.length);
});

it('jobs lists what was spent', async () => {
  const { run } = await start();
  await run('call', 'shop-list');
  const { stdout } = await run('jobs', '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    credits_spent_today: 3,
    jobs: [{ action_id: 'shop-list', status: 'completed', credits: 3, delivered: true }],
  });
  expect((await run('jobs')).stdout).toMatch(/completed +3 +shop-list[\s\S]*3 credits spent today/);
});

it('watches list shows a watch whose action is gone, though nothing else keeps the process alive', async () => {
  const action = { action_id: 'shop-list', catalog_slug: 'shop', type: 'scrape', job: { data: [{ n: 1 }] } };
  const upstream = await scriptedUpstream({ actions: [action] });
  const environment = environmentOf(upstream, await temporaryFolder());
  await runHere(['call', 'watch', '{"action_id": "shop-list", "every": "1h"}'], environment);
  upstream.service.actions.delete('shop-list');
  // An unknown name has the catalog fetched again.
  await runHere(['call', 'run_action', '{"action_id": "none"}'], environment);
  expect(await runProgram(['watches', 'list'], environment)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/watch-\S+ +active[\s\S]*no visible action shop-list any more/),
  });
});

it('jobs says why the service refused one', async () => {
  const { run, upstream } = await start();
  const refusal = { status: 'error', error: { code: 'INSUFFICIENT_CREDITS', message: 'No credits left' } };
  upstream.fail('submitTask', { kind: 'answer', status: 402, body: refusal });
  await run('call', 'shop-list');
  expect((await run('jobs')).stdout).toMatch(/shop-list[\s\S]*: INSUFFICIENT_CREDITS: .*No credits left/);
});

it('call --csv prints what stands beside the rows to stderr', async () => {
  const rows = [1, 2].map((n) => ({ n, currency: 'EUR' }));
  const job = { data: { items: rows, source: 'shop' } };
  const upstream = await scriptedUpstream({
    actions: [{ action_id: 'shop-list', catalog_slug: 'shop', name: 'List', credits: 3, job }],
  });
  const environment = environmentOf(upstream, await temporaryFolder());
  const { stdout, stderr } = await runHere(['call', 'shop-list', '--csv'], environment);
  expect(stdout).toBe('n\r\n1\r\n2\r\n');
  expect(stderr).toBe('Beside the rows: {"currency":"EUR","source":"shop"}\n');
  const part = await runHere(['call', 'shop-list', '{"select": "items[1:]"}', '--csv'], environment);
  expect(part.stdout).toBe('n,currency\r\n2,EUR\r\n');
});

it('call --csv of a run that failed prints nothing to stdout, and says why on stderr', async () => {
  const job = { error: { code: 'EXECUTION_FAILED', message: 'No' } };
  const upstream = await scriptedUpstream({
    actions: [{ action_id: 'shop-list', catalog_slug: 'shop', job }],
  });
  const environment = environmentOf(upstream, await temporaryFolder());
  expect(await runProgram(['call', 'shop-list', '--csv'], environment)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('EXECUTION_FAILED'),
  });
});

it('call --csv of a batch has a row with the error of an input without a result, says so on stderr, and fails', async () => {
  const error = { code: 'EXECUTION_FAILED', message: 'No' };
  const job = (params: unknown) => (Object(params).n === 2 ? { error } : { data: [{ a: 1 }] });
  const upstream = await scriptedUpstream({
    actions: [{ action_id: 'shop-list', catalog_slug: 'shop', job }],
  });
  const batch = JSON.stringify({ action_id: 'shop-list', batch: [{ n: 1 }, { n: 2 }] });
  const environment = environmentOf(upstream, await temporaryFolder());
  expect(await runProgram(['call', 'run_action', batch, '--csv'], environment)).toMatchObject({
    code: 1,
    stdout: 'n,a,error\r\n1,1,\r\n2,,EXECUTION_FAILED\r\n',
    stderr: 'The inputs 2 have no result.\n',
  });
});

describe('a service that cannot be used is an error with a next step', () => {
  it.each([
    ['a refused key', 'UNAUTHORIZED', 'SVC_API_KEY'],
    ['no connection', 'SERVICE_UNREACHABLE', 'svc-mcp doctor'],
  ])('for %s', async (_, code, next) => {
    const { upstream, environment, run } = await start();
    await run('call', 'shop-list');
    const elsewhere = { ...environment, SVC_DATA_DIR: await temporaryFolder() };
    if (code === 'UNAUTHORIZED') Object.assign(elsewhere, { SVC_API_KEY: 'canary-key' });
    else await upstream.refuse();
    const failure = {
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`${code}.*\\n.*${next}`)),
    };
    expect(await runHere(['tools'], elsewhere)).toMatchObject(failure);
    expect(await runHere(['tools', '--json'], elsewhere)).toMatchObject(failure);
    expect(await runHere(['jobs'], elsewhere)).toMatchObject(failure);
    const called = await runHere(['call', 'shop-list'], elsewhere);
    expect(called.code).toBe(1);
    expect(JSON.parse(called.stdout)).toMatchObject({ error: { code }, next: expect.stringContaining(next) });
    // What was run is known without the service.
    if (code === 'UNAUTHORIZED') return;
    const jobs = await run('jobs');
    expect(jobs).toMatchObject({ code: 1, stdout: expect.stringMatching(/completed +3 +shop-list/) });
    expect(jobs.stderr).toContain(code);
  });
});

it('an API prefix may end with a slash, also for the embedded service', async () => {
  const environment = { SVC_DATA_DIR: await temporaryFolder(), SVC_API_PREFIX: '/v1/other/' };
  const { code, stdout } = await runHere(['call', 'quotes_get', '{"id": 1}'], environment);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { status: 'completed' }]);
});

it('jobs says what to do about a damaged database', async () => {
  const { run, folder } = await start();
  await writeFile(join(folder, 'gateway.db'), 'damaged'.repeat(2_000));
  const { stdout, stderr, code } = await run('jobs');
  expect([stdout, code]).toEqual(['', 1]);
  expect(stderr).toMatch(/cannot be used[\s\S]*restore gateway\.db from a backup/);
  expect((await run('jobs', '--json')).code).toBe(1);
});

describe('doctor', () => {
  it('says that everything is well, with numbers', async () => {
    const { run } = await start();
    const { stdout, code } = await run('doctor', '--json');
    const { ok, checks } = JSON.parse(stdout);
    expect({ ok, code }).toEqual({ ok: true, code: 0 });
    expect(checks.map((check: { name: string }) => check.name)).toEqual(
      expect.arrayContaining(['node', 'settings', 'data folder', 'proxy', 'service', 'catalog', 'tools']),
    );
    expect(stdout).toMatch(/\d+ tools, \d+ characters/);
  });

  it('names a refused key, an address without a service and broken settings, never the key', async () => {
    const { environment, upstream, folder } = await start();
    const wrong = await runHere(['doctor', '--json'], { ...environment, SVC_API_KEY: 'canary-key' });
    expect(wrong).toMatchObject({ code: 1, stdout: expect.stringContaining('the key was refused') });
    expect(wrong.stdout + wrong.stderr).not.toContain('canary-key');
    await upstream.refuse();
    const gone = await runHere(['doctor', '--json'], environment);
    expect(gone).toMatchObject({ code: 1, stdout: expect.stringContaining('SVC_BASE_URL') });
    await writeFile(join(folder, 'config.json'), '{"max_tools": "x"}');
    const broken = await runHere(['doctor', '--json'], environment);
    expect(broken).toMatchObject({ code: 1, stdout: expect.stringContaining('max_tools') });
  });
});

describe('service', () => {
  it('prints one line when it is ready, serves, and ends with SIGTERM', async () => {
    const folder = await temporaryFolder();
    const spawned = spawnProgram(['service'], { SVC_DATA_DIR: folder });
    await expect.poll(() => spawned.out()).toMatch(/\n$/);
    const { base_url, api_key, practice_url } = JSON.parse(spawned.out());
    const answer = await fetch(`${base_url}/v1/svc/search?q=books`, { headers: { 'x-api-key': api_key } });
    expect(answer.status).toBe(200);
    expect(JSON.stringify(await answer.json())).toContain('bookshop');
    expect((await fetch(practice_url)).ok).toBe(true);
    const called = await runHere(['call', 'search_actions', '{"q": "books"}'], {
      SVC_BASE_URL: base_url,
      SVC_API_KEY: api_key,
      SVC_DATA_DIR: await temporaryFolder(),
    });
    expect(called.code).toBe(0);
    spawned.child.kill('SIGTERM');
    expect(await spawned.exited).toEqual([0, null]);
    expect(spawned.out().trim().split('\n')).toHaveLength(1);
  });
});

it('a wrong command line says how it is used', async () => {
  const { run, environment } = await start();
  for (const [args, text] of [
    [['tools', '--no-such-flag'], 'svc-mcp tools --help'],
    [['call'], 'missing required argument'],
    [['--max-tools', '20', 'tools'], 'put the command first'],
    [['service', 'users', 'credits', 'ann'], 'svc-mcp service users credits --help'],
    [['actions', 'rename', 'shop-list', ' '], 'The new name is empty'],
    [['config', 'cursor', '--auth', 'key'], '--auth key is for a server at --url'],
  ] as const) {
    expect(await run(...args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(text) });
  }
  expect(await runProgram(['call'], environment)).toMatchObject({ code: 2, stdout: '' });
  expect(await run('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('svc-mcp') });
  expect((await runProgram(['--version'], environment)).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

it('demo shows the whole product once', async () => {
  const HOME = await temporaryFolder();
  const environment = { SVC_DATA_DIR: await temporaryFolder(), HOME, XDG_CONFIG_HOME: HOME };
  const { code, stdout } = await runProgram(['demo'], environment);
  expect(code).toBe(0);
  expect(stdout).toContain('bookshop_list_books');
  expect(stdout).toContain('completed: 1 credit,');
  expect(stdout).not.toContain('1 credits');
  // As every text names such a price (docs/money.md).
  expect(stdout).toContain('Books of a category in full, 3 credits, at most 15, async');
  expect(stdout).toContain('mcpServers');

  await mkdir(join(HOME, '.cursor'));
  const found = await runProgram(['demo'], environment);
  expect(found.stdout).toMatch(/^ {2}.* config cursor --write$/m);
  expect(found.stdout).not.toContain('mcpServers');
}, 60_000);

it('an unknown command is named, and starts nothing', async () => {
  const { run } = await start();
  expect(await run('lst')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining("unknown command 'lst'"),
  });
  expect(await run('cals')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Did you mean call?'),
  });
  expect((await run('help')).stdout).toContain('Usage: svc-mcp');
});

it('build example.com asks for https://example.com, and refuses an address with a password', async () => {
  const { run, upstream } = await start();
  await run('build', 'shop.example/list', 'all books', '--json');
  expect(upstream.requestsTo('requestBuild')[0]?.body).toMatchObject({
    website_url: 'https://shop.example/list',
  });
  const refused = await run('build', 'https://user:hunter2@shop.example/', 'all books');
  expect(refused.code).toBe(1);
  expect(refused.stdout + refused.stderr).toContain('must not contain a user name or password');
  expect(refused.stdout + refused.stderr).not.toContain('hunter2');
  expect(upstream.requestsTo('requestBuild')).toHaveLength(1);
});

it('output shows control characters instead of letting the terminal obey them', async () => {
  const upstream = await scriptedUpstream({
    actions: [
      {
        action_id: 'shop-list',
        catalog_slug: 'shop',
        name: 'List',
        credits: 3,
        job: { data: { n: 'a\u009b31mb\u202ec\x7f' } },
      },
    ],
  });
  const environment = environmentOf(upstream, await temporaryFolder());
  const { stdout } = await runHere(['call', 'shop-list', '{}'], environment);
  expect(stdout).toContain('a\\u009b31mb\\u202ec\\u007f');
  expect(JSON.parse(stdout)).toMatchObject({ data: { n: 'a\u009b31mb\u202ec\x7f' } });
});

describe('a data folder', () => {
  it.runIf(process.getuid !== undefined)(
    'that others can write is refused, with the command that fixes it',
    async () => {
      const { run, folder } = await start();
      for (const path of [folder, join(folder, 'config.json')]) {
        if (path !== folder) await writeFile(path, '{}');
        await chmod(path, path === folder ? 0o777 : 0o666);
        const refused = await run('tools');
        expect(refused).toMatchObject({
          code: 2,
          stdout: '',
          stderr: expect.stringContaining(`chmod go-w ${path}`),
        });
        expect((await run('doctor')).stdout).toContain(`chmod go-w ${path}`);
        await chmod(path, path === folder ? 0o700 : 0o600);
      }
      expect((await run('tools')).code).toBe(0);
    },
  );

  it.runIf(process.getuid?.() === 0)('that another user owns is refused', async () => {
    const { run, folder } = await start();
    await chown(folder, 12_345, 12_345);
    expect(await run('tools')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/belongs to another user \(uid 12345\).*sudo chown -R 0 /),
    });
  });
});

it('doctor names every placeholder that the client did not replace', async () => {
  const { environment } = await start();
  const placeholders = {
    SVC_API_KEY: `$\{SVC_API_KEY}`,
    SVC_LOGIN_A_NAME: `$\{env:SVC_API_KEY}`,
    SVC_LOGIN_A_PASSWORD: '{env:SVC_API_KEY}',
    SVC_LOGIN_B_NAME: '$SVC_API_KEY',
    SVC_LOGIN_B_PASSWORD: `$\{input:svc-key}`,
  };
  const { code, stdout } = await runHere(['doctor', '--json'], { ...environment, ...placeholders });
  expect(code).toBe(1);
  for (const [name, value] of Object.entries(placeholders)) {
    expect(stdout).toContain(`${name} is the placeholder ${value}`);
  }
});

describe('a sign-in from the command line', () => {
  const runIn = async (...args: string[]) =>
    runHere(args, { SVC_DATA_DIR: await temporaryFolder(), SVC_WEB_CATALOG: 'off', SVC_BROWSER: 'off' });

  it.each([
    ['members', 'svc-mcp: members signs in with a user name and password: svc-mcp login members\n'],
    ['bookshop', 'svc-mcp: bookshop has no sign-in: its actions run without an account\n'],
  ])('connect %s says how else to sign in, before it promises a window', async (slug, stderr) => {
    expect(await runIn('connect', slug)).toEqual({ code: 1, stdout: '', stderr });
  });

  it.each(['connect', 'login'])(
    '%s of the practice catalog of a browser says what is missing',
    async (command) => {
      const stderr =
        'svc-mcp: gallery is a practice catalog whose pages need a browser, and none can be used here: svc-mcp doctor says why\n';
      expect(await runIn(command, 'gallery')).toEqual({ code: 1, stdout: '', stderr });
    },
  );

  it.each(['connect', 'login'])(
    '%s of an unknown catalog names the command that lists them',
    async (command) => {
      const stderr = 'svc-mcp: There is no catalog "nosuch"; svc-mcp call browse_catalogs lists them\n';
      expect(await runIn(command, 'nosuch')).toEqual({ code: 1, stdout: '', stderr });
    },
  );

  it.each([
    ['members_orders', '{}'],
    ['run_action', '{"action_id": "members_orders"}'],
    ['login', '{"catalog": "members"}'],
  ])('call %s names the command in place of a page that ends with it', async (tool, args) => {
    const { stdout } = await runIn('call', tool, args);
    expect(stdout).not.toContain('login_url');
    expect(JSON.parse(stdout)).toMatchObject({
      next: 'Run svc-mcp login members, then repeat this call.',
    });
  });
});
