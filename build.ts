/**
 * Builds `dist/`: the command as one small entry with its lazily loaded parts as shared chunks,
 * one file for each worker thread (`*-worker.ts`), found through the package import `#worker/…`, and the page of the views,
 * found through `#view/…`. `build/` has what belongs beside a release: the list of the bundled packages (CycloneDX), and the
 * source maps, which say what a line of a stack trace is in the sources.
 */
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin } from 'esbuild';

const files = await readdir('src', { recursive: true });

/** What stands in for a module: its text, in place of the file or made from it. */
interface Replacement {
  readonly filter: RegExp;
  readonly contents: (path: string) => string | Promise<string>;
  /** The package whose modules the contents may name. */
  readonly resolveDir?: string;
}

/** Large parts of libraries that no call of ours reaches, but that every start would have to parse. */
const leftOut: readonly Replacement[] = [
  {
    // zod's messages in fifty languages; ours are its own English ones.
    filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/,
    contents: () => "export { default as en } from './en.js';",
    resolveDir: 'node_modules/zod/v4/locales',
  },
  {
    // Its compiler of whole schemas, which nothing calls. Only the names are needed: zod exports them again.
    filter: /zod[\\/]v4[\\/]core[\\/]compile\.js$/,
    contents: async (path) =>
      `export let ${(await readFile(path, 'utf8')).match(/(?<=^export (?:const|class|function) )\w+/gm)};`,
  },
  {
    // Its reader of JSON Schemas, which nothing calls.
    filter: /zod[\\/]v4[\\/]classic[\\/]from-json-schema\.js$/,
    contents: () => 'export let fromJSONSchema;',
  },
];

const leftOutOfProgram: readonly Replacement[] = [
  {
    // undici's fetch, sockets of the web, caches, mocks and interceptors: its index loads all of them for a first request.
    filter: /node_modules[\\/]undici[\\/]index\.js$/,
    contents:
      () => `Object.assign(require('./lib/dispatcher/dispatcher.js').prototype, require('./lib/api/index.js'));
      module.exports = {
        Agent: require('./lib/dispatcher/agent.js'),
        EnvHttpProxyAgent: require('./lib/dispatcher/env-http-proxy-agent.js'),
        Pool: require('./lib/dispatcher/pool.js'),
        buildConnector: require('./lib/core/connect.js'),
      };`,
    resolveDir: 'node_modules/undici',
  },
  {
    // The reader of a request's body of the SDK's old transport, with its tables of 70 encodings: we hand it the parsed body.
    filter: /node_modules[\\/]raw-body[\\/]index\.js$/,
    contents: () => "module.exports = async () => { throw new Error('This body was read before'); };",
  },
  {
    // Its limiters for seven databases that we do not use.
    filter: /node_modules[\\/]rate-limiter-flexible[\\/]index\.js$/,
    contents: () => `module.exports = {
        RateLimiterMemory: require('./lib/RateLimiterMemory'),
        RateLimiterPostgres: require('./lib/RateLimiterPostgres'),
        RateLimiterRes: require('./lib/RateLimiterRes'),
      };`,
    resolveDir: 'node_modules/rate-limiter-flexible',
  },
  {
    // The SDK's schemas of an OAuth client's messages, which it makes for `isSpecType` alone.
    filter: /core[\\/]dist[\\/]auth-[^\\/]*\.mjs$/,
    contents: async (path) => {
      const exported = /export \{[^}]*\};/.exec(await readFile(path, 'utf8'))?.[0];
      if (exported === undefined) throw new Error(`${path} exports no schemas`);
      return `let ${exported.match(/\w+(?= as )/g)};\n${exported}`;
    },
  },
  {
    // The SDK's default validator of form answers; the server is always given its own.
    filter: /server[\\/]dist[\\/]ajvProvider-[^\\/]*\.mjs$/,
    contents: () =>
      'export class AjvJsonSchemaValidator {} export { AjvJsonSchemaValidator as t, AjvJsonSchemaValidator as n };',
  },
];

/** What a start need not compute. */
const computed: readonly Replacement[] = [
  {
    // zod compiles each schema of an object at its first use. A start uses most of them once.
    filter: /zod[\\/]v4[\\/]core[\\/]core\.js$/,
    contents: async (path) => `${await readFile(path, 'utf8')}\nconfig({ jitless: true });`,
  },
];

