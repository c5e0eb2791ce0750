/**
 * Adds an entry to a client's configuration file, or removes it. The file belongs to the user, so a crash leaves either
 * the old or the new content, and a copy of the old one is kept beside it.
 *
 * A change reads the file, copies it (1), writes the new text beside it (2), reads the file again and stops if somebody
 * changed it meanwhile, and renames the new text over the file (3). What a crash leaves of (1) and (2) is never read as
 * the file. Removing writes back the copy from before the first write, and deletes the copies since then, if the file is
 * exactly what adding the entry to that copy gives.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  constants,
  copyFile,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { errorCode } from '../../store/errors.ts';
import { ClientConfigError } from '../config/errors.ts';
import type { Addition, Json } from './clients.ts';
import type { ConfigText } from './config-text.ts';

export interface Change {
  readonly done: 'added' | 'replaced' | 'unchanged' | 'restored' | 'removed' | 'deleted' | 'absent';
  /** The path of the copy that holds the old content. */
  readonly backup?: string | undefined;
}

/**
 * Throws a `ClientConfigError` if the file cannot be read, or if an entry of that name starts another program and
 * `force` is off. An entry that starts this program is replaced: its options may have changed.
 */
export async function writeEntry(
  file: string,
  format: ConfigText,
  addition: Addition,
  { force = false } = {},
): Promise<Change> {
  const before = await read(file);
  return addLocation(file, async () => {
    const present = find(format, before.text, addition);
    if (isDeepStrictEqual(present?.entry, addition.entry)) return { done: 'unchanged' };
    if (present !== undefined && !force && !isOurs(present.entry)) {
      throw new ClientConfigError(
        `it already has another server named ${addition.name}: choose another --name, or replace it with --force`,
      );
    }
    const text = before.text.trim() === '' ? format.initial : before.text;
    const after = format.add(text, addition);
    checkChange(format, text, after, addition, addition.entry);
    return {
      done: present === undefined ? 'added' : 'replaced',
      backup: await replaceText(file, before, after),
    };
  });
}

/** Removes the entry with the addition's name. An entry that starts another program stays, unless `force` is set. */
export async function removeEntry(
  file: string,
  format: ConfigText,
  addition: Addition,
  { force = false } = {},
): Promise<Change> {
  const before = await read(file);
  return addLocation(file, async () => {
    const present = find(format, before.text, addition);
    if (present === undefined) return { done: 'absent' };
    if (!force && !isDeepStrictEqual(present.entry, addition.entry) && !isOurs(present.entry)) {
      throw new ClientConfigError(
        `the server named ${addition.name} is not svc-mcp's: give the options it was written with, or --force`,
      );
    }
    const original = await findOriginal(file, format, before.text, present);
    if (original !== undefined) {
      if (original.bytes === undefined) {
        await checkUnchanged(file, before);
        await rm(file);
      } else await replaceBytes(file, before, original.bytes);
      for (const copy of original.copies.reverse()) await rm(copy);
      return { done: original.bytes === undefined ? 'deleted' : 'restored' };
    }
    const after = format.remove(before.text, present);
    checkChange(format, before.text, after, addition, undefined);
    return { done: 'removed', backup: await replaceText(file, before, after) };
  });
}

/** Follows symbolic links, so that the target is changed and the link stays. */
export async function linkedFile(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    const folder = await readdir(dirname(path)).catch((): string[] => []);
    if (!folder.includes(basename(path))) return path;
    throw new ClientConfigError(`${path} is a link to a file that does not exist: remove the link`);
  }
}

interface FileContent {
  readonly bytes: Buffer | undefined;
  /** Without the byte order mark, which is written again. */
  readonly text: string;
  readonly mark: string;
}

const read = async (file: string): Promise<FileContent> => decode(file, await readBytes(file));

function decode(file: string, bytes: Buffer | undefined): FileContent {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
    return { bytes, mark, text: text.slice(mark.length) };
  } catch {
    throw new ClientConfigError(`${file}: it is not UTF-8 text; nothing was written`);
  }
}

