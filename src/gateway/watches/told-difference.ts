/** A difference as it is told: a sentence, and as many rows and fields as an answer can hold. */
import type { Difference, FieldChange } from '../../compare/difference.ts';
import { isRecord } from '../../contract/result-rows.ts';
import { cleanText, wholeCharacters } from '../foundation/text.ts';
import type { JsonObject } from '../interface/outcomes.ts';

const maxRows = 20;
const maxChanges = 100;
const maxText = 500;
/** Characters of a difference; of a longer one only the counts are told. */
const maxChars = 64 * 1024;

export interface ToldDifference extends JsonObject {
  readonly added: readonly unknown[];
  readonly removed: readonly unknown[];
  readonly changed: readonly FieldChange[];
  /** How many rows and fields are not shown. */
  readonly more?: number;
  readonly ignored?: readonly string[];
}

export function toToldDifference({ added, removed, changed, ignored }: Difference): ToldDifference {
  const all = added.length + removed.length + changed.length;
  const shown = {
    added: added.slice(0, maxRows).map(short),
    removed: removed.slice(0, maxRows).map(short),
    changed: changed.slice(0, maxChanges).map((change) => ({
      ...change,
      key: short(change.key),
      before: short(change.before),
      after: short(change.after),
    })),
  };
  const more = all - shown.added.length - shown.removed.length - shown.changed.length;
  const told = {
    ...shown,
    ...(more > 0 && { more }),
    ...(ignored.length > 0 && { ignored }),
  };
  return JSON.stringify(told).length <= maxChars
    ? told
    : { added: [], removed: [], changed: [], more: all, ...(ignored.length > 0 && { ignored }) };
}

/** A value with its texts cut. */
function short(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length <= maxText ? value : `${wholeCharacters(value, maxText - 1)}…`;
  if (Array.isArray(value)) return value.slice(0, maxRows).map(short);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, short(member)]));
}

const counted = (count: number, one: string, many: string): string[] =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];

/** One line, such as "2 rows added, price changed in 3 rows; 20 rows now." */
export function summarize({ added, removed, changed, rows }: Difference): string {
  // A single record needs no count.
  const isOne = rows.before === 1 && rows.after === 1;
  const fields = new Map<string, number>();
  for (const { field } of changed) fields.set(field, (fields.get(field) ?? 0) + 1);
  const parts = [
    ...counted(added.length, 'row added', 'rows added'),
    ...counted(removed.length, 'row removed', 'rows removed'),
    ...[...fields]
      .slice(0, 5)
      .map(([field, count]) => `${cleanText(field, 60)} changed${isOne ? '' : ` in ${rowsText(count)}`}`),
    ...counted(Math.max(0, fields.size - 5), 'further field changed', 'further fields changed'),
  ];
  return `${parts.join(', ')}${isOne ? '' : `; ${rowsText(rows.after)} now`}.`;
}

const rowsText = (count: number): string => `${count} row${count === 1 ? '' : 's'}`;
