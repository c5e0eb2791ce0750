/** `svc-mcp build --save`: the built action moves to a catalog file, which a data folder takes in `catalogs`. */
import { constants } from 'node:fs';
import { access, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { errorCode } from '../../store/errors.ts';
import { makeFolder } from '../../store/folder.ts';
import { readRegularFile, toText } from '../../store/regular-file.ts';
import { SettingsError } from '../config/errors.ts';
import type { Settings } from '../config/load.ts';
import { withServiceDatabase } from './service-database.ts';

export interface RecipeFile {
  /** The whole path of the file. */
  readonly path: string;
  /** Whether it is among the catalogs of this data folder. */
  readonly isUsedHere: boolean;
  /**
   * Writes the action, beside those of its site that are in the file, and then removes it from the service. A death in between
   * leaves both: the service goes on with its own one, and the problem of the file names the command that removes that.
   * Resolves with the action's id in the file.
   */
  save(actionId: string): Promise<string>;
}

/** Throws a `SettingsError`, before anything is paid, where the recipe could not be saved. */
export async function recipeFile(path: string, websiteUrl: string, settings: Settings): Promise<RecipeFile> {
  if (settings.baseUrl !== undefined) {
    throw new SettingsError(
      '--save needs the embedded service: a remote one (SVC_BASE_URL) does not give its recipes. Leave --save out',
    );
  }
  const file = resolve(path);
  const folder = resolve(join(settings.dataDir, 'catalogs'));
  if (dirname(file) === folder) await makeFolder(folder);
  const text = await existing(file);
  if (text !== undefined) await checkSite(path, text, websiteUrl);
  try {
    await access(dirname(file), constants.W_OK);
  } catch {
    throw new SettingsError(`--save ${path}: files cannot be written to ${dirname(file)}`);
  }
  return {
    path: file,
    isUsedHere: dirname(file) === folder,
    save: async (actionId) => {
      const { addCatalog, builtCatalog, moveToFile } = await import('../../service/catalog/build-file.ts');
      return withServiceDatabase(settings, async (database) => {
        const built = await builtCatalog(database, actionId);
        if (built === undefined) throw new Error(`The service has no recipe of ${actionId}`);
        const before = await existing(file);
        const added = before === undefined ? { content: built, actionId } : addCatalog(before, built);
        const text = `${JSON.stringify(added.content, undefined, 2)}\n`;
        await checkContent(path, text);
        await replace(file, text);
        await moveToFile(database, actionId);
        return added.actionId;
      });
    },
  };
}

async function existing(file: string): Promise<string | undefined> {
  const { maxCatalogFileBytes } = await import('../../service/catalog/files.ts');
  try {
    return toText(await readRegularFile(file, maxCatalogFileBytes));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new SettingsError(`--save ${file}: ${error instanceof Error ? error.message : 'cannot be read'}`);
  }
}

/** A catalog covers one site, so only actions of that site are added to it. */
async function checkSite(path: string, text: string, websiteUrl: string): Promise<void> {
  const { readCatalog } = await import('../../service/catalog/read-file.ts');
  const read = await readCatalog(text);
  if (!read.ok) {
    throw new SettingsError(
      `--save ${path}: the file exists and is not a catalog (line ${read.line}: ${read.reason}). Name another one`,
    );
  }
  const origin = (url: string) => (URL.canParse(url) ? new URL(url).origin : url);
  if (origin(read.catalog.url) !== origin(websiteUrl)) {
    throw new SettingsError(
      `--save ${path}: the file holds ${origin(read.catalog.url)}, and a catalog is one site. Name another one`,
    );
  }
}

/** A file that would be refused as a catalog is not written. */
async function checkContent(path: string, text: string): Promise<void> {
  const { readCatalog } = await import('../../service/catalog/read-file.ts');
  const read = await readCatalog(text);
  if (read.ok) return;
  throw new SettingsError(
    `--save ${path}: the action was built, but its recipe cannot be saved (${read.reason}). Build it again with another goal`,
  );
}

/** Whole or not at all. */
async function replace(file: string, content: string): Promise<void> {
  const draft = `${file}.${process.pid}.new`;
  try {
    await writeFile(draft, content, { flag: 'wx' });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
