/**
 * Builds `dist/`: the command as one small entry with its lazily loaded parts as shared chunks,
 * one file for each worker thread (`*-worker.ts`), found through the package import `#worker/…`, and one HTML file for each
 * view (`src/views/*-view.ts`), found through `#view/…`.
 */
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build, type Plugin, transform } from 'esbuild';

const files = await readdir('src', { recursive: true });
const workers = files.filter((file) => file.endsWith('-worker.ts')).map((file) => join('src', file));

/** Large parts of libraries that no call of ours reaches, but that every start would have to parse. */
const leftOut: Plugin = {
  name: 'left-out',
  setup({ onLoad }) {
    // zod's messages in fifty languages; ours are its own English ones.
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
      resolveDir: 'node_modules/zod/v4/locales',
    }));
    // The SDK's default validator of form answers; the server is always given its own.
    onLoad({ filter: /server\/dist\/ajvProvider-[^/]*\.mjs$/ }, () => ({
      contents:
        'export class AjvJsonSchemaValidator {} export { AjvJsonSchemaValidator as t, AjvJsonSchemaValidator as n };',
    }));
  },
};

const { outputFiles, metafile } = await build({
  write: false,
  metafile: true,
  entryPoints: ['src/cli/main.ts', ...workers],
  outdir: 'dist',
  outbase: 'src',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  plugins: [leftOut],
  // Its CommonJS file requires its parts in a way that no bundler follows.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  minifySyntax: true,
  minifyWhitespace: true,
  // libsql is a native addon; pg-native is an optional binding that we never use; the others are optional peers.
  external: ['libsql', 'pg-native', 'playwright-core', '@opentelemetry/sdk-node'],
  // Bundled CommonJS packages call require() for Node's own modules.
  banner: {
    js: "import { createRequire as bundleRequire } from 'node:module';\nconst require = bundleRequire(import.meta.url);",
  },
  legalComments: 'none',
  logLevel: 'warning',
});
const views = await buildViews(files.filter((file) => /^views\/[^/]+-view\.ts$/.test(file)));

// Only a build that went well replaces the one before.
await rm('dist', { recursive: true, force: true });
for (const { path, contents } of [...outputFiles, ...views.pages]) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, contents);
}
await writeFile(
  'dist/THIRD-PARTY-LICENSES.txt',
  await licenses([...Object.keys(metafile.inputs), ...views.inputs]),
);
await chmod('dist/cli/main.js', 0o755);

/**
 * Each view as one page that may load nothing: its style and script are in it, and its policy names them by their
 * hashes.
 */
async function buildViews(entries: readonly string[]) {
  const style = (
    await transform(await readFile('src/views/style.css', 'utf8'), { loader: 'css', minify: true })
  ).code;
  const result = await build({
    write: false,
    metafile: true,
    entryPoints: [...entries.map((entry) => join('src', entry)), 'src/views/console-table.ts'],
    outdir: 'dist/views',
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: ['chrome123', 'firefox120', 'safari17.5'],
    plugins: [leftOut],
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  });
  const sourceOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const pages = result.outputFiles.map(({ path, text }) => {
    // The console serves its script beside pages of its own.
    if (!path.endsWith('-view.js')) return { path, contents: text };
    // The text of a script ends at the first of these, wherever it stands.
    const script = text.trim().replaceAll('</script', '<\\/script');
    const policy = `default-src 'none'; style-src ${sourceOf(style)}; script-src ${sourceOf(script)}; base-uri 'none'; form-action 'none'`;
    return {
      path: path.replace(/-view\.js$/, '.html'),
      contents: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc-mcp</title>
<style>${style}</style>
</head>
<body>
<script>${script}</script>
</body>
</html>
`,
    };
  });
  return { pages, inputs: Object.keys(result.metafile.inputs) };
}

/** The licenses of every bundled package, which they ask to be kept with their code. */
async function licenses(inputs: readonly string[]): Promise<string> {
  const folders = inputs.flatMap((input) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []);
  const texts = [...new Set(folders)].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? `License: ${license}\n` : await readFile(join(folder, file), 'utf8');
    return `${name} ${version}\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}
