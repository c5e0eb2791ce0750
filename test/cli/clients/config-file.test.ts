/** `--write` on files that people own: whatever was in them stays, and a death at any step loses nothing. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Addition, clients, createAddition } from '../../../src/cli/clients/clients.ts';
import { linkedFile, writeEntry } from '../../../src/cli/clients/config-file.ts';
import { configTexts } from '../../../src/cli/clients/config-text.ts';
import { localServer, remoteServer } from '../../../src/cli/clients/server.ts';
import { closeGateways, temporaryFolder } from '../../support/gateway.ts';

afterEach(closeGateways);

/** From the fatal step on nothing happens to files any more; one that was being written is there by half. */
const disk = vi.hoisted(() => ({
  steps: 0,
  fatalStep: Number.POSITIVE_INFINITY,
  afterWrite: undefined as (() => Promise<void>) | undefined,
}));
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  async function step(work: () => Promise<void>, half?: () => Promise<void>): Promise<void> {
    disk.steps += 1;
    if (disk.steps < disk.fatalStep) return work();
    if (disk.steps === disk.fatalStep) await half?.();
    throw new Error('died');
  }
  const changes: Partial<typeof real> = {
    writeFile: async (path, content, options) => {
      const isHalf = () => real.writeFile(path, Buffer.from(String(content)).subarray(0, 9), options);
      await step(() => real.writeFile(path, content, options), isHalf);
      await disk.afterWrite?.();
    },
    rename: (from, to) => step(() => real.rename(from, to)),
    rm: (path, options) => step(() => real.rm(path, options)),
  };
  return { ...real, ...changes };
});

const { json, toml } = configTexts;
const addition: Addition = {
  section: 'servers',
  name: 'svc',
  entry: {
    type: 'stdio',
    command: 'node',
    args: ['svc-mcp/main.js'],
    env: { SVC_API_KEY: `$\{input:svc-mcp-key}` },
  },
  inputs: [{ type: 'promptString', id: 'svc-mcp-key', description: 'key', password: true }],
};
const codexAddition: Addition = {
  section: 'mcp_servers',
  name: 'svc',
  entry: {
    command: 'node',
    args: ['svc-mcp/main.js', 'a"\\\u007f\n'],
    env_vars: ['SVC_API_KEY'],
    env: { SVC_MAX_TOOLS: '60' },
  },
  inputs: [],
};

/** JSON as people write it: comments, trailing commas, blanks and tabs, any line ends. */
const word = fc.string({ minLength: 1, maxLength: 6 });
const value = fc.oneof(
  fc.string(),
  fc.constantFrom('// no comment', '"', `$\{input:svc-mcp-key}/`, '}', ']', ','),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.constant([]),
  fc.constant({}),
);
const server = fc.dictionary(word, value, { maxKeys: 3, noNullPrototype: true });
const fileContent = fc.record(
  {
    servers: fc.dictionary(
      word.filter((name) => name !== 'svc'),
      server,
      { maxKeys: 3, noNullPrototype: true },
    ),
    inputs: fc.array(fc.record({ id: fc.constantFrom('a', 'b'), type: fc.constant('promptString') }), {
      maxLength: 2,
    }),
    theme: fc.string(),
    nested: fc.array(fc.oneof(value, server), { maxLength: 3 }),
  },
  { requiredKeys: [] },
);
const layout = fc.record({
  eol: fc.constantFrom('\n', '\r\n'),
  space: fc.constantFrom('  ', '\t', '    '),
  oneLine: fc.boolean(),
  comments: fc.boolean(),
  trailingComma: fc.boolean(),
  mark: fc.constantFrom('', '\ufeff'),
});
type Layout = typeof layout extends fc.Arbitrary<infer Shape> ? Shape : never;

function counter(): () => number {
  let count = 10;
  return () => {
    count += 1;
    return count;
  };
}

