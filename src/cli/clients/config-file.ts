/**
 * Adds an entry to a client's configuration file. The file belongs to the user, so a crash leaves either the old or the new
 * content, and a copy of the file as it was first found is kept beside it.
 *
 * A change reads the file, puts what it read beside it (1), reads the file again and stops if somebody changed it meanwhile,
 * and puts the new text in its place (2). Each is written whole under another name and then renamed, so what a crash leaves of
 * it is never read as the file or as the copy.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { errorCode, UnfitFileError } from '../../store/errors.ts';
import { readRegularFile } from '../../store/regular-file.ts';
import { ClientConfigError } from '../config/errors.ts';
import type { Addition, Json } from './clients.ts';
import type { ConfigText } from './config-text.ts';

/** Some clients keep their history in the same file. */
const maxBytes = 16 * 1024 * 1024;

export interface Change {
  readonly done: 'added' | 'replaced' | 'unchanged';
  /** The path of the copy of the file as it was first found. Undefined: there was no file, or nothing was changed. */
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
    const text = before.text.trim() === '' ? format.initial : before.text;
    const { servers } = format.read(text, addition.section);
    const present = Object.hasOwn(servers, addition.name) ? servers[addition.name] : undefined;
    if (isDeepStrictEqual(present, addition.entry)) return { done: 'unchanged' };
    if (present !== undefined && !force && !isOurs(present)) {
      throw new ClientConfigError(
        `it already has another server named ${addition.name}: choose another --name, or replace it with --force`,
      );
    }
    const after = format.add(text, addition);
    checkChange(format, text, after, addition);
    return {
      done: present === undefined ? 'added' : 'replaced',
      backup: await replaceText(file, before, after),
    };
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

async function read(file: string): Promise<FileContent> {
  const bytes = await readBytes(file);
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
    return await readRegularFile(file, maxBytes);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error instanceof UnfitFileError
      ? new ClientConfigError(`${error.message}. Nothing was written.`)
      : error;
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
function checkChange(format: ConfigText, before: string, after: string, addition: Addition): void {
  if (changesOnlyEntry(format, before, after, addition)) return;
  throw new ClientConfigError(
    `${addition.section} is written there in a form that this command does not change: add the entry that it prints by hand`,
  );
}

function changesOnlyEntry(
  format: ConfigText,
  before: string,
  after: string,
  { section, name, entry }: Addition,
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

/** Steps (1) and (2). Returns the path of the copy; undefined if the file did not exist. */
async function replaceText(file: string, before: FileContent, after: string): Promise<string | undefined> {
  const { bytes, mark } = before;
  const backup = bytes === undefined ? undefined : `${file}.before-svc-mcp`;
  if (bytes !== undefined && backup !== undefined && !existsSync(backup)) await put(backup, bytes, file);
  await put(file, Buffer.from(mark + after), file, () => checkUnchanged(file, before));
  return backup;
}

/** Puts a whole file in its place, with the rights and the owner of `model` where that exists. */
async function put(
  path: string,
  bytes: Buffer,
  model: string,
  check: () => Promise<void> = async () => undefined,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const next = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    await writeFile(next, bytes, { flag: 'wx', mode: 0o600, flush: true });
    if (existsSync(model)) {
      const { mode, uid, gid } = await stat(model);
      await chmod(next, mode & 0o777);
      if (uid !== process.getuid?.()) await chown(next, uid, gid);
    }
    await check();
    await rename(next, path);
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
