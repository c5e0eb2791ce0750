import { build } from 'esbuild';
import { expect, it } from 'vitest';

/** The packages, and modules of Node, that the modules load at once. */
async function packagesLoadedBy(entries: readonly string[]): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [...entries],
    bundle: true,
    write: false,
    metafile: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    splitting: true,
    outdir: 'dist',
    external: ['#*'],
  });
  const loaded = new Set(entries);
  for (const file of loaded) {
    for (const { path, kind } of metafile.inputs[file]?.imports ?? [])
      if (kind === 'import-statement') loaded.add(path);
  }
  return [...loaded].filter((path) => !path.startsWith('src/'));
}

it('a start over stdio loads no module that only a call or another command needs', async () => {
  const packages = await packagesLoadedBy(['src/cli/commands/stdio.ts']);
  expect(packages).toContain('zod');
  for (const late of ['kysely', 'libsql', 'pg', 'undici', 'hono', '@hono/node-server', 'node:http'])
    expect(packages).not.toContain(late);
});

it('the embedded service starts without what reads pages, encrypts or drives a browser', async () => {
  const packages = await packagesLoadedBy([
    'src/cli/commands/doctor.ts',
    'src/cli/setup/embedded.ts',
    'src/cli/setup/machine-checks.ts',
    'src/practice/practice.ts',
    'src/service/catalog/source.ts',
    'src/service/fetch/find-browser.ts',
    'src/service/service.ts',
    'src/service/web/catalog.ts',
    'src/store/check-database.ts',
  ]);
  expect(packages).toContain('hono');
  const late = ['cheerio', 'parse5', 'chrono-node', 'luxon', 'tough-cookie', 'jose', 'pg', 'playwright-core'];
  expect(packages.filter((name) => late.some((one) => name.startsWith(one)))).toEqual([]);
});