function render(content: unknown, how: Layout): string {
  const next = counter();
  const line = () => (how.comments ? ` // note ${next()}` : '');
  const inner = () => (how.comments ? `/* note ${next()} */ ` : '');
  const write = (part: unknown, depth: number): string => {
    if (typeof part !== 'object' || part === null) return JSON.stringify(part);
    const isArray = Array.isArray(part);
    const [open, close] = isArray ? ['[', ']'] : ['{', '}'];
    const members = Object.entries(part).map(
      ([key, member]) => `${inner()}${isArray ? '' : `${JSON.stringify(key)}: `}${write(member, depth + 1)}`,
    );
    const comma = how.trailingComma && members.length > 0 ? ',' : '';
    if (how.oneLine) return `${open}${members.join(', ')}${comma}${close}`;
    const indent = how.eol + how.space.repeat(depth + 1);
    const lines = members.map(
      (member, index) => `${indent}${member}${index < members.length - 1 ? ',' : comma}${line()}`,
    );
    return `${open}${line()}${lines.join('')}${how.eol}${how.space.repeat(depth)}${close}`;
  };
  return `${how.mark}${write(content, 0)}${how.eol}`;
}
const notesIn = (text: string) => [...text.matchAll(/note \d+/g)].map(([note]) => note).sort();
const contentOf = (text: string): unknown =>
  parse(text.replace('\ufeff', ''), [], { allowTrailingComma: true });

async function fileWith(text: string | Buffer | undefined) {
  const file = join(await temporaryFolder(), 'mcp.json');
  if (text !== undefined) await writeFile(file, text);
  return file;
}
const textIn = (file: string) => readFile(file, 'utf8');

describe('a JSON file', () => {
  it('keeps everything else, comments too, and a copy of what it was, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(fileContent, layout, async (content, how) => {
        const before = render(content, how);
        const file = await fileWith(before);
        expect(await writeEntry(file, json, addition)).toMatchObject({ done: 'added' });
        const after = await textIn(file);
        expect(contentOf(after)).toMatchObject({ servers: { svc: addition.entry } });
        expect(notesIn(after)).toEqual(notesIn(before));
        expect(after.startsWith('\ufeff')).toBe(how.mark !== '');
        const { servers, rest } = json.read(before.replace('\ufeff', ''), 'servers');
        expect(json.read(after.replace('\ufeff', ''), 'servers')).toMatchObject({ servers, rest });
        expect(await textIn(`${file}.before-svc-mcp`)).toBe(before);
        expect((await readdir(dirname(file))).sort()).toEqual([basename(file), 'mcp.json.before-svc-mcp']);
      }),
      { numRuns: 60 },
    );
  });

  it('is changed without touching trailing comments', () => {
    const before = '{\n  "servers": {\n    "a": {} // first\n    // last\n  }\n}\n';
    const after = json.add(before, { ...addition, entry: 1, inputs: [] });
    expect(after).toBe('{\n  "servers": {\n    "svc": 1,\n    "a": {} // first\n    // last\n  }\n}\n');
  });

  it.each([
    ['{"servers": {"svc": }}', /ValueExpected at line 1, column 21/],
    ['{\n  "servers": {\n    "a" {}\n  }\n}', /ColonExpected at line 3, column 9/],
    ['[]', /must hold a JSON object/],
    ['null', /must hold a JSON object/],
    ['{"servers": []}', /servers must hold the servers by their names/],
    ['{"servers": {}, "inputs": {}}', /inputs must be a list/],
    ['{"servers": {}, "servers": {}}', /by hand/],
    [Buffer.from([0xff, 0xfe, 0x7b, 0x00]), /not UTF-8/],
  ])('that cannot be read is refused with the reason: %s', async (text, message) => {
    const file = await fileWith(text);
    await expect(writeEntry(file, json, addition)).rejects.toThrow(message);
    expect(await readFile(file)).toEqual(Buffer.from(text));
    expect(await readdir(dirname(file))).toEqual([basename(file)]);
  });

  it('that is a pipe, or too large to be one of a client, is refused at once', async () => {
    const file = await fileWith('');
    await rm(file);
    execFileSync('mkfifo', [file]);
    await expect(writeEntry(file, json, addition)).rejects.toThrow('is not a regular file');
    await rm(file);
    await writeFile(file, '');
    await truncate(file, 16 * 1024 * 1024 + 1);
    await expect(writeEntry(file, json, addition)).rejects.toThrow('is larger than 16 MiB');
    expect(await readdir(dirname(file))).toEqual([basename(file)]);
  });

  it.each(['', '\n', '// nothing yet', '/* nothing */ \n'])(
    'with nothing in it is filled: %j',
    async (text) => {
      const file = await fileWith(text);
      await writeEntry(file, json, addition);
      expect(contentOf(await textIn(file))).toEqual({
        servers: { svc: addition.entry },
        inputs: addition.inputs,
      });
      expect(await textIn(`${file}.before-svc-mcp`)).toBe(text);
    },
  );
});