async function readBytes(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function addLocation(file: string, work: () => Promise<Change>): Promise<Change> {
  try {
    return await work();
  } catch (error) {
    // Parsing the file overflowed the stack.
    const isTooDeep = error instanceof RangeError;
    if (!isTooDeep && !(error instanceof ClientConfigError)) throw error;
    const message = isTooDeep ? 'it is nested too deep' : error.message;
    throw new ClientConfigError(`${file}: ${message}. Nothing was written.`);
  }
}

/** The entry of that name as it is in the text, with all inputs of this program: an earlier entry may have left some. */
function find(format: ConfigText, text: string, { section, name }: Addition): Addition | undefined {
  const { servers, inputs } = format.read(text, section);
  const entry = Object.hasOwn(servers, name) ? servers[name] : undefined;
  return entry === undefined ? undefined : { section, name, entry, inputs };
}

/** Whether an entry starts this program or names a hosted one, whatever its options are now. */
function isOurs(entry: Json): boolean {
  const text = JSON.stringify(entry);
  // The embedded service needs no settings, so only the program's path identifies it.
  if (/svc-mcp|SVC_[A-Z]|[\\/]dist[\\/]+cli[\\/]+main\.js"/.test(text)) return true;
  // With OAuth a hosted server has nothing but its address, under a name of the client's choice.
  const values: unknown[] = typeof entry === 'object' && entry !== null ? Object.values(entry) : [];
  const isAddress = (value: unknown) =>
    typeof value === 'string' && /^https?:\/\/.*\/(mcp|sse)\/?$/i.test(value);
  return values.some(isAddress) && !text.includes('"headers"');
}

/** Throws if the edit would change anything but the entry. */
function checkChange(
  format: ConfigText,
  before: string,
  after: string,
  addition: Addition,
  entry: Json | undefined,
): void {
  if (changesOnlyEntry(format, before, after, addition, entry)) return;
  const step = entry === undefined ? 'take it out' : 'add the entry that it prints';
  throw new ClientConfigError(
    `${addition.section} is written there in a form that this command does not change: ${step} by hand`,
  );
}

function changesOnlyEntry(
  format: ConfigText,
  before: string,
  after: string,
  { section, name }: Addition,
  entry: Json | undefined,
): boolean {
  const withoutEntry = ({ [name]: _, ...others }: Readonly<Record<string, Json>>) => others;
  try {
    const [old, changed] = [format.read(before, section), format.read(after, section)];
    return (
      isDeepStrictEqual(changed.servers[name], entry) &&
      isDeepStrictEqual(withoutEntry(old.servers), withoutEntry(changed.servers)) &&
      isDeepStrictEqual(old.rest, changed.rest)
    );
  } catch (error) {
    if (error instanceof ClientConfigError) return false;
    throw error;
  }
}

/**
 * What stood before this program first wrote the entry, with the copies made since: later copies hold an entry of ours.
 * Undefined where the present text is not what adding the entry to it gives: somebody changed anything else meanwhile.
 */
async function findOriginal(
  file: string,
  format: ConfigText,
  present: string,
  addition: Addition,
): Promise<{ readonly bytes: Buffer | undefined; readonly copies: string[] } | undefined> {
  const copies = listBackups(file);
  try {
    for (let count = copies.length; ; count -= 1) {
      const newest = copies[count - 1];
      const bytes = newest === undefined ? undefined : await readFile(newest);
      const { text } = decode(file, bytes);
      const earlier = find(format, text, addition);
      if (earlier !== undefined && isOurs(earlier.entry)) continue;
      const expected = format.add(text.trim() === '' ? format.initial : text, addition);
      return expected === present ? { bytes, copies: copies.slice(Math.max(0, count - 1)) } : undefined;
    }
  } catch (error) {
    // A copy that a crash cut short, or that somebody edited, cannot be restored.
    if (error instanceof ClientConfigError) return undefined;
    throw error;
  }
}

/** Steps (1) to (3). Returns the path of the copy; undefined if the file did not exist. */
async function replaceText(file: string, before: FileContent, after: string): Promise<string | undefined> {
  const backup = before.bytes === undefined ? undefined : toBackupPath(file, listBackups(file).length + 1);
  if (backup !== undefined) await copyFile(file, backup, constants.COPYFILE_EXCL);
  await replaceBytes(file, before, Buffer.from(before.mark + after));
  return backup;
}

/** Steps (2) and (3). The new file has the rights and the owner of the old one. */
async function replaceBytes(file: string, before: FileContent, after: Buffer): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const next = join(dirname(file), `.${basename(file)}.${randomUUID()}.tmp`);
  try {
    await writeFile(next, after, { flag: 'wx', mode: 0o600, flush: true });
    if (before.bytes !== undefined) {
      const { mode, uid, gid } = await stat(file);
      await chmod(next, mode & 0o777);
      if (uid !== process.getuid?.()) await chown(next, uid, gid);
    }
    await checkUnchanged(file, before);
    await rename(next, file);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}

async function checkUnchanged(file: string, { bytes }: FileContent): Promise<void> {
  const now = await readBytes(file);
  if (now === undefined || bytes === undefined ? now === bytes : now.equals(bytes)) return;
  throw new ClientConfigError('another program changed the file meanwhile: run this command again');
}

const toBackupPath = (file: string, number: number) =>
  `${file}.before-svc-mcp${number === 1 ? '' : `-${number}`}`;

/** Paths of the copies, the newest last; a copy is never overwritten. */
function listBackups(file: string): string[] {
  const existing: string[] = [];
  while (existsSync(toBackupPath(file, existing.length + 1)))
    existing.push(toBackupPath(file, existing.length + 1));
  return existing;
}
