/**
 * Adds an entry to a client's configuration file, or removes it. The file belongs to the user, so a crash leaves either
 * the old or the new content, and a copy of the old one is kept beside it.
 *
 * A write reads the file, creates a copy beside it (1), creates the new text beside it (2), reads the file again and
 * stops if somebody changed it meanwhile, and renames the new text over the file (3). A crash before or during (1) and
 * (2) leaves the file as it was, beside a copy or a half-written file that nothing reads; after (3) the write is done.
 * Removing is the same write. If adding the entry to the copy gives exactly the present text, nothing else has changed:
 * then the copy's content is written, and the copy is deleted.
 */
import { randomUUID } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { ClientConfigError } from '../config/errors.ts';
import type { Addition, Client } from './client.ts';
import { type ConfigText, checkChange } from './config-text.ts';
import type { Files } from './files.ts';
import { jsonText } from './json-text.ts';
import { tomlText } from './toml-text.ts';
import { yamlText } from './yaml-text.ts';

export interface Change {
  readonly done: 'added' | 'replaced' | 'unchanged' | 'restored' | 'removed' | 'deleted' | 'absent';
  /** The path of the copy that holds the old content. */
  readonly backup?: string | undefined;
}

const configTexts = { json: jsonText, toml: tomlText, yaml: yamlText };

export const getConfigText = (format: Client['format']): ConfigText => configTexts[format];

/**
 * Throws a `ClientConfigError` if the file cannot be read, or if an entry of that name starts another program and
 * `force` is off. An entry that starts this program is replaced: its options may have changed.
 */
export async function writeEntry(
  file: string,
  format: ConfigText,
  addition: Addition,
  files: Files,
  { force = false } = {},
): Promise<Change> {
  const before = await read(file, files);
  return addLocation(file, async () => {
    const present = format.find(before.text, addition.section, addition.name);
    if (present !== undefined && isDeepStrictEqual(present.entry, addition.entry))
      return { done: 'unchanged' };
    if (present !== undefined && !force && !isOurs(present, addition)) {
      throw new ClientConfigError(
        `it already has another server named ${addition.name}: choose another --name, or replace it with --force`,
      );
    }
    const after = format.add(before.text, addition);
    checkChange(format, before.text, after, addition, true);
    const backup = await replaceText(file, before, after, files);
    return { done: present === undefined ? 'added' : 'replaced', backup };
  });
}

/** Removes the entry with the addition's name. An entry that starts another program stays, unless `force` is set. */
export async function removeEntry(
  file: string,
  format: ConfigText,
  addition: Addition,
  files: Files,
  { force = false } = {},
): Promise<Change> {
  const present = await read(file, files);
  return addLocation(file, async () => {
    const existing = format.find(present.text, addition.section, addition.name);
    if (existing === undefined) return { done: 'absent' };
    if (!force && !isDeepStrictEqual(existing.entry, addition.entry) && !isOurs(existing, addition)) {
      throw new ClientConfigError(
        `the server named ${addition.name} is not svc-mcp's: give the options it was written with, or --force`,
      );
    }
    const backup = (await listBackups(file, files)).at(-1);
    const copy = backup === undefined ? undefined : await files.read(backup);
    if (backup !== undefined && copy !== undefined && removesOnly(format, copy, existing, present.text)) {
      await replaceBytes(file, present, copy, files);
      await files.remove(backup);
      return { done: 'restored' };
    }
    if (backup === undefined && format.add('', existing) === present.text) {
      await checkUnchanged(file, present, files);
      await files.remove(file);
      return { done: 'deleted' };
    }
    const after = format.remove(present.text, existing);
    checkChange(format, present.text, after, existing, false);
    return { done: 'removed', backup: await replaceText(file, present, after, files) };
  });
}

interface Content {
  readonly bytes: Buffer | undefined;
  /** Without the byte order mark, which is written again. */
  readonly text: string;
  readonly mark: string;
}

