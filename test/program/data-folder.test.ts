/** What stands where the program keeps its files, and what was pasted into the wrong setting. Needs `dist/`. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { expectBuilt, programFile } from '../support/program.ts';
import { runHere } from '../support/run-here.ts';

afterEach(closeGateways);

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

type Settings = Readonly<Record<string, string>>;
const settingsIn = (cwd: string, settings: Settings) => ({
  ...{ PATH: process.env.PATH ?? '', HOME: cwd, SVC_PRACTICE_SITES: 'off' },
  ...settings,
});

async function run(args: readonly string[], settings: Settings, cwd: string): Promise<Ended> {
  const { code, stdout: out, stderr: err } = await runHere(args, settingsIn(cwd, settings), cwd);
  return { code, out, err };
}

/** The program in a working folder, to its end; one that hangs or burns a core is killed, and rejects. */
function runSpawned(args: readonly string[], settings: Settings, cwd: string): Promise<Ended> {
  expectBuilt();
  const environment = settingsIn(cwd, settings);
  return new Promise((resolve, reject) => {
    const options = { env: environment, cwd, timeout: 25_000, killSignal: 'SIGKILL' } as const;
    const child = execFile(process.execPath, [programFile, ...args], options, (error, out, err) => {
      if (error !== null && typeof error.code !== 'number') reject(error);
      else resolve({ code: Number(error?.code ?? 0), out, err });
    });
    child.stdin?.end();
  });
}

const cannotBeUsed = (folder: string, why: string) =>
  `svc-mcp: The data folder ${folder} cannot be used (${why}): set SVC_DATA_DIR to a folder that you can write to\n`;

describe('a home that is no absolute path', () => {
  it.each([
    ['an empty HOME', { HOME: '' }, [['call', 'get_usage'], ['doctor'], ['config', 'cursor', '--write']]],
    ['a relative HOME', { HOME: 'rel' }, [[], ['config', 'cursor', '--write']]],
    ['a relative HOME and XDG_DATA_HOME', { HOME: 'rel', XDG_DATA_HOME: 'rel-xdg' }, [[]]],
  ])('is refused with the setting to use, and nothing is written: %s', async (_name, environment, lines) => {
    const cwd = await temporaryFolder();
    for (const args of lines) {
      // Read once by a process.
      const { code, out, err } = await runSpawned(args, environment, cwd);
      if (args[0] === 'doctor') expect([code, out]).toEqual([1, expect.stringContaining('SVC_DATA_DIR')]);
      else if (args[0] === 'config') expect([code, err]).toEqual([2, expect.stringContaining('HOME')]);
      else expect([code, err]).toEqual([2, expect.stringMatching(/^svc-mcp: .*set SVC_DATA_DIR.*\n$/)]);
    }
    expect(await readdir(cwd)).toEqual([]);
  });

  it('does not matter where only XDG_DATA_HOME is relative: that one is ignored', async () => {
    const cwd = await temporaryFolder();
    const home = await temporaryFolder();
    const { code } = await runSpawned(['call', 'get_usage'], { HOME: home, XDG_DATA_HOME: 'rel-xdg' }, cwd);
    expect(code).toBe(0);
    expect(await readdir(cwd)).toEqual([]);
    expect(await readdir(join(home, '.local/share/svc-mcp'))).toContain('service.db');
  });
});

it.skipIf(process.platform !== 'linux').each(['/proc/svc-mcp', '/proc/self/fdinfo/x'])(
  'a data folder that cannot be made is named, and the program ends: %s',
  async (folder) => {
    const cwd = await temporaryFolder();
    const doctor = await run(['doctor'], { SVC_DATA_DIR: folder }, cwd);
    expect([doctor.code, doctor.out]).toEqual([1, expect.stringMatching(/fail data folder.*SVC_DATA_DIR/)]);
    const call = await run(['call', 'get_usage'], { SVC_DATA_DIR: folder }, cwd);
    expect([call.code, call.err]).toEqual([1, cannotBeUsed(folder, 'it cannot be made')]);
  },
);

it('a file in place of the data folder is named once, with the setting for another one', async () => {
  const cwd = await temporaryFolder();
  const file = join(cwd, 'file');
  await writeFile(file, '');
  for (const args of [['tools'], ['call', 'get_usage'], ['jobs'], ['stdio'], ['service', 'users', 'list']]) {
    const start = args[0] === 'stdio' ? runSpawned : run;
    const { code, out, err } = await start(args, { SVC_DATA_DIR: file }, cwd);
    expect([code, out, err]).toEqual([1, '', cannotBeUsed(file, 'it is not a folder')]);
  }
  const doctor = await run(['doctor'], { SVC_DATA_DIR: file }, cwd);
  expect(doctor).toMatchObject({ code: 1, out: expect.stringMatching(/fail data folder .*SVC_DATA_DIR/) });
});

