/** `svc-mcp catalogs`: the catalog files of the data folder, checked without a service, and their form for editors. */
import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import * as z from 'zod';
import { CatalogFile } from '../../service/catalog/definition.ts';
import { listCatalogFiles, readCatalogFile } from '../../service/catalog/files.ts';
import type { ReadCatalog } from '../../service/catalog/read-file.ts';
import { errorCode } from '../../store/errors.ts';
import { SettingsError } from '../config/errors.ts';
import type { Flags } from '../config/flags.ts';
import { loadSettings } from '../config/load.ts';
import { countText } from '../terminal/text.ts';

interface Checked {
  readonly path: string;
  readonly read: ReadCatalog;
}

/** One file, or all of a folder; without either, all of the data folder. Exit code 1 where one of them cannot be used. */
export async function checkCatalogs(file: string | undefined, flags: Flags): Promise<void> {
  const { dataDir } = loadSettings(process.env, flags, { ownKeys: true });
  const isFolder = file !== undefined && (await stat(file).catch(() => undefined))?.isDirectory() === true;
  const directory = isFolder ? resolve(file) : join(dataDir, 'catalogs');
  const checked = file === undefined || isFolder ? await checkFolder(directory) : [await checkOne(file)];
  const ok = checked.every(({ read }) => read.ok);
  if (!ok) process.exitCode = 1;
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify({ ok, files: checked.map(toJson) })}\n`);
    return;
  }
  if (checked.length === 0) process.stdout.write(`There are no catalog files in ${directory}\n`);
  for (const one of checked) process.stdout.write(`${toLine(one)}\n`);
}

async function checkFolder(directory: string): Promise<Checked[]> {
  const names = await listCatalogFiles(directory).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  const checked = await Promise.all(
    names.map(async (name) => {
      const path = join(directory, name);
      const known = await readCatalogFile(path);
      // Deleted since the listing.
      return known === undefined ? [] : [{ path, read: known.read }];
    }),
  );
  return checked.flat();
}

async function checkOne(file: string): Promise<Checked> {
  const path = resolve(file);
  const known = await readCatalogFile(path);
  if (known === undefined) throw new SettingsError(`There is no file ${path}`);
  return { path, read: known.read };
}

const toJson = ({ path, read }: Checked) =>
  read.ok
    ? { file: path, ok: true, catalog: read.catalog.slug, actions: read.catalog.actions.length }
    : { file: path, ok: false, line: read.line, column: read.column, reason: read.reason };

const toLine = ({ path, read }: Checked): string =>
  read.ok
    ? `ok    ${basename(path)}  ${read.catalog.slug}, ${countText(read.catalog.actions.length, 'action')}`
    : `fail  ${basename(path)}:${read.line}:${read.column}  ${read.reason}`;

/** What members must be together is not in it: `catalogs check` finds that. */
export function printSchema(): void {
  const schema = z.toJSONSchema(CatalogFile, { io: 'input', unrepresentable: 'any' });
  process.stdout.write(`${JSON.stringify({ title: 'Catalog file of svc-mcp', ...schema }, undefined, 2)}\n`);
}
