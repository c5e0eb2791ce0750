/**
 * All catalogs of the service: those that ship, the practice sites' where they are served, and the user's JSON files.
 *
 * A slug or action id belongs to the first catalog that has it: shipped, practice, then the user's files in
 * the order of their names. A later file with the same is refused as a whole, so that nothing changes its
 * meaning because a file appeared. A file that was good and is now wrong keeps its last good content.
 */
import { type FSWatcher, watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { errorCode } from '../../store/errors.ts';
import { makeFolder } from '../../store/folder.ts';
import { openRegularFile } from '../../store/regular-file.ts';
import type { CatalogClash, CatalogDefinition, CatalogSource } from '../foundation/ports.ts';
import { type CatalogProblem, type ReadCatalog, readCatalog } from './read-file.ts';
import { publicCatalogs } from './shipped.ts';

export interface CatalogSourceOptions {
  /** More catalogs that come with the program, such as those of the practice sites. */
  readonly further?: readonly CatalogDefinition[];
  /** The user's catalog files; made if it is missing. */
  readonly directory?: string;
  readonly logger: Logger;
}

export interface WatchedCatalogSource extends CatalogSource {
  /** What is wrong with the user's files at present. */
  problems(): readonly CatalogProblem[];
}

/** An editor writes a file in several steps; they are taken as one change. */
const settleMs = 100;
const maxFileBytes = 4 * 1024 * 1024;

interface KnownFile {
  readonly text: string;
  readonly read: ReadCatalog;
  /** The last good content. */
  readonly good: Extract<ReadCatalog, { ok: true }> | undefined;
}

interface Snapshot {
  readonly catalogs: readonly CatalogDefinition[];
  readonly problems: readonly CatalogProblem[];
}

async function readText(path: string): Promise<string> {
  const file = await openRegularFile(path);
  try {
    if ((await file.stat()).size > maxFileBytes) throw new Error('larger than 4 MiB');
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

async function readFiles(
  directory: string,
  before: ReadonlyMap<string, KnownFile>,
): Promise<Map<string, KnownFile>> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
  const files = new Map<string, KnownFile>();
  for (const name of names.sort()) {
    const previous = before.get(name);
    try {
      const text = await readText(join(directory, name));
      const read = text === previous?.text ? previous.read : await readCatalog(text);
      files.set(name, { text, read, good: read.ok ? read : previous?.good });
    } catch (error) {
      // Gone since the listing, or not readable.
      if (errorCode(error) === 'ENOENT') continue;
      const reason = `cannot be read: ${error instanceof Error ? error.message : 'unknown reason'}`;
      files.set(name, { text: '', read: { ok: false, reason, line: 1, column: 1 }, good: previous?.good });
    }
  }
  return files;
}

/** Finds a slug or id in `catalog` that an earlier catalog, or the same one, has already. */
function findClash(
  catalog: CatalogDefinition,
  catalogs: readonly CatalogDefinition[],
): Omit<CatalogClash, 'slug'> | undefined {
  const sameSlug = catalogs.find(({ slug }) => slug === catalog.slug);
  if (sameSlug !== undefined)
    return { path: ['slug'], reason: `slug: ${catalog.slug} is already the slug of ${sameSlug.name}` };
  const existingIds = new Set(catalogs.flatMap(({ actions }) => actions.map(({ action_id }) => action_id)));
  for (const [index, { action_id }] of catalog.actions.entries()) {
    if (existingIds.has(action_id))
      return {
        path: ['actions', index, 'action_id'],
        reason: `actions.${index}.action_id: ${action_id} is already the id of an action`,
      };
    existingIds.add(action_id);
  }
  return undefined;
}

async function assemble(
  shipped: readonly CatalogDefinition[],
  files: ReadonlyMap<string, KnownFile>,
): Promise<Snapshot> {
  const catalogs = [...shipped];
  const problems: CatalogProblem[] = [];
  for (const [file, { read, good }] of files) {
    if (!read.ok) problems.push({ file, line: read.line, column: read.column, reason: read.reason });
    if (good === undefined) continue;
    const clash = findClash(good.catalog, catalogs);
    if (clash === undefined) catalogs.push(good.catalog);
    else if (read.ok) problems.push({ file, reason: clash.reason, ...(await good.getPosition(clash.path)) });
  }
  return { catalogs, problems };
}

function logNew(
  logger: Logger,
  problems: readonly CatalogProblem[],
  before: readonly CatalogProblem[],
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
  files: ReadonlyMap<string, KnownFile>,
  logger: Logger,
): Promise<CatalogProblem[]> {
  const problems: CatalogProblem[] = [];
  for (const { slug, path, reason } of clashes) {
    const [file, known] = [...files].find(([, { good }]) => good?.catalog.slug === slug) ?? [];
    if (file !== undefined && known?.good !== undefined)
      problems.push({ file, reason, ...(await known.good.getPosition(path)) });
    else logger.error(`The catalog ${slug} is not used: ${reason}`);
  }
  return problems;
}

/** Reads everything once and then watches the directory. Rejects only where the directory cannot be made or read. */
export async function createCatalogSource(options: CatalogSourceOptions): Promise<WatchedCatalogSource> {
  const { directory, logger, further = [] } = options;
  const shipped = [...publicCatalogs(), ...further];
  const listeners = new Set<() => void>();
  let files = new Map<string, KnownFile>();
  let snapshot: Snapshot = { catalogs: shipped, problems: [] };
  let refused: readonly CatalogProblem[] = [];
  let watcher: FSWatcher | undefined;
  let settling: NodeJS.Timeout | undefined;
  let scanning = Promise.resolve();
  let closed = false;

  async function scan(path: string): Promise<void> {
    const before = snapshot;
    files = await readFiles(path, files);
    snapshot = await assemble(shipped, files);
    logNew(logger, snapshot.problems, before.problems);
    if (JSON.stringify(before.catalogs) !== JSON.stringify(snapshot.catalogs))
      for (const listener of listeners) listener();
  }

  /** One scan after the other; a directory that cannot be read now keeps what was read before. */
  function rescan(path: string): void {
    clearTimeout(settling);
    settling = setTimeout(() => {
      scanning = scanning
        .then(() => (closed ? undefined : scan(path)))
        .catch((error: unknown) => logger.error({ err: error }, 'The catalog files cannot be read'));
    }, settleMs);
    settling.unref();
  }

  if (directory !== undefined) {
    await makeFolder(directory);
    // Watching starts first: what changes during the first scan is then seen by a second one.
    watcher = watch(directory, { persistent: false }, () => rescan(directory));
    watcher.on('error', (error) => logger.error({ err: error }, 'The catalog files are no longer watched'));
    await scan(directory);
  }

  return {
    current: () => snapshot.catalogs,
    problems: () => [...snapshot.problems, ...refused],
    async refuse(clashes) {
      const before = refused;
      refused = await locate(clashes, files, logger);
      logNew(logger, refused, before);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      closed = true;
      clearTimeout(settling);
      watcher?.close();
      await scanning;
    },
  };
}
