/** The paths by which a client starts this program. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { thisProgram } from '../../../src/cli/clients/this-program.ts';
import { closeGateways, temporaryFolder } from '../../support/gateway.ts';

afterEach(closeGateways);

/** A copy as npx keeps one, and a Node with npx. */
async function npxCache(dependency: string | undefined) {
  const folder = await temporaryFolder();
  const cache = join(folder, '_npx', '0123456789abcdef');
  const script = join(folder, 'lib', 'node_modules', 'npm', 'bin', 'npx-cli.js');
  await mkdir(cache, { recursive: true });
  await mkdir(join(script, '..'), { recursive: true });
  await writeFile(script, '');
  if (dependency !== undefined) {
    await writeFile(join(cache, 'package.json'), JSON.stringify({ dependencies: { 'svc-mcp': dependency } }));
  }
  const path = join(cache, 'node_modules', 'svc-mcp', 'dist', 'cli', 'main.js');
  return { folder, script, path, node: join(folder, 'bin', 'node') };
}

it('an installed copy is named by its own path', () => {
  expect(thisProgram('/opt/svc-mcp/dist/cli/main.js', '/usr/bin/node')).toEqual({
    command: '/usr/bin/node',
    args: ['/opt/svc-mcp/dist/cli/main.js'],
  });
});

it('a copy in the cache of npx is started by npx, from the file that it came from', async () => {
  const { folder, script, path, node } = await npxCache('file:../../svc-mcp-0.2.0.tgz');
  const file = join(folder, 'svc-mcp-0.2.0.tgz');
  expect(thisProgram(path, node)).toEqual({
    command: node,
    args: [script, '--yes', '--package', file, 'svc-mcp'],
    note: expect.stringContaining(`keep that file`),
  });
});

it('a copy in the cache of npx that came from a registry is started by name and version', async () => {
  const { script, path, node } = await npxCache('^1.2.3');
  expect(thisProgram(path, node)).toMatchObject({
    args: [script, '--yes', '--package', 'svc-mcp@^1.2.3', 'svc-mcp'],
    note: expect.stringContaining('cache of npx'),
  });
});

it('a copy of unknown origin in the cache of npx must be installed first', async () => {
  const { path, node } = await npxCache(undefined);
  expect(thisProgram(path, node)).toMatchObject({
    args: [path],
    note: expect.stringContaining('Install svc-mcp'),
  });
});