describe.skipIf(process.platform === 'win32')('a pipe in the data folder', () => {
  const putPipe = async (folder: string, name: string) => {
    const file = join(folder, name);
    await rm(file, { force: true });
    execFileSync('mkfifo', ['-m', '600', file]);
    return file;
  };

  it.each(['config.json', 'api-key', 'credential-keys.json', 'service.db'])(
    'in place of %s ends the program with a line that names it',
    async (name) => {
      const folder = await temporaryFolder();
      const file = await putPipe(folder, name);
      const { code, err } = await runSpawned(
        ['call', 'search_actions', '{}'],
        { SVC_DATA_DIR: folder },
        folder,
      );
      expect(code).not.toBe(0);
      expect(err).toContain(file);
      expect(err).not.toContain('    at ');
    },
  );

  it('in place of a catalog file is a problem of that file', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'catalogs'));
    await putPipe(join(folder, 'catalogs'), 'a.json');
    const { code, err } = await runSpawned(['call', 'get_usage'], { SVC_DATA_DIR: folder }, folder);
    expect([code, err]).toEqual([0, expect.stringMatching(/Catalog file a\.json.*not a regular file/)]);
  });

  it('in place of the block list or the saved catalog keeps no call waiting', async () => {
    const folder = await temporaryFolder();
    const environment = { SVC_DATA_DIR: folder };
    expect((await runSpawned(['call', 'search_actions', '{}'], environment, folder)).code).toBe(0);
    const saved = (await readdir(folder)).find((name) => /^catalog-\w+\.json$/.test(name)) ?? '';
    await putPipe(folder, saved);
    expect((await runSpawned(['call', 'search_actions', '{}'], environment, folder)).code).toBe(0);
    await putPipe(folder, 'blocked-websites.txt');
    const call = { website_url: 'http://a.example/', goal: 'all books with title and price' };
    const { code } = await runSpawned(['call', 'request_build', JSON.stringify(call)], environment, folder);
    expect(code).toBe(1);
  });
});

describe('a damaged key file of the sessions', () => {
  it.each(['', 'garbage', '{"keys":[]}'])('is one line, and the rest works: %j', async (text) => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'credential-keys.json'), text, { mode: 0o600 });
    const { code, err } = await runSpawned(['call', 'get_usage'], { SVC_DATA_DIR: folder }, folder);
    expect(code).toBe(0);
    expect(err.match(/credential-keys\.json is empty or damaged/g)).toHaveLength(1);
    expect(err).not.toContain('    at ');
  });
});

it('an empty file of the API key is refused, and admits nobody without a key', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'api-key'), '', { mode: 0o600 });
  const { code, err } = await runSpawned(['call', 'get_usage'], { SVC_DATA_DIR: folder }, folder);
  expect([code, err]).toEqual([1, expect.stringContaining('api-key is empty or damaged')]);
});

describe('a secret that was pasted into the wrong place', () => {
  it.each([
    ['SVC_BASE_URL', 'user:canary-secret@x.example'],
    ['SVC_BASE_URL', 'svc_canary-secret'],
    ['SVC_BASE_URL', 'https://user:canary-secret@x.example'],
    ['SVC_PUBLIC_URL', 'canary-secret'],
    ['SVC_OAUTH_ISSUER', 'me:canary-secret@issuer.example'],
    ['SVC_SERVICE_ALLOW_ORIGINS', 'me:canary-secret@x.example'],
    ['SVC_LOG_LEVEL', 'svc_canary-secret'],
  ])('is quoted by no command: %s=%s', async (name, value) => {
    const folder = await temporaryFolder();
    const environment = { SVC_DATA_DIR: folder, SVC_API_KEY: 'key', [name]: value };
    for (const args of [['doctor'], ['http', '--port', '0'], ['config', 'cursor'], []]) {
      const { code, out, err } = await run(args, environment, folder);
      // `config` knows nothing of what only `http` reads.
      if (args[0] !== 'config') expect(code).not.toBe(0);
      expect(out + err).not.toContain('canary');
    }
  });

  it('is quoted by no command, in config.json or as --url', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'config.json'), '{"api_key": canary-secret}', { mode: 0o600 });
    const doctor = await run(['doctor'], { SVC_DATA_DIR: folder }, folder);
    expect(doctor.out).toContain('is not JSON');
    const config = await run(['config', 'cursor', '--url', 'me:canary-secret@x.example'], {}, folder);
    expect(config.code).toBe(2);
    expect(doctor.out + doctor.err + config.out + config.err).not.toContain('canary');
  });
});
