import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { withTables } from './tables.ts';

const readme = readFileSync('README.md', 'utf8');

test('the tables in the README are those of the code (npm run readme writes them)', () => {
  expect(withTables(readme)).toBe(readme);
});

test.each(['README.md', 'SECURITY.md', 'CONTRIBUTING.md'])('every file that %s names exists', (document) => {
  const text = readFileSync(document, 'utf8');
  const named = [...text.matchAll(/`((?:src|test)\/[\w./-]+\.\w+)`|\]\((?!https?:)([^)]+)\)/g)];
  const paths = named.map(([, path, link]) => path ?? link ?? '');
  expect(paths.length).toBeGreaterThan(0);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});

test('every script that the documents name is one', () => {
  const text = ['README.md', 'CONTRIBUTING.md'].map((document) => readFileSync(document, 'utf8')).join('\n');
  const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name ?? '');
  expect(named.filter((name) => !Object.hasOwn(manifest.scripts, name))).toEqual([]);
});

test('mcp.json.example is a configuration that clients read', () => {
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