/** Fails the build where one of them finds no module: a library that moved a file would come back whole, in silence. */
function replacing(replacements: readonly Replacement[], { mayMiss = false } = {}): Plugin {
  return {
    name: 'replacing',
    setup({ onLoad, onEnd }) {
      const missed = new Set(replacements);
      for (const replacement of replacements) {
        const { filter, contents, resolveDir } = replacement;
        onLoad({ filter }, async ({ path }) => {
          missed.delete(replacement);
          return { contents: await contents(path), ...(resolveDir !== undefined && { resolveDir }) };
        });
      }
      onEnd(() => {
        const errors = [...missed].map(({ filter }) => ({ text: `No module to replace matches ${filter}` }));
        return mayMiss ? {} : { errors };
      });
    },
  };
}

/** Bundled CommonJS packages call require() for Node's own modules. */
const requireBanner =
  "import { createRequire as bundleRequire } from 'node:module';\nconst require = bundleRequire(import.meta.url);";

const options = {
  write: false,
  metafile: true,
  // Inline, because a chunk that is joined is built again; `splitMaps` takes them out.
  sourcemap: 'inline',
  sourcesContent: false,
  outdir: 'dist',
  outbase: 'src',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  plugins: [replacing([...leftOut, ...leftOutOfProgram, ...computed])],
  // Its CommonJS file requires its parts in a way that no bundler follows.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  minifySyntax: true,
  minifyWhitespace: true,
  // libsql is a native addon; pg-native is an optional binding that we never use; the others are optional peers.
  external: ['libsql', 'pg-native', 'playwright-core', '@opentelemetry/sdk-node'],
  banner: { js: requireBanner },
  legalComments: 'none',
  logLevel: 'warning',
} as const satisfies BuildOptions;

const program = await build({ ...options, entryPoints: ['src/cli/main.ts'] });
// Apart from the program: a module that both need would be a chunk of its own, which costs each start a file.
const workers = await build({
  ...options,
  plugins: [replacing([...leftOut, ...leftOutOfProgram, ...computed], { mayMiss: true })],
  entryPoints: files.filter((file) => file.endsWith('-worker.ts')).map((file) => join('src', file)),
  chunkNames: 'worker-chunks/[name]-[hash]',
});
const views = await buildViews();

const joined = moveChunks(await joinChunks(program));
const { texts, maps } = splitMaps([
  ...joined,
  ...workers.outputFiles.map(({ path, text }) => ({ path, contents: text })),
]);

// Only a build that went well replaces the one before.
await rm('dist', { recursive: true, force: true });
await rm('build/maps', { recursive: true, force: true });
for (const { path, contents } of [...texts, ...maps, ...views.pages]) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, contents);
}
const packages = await bundledPackages(
  [program, workers].flatMap(({ metafile }) => Object.keys(metafile.inputs)).concat(views.inputs),
);
await writeFile('dist/THIRD-PARTY-LICENSES.txt', await licenses(packages));
await mkdir('build', { recursive: true });
await writeFile(
  'build/svc-mcp.cdx.json',
  `${JSON.stringify(await billOfMaterials(packages), undefined, 2)}\n`,
);
await chmod('dist/cli/main.js', 0o755);

interface Built {
  readonly outputFiles: readonly OutputFile[];
  readonly metafile: Metafile;
}

/**
 * Joins the chunks that every start of the default command loads into three: Node takes about 1 ms for each file. One has
 * what the other commands load too, and the embedded service; one what those load that need the gateway alone. The chunks that are
 * loaded later import from these.
 */
