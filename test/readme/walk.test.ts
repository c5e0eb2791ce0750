/** The walk of a paid call in `docs/architecture.md` names only what its files export. */
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
