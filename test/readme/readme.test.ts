import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { withTables } from './tables.ts';

const readme = readFileSync('README.md', 'utf8');

test('the tables in the README are those of the code (npm run readme writes them)', () => {
  expect(withTables(readme)).toBe(readme);
});

test('every test file that the README names exists', () => {
  const named = [...readme.matchAll(/`(test\/[\w./-]+\.ts)`/g)].map(([, path]) => path ?? '');
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
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
