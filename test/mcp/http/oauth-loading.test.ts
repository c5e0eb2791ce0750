import { build } from 'esbuild';
import { expect, it } from 'vitest';

/** The files that a command loads before it does anything: all but those behind an `import()`. */
async function loadedBy(entry: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    outdir: 'unused',
    external: ['libsql', 'pg-native'],
    logLevel: 'error',
  });
  const pending = Object.keys(metafile.outputs).filter(
    (name) => metafile.outputs[name]?.entryPoint === entry,
  );
  const loaded = new Set(pending);
  for (const name of loaded) {
    for (const { path, kind } of metafile.outputs[name]?.imports ?? []) {
      if (kind === 'import-statement') loaded.add(path);
    }
  }
  return [...loaded].flatMap((name) => Object.keys(metafile.outputs[name]?.inputs ?? {}));
}

it('nothing of the resource server is loaded by a start without an issuer', async () => {
  const parts = /http\/oauth\/|authorization-server\.ts|subject-keys\.ts|store\/encryption/;
  const stdio = await loadedBy('src/cli/commands/stdio.ts');
  expect(stdio.length).toBeGreaterThan(50);
  expect(stdio.filter((file) => parts.test(file) || file.includes('node_modules/jose/'))).toEqual([]);
  const http = await loadedBy('src/cli/commands/http.ts');
  expect(http.length).toBeGreaterThan(50);
  expect(http.filter((file) => parts.test(file))).toEqual([]);
});
