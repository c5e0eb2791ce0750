/** `--write` and `--undo` on files that people own: whatever was in them stays, and a death at any step loses nothing. */
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { type Addition, clients, createAddition } from '../../../src/cli/clients/clients.ts';
import { linkedFile, removeEntry, writeEntry } from '../../../src/cli/clients/config-file.ts';
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
  const copyHalf = async (from: string, to: string) => {
    const content = await real.readFile(from);
    await real.writeFile(to, content.subarray(0, content.length / 2));
  };
  const changes: Partial<typeof real> = {
    copyFile: (from, to, mode) =>
      step(
        () => real.copyFile(from, to, mode),
        () => copyHalf(String(from), String(to)),
      ),
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

const { json, toml, yaml } = configTexts;
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
  it('is the same again, byte for byte, after a write and an undo', async () => {
    await fc.assert(
      fc.asyncProperty(fileContent, layout, async (content, how) => {
        const before = render(content, how);
        const file = await fileWith(before);
        expect(await writeEntry(file, json, addition)).toMatchObject({ done: 'added' });
        const after = await textIn(file);
        expect(contentOf(after)).toMatchObject({ servers: { svc: addition.entry } });
        expect(notesIn(after)).toEqual(notesIn(before));
        expect(after.startsWith('\ufeff')).toBe(how.mark !== '');
        expect(await removeEntry(file, json, addition)).toEqual({ done: 'restored' });
        expect(await textIn(file)).toBe(before);
        expect(await readdir(dirname(file))).toEqual([basename(file)]);
      }),
      { numRuns: 60 },
    );
  });

  it('keeps what its user changed after the write, comments too', async () => {
    await fc.assert(
      fc.asyncProperty(
        fileContent,
        layout,
        word,
        value,
        fc.boolean(),
        async (content, how, key, added, first) => {
          const file = await fileWith(render(content, how));
          await writeEntry(file, json, addition);
          const written = (await textIn(file)).replace('\ufeff', '');
          // The user writes a line of their own, in the file's object or beside the server.
          const line = `${JSON.stringify(`my ${key}`)}: ${JSON.stringify(added)}, // mine\n`;
          const edited = written.replace(first ? '{' : /"servers":\s*\{/, (start) => start + line);
          await writeFile(file, edited);
          expect(await removeEntry(file, json, addition)).toMatchObject({ done: 'removed' });
          const after = await textIn(file);
          const mine = { [`my ${key}`]: added };
          const expected = first
            ? { ...content, ...mine }
            : { ...content, servers: { ...content.servers, ...mine } };
          const { servers = {}, inputs = [], ...rest } = Object(contentOf(after));
          const { servers: serversBefore = {}, inputs: inputsBefore = [], ...restBefore } = expected;
          const sound = (part: unknown) => JSON.parse(JSON.stringify(part));
          expect({ servers, rest }).toEqual({ servers: sound(serversBefore), rest: sound(restBefore) });
          expect(inputs.filter(({ id }: { id: string }) => id !== 'svc-mcp-key')).toEqual(inputsBefore);
          expect(notesIn(after)).toEqual(notesIn(edited));
          expect(after).toContain('// mine');
        },
      ),
      { numRuns: 100 },
    );
  });

  it('gets and loses its entry correctly without a backup', () => {
    fc.assert(
      fc.property(fileContent, layout, (content, how) => {
        const before = render(content, { ...how, mark: '' });
        const without = json.remove(json.add(before, addition), addition);
        const { servers, rest } = json.read(before, 'servers');
        expect(json.read(without, 'servers')).toMatchObject({ servers, rest });
        expect(notesIn(without)).toEqual(notesIn(before));
      }),
    );
  });

  it('is changed without touching trailing comments', () => {
    const before = '{\n  "servers": {\n    "a": {} // first\n    // last\n  }\n}\n';
    const after = json.add(before, { ...addition, entry: 1, inputs: [] });
    expect(after).toBe('{\n  "servers": {\n    "svc": 1,\n    "a": {} // first\n    // last\n  }\n}\n');
    expect(json.remove(after, addition)).toBe(before);
  });

  it.each([
    ['{"servers": {"svc": }}', /ValueExpected at line 1, column 21/],
    ['{\n  "servers": {\n    "a" {}\n  }\n}', /ColonExpected at line 3, column 9/],
    ['[]', /must hold a JSON object/],
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

  it.each(['', '\n', '// nothing yet', '/* nothing */ \n'])(
    'with nothing in it is filled: %j',
    async (text) => {
      const file = await fileWith(text);
      await writeEntry(file, json, addition);
      expect(contentOf(await textIn(file))).toEqual({
        servers: { svc: addition.entry },
        inputs: addition.inputs,
      });
      await removeEntry(file, json, addition);
      expect(await textIn(file)).toBe(text);
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

  it('is the same again, byte for byte, after a write and an undo, and keeps what was added meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(document, async (before) => {
        const file = await fileWith(before);
        await writeEntry(file, toml, codexAddition);
        const after = await textIn(file);
        expect(tomlOf(after)).toMatchObject({ mcp_servers: { svc: codexAddition.entry } });
        expect(notesIn(after)).toEqual(notesIn(before));
        const later = `${after}\n# mine\n[mine]\nx = 1\n`;
        await writeFile(file, later);
        expect(await removeEntry(file, toml, codexAddition)).toMatchObject({ done: 'removed' });
        const taken = await textIn(file);
        expect(tomlOf(taken)).toEqual({ ...tomlOf(before), mine: { x: 1 } });
        expect(notesIn(taken)).toEqual(notesIn(before));
        expect(taken).toContain('# mine');
        await writeFile(file, after);
        await writeFile(`${file}.before-svc-mcp-3`, before);
        expect(await removeEntry(file, toml, codexAddition)).toMatchObject({ done: 'restored' });
        expect(await textIn(file)).toBe(before);
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
    await writeFile(file, (await textIn(file)).replace('{', '{ // mine\n'));
    await removeEntry(file, json, addition);
    expect(JSON.parse((await textIn(file)).replace('// mine', ''))).toMatchObject(JSON.parse(text));
  },
);

describe('an entry of the same name', () => {
  const other = '{"servers": {"svc": {"command": "somebody-elses"}}}';

  it.each(['url', 'httpUrl', 'serverUrl', 'endpoint'])(
    'that names a hosted server by %s only is of this program',
    async (member) => {
      const hosted = { servers: { svc: { type: 'http', [member]: 'https://tools.example/mcp' } } };
      const file = await fileWith(JSON.stringify(hosted));
      expect(await writeEntry(file, json, addition)).toMatchObject({ done: 'replaced' });
    },
  );

  it('stays unless --force replaces it, and the undo restores it', async () => {
    const file = await fileWith(other);
    await expect(writeEntry(file, json, addition)).rejects.toThrow(/--force/);
    await expect(removeEntry(file, json, addition)).rejects.toThrow(/--force/);
    expect(await textIn(file)).toBe(other);
    expect(await writeEntry(file, json, addition, { force: true })).toMatchObject({
      done: 'replaced',
    });
    expect(await removeEntry(file, json, addition)).toEqual({ done: 'restored' });
    expect(await textIn(file)).toBe(other);
  });

  it('that is this one already is not written again', async () => {
    const file = await fileWith('{}');
    await writeEntry(file, json, addition);
    expect(await writeEntry(file, json, addition)).toEqual({ done: 'unchanged' });
    expect(await readdir(dirname(file))).toHaveLength(2);
  });

  it('written by this program with other options can be removed, and no backup is overwritten', async () => {
    const file = await fileWith('{"theme": "dark"}');
    await writeEntry(file, json, addition);
    const newer = {
      ...addition,
      entry: { command: 'node', args: ['svc-mcp/main.js', '--max-tools=9'] },
      inputs: [],
    };
    await writeEntry(file, json, newer, { force: true });
    expect((await readdir(dirname(file))).sort()).toEqual([
      'mcp.json',
      'mcp.json.before-svc-mcp',
      'mcp.json.before-svc-mcp-2',
    ]);
    expect(await textIn(`${file}.before-svc-mcp`)).toBe('{"theme": "dark"}');
    expect(await removeEntry(file, json, addition)).toEqual({ done: 'restored' });
    expect(await textIn(file)).toBe('{"theme": "dark"}');
    expect(await readdir(dirname(file))).toEqual(['mcp.json']);
    expect(await removeEntry(file, json, addition)).toEqual({ done: 'absent' });
  });

  const newer = { ...addition, entry: { command: 'node', args: ['svc-mcp/main.js', '--max-tools=9'] } };

  it('written twice and then undone is gone, and so is a file that holds nothing else', async () => {
    const file = join(await temporaryFolder(), 'mcp.json');
    await writeEntry(file, json, addition);
    await writeEntry(file, json, newer);
    expect(await removeEntry(file, json, newer)).toEqual({ done: 'deleted' });
    expect(await readdir(dirname(file))).toEqual([]);
  });

  it('of another program is back after two writes and an undo', async () => {
    const file = await fileWith(other);
    await writeEntry(file, json, addition, { force: true });
    await writeEntry(file, json, newer);
    expect(await removeEntry(file, json, newer)).toEqual({ done: 'restored' });
    expect(await textIn(file)).toBe(other);
  });

  it('is taken out where the file was edited between two writes, and the copies stay', async () => {
    const file = await fileWith('{"theme": "dark"}');
    await writeEntry(file, json, addition);
    await writeFile(file, (await textIn(file)).replace('dark', 'light'));
    await writeEntry(file, json, newer);
    expect(await removeEntry(file, json, newer)).toMatchObject({ done: 'removed' });
    expect(parse(await textIn(file))).toEqual({ theme: 'light', servers: {}, inputs: [] });
    expect(await textIn(`${file}.before-svc-mcp`)).toBe('{"theme": "dark"}');
  });
});

describe('a file that an earlier version wrote', () => {
  const server = { command: 'node', args: ['svc-mcp/main.js'] };
  const json4 =
    '    "svc": {\n      "command": "node",\n      "args": [\n        "svc-mcp/main.js"\n      ]\n    }\n';

  it.each([
    ['json', 'servers', '{ // mine\n  "servers": {\n    "a": {}, // first\n', json4, '  },\n}\n'],
    ['yaml', 'mcpServers', '# mine\nmcpServers:\n- name: a\n', '- name: "svc"\n  command: "node"\n', ''],
  ] as const)(
    'loses the entry, and keeps the rest and the backup: %s',
    async (format, section, head, entry, tail) => {
      const file = await fileWith(head + entry + tail);
      await writeFile(`${file}.before-svc-mcp`, head + tail);
      const written = { section, name: 'svc', entry: server, inputs: [] };
      expect(await removeEntry(file, configTexts[format], written, { force: true })).toMatchObject({
        done: 'removed',
      });
      const text = await textIn(file);
      expect(text).toContain('mine');
      expect(text).not.toContain('svc');
      expect(configTexts[format].read(text, section)).toEqual(configTexts[format].read(head + tail, section));
      expect(await textIn(`${file}.before-svc-mcp`)).toBe(head + tail);
    },
  );
});

describe('the file itself', () => {
  it('is created with its folder if it is missing, and removed again if it holds nothing else', async () => {
    const file = join(await temporaryFolder(), 'deep', 'er', 'mcp.json');
    expect(await writeEntry(file, json, addition)).toEqual({ done: 'added', backup: undefined });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await removeEntry(file, json, addition)).toEqual({ done: 'deleted' });
    expect(await readdir(dirname(file))).toEqual([]);
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

  it.each(['write', 'undo', 'undo after an edit'])(
    'at any step of a %s leaves the file as it was or as it should be',
    async (what) => {
      const prepared = async () => {
        const file = await fileWith(before);
        if (what !== 'write') await writeEntry(file, json, addition);
        if (what === 'undo after an edit')
          await writeFile(file, (await textIn(file)).replace('// mine', '// edited'));
        return file;
      };
      const change = async (file: string, fatalStep: number) => {
        Object.assign(disk, { steps: 0, fatalStep });
        try {
          await (what === 'write' ? writeEntry : removeEntry)(file, json, addition);
        } finally {
          disk.fatalStep = Number.POSITIVE_INFINITY;
        }
      };

      const whole = await prepared();
      const start = await textIn(whole);
      await change(whole, Number.POSITIVE_INFINITY);
      const { steps } = disk;
      const end = await textIn(whole);
      expect(steps).toBeGreaterThanOrEqual(3);
      expect(end).not.toBe(start);

      for (let fatal = 1; fatal <= steps; fatal += 1) {
        const file = await prepared();
        await expect(change(file, fatal)).rejects.toThrow('died');
        expect([start, end]).toContain(await textIn(file));
        // Whatever the death left behind, the next try comes to the same end.
        await change(file, Number.POSITIVE_INFINITY);
        expect(await textIn(file)).toBe(end);
        if (what === 'write') {
          await removeEntry(file, json, addition);
          expect(json.read(await textIn(file), 'servers')).toEqual(json.read(before, 'servers'));
          expect(await textIn(file)).toContain('// mine');
        }
      }
    },
  );
});

describe.each([...clients])('the entry of %s', (_, client) => {
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
  const format = configTexts[client.format];

  it('is replaced by another one of this program, and taken out, without force', async () => {
    for (const before of additions) {
      for (const after of additions) {
        const file = join(await temporaryFolder(), 'client.config');
        await writeEntry(file, format, before);
        const { done } = await writeEntry(file, format, after);
        expect(['replaced', 'unchanged']).toContain(done);
        expect((await removeEntry(file, format, before)).done).not.toBe('absent');
      }
    }
  });
});

describe('a YAML file', () => {
  const yamlAddition: Addition = {
    section: 'mcpServers',
    name: 'svc',
    entry: { command: 'node', args: ['svc-mcp/main.js', 'a: "b" #\n'], env: { SVC_MAX_TOOLS: '60' } },
    inputs: [],
  };
  const added = { name: 'svc', ...Object(yamlAddition.entry) };
  const other = { name: 'other', command: 'npx' };

  it.each([
    ['an empty file', '', []],
    ['no servers', 'name: Mine # note 1\nversion: 0.0.1\nmodels:\n  - name: a\n', []],
    ['no last line end', 'name: Mine\nmodels: []', []],
    ['an empty section', 'name: Mine\nmcpServers: # note 1\nrules:\n  - be kind\n', []],
    [
      'another server',
      'mcpServers:\n  # note 1\n  - name: other\n    command: npx # note 2\nrules: []\n',
      [other],
    ],
    ['a list in brackets', 'mcpServers: [{name: other, command: npx}]\n', [other]],
    ['a list that is not indented', 'mcpServers:\n- name: other\n  command: npx\n', [other]],
    [
      'a text of several lines',
      'mcpServers:\n  - name: other\n    command: npx\nprompt: |\n  mcpServers:\n    - x\n',
      [other],
    ],
    [
      'line ends of Windows',
      'mcpServers:\r\n    - name: other\r\n      command: npx\r\nrules: []\r\n',
      [other],
    ],
  ])(
    'with %s gets the server, keeps the rest, and is the same again after an undo',
    async (_, before, others) => {
      const file = await fileWith(before);
      expect(await writeEntry(file, yaml, yamlAddition)).toMatchObject({ done: 'added' });
      const after = await textIn(file);
      expect(parseYaml(after).mcpServers).toEqual([...others, added]);
      expect(notesIn(after)).toEqual(notesIn(before));
      expect(/[^\r]\n/.test(after)).toBe(!before.includes('\r'));
      expect(await writeEntry(file, yaml, yamlAddition)).toMatchObject({ done: 'unchanged' });
      expect(await removeEntry(file, yaml, yamlAddition)).toEqual({ done: 'restored' });
      expect(await textIn(file)).toBe(before);
    },
  );

  it('that is new has what Continue requires', async () => {
    const file = await fileWith(undefined);
    expect(await writeEntry(file, yaml, yamlAddition)).toMatchObject({ done: 'added' });
    expect(parseYaml(await textIn(file))).toEqual({
      name: 'Local Config',
      version: '1.0.0',
      schema: 'v1',
      mcpServers: [added],
    });
  });

  it('that was edited after the write loses only the entry', async () => {
    const file = await fileWith('mcpServers:\n  - name: other\n    command: npx\n');
    await writeEntry(file, yaml, yamlAddition);
    await writeFile(file, `${await textIn(file)}rules:\n  - be kind\n`);
    expect(await removeEntry(file, yaml, yamlAddition)).toMatchObject({ done: 'removed' });
    expect(parseYaml(await textIn(file))).toEqual({ mcpServers: [other], rules: ['be kind'] });
  });

  it.each(['mcpServers: [\n', '- a\n', 'mcpServers: {other: {}}\n'])(
    'of a form that is not ours to change stays as it is: %j',
    async (before) => {
      const file = await fileWith(before);
      await expect(writeEntry(file, yaml, yamlAddition)).rejects.toThrow(file);
      expect(await textIn(file)).toBe(before);
    },
  );
});
