/**
 * Imports run downwards through the layers and never in a circle; errors are of one tree. The few exceptions are named here,
 * with their reasons.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, posix, resolve } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { beforeAll, describe, expect, it } from 'vitest';

const source = resolve(import.meta.dirname, '../src');

/** Folders of `src/` that each folder may import; itself always. */
const layers: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  contract: [],
  // What both halves hold of results and their values: pure.
  compare: ['contract'],
  store: ['errors'],
  workers: ['errors'],
  http: ['contract'],
  tracing: [],
  // What browsers run, built into files that `mcp` and `service` serve.
  views: ['contract'],
  client: ['errors', 'contract', 'tracing'],
  service: ['errors', 'contract', 'compare', 'store', 'tracing', 'workers', 'http'],
  practice: ['service'],
  gateway: ['errors', 'contract', 'compare', 'store', 'tracing', 'workers', 'client'],
  mcp: ['errors', 'contract', 'gateway', 'tracing', 'http'],
  cli: ['errors', 'contract', 'store', 'tracing', 'client', 'service', 'practice', 'gateway', 'mcp'],
};

/**
 * Folders of a layer, lowest first: a file imports from its own folder and from those before it. The files beside the
 * folders are `.`, and come last where it is not named.
 */
const folderOrders: Readonly<Record<string, readonly string[]>> = {
  gateway: [
    'interface',
    'foundation',
    'schemas',
    'catalog',
    'store',
    'accounts',
    'results',
    'paid',
    'watches',
  ],
  service: [
    ...['foundation', 'store', 'money', 'fetch', 'page', 'recipes', 'accounts', 'catalog', 'builder'],
    ...['web', 'pages', 'jobs', 'operations', 'api', 'console'],
  ],
  // The way of a page to an action.
  'service/builder': ['page', 'columns', 'candidates', 'matching', 'analysis', 'visits', 'test', 'recipe'],
  mcp: ['steps', 'resources', 'tools', 'prompts', 'calls', 'tasks', 'views', 'pages', '.', 'transports'],
  cli: ['config', 'terminal', 'setup', 'clients', 'commands'],
};

/** Packages that only these folders may import. */
const packageOwners: Readonly<Record<string, readonly string[]>> = {
  undici: ['client', 'service'],
  '@modelcontextprotocol/server': ['mcp'],
  '@modelcontextprotocol/node': ['mcp'],
  '@modelcontextprotocol/sdk': ['mcp'],
  '@modelcontextprotocol/client': ['cli'],
  // The host of the tests is made with it; the views speak the protocol themselves.
  '@modelcontextprotocol/ext-apps': [],
  libsql: ['store'],
  pg: ['store'],
  hono: ['http', 'service', 'practice', 'mcp'],
  commander: ['cli'],
  '@opentelemetry/sdk-node': ['cli'],
};

interface Import {
  readonly from: string;
  readonly specifier: string;
}

/** Static, re-exporting, side-effect, dynamic and type imports; in comments there are none. */
function importsIn(text: string): string[] {
  const specifiers: string[] = [];
  const add = ({ source }: { source?: unknown }) => {
    const { value }: { value?: unknown } = Object(source);
    if (typeof value === 'string') specifiers.push(value);
  };
  const { program } = parseSync('file.ts', text);
  new Visitor({
    ImportDeclaration: add,
    ExportNamedDeclaration: add,
    ExportAllDeclaration: add,
    ImportExpression: add,
    TSImportType: add,
  }).visit(program);
  return specifiers;
}

let texts: { readonly from: string; readonly text: string }[] = [];
let imports: Import[] = [];
beforeAll(async () => {
  const files = (await readdir(source, { recursive: true })).filter((name) => name.endsWith('.ts'));
  texts = await Promise.all(
    files.map(async (from) => ({ from, text: await readFile(join(source, from), 'utf8') })),
  );
  imports = texts.flatMap(({ from, text }) => importsIn(text).map((specifier) => ({ from, specifier })));
});

const layerOf = (path: string) => path.split('/')[0] ?? '';
const isRelative = ({ specifier }: Import) => specifier.startsWith('.');
const targetOf = ({ from, specifier }: Import) => posix.join(posix.dirname(from), specifier);
const packageOf = ({ specifier }: Import) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** Paths that lead from a file back to itself, each once. */
function findCircles(targets: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]) => {
    const start = path.indexOf(file);
    if (start >= 0) circles.push([...path.slice(start), file]);
    if (start >= 0 || done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return circles;
}

it('finds a circle of imports', () => {
  const targets = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['d', ['b']],
  ]);
  expect(findCircles(targets)).toEqual([['b', 'd', 'b']]);
});

it('reads every form of import', () => {
  const text = `import a from 'a'; import { type B,\n c } from "b"; import type { D } from './d.ts'; export * from './e.ts';
    export { f } from './f.ts'; import './g.ts'; const h = await import('./h.ts'); let i: typeof import('./i.ts')['x'];
    // import no from './no.ts'\n /* import no from './no.ts' */`;
  expect(importsIn(text)).toEqual(['a', 'b', './d.ts', './e.ts', './f.ts', './g.ts', './h.ts', './i.ts']);
});

