/** The walks in `docs/architecture.md` name only what their files export. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

const quoted = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

it('every name in the walk of a call is exported by a file of its row', async () => {
  const document = await readFile(resolve(root, 'docs/architecture.md'), 'utf8');
  const table = document.split('<!-- walk -->')[1]?.split('<!-- /walk -->')[0] ?? '';
  const rows = table
    .split('\n')
    .filter((line) => line.startsWith('|') && line.includes('`'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    // The head names the columns.
    .filter(([, step]) => step !== 'Step');
  expect(rows.length).toBeGreaterThan(25);
  const missing: string[] = [];
  for (const [, , files = '', carriers = '', used = ''] of rows) {
    const texts = await Promise.all(
      quoted(files).map((file) => readFile(resolve(root, 'src', file), 'utf8')),
    );
    for (const name of [...quoted(carriers), ...quoted(used)]) {
      const isExported = new RegExp(`^export (?:abstract |async |declare )*\\w+ ${name}\\b`, 'm');
      if (!texts.some((text) => isExported.test(text))) missing.push(`${name} in ${files}`);
    }
  }
  expect(missing).toEqual([]);
});

const isFile = (name: string) => /^[\w/-]+\.ts$/.test(name);
/** `callTool`, `Worker` or `Worker.runNow`; not `CHOICE_NEEDED`, `list_changed` or a word of an interface. */
const isExportedName = (name: string) => /^[A-Za-z]+(?:\.[a-z]\w*)?$/.test(name);

it('a short walk has at most ten steps, and each step names exports of its files', async () => {
  const document = await readFile(resolve(root, 'docs/architecture.md'), 'utf8');
  const walks = [...document.matchAll(/<!-- steps -->\n([\s\S]*?)<!-- \/steps -->/g)];
  expect(walks).toHaveLength(3);
  const missing: string[] = [];
  for (const [, walk = ''] of walks) {
    const steps = walk.trim().split('\n');
    expect(steps.length).toBeLessThanOrEqual(10);
    for (const [index, step] of steps.entries()) {
      expect(step.startsWith(`${index + 1}. `)).toBe(true);
      const names = quoted(step);
      const texts = await Promise.all(
        names.filter(isFile).map((file) => readFile(resolve(root, 'src', file), 'utf8')),
      );
      for (const name of names.filter((one) => !isFile(one) && isExportedName(one))) {
        const [exported = '', member] = name.split('.');
        const isThere = texts.some(
          (text) =>
            new RegExp(`^export (?:abstract |async |declare )*\\w+ ${exported}\\b`, 'm').test(text) &&
            (member === undefined || new RegExp(`^ {2}(?:async )?${member}\\(`, 'm').test(text)),
        );
        if (!isThere) missing.push(`${name} in step ${index + 1}: ${step.slice(0, 60)}`);
      }
    }
  }
  expect(missing).toEqual([]);
});
