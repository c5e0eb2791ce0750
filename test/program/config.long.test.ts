/** `svc-mcp config` as a user runs it, and the server that the written entry starts. Needs `dist/`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { clients } from '../../src/cli/clients/clients.ts';
import { configTexts } from '../../src/cli/clients/config-text.ts';
import { closeGateways, scriptedUpstream, temporaryFolder } from '../support/gateway.ts';
import { programFile } from '../support/program.ts';
import { runHere } from '../support/run-here.ts';

afterEach(closeGateways);

const Answer = z.looseObject({ file: z.string(), done: z.string().optional(), steps: z.array(z.string()) });
const Started = z
  .object({
    // opencode has the arguments with the command.
    command: z.union([z.string(), z.array(z.string())]),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), z.string()).optional(),
    environment: z.record(z.string(), z.string()).default({}),
    env_vars: z.array(z.string()).default([]),
  })
  .transform(({ command, args, env, environment, env_vars }) => {
    const [first = '', ...rest] = [command].flat();
    return { command: first, args: [...rest, ...args], env: env ?? environment, env_vars };
  });

/** A home of its own, in which the command runs too. */
async function home() {
  const folder = await temporaryFolder();
  const run = async (args: readonly string[], environment: Record<string, string> = {}) => {
    return runHere(['config', ...args], { HOME: folder, ...environment }, folder);
  };
  return { folder, run };
}

describe.each(
  [...clients].flatMap(([name, client]) =>
    client.format === 'yaml' ? [] : [{ name, client, format: client.format }],
  ),
)('config $name', ({ name, client, format }) => {
  it('writes an entry that starts the server', async () => {
    const { run, folder } = await home();
    const upstream = await scriptedUpstream({ actions: [{ action_id: 'shop-list', catalog_slug: 'shop' }] });
    const settings = {
      SVC_BASE_URL: upstream.origin,
      SVC_API_KEY: upstream.apiKey,
      SVC_DATA_DIR: join(folder, 'data'),
    };
    const { file, done, steps } = Answer.parse(
      JSON.parse((await run([name, '--write', '--json'], settings)).stdout),
    );
    expect(done).toBe('added');
    expect(file.startsWith(folder)).toBe(true);
    expect(steps.join(' ')).toContain('API key of the service');
    expect(steps.join(' ')).toMatch(/Copied from the environment of this command: [A-Z_, ]*SVC_BASE_URL/);
    expect(steps.join(' ')).not.toMatch(/Copied[^.]*SVC_API_KEY/);
    const text = await readFile(file, 'utf8');
    expect(text).not.toContain(upstream.apiKey);

    // What the client does: it looks the secret up, and starts the command.
    const entry = Started.parse(configTexts[format].read(text, client.section).servers.svc);
    const keyFile = entry.env.SVC_API_KEY_FILE;
    if (keyFile !== undefined) {
      await mkdir(dirname(keyFile), { recursive: true });
      await writeFile(keyFile, upstream.apiKey);
    }
    const key: Record<string, string> = keyFile === undefined ? { SVC_API_KEY: upstream.apiKey } : {};
    expect(keyFile ?? entry.env.SVC_API_KEY ?? entry.env_vars[0]).toBeDefined();
    const mcp = new Client({ name, version: '1' });
    await mcp.connect(
      new StdioClientTransport({
        ...entry,
        env: { PATH: process.env.PATH ?? '', ...entry.env, ...key },
        stderr: 'ignore',
      }),
    );
    try {
      expect((await mcp.listTools()).tools.map((tool) => tool.name)).toContain('shop-list');
    } finally {
      await mcp.close();
    }
  });
});

// One client for each form of file.
it.each(['claude-code', 'codex'])(
  'config %s prints what it would write, and changes nothing twice',
  async (name) => {
    const { run } = await home();
    const settings = { SVC_BASE_URL: 'https://service.example', SVC_API_KEY: 'key' };
    const printed = await run([name], settings);
    const write = async () =>
      Answer.parse(JSON.parse((await run([name, '--write', '--json'], settings)).stdout));
    const { file, done } = await write();
    expect({ done, code: printed.code }).toEqual({ done: 'added', code: 0 });
    expect(printed.stdout).toContain(file);
    expect(printed.stdout).toContain(await readFile(file, 'utf8'));
    expect((await write()).done).toBe('unchanged');
  },
);