async function joinChunks({ outputFiles, metafile: { outputs } }: Built) {
  /** The chunks that the modules load at once. */
  const loadedBy = (modules: RegExp) => {
    const loaded = new Set(
      Object.keys(outputs).filter((path) => modules.test(outputs[path]?.entryPoint ?? '')),
    );
    for (const path of loaded) {
      for (const { kind, path: imported } of outputs[path]?.imports ?? []) {
        if (kind === 'import-statement' && imported in outputs) loaded.add(imported);
      }
    }
    return loaded;
  };
  const common = loadedBy(/^src\/(cli\/(program|commands\/(config|service.*))|service\/.*)\.ts$/);
  const gateway = loadedBy(/^src\/cli\/commands\/(jobs|tools|doctor)\.ts$/);
  const chunks = [...loadedBy(/^src\/cli\/commands\/stdio\.ts$/)].map((path, index) => ({
    path,
    name: basename(path),
    target: common.has(path) ? 'common' : gateway.has(path) ? 'gateway' : 'start',
    exports: (outputs[path]?.exports ?? []).map((name) => ({ name, joined: `${name}_${index}` })),
  }));
  const textOf = new Map(
    // Its lines stay, for the map.
    outputFiles.map(({ path, text }) => [
      basename(path),
      text.replace(requireBanner, requireBanner.replace(/.+/g, '')),
    ]),
  );
  const fromChunks: Plugin = {
    name: 'from-chunks',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /./ }, ({ path, kind }) => {
        const name = basename(path);
        if (kind === 'entry-point') return { path, namespace: 'joined' };
        const isJoined = kind === 'import-statement' && chunks.some((chunk) => chunk.name === name);
        return isJoined ? { path: name, namespace: 'chunk' } : { path, external: true };
      });
      onLoad({ filter: /./, namespace: 'joined' }, ({ path }) => ({
        contents: chunks
          .filter(({ target }) => target === path)
          .map((chunk) => {
            const names = chunk.exports.map(({ name, joined }) => `${name} as ${joined}`);
            return `export { ${names} } from './${chunk.name}';`;
          })
          .join('\n'),
      }));
      onLoad({ filter: /./, namespace: 'chunk' }, ({ path }) => {
        const contents = textOf.get(path);
        return contents === undefined ? { errors: [{ text: `There is no chunk ${path}` }] } : { contents };
      });
    },
  };
  const joined = await build({
    ...options,
    entryPoints: ['common', 'gateway', 'start'].map((name) => ({ in: name, out: name })),
    outdir: 'dist/chunks',
    chunkNames: 'joined-[hash]',
    plugins: [fromChunks],
  });
  const inputs = new Set(Object.keys(joined.metafile.inputs));
  const missing = chunks.filter(({ name }) => !inputs.has(`chunk:${name}`));
  if (chunks.length === 0 || missing.length > 0) {
    throw new Error(
      `These chunks of the default command were not joined: ${missing.map(({ path }) => path)}`,
    );
  }
  const byName = new Map(chunks.map((chunk) => [chunk.name, chunk]));
  const others = outputFiles.flatMap(({ path, text }) => {
    const chunk = byName.get(basename(path));
    if (chunk === undefined) return [{ path, text: importJoined(text, byName) }];
    // What is loaded later by `import()` has the names of its own.
    if (outputs[relative('.', path)]?.entryPoint === undefined) return [];
    const names = chunk.exports.map(({ name, joined }) => `${joined} as ${name}`);
    return [{ path, text: `export { ${names} } from './${chunk.target}.js';\n` }];
  });
  return [...joined.outputFiles, ...others];
}

interface JoinedChunk {
  readonly target: string;
  readonly exports: readonly { readonly name: string; readonly joined: string }[];
}

/** Has a chunk import from the joined files. The imports go to the line above, so that every column of the map stays. */
function importJoined(text: string, chunks: ReadonlyMap<string, JoinedChunk>): string {
  const added = new Set<string>();
  const rest = text.replace(
    /import(?:\{([^}]*)\}from)?"\.\/([^"/]+\.js)";/g,
    (statement, imported: string | undefined, file: string) => {
      const chunk = chunks.get(file);
      if (chunk === undefined) return statement;
      const names = imported?.split(',').map((one) => {
        const [name = '', local = name] = one.split(' as ');
        return `${chunk.exports.find((exported) => exported.name === name)?.joined} as ${local}`;
      });
      added.add(`import${names === undefined ? '' : `{${names}}from`}"./${chunk.target}.js";`);
      return ' '.repeat(statement.length);
    },
  );
  return [...added, rest].join('');
}

/**
 * Puts the chunks into a folder that is named by their content. A process whose program is replaced while it runs then
 * misses the parts that it has not loaded yet; it never mixes them with those of another build.
 */
function moveChunks<Output extends { path: string; text: string }>(outputs: readonly Output[]) {
  const hash = createHash('sha256');
  for (const { text } of outputs) hash.update(text);
  const folder = `chunks/${hash.digest('hex').slice(0, 16)}`;
  return outputs.map(({ path, text }) =>
    basename(dirname(path)) === 'chunks'
      ? { path: join(dirname(dirname(path)), folder, basename(path)), contents: text }
      : // In the source map of these few lines the columns behind a name are off by what it grows.
        { path, contents: text.replaceAll('"../chunks/', `"../${folder}/`) },
  );
}

