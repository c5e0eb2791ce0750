/** Hostile surroundings: many processes at once, a folder that takes no writes, files that change while they are read. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { initialize } from '../support/http.ts';
import { startUpstream } from '../support/upstream.ts';
import { type Attack, type CloseLater, expectTrue, type Family, spawnNode } from './attack.ts';

const processes = 200;
const startedAtOnce = 8;
/** Of a command, until it is killed and has lost. */
const limitMs = 60_000;

interface Ended {
  readonly code: number | null;
  readonly text: string;
}

async function run(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  uid?: number,
): Promise<Ended> {
  const child = spawnNode(args, environment, uid);
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      text += chunk;
    });
  }
  child.stdin?.on('error', () => undefined).end();
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  expectTrue(code !== null, `svc-mcp ${args.join(' ')} did not end within ${limitMs / 1_000} s`);
  expectTrue(!/\n\s+at \S+ \(/.test(text), `a stack trace: ${text.slice(0, 300)}`);
  return { code, text };
}

/** All on one data folder; each calls once, and no call is lost or sent twice. */
const manyProcesses = (closeLater: CloseLater): Attack => ({
  name: `${processes} stdio processes at once on one folder`,
  async run() {
    const upstream = await startUpstream({
      balance: 1e6,
      actions: [{ action_id: 'shop-list', catalog_slug: 'shop', job: { data: { n: 1 } } }],
    });
    closeLater(() => upstream.close());
    const folder = await newFolder(closeLater);
    const environment = { SVC_BASE_URL: upstream.origin, SVC_API_KEY: upstream.apiKey, SVC_DATA_DIR: folder };
    const children: ReturnType<typeof spawnNode>[] = [];
    closeLater(async () => {
      for (const child of children) child.kill('SIGKILL');
    });
    const ask = async (child: ReturnType<typeof spawnNode>, id: number, method: string, params: object) => {
      child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      if (child.stdout === null) throw new Error('The process has no output');
      const lines = createInterface({ input: child.stdout });
      for await (const line of lines) if (JSON.parse(line).id === id) return line;
      throw new Error('The process ended without an answer');
    };
    const start = async () => {
      const child = spawnNode(['stdio'], environment);
      children.push(child);
      await ask(child, 1, 'initialize', initialize.params);
    };
    for (let count = 0; count < processes; count += startedAtOnce)
      await Promise.all(Array.from({ length: startedAtOnce }, start));
    expectTrue(
      children.every(({ exitCode }) => exitCode === null),
      'a process ended',
    );
    const answers = await Promise.all(
      children.map((child, number) => {
        child.stdin?.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
        return ask(child, 2, 'tools/call', {
          name: 'run_action',
          arguments: { action_id: 'shop-list', params: { number } },
        });
      }),
    );
    const completed = answers.filter((line) => line.includes('"status":"completed"')).length;
    expectTrue(completed === processes, `${completed} of ${processes} calls completed`);
    const sent = upstream.requestsTo('submitTask').length;
    expectTrue(sent === processes, `${sent} tasks were sent for ${processes} calls`);
    for (const child of children) child.stdin?.end();
    await Promise.all(children.map((child) => (child.exitCode === null ? once(child, 'exit') : undefined)));
  },
});

async function newFolder(closeLater: CloseLater): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-mcp-attack-'));
  closeLater(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const commands = [
  ['doctor'],
  ['call', 'get_usage'],
  ['call', 'search_actions', '{}'],
  ['service', 'users', 'list'],
  [],
];

/** Root may write everywhere, so the program runs as nobody then. */
const readOnly = (closeLater: CloseLater, isUsed: boolean): readonly Attack[] =>
  commands.map((args) => ({
    name: `svc-mcp ${args.join(' ')} on a read-only folder ${isUsed ? 'with' : 'without'} databases`,
    async run() {
      const uid = process.getuid?.() === 0 ? 65_534 : undefined;
      const folder = await newFolder(closeLater);
      if (uid !== undefined) await chown(folder, uid, uid);
      if (isUsed) await run(['call', 'get_usage'], { SVC_DATA_DIR: folder }, uid);
      await chmod(folder, 0o500);
      const { code, text } = await run(args, { SVC_DATA_DIR: folder }, uid);
      if (args[0] === 'call')
        expectTrue(code === 0 || text.includes(folder), `${code}: ${text.slice(0, 300)}`);
    },
  }));

const files = [
  'config.json',
  'api-key',
  'credential-keys.json',
  'service.db',
  'gateway.db',
  'blocked-websites.txt',
  'catalogs/a.json',
];

/** By a link, a pipe or nothing. Rejects where the program has made it anew meanwhile. */
async function replace(file: string, turn: number, victim: string): Promise<void> {
  await rm(file, { force: true, recursive: true });
  if (turn % 3 === 0) await symlink(victim, file);
  if (turn % 3 === 1) execFileSync('mkfifo', ['-m', '600', file], { stdio: 'ignore' });
}

/** While the program starts and reads, the file is a link, a pipe or nothing in turn. */
const raced = (closeLater: CloseLater): readonly Attack[] =>
  files.map((name) => ({
    name: `${name} is changed while it is read`,
    async run() {
      const [folder, elsewhere] = await Promise.all([newFolder(closeLater), newFolder(closeLater)]);
      const victim = join(elsewhere, 'victim');
      await writeFile(victim, 'canary of another file\n', { mode: 0o600 });
      const file = join(folder, name);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      let racing = true;
      const race = (async () => {
        for (let turn = 0; racing; turn += 1) {
          await replace(file, turn, victim).catch(() => undefined);
          await delay(turn % 7);
        }
      })();
      try {
        for (const args of commands.slice(0, 3)) {
          const { text } = await run(args, { SVC_DATA_DIR: folder });
          expectTrue(!text.includes('canary'), `the other file was printed: ${text.slice(0, 300)}`);
        }
      } finally {
        racing = false;
        await race;
      }
      expectTrue(
        (await readFile(victim, 'utf8')) === 'canary of another file\n',
        'the other file was changed',
      );
    },
  }));

export const machine: Family = {
  name: 'machine',
  prepare: async (closeLater) => [
    ...readOnly(closeLater, false),
    ...readOnly(closeLater, true),
    ...raced(closeLater),
    manyProcesses(closeLater),
  ],
};
