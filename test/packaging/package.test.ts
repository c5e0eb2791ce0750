/** What `npm pack` hands out: only what runs, and it runs where nothing else is. Needs `dist/`. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { closeGateways, temporaryFolder } from '../support/gateway.ts';

afterAll(closeGateways);
const run = promisify(execFile);

const Packed = z.tuple([
  z.object({
    filename: z.string(),
    size: z.number(),
    files: z.array(z.object({ path: z.string(), mode: z.number() })),
  }),
]);

const Materials = z.object({ components: z.array(z.object({ name: z.string(), version: z.string() })) });

let tarball = '';
let size = 0;
let files: z.infer<typeof Packed>[0]['files'] = [];
beforeAll(async () => {
  const folder = await temporaryFolder();
  // `dist/` is there already: nothing is built while other tests use it.
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]);
  const [packed] = Packed.parse(JSON.parse(stdout));
  files = packed.files;
  size = packed.size;
  tarball = join(folder, packed.filename);
});

it('the package holds the built program, its licenses and its documents, and nothing else', async () => {
  const paths = files.map(({ path }) => path);
  const others = paths.filter((path) => !path.startsWith('dist/'));
  expect(others.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'mcp.json.example', 'package.json']);
  expect(paths).toEqual(expect.arrayContaining(['dist/cli/main.js', 'dist/THIRD-PARTY-LICENSES.txt']));
  expect(paths.filter((path) => !/\.(js|css|html|txt|md|json|example)$|^LICENSE$/.test(path))).toEqual([]);
  expect((files.find(({ path }) => path === manifest.bin['svc-mcp'])?.mode ?? 0) & 0o111).not.toBe(0);
});

it('it is small enough to be fetched at each start by npx', () => {
  expect(size).toBeLessThan(2.5 * 1024 * 1024);
});

it('every bundled package comes with a license text, and is in the list of materials beside the package', async () => {
  const licenses = (await readFile('dist/THIRD-PARTY-LICENSES.txt', 'utf8')).split(`\n${'-'.repeat(80)}\n\n`);
  for (const text of licenses) expect(text.length).toBeGreaterThan(500);
  expect(licenses.filter((text) => text.includes('Mozilla Public License'))).toEqual([
    expect.stringMatching(/^@jmespath-community\/jmespath .*\n\nSource code: /),
  ]);
  const materials = Materials.parse(JSON.parse(await readFile('build/svc-mcp.cdx.json', 'utf8')));
  const listed = materials.components.map(({ name, version }) => `${name} ${version}`);
  expect(listed).toEqual(expect.arrayContaining(licenses.map((text) => text.split('\n')[0])));
  expect(listed).toContainEqual(expect.stringMatching(/^libsql /));
});

it('a source map beside the package says which line of the sources a place in it is', async () => {
  const [message, source] = ['Jobs cannot be claimed; trying again', 'src/service/jobs/worker.ts'];
  const found: (string | undefined)[] = [];
  for (const { path } of files.filter((file) => file.path.endsWith('.js'))) {
    const lines = (await readFile(path, 'utf8')).split('\n');
    const line = lines.findIndex((text) => text.includes(message));
    if (line < 0) continue;
    const map = new SourceMap(
      JSON.parse(await readFile(`build/maps${path.slice('dist'.length)}.map`, 'utf8')),
    );
    const entry = map.findEntry(line, lines[line]?.indexOf(message) ?? 0);
    if (!('originalSource' in entry)) continue;
    expect(entry.originalSource.endsWith(source)).toBe(true);
    found.push((await readFile(source, 'utf8')).split('\n')[entry.originalLine]);
  }
  expect(found).toEqual([expect.stringContaining(message)]);
});

it('the package names nothing of the machine that it was built on', async () => {
  const found = await Promise.all(
    files.map(async ({ path }) => ((await readFile(path, 'utf8')).includes(resolve('.')) ? [path] : [])),
  );
  expect(found.flat()).toEqual([]);
});

it('the package is started by npx from a folder that has nothing but it and libsql', async () => {
  const folder = await temporaryFolder();
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, 'svc-mcp'), { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', join(modules, 'svc-mcp'), '--strip-components=1']);
  // As npm would have put them there; a test does not ask a registry.
  await symlink(resolve('node_modules/libsql'), join(modules, 'libsql'));
  await mkdir(join(modules, '.bin'));
  await symlink('../svc-mcp/dist/cli/main.js', join(modules, '.bin/svc-mcp'));

  const env = { PATH: process.env.PATH ?? '', HOME: folder, SVC_DATA_DIR: join(folder, 'data') };
  const { stdout } = await run('npx', ['--offline', 'svc-mcp', '--version'], { cwd: folder, env });
  expect(stdout.trim()).toBe(manifest.version);
  const shown = await run('npx', ['--offline', 'svc-mcp', 'demo'], { cwd: folder, env });
  expect(shown.stdout).toContain('`svc-mcp config <client>` prints the entry');
  const client = new Client({ name: 'a-client', version: '1' });
  // Traces are asked for, and the package that exports them is not there.
  const transport = new StdioClientTransport({
    command: 'npx',
    args: ['--offline', 'svc-mcp'],
    cwd: folder,
    env: { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
    stderr: 'pipe',
  });
  let log = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    log += chunk.toString('utf8');
  });
  await client.connect(transport);
  try {
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('bookshop_list_books');
    await expect.poll(() => log).toContain('npm install @opentelemetry/sdk-node');
    const { contents } = await client.readResource({ uri: 'ui://svc/result' });
    expect(contents).toMatchObject([{ mimeType: 'text/html;profile=mcp-app' }]);
  } finally {
    await client.close();
  }
}, 60_000);
