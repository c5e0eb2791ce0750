/** The rows of a result and their columns: one reading for the console and for the views in browsers. */

export type ResultRow = Readonly<Record<string, unknown>>;

export interface ResultRows {
  readonly rows: readonly ResultRow[];
  /** What stands beside the list, such as its count. */
  readonly others: Readonly<Record<string, unknown>>;
}

export const isRecord = (value: unknown): value is ResultRow =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The list itself, or the longest list of records in an object; undefined where there is none. */
export function findRows(data: unknown): ResultRows | undefined {
  if (Array.isArray(data)) {
    if (data.length === 0) return undefined;
    return { rows: data.map((value) => (isRecord(value) ? value : { value })), others: {} };
  }
  if (!isRecord(data)) return undefined;
  const lists = Object.entries(data).filter(
    (entry): entry is [string, unknown[]] =>
      Array.isArray(entry[1]) && entry[1].length > 0 && entry[1].every(isRecord),
  );
  const [longest] = lists.sort(([, one], [, other]) => other.length - one.length);
  if (longest === undefined) return undefined;
  const [name, list] = longest;
  const others = Object.fromEntries(Object.entries(data).filter(([other]) => other !== name));
  return { rows: list.filter(isRecord), others };
}

/** The names of all fields, in the order in which they first appear. */
export function getColumnNames(rows: readonly ResultRow[], atMost = 60): string[] {
  const names = new Set<string>();
  for (const row of rows) for (const name of Object.keys(row)) names.add(name);
  return [...names].slice(0, atMost);
}

/** A column's name as a person reads it: `cover_url` is `Cover URL`. */
export const columnLabel = (name: string): string =>
  name.replaceAll('_', ' ').replace(/\b(?:id|isbn|sku|url)\b|^\p{Ll}/gu, (letters) => letters.toUpperCase());

/** A text of several lines, such as the Markdown of a page: people read it as it is set. */
export const hasLines = (value: unknown): value is string =>
  typeof value === 'string' && /\n\s*\S/.test(value);

/** A value that is no text of its own, in words. */
export const booleanText = (value: boolean): string => (value ? 'yes' : 'no');