async function read(file: string, files: Files): Promise<Content> {
  const bytes = await files.read(file);
  return bytes === undefined ? { bytes, text: '', mark: '' } : decodeContent(file, bytes);
}

function decodeContent(file: string, bytes: Buffer): Content {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
    return { bytes, mark, text: text.slice(mark.length) };
  } catch {
    throw new ClientConfigError(`${file}: it is not UTF-8 text; nothing was written`);
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
function isOurs({ entry }: Addition, addition: Addition): boolean {
  if (/svc-mcp|SVC_[A-Z]/.test(JSON.stringify(entry))) return true;
  const present = Entry.safeParse(entry).data;
  const ownEntry = Entry.safeParse(addition.entry).data;
  if (present === undefined) return false;
  const starts = [present.command ?? [], present.args ?? []].flat();
  // The embedded service needs no settings, so only the program's path identifies it.
  if (starts.some((part) => /[\\/]dist[\\/]cli[\\/]main\.js$/.test(part))) return true;
  const script = [ownEntry?.command ?? [], ownEntry?.args ?? []].flat().at(-1);
  if (script !== undefined && starts.includes(script)) return true;
  // With OAuth a hosted server has nothing but its address.
  const address = present.url ?? present.httpUrl;
  return address !== undefined && present.headers === undefined && /\/(mcp|sse)\/?$/.test(address);
}

/** What the entries of all clients have in common. */
const Entry = z.looseObject({
  command: z.union([z.string(), z.array(z.string())]).optional(),
  args: z.array(z.string()).optional(),
  url: z.string().optional(),
  httpUrl: z.string().optional(),
  headers: z.unknown().optional(),
});

/** Whether adding the entry to the copy gives exactly the present text. The copy may have another entry of that name. */
function removesOnly(format: ConfigText, copy: Buffer, existing: Addition, present: string): boolean {
  try {
    const { text } = decodeContent('', copy);
    const previous = format.find(text, existing.section, existing.name);
    return !isDeepStrictEqual(previous?.entry, existing.entry) && format.add(text, existing) === present;
  } catch (error) {
    // A copy that a crash cut short, or that somebody edited, cannot be restored.
    if (error instanceof ClientConfigError) return false;
    throw error;
  }
}

/** Steps (1) to (3). Returns the path of the copy; undefined if the file did not exist. */
async function replaceText(
  file: string,
  before: Content,
  after: string,
  files: Files,
): Promise<string | undefined> {
  const backup = before.bytes === undefined ? undefined : await nextBackup(file, files);
  if (backup !== undefined && before.bytes !== undefined) await files.create(backup, before.bytes, file);
  await replaceBytes(file, before, Buffer.from(before.mark + after), files);
  return backup;
}

/** Steps (2) and (3). */
async function replaceBytes(file: string, before: Content, after: Buffer, files: Files): Promise<void> {
  const next = join(dirname(file), `.${basename(file)}.${randomUUID()}.tmp`);
  try {
    await files.create(next, after, file);
    await checkUnchanged(file, before, files);
    await files.replace(next, file);
  } catch (error) {
    await files.remove(next).catch(() => undefined);
    throw error;
  }
}

async function checkUnchanged(file: string, { bytes }: Content, files: Files): Promise<void> {
  const now = await files.read(file);
  if (now === undefined || bytes === undefined ? now === bytes : now.equals(bytes)) return;
  throw new ClientConfigError('another program changed the file meanwhile: run this command again');
}

const backupName = (file: string, number: number) =>
  `${file}.before-svc-mcp${number === 1 ? '' : `-${number}`}`;

/** Paths of the copies, the newest last; a copy is never overwritten. */
async function listBackups(file: string, files: Files): Promise<string[]> {
  const names = new Set(await files.beside(file));
  const existing: string[] = [];
  for (let number = 1; names.has(basename(backupName(file, number))); number += 1)
    existing.push(backupName(file, number));
  return existing;
}

async function nextBackup(file: string, files: Files): Promise<string> {
  return backupName(file, (await listBackups(file, files)).length + 1);
}