describe('a TOML file', () => {
  const key = fc.string({ unit: fc.constantFrom(...'abcxyz-_019'), minLength: 1, maxLength: 5 });
  const scalar = fc.oneof(
    fc.string().map((text) => JSON.stringify(text).replaceAll('\u007f', '')),
    fc.constantFrom(
      '"""\n[mcp_servers.svc]\ncommand = 1\n"""',
      "'''\n[x]\n'''",
      '1979-05-27T07:32:00Z',
      '0x1f',
      '[ 1, # note 7\n 2 ]',
    ),
    fc.integer().map(String),
  );
  const pairs = fc.uniqueArray(fc.tuple(key, scalar), { selector: ([name]) => name, maxLength: 3 });
  const tables = fc.uniqueArray(
    fc.tuple(
      fc.constantFrom(
        'mcp_servers.a',
        'mcp_servers.svc2',
        'mcp_servers.a.env',
        'profiles.x',
        'tui',
        'mcp_servers."s v c"',
      ),
      pairs,
    ),
    { selector: ([name]) => name, maxLength: 4 },
  );
  const document = fc
    .tuple(pairs, tables, fc.boolean(), fc.constantFrom('\n', '\r\n'), fc.boolean())
    .map(([top, below, notes, eol, end]) => {
      const next = counter();
      const lines = (list: [string, string][]) =>
        list.map(([name, content]) => `${name} = ${content}${notes ? ` # note ${next()}` : ''}`);
      const text = [
        ...lines(top),
        ...below.flatMap(([name, list]) => [
          ...(notes ? ['', `# note ${next()}`] : []),
          `[${name}]${notes ? ` # note ${next()}` : ''}`,
          ...lines(list),
        ]),
      ].join('\n');
      return `${text}${end ? '\n' : ''}`.replaceAll('\n', eol);
    });
  const tomlOf = (text: string) => getStaticTOMLValue(parseTOML(text));

  it('keeps everything else, comments too, also where the entry is replaced', async () => {
    await fc.assert(
      fc.asyncProperty(document, async (before) => {
        const file = await fileWith(before);
        await writeEntry(file, toml, codexAddition);
        const after = await textIn(file);
        expect(tomlOf(after)).toMatchObject({ mcp_servers: { svc: codexAddition.entry } });
        expect(notesIn(after)).toEqual(notesIn(before));
        await writeFile(file, `${after}\n# mine\n[mine]\nx = 1\n`);
        const entry = { command: 'node', args: ['svc-mcp/main.js'] };
        expect(await writeEntry(file, toml, { ...codexAddition, entry })).toMatchObject({ done: 'replaced' });
        const replaced = await textIn(file);
        const { mcp_servers = {}, ...rest } = tomlOf(before);
        expect(tomlOf(replaced)).toEqual({
          ...rest,
          mcp_servers: { ...Object(mcp_servers), svc: entry },
          mine: { x: 1 },
        });
        expect(notesIn(replaced)).toEqual(notesIn(before));
        expect(replaced).toContain('# mine');
        expect(await textIn(`${file}.before-svc-mcp`)).toBe(before);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['mcp_servers = { a = { command = "x" } }', /by hand/],
    ['[mcp_servers]\nsvc.command = "mine"', /another server named svc/],
    ['a = \n', /not TOML: .* at line 2, column 1/],
    ['[[mcp_servers]]\na = 1', /must hold the servers/],
  ])('with a table in another form is refused: %s', async (text, message) => {
    const file = await fileWith(text);
    await expect(writeEntry(file, toml, codexAddition)).rejects.toThrow(message);
    expect(await textIn(file)).toBe(text);
  });
});

it.each(['{"__proto__": {"a": 1}, "servers": {"__proto__": {"b": 2}}}', '{"servers": {"constructor": {}}}'])(
  'a name with a meaning in JavaScript is an ordinary name: %s',
  async (text) => {
    const file = await fileWith(text);
    await writeEntry(file, json, addition);
    expect(await textIn(file)).toContain('"svc"');
    expect(JSON.parse(await textIn(file))).toMatchObject(JSON.parse(text));
  },
);

describe('an entry of the same name', () => {
  const other = '{"servers": {"svc": {"command": "somebody-elses"}}}';

  it('stays unless --force replaces it', async () => {
    const file = await fileWith(other);
    await expect(writeEntry(file, json, addition)).rejects.toThrow(/--force/);
    expect(await textIn(file)).toBe(other);
    expect(await writeEntry(file, json, addition, { force: true })).toMatchObject({ done: 'replaced' });
    expect(await textIn(`${file}.before-svc-mcp`)).toBe(other);
  });

  it('that is this one already is not written again', async () => {
    const file = await fileWith('{}');
    await writeEntry(file, json, addition);
    expect(await writeEntry(file, json, addition)).toEqual({ done: 'unchanged' });
    expect(await readdir(dirname(file))).toHaveLength(2);
  });

  it('of this program is replaced, and the copy of the file from before the first write stays', async () => {
    const file = await fileWith('{"theme": "dark"}');
    const backup = `${file}.before-svc-mcp`;
    expect(await writeEntry(file, json, addition)).toEqual({ done: 'added', backup });
    const newer = { ...addition, entry: { command: 'node', args: ['svc-mcp/main.js', '--max-tools=9'] } };
    expect(await writeEntry(file, json, newer)).toEqual({ done: 'replaced', backup });
    expect(contentOf(await textIn(file))).toMatchObject({ theme: 'dark', servers: { svc: newer.entry } });
    expect((await readdir(dirname(file))).sort()).toEqual(['mcp.json', 'mcp.json.before-svc-mcp']);
    expect(await textIn(backup)).toBe('{"theme": "dark"}');
  });

  it.each(['url', 'httpUrl', 'serverUrl', 'endpoint'])(
    'that names a hosted server as %s is one of this program',
    async (key) => {
      const file = await fileWith(
        JSON.stringify({ servers: { svc: { [key]: 'https://mcp.example.com/mcp' } } }),
      );
      expect(await writeEntry(file, json, addition)).toMatchObject({ done: 'replaced' });
    },
  );
});

describe('the file itself', () => {
  it('is created with its folder if it is missing', async () => {
    const file = join(await temporaryFolder(), 'deep', 'er', 'mcp.json');
    expect(await writeEntry(file, json, addition)).toEqual({ done: 'added', backup: undefined });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(dirname(file))).toEqual(['mcp.json']);
  });

  it('keeps its permissions, and so does the backup', async () => {
    const file = await fileWith('{}');
    await chmod(file, 0o640);
    await writeEntry(file, json, addition);
    for (const name of await readdir(dirname(file))) {
      expect((await stat(join(dirname(file), name))).mode & 0o777).toBe(0o640);
    }
  });

  it('is written through a link to its target', async () => {
    const target = await fileWith('{}');
    const link = join(await temporaryFolder(), 'mcp.json');
    await symlink(target, link);
    await writeEntry(await linkedFile(link), json, addition);
    expect(await textIn(target)).toContain('svc-mcp');
    expect(await textIn(link)).toContain('svc-mcp');
    const dangling = join(await temporaryFolder(), 'mcp.json');
    await symlink('/nowhere/at/all', dangling);
    await expect(linkedFile(dangling)).rejects.toThrow(/link/);
    await mkdir(`${target}.d`);
  });

  it('is left alone if another program changes it meanwhile', async () => {
    const file = await fileWith('{}');
    disk.afterWrite = async () => {
      disk.afterWrite = undefined;
      await writeFile(file, '{"theirs": 1}');
    };
    await expect(writeEntry(file, json, addition)).rejects.toThrow(/another program changed the file/);
    expect(await textIn(file)).toBe('{"theirs": 1}');
    expect(await readdir(dirname(file))).toEqual(['mcp.json', 'mcp.json.before-svc-mcp']);
  });
});

describe('a death', () => {
  const before = '{ // mine\n  "servers": { "a": {} }\n}\n';

  it('at any step of a write leaves the file as it was or as it should be, and a whole copy or none', async () => {
    const change = async (file: string, fatalStep: number) => {
      Object.assign(disk, { steps: 0, fatalStep });
      try {
        await writeEntry(file, json, addition);
      } finally {
        disk.fatalStep = Number.POSITIVE_INFINITY;
      }
    };
    const whole = await fileWith(before);
    await change(whole, Number.POSITIVE_INFINITY);
    const { steps } = disk;
    const end = await textIn(whole);
    expect(steps).toBe(4);
    expect(end).not.toBe(before);

    for (let fatal = 1; fatal <= steps; fatal += 1) {
      const file = await fileWith(before);
      const backup = `${file}.before-svc-mcp`;
      await expect(change(file, fatal)).rejects.toThrow('died');
      expect([before, end]).toContain(await textIn(file));
      expect([before, undefined]).toContain(await textIn(backup).catch(() => undefined));
      // Whatever the death left behind, the next try comes to the same end.
      await change(file, Number.POSITIVE_INFINITY);
      expect(await textIn(file)).toBe(end);
      expect(await textIn(backup)).toBe(before);
    }
  });
});

describe.each(
  [...clients].flatMap(([name, client]) =>
    client.format === 'yaml' ? [] : [{ name, client, format: client.format }],
  ),
)('the entry of $name', ({ client, format }) => {
  const program = { command: '/usr/bin/node', args: ['/opt/tools/dist/cli/main.js'] };
  const own = { SVC_BASE_URL: 'https://s.example.com', SVC_API_KEY: 'k' };
  const states = [
    localServer(program, {}, {}),
    localServer(program, own, {}),
    localServer({ ...program, args: ['/elsewhere/dist/cli/main.js'] }, {}, {}),
    localServer(
      { command: '/usr/bin/node', args: ['/n/npx-cli.js', '--package', '/x/svc-mcp.tgz', 'svc-mcp'] },
      {},
      {},
    ),
    remoteServer('https://mcp.example.com/mcp', 'token'),
    remoteServer('https://mcp.example.com/mcp', 'oauth'),
  ];
  const additions = states.flatMap((server): Addition[] => {
    try {
      return [createAddition(client, server, 'svc')];
    } catch {
      return [];
    }
  });
  it('is replaced by another one of this program without force', async () => {
    for (const before of additions) {
      for (const after of additions) {
        const file = join(await temporaryFolder(), 'client.config');
        await writeEntry(file, configTexts[format], before);
        const { done } = await writeEntry(file, configTexts[format], after);
        expect(['replaced', 'unchanged']).toContain(done);
      }
    }
  });
});
