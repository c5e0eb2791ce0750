/**
 * Builds `dist/`: the command as one small entry with its lazily loaded parts as shared chunks,
 * and one file for each worker thread (`*-worker.ts`), found through the package import `#worker/…`.
 */
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

const files = await readdir('src', { recursive: true });
const workers = files.filter((file) => file.endsWith('-worker.ts')).map((file) => join('src', file));

const { outputFiles } = await build({
  write: false,
  entryPoints: ['src/cli/main.ts', ...workers],
  outdir: 'dist',
  outbase: 'src',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  keepNames: true,
  // libsql is a native addon; pg-native is an optional binding that we never use.
  external: ['libsql', 'pg-native'],
  // Bundled CommonJS packages call require() for Node's own modules.
  banner: {
    js: "import { createRequire as bundleRequire } from 'node:module';\nconst require = bundleRequire(import.meta.url);",
  },
  legalComments: 'linked',
  logLevel: 'warning',
});
// Only a build that went well replaces the one before.
await rm('dist', { recursive: true, force: true });
for (const file of outputFiles) {
  await mkdir(dirname(file.path), { recursive: true });
  await writeFile(file.path, file.contents);
}
await chmod('dist/cli/main.js', 0o755);
