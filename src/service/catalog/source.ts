/**
 * The catalogs of this process: those that ship with the program, and the JSON files of the user's folder, which is
 * watched. `import-catalogs.ts` writes them to the database.
 */

import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { makeFolder } from '../../store/folder.ts';
import type {
  CatalogClash,
  CatalogDefinition,
  CatalogImport,
  CatalogProblem,
  CatalogSource,
} from '../foundation/ports.ts';
import { CatalogFile, toDefinition } from './definition.ts';
import { type KnownFile, listCatalogFiles, readCatalogFile } from './files.ts';
import arxiv from './public/arxiv.json' with { type: 'json' };
import github from './public/github.json' with { type: 'json' };
import hackernews from './public/hackernews.json' with { type: 'json' };
import openlibrary from './public/openlibrary.json' with { type: 'json' };
import wikipedia from './public/wikipedia.json' with { type: 'json' };

/** Catalogs that come with the program. */
export interface ShippedCatalogs {
  /** Their sources are this and their slug. */
  readonly origin: string;
  readonly catalogs: readonly CatalogDefinition[];
}

export interface CatalogSourceOptions {
  readonly further?: readonly ShippedCatalogs[];
  /** The user's catalog files; made if it is missing. */
  readonly directory?: string;
  /** The directory's name among those of all processes on the database. */
  readonly folder?: string;
  readonly logger: Logger;
}

/** An editor writes a file in several steps, which count as one change. */
const settleMs = 100;
type KnownFiles = ReadonlyMap<string, KnownFile>;

/** In the order of their names. */
async function readFiles(directory: string, before: KnownFiles): Promise<KnownFiles> {
  const files = new Map<string, KnownFile>();
  for (const name of await listCatalogFiles(directory)) {
    const known = await readCatalogFile(join(directory, name), before.get(name));
    if (known !== undefined) files.set(name, known);
  }
  return files;
}

const findProblems = (files: KnownFiles, toSource: (file: string) => string): CatalogProblem[] =>
  [...files].flatMap(([file, { read }]) =>
    read.ok
      ? []
      : { source: toSource(file), file, line: read.line, column: read.column, reason: read.reason },
  );

function logNew(
  problems: readonly CatalogProblem[],
  before: readonly CatalogProblem[],
  logger: Logger,
): void {
  for (const problem of problems) {
    const { file, line, column, reason } = problem;
    if (before.some((old) => isDeepStrictEqual(old, problem))) continue;
    logger.error({ file, line, column }, `Catalog file ${file}:${line}:${column} is not used: ${reason}`);
  }
}

/** The problems of files; a clash of a shipped catalog is logged alone. */
async function locate(
  clashes: readonly CatalogClash[],
  files: KnownFiles,
  toSource: (file: string) => string,
  logger: Logger,
): Promise<CatalogProblem[]> {
  const problems: CatalogProblem[] = [];
  for (const { source, path, reason } of clashes) {
    const [file, known] = [...files].find(([name]) => toSource(name) === source) ?? [];
    if (file !== undefined && known?.read.ok)
      problems.push({ source, file, reason, ...(await known.read.getPosition(path)) });
    else logger.error(`The catalog ${source} is not used: ${reason}`);
  }
  return problems;
}

/** Calls `scan` at once and after each change, one at a time. Rejects only where the first one does. */
async function watchFolder(
  directory: string,
  scan: () => Promise<void>,
  logger: Logger,
): Promise<{ close(): Promise<void> }> {
  let settling: NodeJS.Timeout | undefined;
  let scanning = Promise.resolve();
  let closed = false;
  await makeFolder(directory);
  // Watching starts first, so that a change during the first scan causes a second one.
  const watcher: FSWatcher = watch(directory, { persistent: false }, () => {
    clearTimeout(settling);
    settling = setTimeout(() => {
      scanning = scanning
        .then(() => (closed ? undefined : scan()))
        // While the directory cannot be read, the last content stays.
        .catch((error: unknown) => logger.error({ err: error }, 'The catalog files cannot be read'));
    }, settleMs);
    settling.unref();
  });
  watcher.on('error', (error) => logger.error({ err: error }, 'The catalog files are no longer watched'));
  await scan();
  return {
    async close() {
      closed = true;
      clearTimeout(settling);
      watcher.close();
      await scanning;
    },
  };
}

/** Reads everything once, then watches the directory. Rejects only if the directory cannot be created or read. */
export async function createCatalogSource(options: CatalogSourceOptions): Promise<CatalogSource> {
  const { directory, folder = 'catalogs', logger, further = [] } = options;
  const shipped: readonly ShippedCatalogs[] = [
    { origin: 'shipped:', catalogs: publicCatalogs() },
    ...further,
  ];
  const shippedImports = shipped.flatMap(({ origin, catalogs }) =>
    catalogs.map((catalog): CatalogImport => ({ source: origin + catalog.slug, catalog })),
  );
  const fileOrigin = `file:${folder}/`;
  const toSource = (name: string) => fileOrigin + name;
  const listeners = new Set<() => void>();
  let files: KnownFiles = new Map();
  let refused: readonly CatalogProblem[] = [];

  async function scan(path: string): Promise<void> {
    const before = files;
    files = await readFiles(path, before);
    logNew(findProblems(files, toSource), findProblems(before, toSource), logger);
    const isSame = [...files].every(([name, { text }]) => before.get(name)?.text === text);
    if (!isSame || files.size !== before.size) for (const listener of listeners) listener();
  }
  const watched = directory && (await watchFolder(directory, () => scan(directory), logger));

  return {
    origins: [...shipped.map(({ origin }) => origin), ...(directory === undefined ? [] : [fileOrigin])],
    current: () => [
      ...shippedImports,
      ...[...files].map(([name, { read }]) => ({
        source: toSource(name),
        catalog: read.ok ? read.catalog : undefined,
      })),
    ],
    problems: () => [...findProblems(files, toSource), ...refused],
    async refuse(clashes) {
      const before = refused;
      refused = await locate(clashes, files, toSource, logger);
      logNew(refused, before, logger);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      if (watched) await watched.close();
    },
  };
}

/** Throws if one is not a valid catalog. */
export const readShipped = (files: readonly unknown[]): CatalogDefinition[] =>
  files.map((file) => toDefinition(CatalogFile.parse(file)));

/** Sites whose robots.txt leaves the addresses used here open to programs; not every documented interface does. */
export const publicCatalogs = (): CatalogDefinition[] =>
  readShipped([wikipedia, hackernews, arxiv, github, openlibrary]);
