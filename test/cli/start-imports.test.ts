import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('a start over stdio loads no module that only a call or another command needs', async () => {
  const entry = 'src/cli/commands/stdio.ts';
  const { metafile } = await build({
    entryPoints: [entry],
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
  const loaded = new Set([entry]);
  for (const file of loaded) {
    for (const { path, kind } of metafile.inputs[file]?.imports ?? [])
      if (kind === 'import-statement') loaded.add(path);
  }
  const packages = [...loaded].filter((path) => !path.startsWith('src/'));
  expect(packages).toContain('zod');
  for (const late of ['kysely', 'libsql', 'pg', 'undici', 'hono', '@hono/node-server', 'node:http'])
    expect(packages).not.toContain(late);
});
