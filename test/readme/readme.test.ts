import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'jsonc-parser';
import { expect, it } from 'vitest';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { clients } from '../../src/cli/clients/clients.ts';
import { documents, fillTables, hasTable, tableNames } from './tables.ts';

const all = [
  ...documents,
  'SECURITY.md',
  'CONTRIBUTING.md',
  ...['replicas', 'server', 'catalogs'].map((folder) => `examples/${folder}/README.md`),
];
const read = (document: string) => readFileSync(document, 'utf8');

it.each(documents)('the tables in %s are those of the code (npm run readme writes them)', (document) => {
  expect(fillTables(read(document))).toBe(read(document));
});

it.each(tableNames)('the table "%s" is in exactly one document', (name) => {
  expect(documents.filter((document) => hasTable(read(document), name))).toHaveLength(1);
});

it('every document in docs/ is listed', () => {
  const names = readdirSync('docs').filter((name) => name.endsWith('.md'));
  expect(names.map((name) => `docs/${name}`)).toEqual(documents.filter((name) => name !== 'README.md'));
});

it('the README has at most 110 lines and links to every document', () => {
  const text = read('README.md');
  expect(text.split('\n').length).toBeLessThanOrEqual(111);
  expect(documents.filter((document) => document !== 'README.md' && !text.includes(`(${document})`))).toEqual(
    [],
  );
});

it('the README names every client that `config` knows, in their order', () => {
  const [, sentence = ''] = /`config` knows the clients ([^(]+)\(/.exec(read('README.md')) ?? [];
  expect([...sentence.matchAll(/`([^`]+)`/g)].map(([, name]) => name)).toEqual([...clients.keys()]);
});

it('docs/service.md names every catalog that ships', () => {
  const files = ['src/service/catalog/public', 'src/practice/catalogs'].flatMap((folder) =>
    readdirSync(folder),
  );
  const slugs = files.map((file) => file.replace('.json', ''));
  expect(slugs.length).toBeGreaterThan(9);
  expect(slugs.filter((slug) => !read('docs/service.md').includes(`\`${slug}\``))).toEqual([]);
});

const roots = ['src', 'test', 'bench', 'docs', 'examples', 'packaging'];
const tree = roots.flatMap((folder) => [
  `/${folder}/`,
  ...readdirSync(folder, { recursive: true, withFileTypes: true }).map(
    (entry) => `/${entry.parentPath}/${entry.name}${entry.isDirectory() ? '/' : ''}`,
  ),
]);
/** What documents name that is no folder of the project: made by a build, or in a user's data folder. */
const elsewhere = ['dist/', 'dist/views/', 'catalogs/'];

/** Whether a path, or the end of one, is in the tree; `*` and `…` stand for a part of a name. */
function isInTree(path: string): boolean {
  const pattern = path
    .replace(/^\.?\//, '')
    .replace(/[.+]/g, '\\$&')
    .replace(/[*…]/g, '[^/]+');
  const end = new RegExp(`/${pattern}$`);
  return tree.some((entry) => end.test(entry));
}

it.each(all)('every file and folder that %s names exists', (document) => {
  const text = read(document);
  const inCode = [...text.matchAll(/`([\w.*…-]*(?:\/[\w.*…-]+)*(?:\/|\.(?:ts|tsx)))`/g)].map(
    ([, path = '']) => path,
  );
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, link = '']) =>
    join(dirname(document), link),
  );
  const missing = inCode.filter((path) => !elsewhere.includes(path) && !isInTree(path));
  expect([...missing, ...links.filter((path) => !existsSync(path))]).toEqual([]);
});

it.each(['gateway', 'service'])('docs/architecture.md lists the folders of the %s, and no others', (half) => {
  const [, section = ''] = read('docs/architecture.md').split(`### Folders of the ${half}\n`);
  const [table = ''] = section.split('\n#');
  const cells = [...table.matchAll(/^\| `([\w-]+)\/` \|/gm)].map(([, folder = '']) => folder);
  const folders = readdirSync(`src/${half}`, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(cells.toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
});

it('every script that the documents name is one', () => {
  const text = all.map(read).join('\n');
  const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name ?? '');
  expect(named.filter((name) => !Object.hasOwn(manifest.scripts, name))).toEqual([]);
});

it('mcp.json.example is a configuration that clients read', () => {
  const Configuration = z.strictObject({
    mcpServers: z.record(
      z.string(),
      z.strictObject({
        command: z.string(),
        args: z.array(z.string()),
        env: z.record(z.string(), z.string()),
      }),
    ),
  });
  const { mcpServers } = Configuration.parse(JSON.parse(readFileSync('mcp.json.example', 'utf8')));
  expect(Object.keys(mcpServers)).toEqual(['svc']);
});

it('the commented catalog file of examples/catalogs is the file beside it', () => {
  const [, commented = ''] = /```jsonc\n([\s\S]*?)```/.exec(read('examples/catalogs/README.md')) ?? [];
  expect(parse(commented)).toEqual(JSON.parse(read('examples/catalogs/parts-api.json')));
});
