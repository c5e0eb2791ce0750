import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { SettingsError } from '../../src/cli/config/errors.ts';
import { settingArguments } from '../../src/cli/config/flags.ts';
import { loadSettings, parseEnvironment } from '../../src/cli/config/load.ts';
import { configKey, flagName, settingNames, settings } from '../../src/cli/config/settings.ts';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';

afterEach(closeGateways);

const noFile = () => expect.fail('No file should be read');
const parse = (environment: Record<string, string>) => parseEnvironment(environment, noFile);

async function folderWith(config: unknown): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'config.json'), typeof config === 'string' ? config : JSON.stringify(config));
  return folder;
}

describe('a setting', () => {
  it('given as a flag outranks the environment, which outranks config.json, which outranks the default', async () => {
    const SVC_DATA_DIR = await folderWith({
      max_tools: 1,
      max_tools_chars: 1,
      wait_seconds: 1,
      catalogs: ['a'],
    });
    const read = loadSettings(
      { SVC_DATA_DIR, SVC_MAX_TOOLS: '2', SVC_MAX_TOOLS_CHARS: '2' },
      { maxTools: '3' },
    );
    expect(read).toMatchObject({
      maxTools: 3,
      maxToolsChars: 2,
      waitSeconds: 1,
      catalogs: ['a'],
      apiPrefix: '/v1/svc',
      logLevel: 'info',
      dataDir: SVC_DATA_DIR,
    });
    expect(read.resultChars).toBeUndefined();
  });

  it('that is an empty variable is not set', async () => {
    const SVC_DATA_DIR = await folderWith({ max_tools: 7 });
    expect(
      loadSettings({ SVC_DATA_DIR, SVC_MAX_TOOLS: '', SVC_BASE_URL: '', SVC_LOG_LEVEL: '' }),
    ).toMatchObject({
      maxTools: 7,
      logLevel: 'info',
    });
  });

  it('that is an empty variable leaves the embedded service', async () => {
    const SVC_DATA_DIR = await temporaryFolder();
    expect(loadSettings({ SVC_DATA_DIR, SVC_BASE_URL: '' }).baseUrl).toBeUndefined();
  });

  it('may have any type that its source allows', () => {
    expect(parse({ SVC_CATALOGS: ' a, b ,,c' })).toEqual({ catalogs: ['a', 'b', 'c'] });
    expect(parse({ SVC_MAX_CREDITS_PER_DAY: '0.5' })).toEqual({ maxCreditsPerDay: 0.5 });
    expect(parse({ SVC_TRUST_PROXY: 'on' })).toEqual({ trustProxy: true });
    expect(parse({ SVC_MAX_TOOLS: '0' })).toEqual({ maxTools: 0 });
  });

  it.each([
    ['SVC_MAX_TOOLS', 'many'],
    ['SVC_MAX_TOOLS', '-1'],
    ['SVC_MAX_TOOLS', '1.5'],
    ['SVC_MAX_TOOLS', ' '],
    ['SVC_MAX_CREDITS_PER_DAY', '-1'],
    ['SVC_MAX_CREDITS_PER_DAY', ' '],
    ['SVC_MAX_CREDITS_PER_DAY', 'Infinity'],
    ['SVC_WAIT_SECONDS', '0'],
    ['SVC_BASE_URL', 'ftp://service.example'],
    ['SVC_BASE_URL', 'service.example'],
    ['SVC_API_PREFIX', 'v1/svc'],
    ['SVC_API_PREFIX', '//svc'],
    ['SVC_LOG_LEVEL', 'loud'],
    ['SVC_TRUST_PROXY', 'maybe'],
    ['SVC_SERVICE_ALLOW_ORIGINS', 'http://127.0.0.1:80/path'],
    ['SVC_DATABASE_URL', 'mysql://x'],
  ])('%s is refused as %j, with its name', (name, value) => {
    expect(() => parse({ [name]: value })).toThrow(SettingsError);
    expect(() => parse({ [name]: value })).toThrow(name);
  });

  it('in config.json is refused with the file and the name', async () => {
    for (const [config, message] of [
      [{ max_tools: 'x' }, 'max_tools in'],
      [{ max_tools: true }, 'max_tools in'],
      [{ max_tols: 1 }, 'unknown setting "max_tols". Did you mean "max_tools"?'],
      [{ SVC_BASE_URL: 'x' }, 'unknown setting "SVC_BASE_URL". Did you mean "base_url"?'],
      [{ colour_of_the_sky: 1 }, 'unknown setting "colour_of_the_sky". Allowed settings: api_key, '],
      ['[]', 'must hold a JSON object'],
      ['{', 'is not JSON (CloseBraceExpected at line 1, column 2)'],
      ['{\n  "max_tools": 5\n  "api_key": "k"\n}', 'is not JSON (CommaExpected at line 3, column 3)'],
      ['{\n  "max_tools": 5, // few\n}', 'is not JSON (InvalidCommentToken at line 2, column 19)'],
    ] as const) {
      const SVC_DATA_DIR = await folderWith(config);
      expect(() => loadSettings({ SVC_DATA_DIR })).toThrow(message);
    }
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'config.json'));
    expect(() => loadSettings({ SVC_DATA_DIR: folder })).toThrow('is not a regular file');
  });

  it('in a file that is no small file, or has no characters of a key, is refused by its name', async () => {
    const folder = await temporaryFolder();
    const file = async (name: string, content: string | Buffer) => {
      await writeFile(join(folder, name), content);
      return join(folder, name);
    };
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const load = (path: string) => loadSettings({ SVC_DATA_DIR: folder, SVC_API_KEY_FILE: path });
    expect(() => load(join(folder, 'pipe'))).toThrow(/^SVC_API_KEY_FILE: .* is not a regular file/);
    expect(() => load('/dev/zero')).toThrow(/^SVC_API_KEY_FILE: .* is not a regular file/);
    const huge = await file('huge', Buffer.alloc(1024 * 1024 + 1, 'k'));
    expect(() => load(huge)).toThrow(/^SVC_API_KEY_FILE: .* is larger than 1 MiB/);
    const withNul = await file('nul', 'key\0');
    expect(() => load(withNul)).toThrow('SVC_API_KEY must consist of visible ASCII characters');
    const accent = { SVC_DATA_DIR: folder, SVC_API_KEY: 'keyé' };
    expect(() => loadSettings(accent)).toThrow('SVC_API_KEY must consist of visible ASCII characters');
  });

  it.each(['utf8', 'utf16le'] as const)('in a file is read by its byte order mark (%s)', async (encoding) => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'key'), Buffer.from('\ufeffkey-1\r\n', encoding));
    const { apiKey } = loadSettings({ SVC_DATA_DIR: folder, SVC_API_KEY_FILE: join(folder, 'key') });
    expect(apiKey).toBe('key-1');
  });

  it('has a name of its own in each source', () => {
    const keys = settingNames.map(configKey);
    expect(new Set(keys).size).toBe(keys.length);
    for (const name of settingNames) expect(settings[name].env).toMatch(/^SVC_[A-Z_]+$/);
    expect([configKey('maxToolsChars'), flagName('maxToolsChars')]).toEqual([
      'max_tools_chars',
      'max-tools-chars',
    ]);
  });

  it('given as a flag reaches a server that is spawned', () => {
    expect(settingArguments({ maxTools: '5', dataDir: '/a b', json: true, unknown: 'x' })).toEqual([
      '--data-dir=/a b',
      '--max-tools=5',
    ]);
  });
});