it('config continue prints YAML and does not write it', async () => {
  const { run, folder } = await home();
  const file = join(folder, '.continue/config.yaml');
  const { stdout } = await run(['continue']);
  expect(stdout).toContain(file);
  expect(stdout).toContain('mcpServers:\n  - name: svc\n');
  expect(stdout).not.toContain('--write');
  expect(await run(['continue', '--write'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/YAML, which --write does not change: .* what to add to .*config\.yaml/),
  });
  expect(existsSync(file)).toBe(false);
});

it('config --write says where the copy of the old file is', async () => {
  const { run, folder } = await home();
  const file = join(folder, '.mcp.json');
  await writeFile(file, '{}');
  expect(await run(['claude-code', '--write'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`; the file as svc-mcp first found it: ${file}.before-svc-mcp\n`),
  });
  const again = await run(['claude-code', '--write', '--max-tools', '9']);
  expect(again.stdout).toContain(
    `Replaced the entry svc in ${file}; the file as svc-mcp first found it: ${file}.before-svc-mcp\n`,
  );
  expect(await readFile(`${file}.before-svc-mcp`, 'utf8')).toBe('{}');
});

it('config claude-code says which folder it is for, and the command for all folders', async () => {
  const { run, folder } = await home();
  const { stdout } = await run(['claude-code']);
  expect(stdout).toContain(`This entry is only for the folder ${folder}. For all folders run instead: `);
  const [, json = ''] = /claude mcp add-json --scope user svc '(.*)'/.exec(stdout) ?? [];
  expect(JSON.parse(json)).toMatchObject({ type: 'stdio', args: [programFile] });
  expect((await run(['cursor'])).stdout).not.toContain('only for the folder');
});

it('a hosted server is written for the clients that name one', async () => {
  const { run, folder } = await home();
  const remote = ['--url', 'https://mcp.example.com/mcp', '--name', 'team'];
  expect(await run(['cursor', ...remote, '--write'])).toMatchObject({ code: 0 });
  expect(JSON.parse(await readFile(join(folder, '.cursor/mcp.json'), 'utf8'))).toEqual({
    mcpServers: {
      team: {
        url: 'https://mcp.example.com/mcp',
        headers: { Authorization: `Bearer $\{env:SVC_HTTP_TOKEN}` },
      },
    },
  });
  expect(await run(['claude-desktop', ...remote])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Connectors'),
  });
});

it('a wrong option is reported, and nothing is written', async () => {
  const { run, folder } = await home();
  const file = join(folder, '.mcp.json');
  await writeFile(file, '{"mcpServers": {"svc": {"command": "mine"}}}');
  const wrong: [string[], number, RegExp][] = [
    [['claude-code', '--write'], 1, /another server named svc.*--force.*Nothing was written/],
    [['claude-code', '--undo'], 2, /unknown option/],
    [['claude-code', '--name', '__proto__'], 2, /--name/],
    [['claude-code', '--name', 'a-name-that-is-too-long'], 2, /--name/],
    [['claude-code', '--url', 'ftp://example.com'], 2, /--url/],
    [['claude-code', '--url', 'https://me:secret@example.com/mcp'], 2, /--url must not hold/],
    [['claude-code', '--max-tools', 'many'], 2, /--max-tools/],
    [['emacs'], 2, /Allowed choices/],
  ];
  for (const [args, code, message] of wrong) {
    expect(await run(args)).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) });
  }
  expect(await readFile(file, 'utf8')).toBe('{"mcpServers": {"svc": {"command": "mine"}}}');
  const deep = `{"a": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  await writeFile(file, deep);
  expect((await run(['claude-code', '--write'])).stderr).toMatch(
    /^svc-mcp: \S+\.mcp\.json: it is nested too deep\. Nothing was written\.\n$/,
  );
  expect(await readFile(file, 'utf8')).toBe(deep);
  await writeFile(file, '{\n  broken');
  expect((await run(['claude-code', '--write'])).stderr).toMatch(
    /\.mcp\.json: it is not JSON: \w+ at line 2/,
  );
});

it('config ends without a stack trace if the reader of its output closes the pipe', async () => {
  const { folder } = await home();
  const child = spawn(process.execPath, [programFile, 'config', 'cursor'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let said = '';
  child.stderr.on('data', (chunk) => (said += chunk));
  expect([await once(child, 'exit'), said]).toEqual([[0, null], '']);
});