describe('an import', () => {
  it('goes to a layer below, or stays in its own', () => {
    const wrong = imports.filter(isRelative).filter((one) => {
      const [from, to] = [layerOf(one.from), layerOf(targetOf(one))];
      // The program's name and version are the package's own, to name itself by.
      if (targetOf(one) === '../package.json') return from !== 'cli' && from !== 'service';
      return from !== to && !layers[from]?.includes(to);
    });
    expect(imports.filter(isRelative).length).toBeGreaterThan(200);
    expect(wrong).toEqual([]);
  });

  it.each(Object.entries(folderOrders))(
    'in %s goes to a folder below, or stays in its own',
    (layer, folders) => {
      const order = folders.includes('.') ? folders : [...folders, '.'];
      const rankOf = (path: string) => {
        const [folder = '', file] = path.slice(layer.length + 1).split('/');
        return order.indexOf(file === undefined ? '.' : folder);
      };
      const isInside = (path: string) => path.startsWith(`${layer}/`);
      const inside = imports.filter(
        (one) => isRelative(one) && isInside(one.from) && isInside(targetOf(one)),
      );
      expect(inside.length).toBeGreaterThan(20);
      expect(inside.filter(({ from }) => rankOf(from) < 0)).toEqual([]);
      expect(inside.filter((one) => rankOf(one.from) < rankOf(targetOf(one)))).toEqual([]);
    },
  );

  it('is not part of a circle, not even one of types', () => {
    const targets = new Map<string, string[]>();
    for (const one of imports.filter(isRelative)) {
      targets.set(one.from, [...(targets.get(one.from) ?? []), targetOf(one)]);
    }
    expect(findCircles(targets)).toEqual([]);
  });

  it('of a file ends in .ts or .json', () => {
    expect(imports.filter((one) => isRelative(one) && !/\.(ts|json)$/.test(one.specifier))).toEqual([]);
  });

  it('of the contract is of zod alone', () => {
    const packages = imports.filter((one) => layerOf(one.from) === 'contract' && !isRelative(one));
    expect(new Set(packages.map(({ specifier }) => specifier))).toEqual(new Set(['zod']));
  });

  it('of a package stays in the layers that own it', () => {
    const wrong = imports.filter((one) => {
      const owners = isRelative(one) ? undefined : packageOwners[packageOf(one)];
      return owners !== undefined && !owners.includes(layerOf(one.from));
    });
    expect(wrong).toEqual([]);
  });

  it('of the builder is made where the service is put together, and by the sandbox', () => {
    const inBuilder = (path: string) => path.startsWith('service/builder/');
    const outside = imports.filter(
      (one) => isRelative(one) && inBuilder(targetOf(one)) && !inBuilder(one.from),
    );
    const others = outside.map(({ from }) => from);
    expect([...new Set(others)].sort()).toEqual(['cli/setup/site-readers.ts', 'service/pages/read-page.ts']);
  });
});

it('every folder of src is a layer', async () => {
  const entries = await readdir(source, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(folders.sort()).toEqual(Object.keys(layers).sort());
});

/** The one file of each layer with error classes. */
const errorFiles: Readonly<Record<string, string>> = {
  errors: 'errors/base-error.ts',
  store: 'store/errors.ts',
  workers: 'workers/errors.ts',
  client: 'client/errors.ts',
  service: 'service/foundation/errors.ts',
  gateway: 'gateway/foundation/errors.ts',
  mcp: 'mcp/errors.ts',
  cli: 'cli/config/errors.ts',
};

it('every error extends the one base, is called …Error and stands in the one file of its layer', () => {
  const classes = texts.flatMap(({ from, text }) =>
    [...text.matchAll(/\bclass (\w+)\s+extends (\w*Error)\b/g)].map(([, name = '', base = '']) => ({
      from,
      name,
      base,
    })),
  );
  expect(classes.length).toBeGreaterThan(20);
  expect(classes.filter(({ from }) => from !== errorFiles[layerOf(from)])).toEqual([]);
  expect(classes.filter(({ name }) => !name.endsWith('Error'))).toEqual([]);
  expect(classes.filter(({ base }) => base === 'Error').map(({ name }) => name)).toEqual(['BaseError']);
});

/** Names that several files export, by the reason why. */
const sharedNames: Readonly<Record<string, readonly string[]>> = {
  'A tool, an operation or a command and what it calls, all named after one act.': [
    ...['addKey', 'addUser', 'getJob', 'getUsage', 'listBuildRequests', 'listCatalogs', 'listIdentities'],
    ...['listKeys', 'listUsers', 'login', 'removeUser', 'requestBuild', 'revokeKey'],
  ],
  'One meaning in both halves or in what browsers run, which share no code.': [
    ...['BuildChoice', 'Deadline', 'HttpServer', 'JsonObject', 'PreviewCandidate', 'retentionSteps', 'toCsv'],
  ],
};

const declaration =
  /^export (?:declare |abstract |async )*(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;

it('no name is exported by two files, but for the named ones', () => {
  const places = new Map<string, Set<string>>();
  for (const { from, text } of texts) {
    for (const [, name = ''] of text.matchAll(declaration)) {
      places.set(name, (places.get(name) ?? new Set()).add(from));
    }
  }
  expect(places.size).toBeGreaterThan(1_000);
  const allowed = new Set(Object.values(sharedNames).flat());
  const twice = [...places].filter(([name, files]) => files.size > 1 && !allowed.has(name));
  expect(twice.map(([name, files]) => [name, ...files])).toEqual([]);
});