describe('a secret', () => {
  const files = { '/run/key': 'from-file' } as Record<string, string>;
  const read = (environment: Record<string, string>) =>
    parseEnvironment(environment, (path) => files[path] ?? '');

  it('comes from its file, or from its variable, but not from both', () => {
    expect(read({ SVC_API_KEY_FILE: '/run/key' })).toEqual({ apiKey: 'from-file' });
    expect(read({ SVC_API_KEY: 'direct', SVC_API_KEY_FILE: '' })).toEqual({ apiKey: 'direct' });
    expect(() => read({ SVC_API_KEY: 'direct', SVC_API_KEY_FILE: '/run/key' })).toThrow('both set');
    expect(read({ SVC_MAX_TOOLS_FILE: '/run/key' })).toEqual({});
  });

  it('whose file is empty, such as a mount that is not filled yet, is no missing secret', () => {
    for (const name of ['SVC_HTTP_TOKEN', 'SVC_DATABASE_URL'])
      expect(() => read({ [`${name}_FILE`]: '/run/empty' })).toThrow(
        `/run/empty, which ${name}_FILE names, is empty`,
      );
  });

  it('is read without its line end; a file that is missing is named', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'key'), 'secret-in-file\n');
    const environment = { SVC_DATA_DIR: folder, SVC_API_KEY_FILE: join(folder, 'key') };
    expect(loadSettings(environment).apiKey).toBe('secret-in-file');
    expect(() => loadSettings({ ...environment, SVC_API_KEY_FILE: join(folder, 'none') })).toThrow(
      'SVC_API_KEY_FILE',
    );
  });

  it('appears in no error', () => {
    const secret = 'mysql://user:canary@host';
    expect(() => parse({ SVC_DATABASE_URL: secret })).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('canary') }),
    );
  });

  it('may not be part of an address', () => {
    for (const name of ['SVC_PUBLIC_URL', 'SVC_BASE_URL']) {
      const read = () => parse({ [name]: 'https://me:canary@a.example' });
      expect(read).toThrow('must not hold a user name or password');
      expect(read).toThrow(expect.not.objectContaining({ message: expect.stringContaining('canary') }));
    }
  });

  it.each(['http://a.example/v1/svc', 'http://a.example/base/v1/svc/'])(
    '%s, which has the prefix already, is refused with what to leave out',
    async (SVC_BASE_URL) => {
      const environment = { SVC_DATA_DIR: await temporaryFolder(), SVC_API_KEY: 'k', SVC_BASE_URL };
      expect(() => loadSettings(environment)).toThrow('SVC_BASE_URL ends with /v1/svc');
      expect(loadSettings({ ...environment, SVC_API_PREFIX: '/' }).baseUrl).toBe(SVC_BASE_URL);
    },
  );

  it('is required if a service is named', async () => {
    const environment = { SVC_DATA_DIR: await temporaryFolder(), SVC_BASE_URL: 'http://a.example' };
    expect(() => loadSettings(environment)).toThrow('SVC_API_KEY');
    expect(loadSettings({ ...environment, SVC_API_KEY: 'k' })).toMatchObject({ apiKey: 'k' });
  });
});
