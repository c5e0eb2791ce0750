/** A program of the tests as one file of JavaScript: its starts are quick, and it runs the sources, not `dist/`. */
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** The place lets a bundle find the native package. It does not find `#worker/…`, which is the package's own. */
const folder = join(import.meta.dirname, '../../node_modules/.cache/svc-mcp');
const bundles = new Map<string, Promise<string>>();

/** The bundle of `entry`: made once, and removed when this process ends. */
export function bundleProgram(entry: URL): Promise<string> {
  let bundle = bundles.get(entry.href);
  if (bundle === undefined) {
    const file = fileURLToPath(entry);
    const outfile = join(folder, `${basename(file, '.ts')}-${process.pid}.mjs`);
    process.once('exit', () => rmSync(outfile, { force: true }));
    bundle = build({
      entryPoints: [file],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      external: ['libsql', 'pg-native'],
      banner: {
        js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
      },
      logLevel: 'warning',
    }).then(() => outfile);
    bundles.set(entry.href, bundle);
  }
  return bundle;
}
