/**
 * Drives the real clients, with a scripted model in place of theirs, through what users do: connect, list, run, wait for
 * a long job, sign in, confirm, read a large result, go on after a restart. By hand: `npm run clients [name …]`;
 * `--write` puts the table into the documentation. It installs about 2 GB into `.clients`.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { freePort } from '../support/free-port.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { packages, type RealClient, realClients, type ServerSpec } from './clients.ts';
import { startModel } from './model.ts';
import { ownResults, type Scenario, scenarios } from './scenarios.ts';

const root = resolve(import.meta.dirname, '../..');
const installed = join(root, '.clients');
const program = join(root, 'dist/cli/main.js');
const timeLimitMs = 180_000;

const chosen = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const shouldWrite = process.argv.includes('--write');

await install();
const rows: string[][] = [];
for (const client of realClients) {
  if (chosen.length > 0 && !chosen.some((name) => client.name.toLowerCase().includes(name.toLowerCase())))
    continue;
  const version = await versionOf(client);
  const row = [`${client.name} ${version}`];
  for (const scenario of scenarios) {
    const judgement = await runScenario(client, scenario).catch((error) => `failed: ${error}`);
    process.stderr.write(`${client.name}, ${scenario.name}: ${judgement}\n`);
    row.push(judgement);
  }
  rows.push(row);
}
const header = ['client', ...scenarios.map(({ name }) => name)];
const tableText = [header, header.map(() => '---'), ...rows]
  .map((row) => `| ${row.join(' | ')} |`)
  .join('\n');
process.stdout.write(`${tableText}\n`);
if (shouldWrite) await writeTable(tableText);
process.exitCode = rows.every(([, ...cells]) => cells.every((cell) => cell === 'ok')) ? 0 : 1;

async function install(): Promise<void> {
  const wanted = packages.join('\n');
  const stamp = join(installed, 'packages.txt');
  if ((await readFile(stamp, 'utf8').catch(() => '')) !== wanted) {
    process.stderr.write('Installing the clients; this takes minutes.\n');
    await mkdir(installed, { recursive: true });
    await writeFile(join(installed, 'package.json'), '{ "private": true, "type": "module" }\n');
    await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: installed });
    await writeFile(stamp, wanted);
  }
  await cp(join(import.meta.dirname, 'frameworks'), join(installed, 'frameworks'), { recursive: true });
}

async function versionOf(client: RealClient): Promise<string> {
  const file = await readFile(join(installed, 'node_modules', client.package, 'package.json'), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(file)).version;
}

async function runScenario(client: RealClient, scenario: Scenario): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'svc-client-'));
  const upstream = await startShop();
  const model = await startModel();
  const env = {
    SVC_BASE_URL: upstream.origin,
    SVC_API_KEY: upstream.apiKey,
    SVC_DATA_DIR: join(home, 'data'),
    ...scenario.env,
  };
  const http = scenario.transport === 'http' ? await startHttp(env) : undefined;
  const server: ServerSpec =
    http === undefined
      ? { kind: 'stdio', command: process.execPath, args: [program, 'stdio'], env }
      : { kind: 'http', url: `${http.origin}/mcp` };
  try {
    let restarted: Promise<void> | undefined;
    model.follow(
      scenario.script({
        restart() {
          restarted ??= http?.restart();
        },
      }),
      async () => restarted,
    );
    await runClient(client, { home, installed, model: model.origin, server });
    const results = ownResults(model.turns.at(-1) ?? { tools: [], system: '', results: [] });
    if (process.env.DEBUG !== undefined) process.stderr.write(`${results.join('\n')}\n`);
    return scenario.judge({ turns: model.turns, results, upstream });
  } finally {
    await http?.close();
    await model.close();
    await upstream.close();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

function startShop(): Promise<Upstream> {
  return startUpstream({
    catalogs: [
      {
        slug: 'shop',
        auth_types: ['credentials'],
        login_input_schema: [{ name: 'password', type: 'password', required: true, description: 'Password' }],
      },
    ],
    actions: [
      {
        action_id: 'shop_list',
        catalog_slug: 'shop',
        name: 'List articles',
        credits: 2,
        job: { data: { items: ['lamp'] } },
      },
      {
        action_id: 'shop_slow',
        catalog_slug: 'shop',
        name: 'Slow list',
        credits: 2,
        job: { data: { items: ['lamp'] }, ms: 6_000 },
      },
      {
        action_id: 'shop_large',
        catalog_slug: 'shop',
        name: 'Large list',
        credits: 2,
        job: {
          data: {
            items: Array.from({ length: 2_000 }, (_, index) => ({
              index,
              name: `article ${index} of the shop`,
            })),
          },
        },
      },
      { action_id: 'shop_orders', catalog_slug: 'shop', name: 'Orders', auth_mode: 'required', credits: 1 },
    ],
  });
}

async function runClient(client: RealClient, setup: Parameters<RealClient['launch']>[0]): Promise<void> {
  const { command, env = {} } = await client.launch(setup);
  const [file = '', ...args] = command;
  const path = `${join(installed, 'node_modules/node/bin')}:${process.env.PATH ?? ''}`;
  const child = spawn(file, args, {
    cwd: setup.home,
    env: { PATH: path, HOME: setup.home, TERM: 'dumb', CI: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  const timer = setTimeout(() => stop(child), timeLimitMs);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  stop(child);
  if (code !== 0 && process.env.DEBUG !== undefined) process.stderr.write(`${Buffer.concat(output)}\n`);
}

/** With everything that it started. */
function stop(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

async function startHttp(env: Readonly<Record<string, string>>) {
  const port = await freePort();
  const start = async () => {
    const child = spawn(process.execPath, [program, 'http', '--port', String(port)], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    // It prints its addresses when it listens.
    await once(child.stdout, 'data');
    return child;
  };
  const end = async (child: ChildProcess) => {
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  };
  let child = await start();
  return {
    origin: `http://127.0.0.1:${port}`,
    async restart() {
      await end(child);
      child = await start();
    },
    close: () => end(child),
  };
}

async function writeTable(tableText: string): Promise<void> {
  const file = join(root, 'docs/clients.md');
  const text = await readFile(file, 'utf8');
  const [before = '', after = ''] = text.split(/<!-- client tests -->[\s\S]*<!-- \/client tests -->/);
  await writeFile(file, `${before}<!-- client tests -->\n${tableText}\n<!-- /client tests -->${after}`);
}
