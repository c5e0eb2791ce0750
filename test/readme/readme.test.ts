import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { clients } from '../../src/cli/clients/clients.ts';
import { documents, fillTables, hasTable, tableNames } from './tables.ts';

const all = [
  ...documents,
  'SECURITY.md',
  'CONTRIBUTING.md',
  'src/service/README.md',
  'examples/replicas/README.md',
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

it('the README has at most 150 lines and links to every document', () => {
  const text = read('README.md');
  expect(text.split('\n').length).toBeLessThanOrEqual(151);
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

it.each(all)('every file that %s names exists', (document) => {
  const text = read(document);
  const inCode = [...text.matchAll(/`((?:src|test)\/[\w./-]+\.\w+)`/g)].map(([, path = '']) => path);
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, link = '']) =>
    join(dirname(document), link),
  );
  expect([...inCode, ...links].filter((path) => !existsSync(path))).toEqual([]);
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