/** Takes the inline source maps out of the texts: they are for `build/maps`, beside the package. */
function splitMaps(outputs: readonly { readonly path: string; readonly contents: string }[]) {
  const comment = /\n?\/\/# sourceMappingURL=data:application\/json;base64,(\S+)\s*$/;
  const maps: { path: string; contents: Buffer }[] = [];
  const texts = outputs.map(({ path, contents }) => {
    const [, encoded] = comment.exec(contents) ?? [];
    if (encoded === undefined) return { path, contents };
    const map = Buffer.from(encoded, 'base64');
    const file = join('build/maps', `${relative(resolve('dist'), resolve(path))}.map`);
    // What only exports the parts of another file again has no lines of ours.
    if (!map.includes('"sources": []')) maps.push({ path: file, contents: map });
    return { path, contents: contents.replace(comment, '\n') };
  });
  return { texts, maps };
}

/**
 * The views as one page that may load nothing: its style and script are in it, and its policy names them by their hashes.
 * The server says in `data-view` which view it shows.
 */
async function buildViews() {
  const result = await build({
    write: false,
    metafile: true,
    entryPoints: ['main.ts', 'style.css', 'console-page.ts', 'console.css'].map(
      (name) => `src/views/${name}`,
    ),
    outdir: 'dist/views',
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: ['chrome123', 'firefox120', 'safari17.5'],
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  });
  const sourceOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const isOfConsole = (path: string) => basename(path).startsWith('console');
  const style = result.outputFiles.find(({ path }) => basename(path) === 'style.css')?.text ?? '';
  const ofViews = result.outputFiles.filter(({ path }) => basename(path) !== 'style.css');
  const pages = ofViews.map(({ path, text }) => {
    // The console serves its script and its style beside pages of its own.
    if (isOfConsole(path)) return { path, contents: text };
    // The text of a script ends at the first of these, wherever it stands.
    const script = text.trim().replaceAll('</script', '<\\/script');
    const policy = `default-src 'none'; style-src ${sourceOf(style)}; script-src ${sourceOf(script)}; base-uri 'none'; form-action 'none'`;
    return {
      path: join(dirname(path), 'view.html'),
      contents: `<!doctype html>
<html lang="en" data-view="">
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

interface Package {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly author: string;
}

async function bundledPackages(inputs: readonly string[]): Promise<Package[]> {
  const folders = inputs.flatMap((input) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []);
  return Promise.all(
    [...new Set(folders)].sort().map(async (folder) => {
      const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
      const { name, version, license, author } = manifest;
      return { folder, name, version, license, author: author?.name ?? author ?? `the authors of ${name}` };
    }),
  );
}

/** The license of every bundled package, which they ask to be kept with their code. */
async function licenses(packages: readonly Package[]): Promise<string> {
  const texts = packages.map(async ({ folder, name, version, license, author }) => {
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    // Some packages name a license and ship no text: that of the license itself holds.
    const text =
      file === undefined
        ? `Copyright (c) ${author}\n\n${await readFile(join('packaging/licenses', `${license}.txt`), 'utf8')}`
        : await readFile(join(folder, file), 'utf8');
    // The MPL asks to say where the source of the covered files is.
    const source = /^MPL/.test(license) ? `Source code: the package ${name} ${version} of npm\n\n` : '';
    return `${name} ${version}\n\n${source}${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}

/** What is in the bundle, which no audit of an installed package sees, by CycloneDX 1.6. */
async function billOfMaterials(packages: readonly Package[]) {
  const { name, version, dependencies } = JSON.parse(await readFile('package.json', 'utf8'));
  const component = (type: string, { name, version }: { name: string; version: string }) => ({
    type,
    'bom-ref': `pkg:npm/${encodeURI(name).replace('@', '%40')}@${version}`,
    name,
    version,
    purl: `pkg:npm/${encodeURI(name).replace('@', '%40')}@${version}`,
  });
  const installed = Object.keys(dependencies).map(async (dependency) =>
    JSON.parse(await readFile(join('node_modules', dependency, 'package.json'), 'utf8')),
  );
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: component('application', { name, version }) },
    components: [...packages, ...(await Promise.all(installed))].map((one) => ({
      ...component('library', one),
      licenses: [{ license: { id: one.license } }],
    })),
  };
}
