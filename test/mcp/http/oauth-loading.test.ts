import { build } from 'esbuild';
import { expect, it } from 'vitest';

const entries = ['src/cli/commands/stdio.ts', 'src/cli/commands/http.ts'] as const;

/** The files that each command loads before it does anything: all but those behind an `import()`. */
async function loadedBy(): Promise<string[][]> {
  const { metafile } = await build({
    entryPoints: [...entries],
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
  return entries.map((entry) => {
    const loaded = new Set(
      Object.keys(metafile.outputs).filter((name) => metafile.outputs[name]?.entryPoint === entry),
    );
    for (const name of loaded) {
      for (const { path, kind } of metafile.outputs[name]?.imports ?? []) {
        if (kind === 'import-statement') loaded.add(path);
      }
    }
    return [...loaded].flatMap((name) => Object.keys(metafile.outputs[name]?.inputs ?? {}));
  });
}

it('nothing of the resource server is loaded by a start without an issuer', async () => {
  const parts = /http\/oauth\/|authorization-server\.ts|subject-keys\.ts|store\/encryption/;
  const [stdio = [], http = []] = await loadedBy();
  expect(stdio.length).toBeGreaterThan(50);
  expect(stdio.filter((file) => parts.test(file) || file.includes('node_modules/jose/'))).toEqual([]);
  expect(http.length).toBeGreaterThan(50);
  expect(http.filter((file) => parts.test(file))).toEqual([]);
});
