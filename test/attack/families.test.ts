import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Family } from './attack.ts';
import { families } from './families.ts';

/** The rows of the table of SECURITY.md: the name of the family, and the files that try it. */
const rows = [
  ...(readFileSync('SECURITY.md', 'utf8').split('| Family | What is tried | By |')[1] ?? '').matchAll(
    /^\| ([^|]+?) \| [^|]+ \| ([^|]+) \|$/gm,
  ),
].flatMap(([, name = '', files = '']) =>
  name.startsWith('---')
    ? []
    : [{ name, files: [...files.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file) }],
);

const isFamily = (value: unknown): value is Family =>
  typeof value === 'object' && value !== null && 'name' in value && 'prepare' in value;

/** The families that a file of attacks has. */
async function familiesOf(file: string): Promise<readonly Family[]> {
  const module: Readonly<Record<string, unknown>> = await import(/* @vite-ignore */ `./${file}`);
  return Object.values(module).filter(isFamily);
}

const files = readdirSync('test/attack').filter(
  (name) => !/\.test\.ts$|^(attack|families|run)\.ts$/.test(name),
);

it('npm run attack tries every family of every file', async () => {
  expect(files.length).toBeGreaterThan(9);
  const found = (await Promise.all(files.map(familiesOf))).flat();
  expect(found.map(({ name }) => name).toSorted()).toEqual(families.map(({ name }) => name).toSorted());
  expect(new Set(families).size).toBe(new Set(found.map(({ name }) => name)).size);
});

it.each(files)('SECURITY.md has the families of %s, under their names, and no others', async (file) => {
  const listed = rows.filter((row) => row.files.includes(`test/attack/${file}`));
  const found = await familiesOf(file);
  expect(listed.map(({ name }) => name.toLowerCase()).toSorted()).toEqual(
    found.map(({ name }) => name.toLowerCase()).toSorted(),
  );
});

it('SECURITY.md names a file for every family, and no file of attacks that is not there', () => {
  expect(rows.length).toBeGreaterThan(families.length);
  expect(rows.filter((row) => row.files.length === 0)).toEqual([]);
  const named = rows.flatMap((row) => row.files.filter((file) => file.startsWith('test/attack/')));
  expect(named.filter((file) => !files.includes(file.replace('test/attack/', '')))).toEqual([]);
});
