/** The text of a client's file, changed at one place only. */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { ClientConfigError } from '../config/errors.ts';
import type { Addition, Json } from './client.ts';

export interface ConfigText {
  /** Finds the entry of that name and the inputs of ours that it refers to. Throws a `ClientConfigError`. */
  find(text: string, section: string, name: string): Addition | undefined;
  /** Adds the entry, in the place of an entry of the same name. */
  add(text: string, addition: Addition): string;
  /** The text without the addition's entry, and without its inputs where nothing else refers to them. */
  remove(text: string, addition: Addition): string;
  /** Everything in the file but this addition, to compare. */
  others(text: string, addition: Addition): unknown;
}

/** Throws if the edit would change anything but the addition. */
export function checkChange(
  format: ConfigText,
  before: string,
  after: string,
  addition: Addition,
  added: boolean,
): void {
  if (isRight(format, before, after, addition, added)) return;
  const step = added ? 'add the entry that it prints' : 'take it out';
  throw new ClientConfigError(
    `${addition.section} is written there in a form that this command does not change: ${step} by hand`,
  );
}

function isRight(
  format: ConfigText,
  before: string,
  after: string,
  addition: Addition,
  added: boolean,
): boolean {
  try {
    const existing = format.find(after, addition.section, addition.name);
    const right = added ? isDeepStrictEqual(existing?.entry, addition.entry) : existing === undefined;
    return right && isDeepStrictEqual(format.others(before, addition), format.others(after, addition));
  } catch (error) {
    if (error instanceof ClientConfigError) return false;
    throw error;
  }
}

/** `line 3, column 14` of an offset. */
export function describePosition(text: string, offset: number): string {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** Windows' line ends where the file has them. */
export const lineEnd = (text: string) => (text.includes('\r\n') ? '\r\n' : '\n');

/** The text with its last line ended, so that another one can follow. */
export const endLine = (text: string, eol: string): string =>
  text === '' || text.endsWith('\n') ? text : `${text}${eol}`;

/** Dates and the like are none of ours: as text they differ from every entry of ours. */
export const toJson = (value: unknown): Json => z.json().parse(JSON.parse(JSON.stringify(value)));
