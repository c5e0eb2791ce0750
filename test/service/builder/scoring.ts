/** Compares the rows of an action with the rows that are true, as people would: see `sameValue`. */

export type Row = Readonly<Record<string, unknown>>;
export interface Field {
  readonly name: string;
  readonly kind: string;
}

export interface Score {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

export const isPresent = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);

const plainTexts = new Map<string, string>();

/** Without case, accents and punctuation. Each value of a page is compared with all values of its truth. */
function plain(value: unknown): string {
  const text = String(value ?? '');
  const plainText =
    plainTexts.get(text) ??
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  if (plainTexts.size > 20_000) plainTexts.clear();
  plainTexts.set(text, plainText);
  return plainText;
}

const leastSimilarity = 0.9;

/** Whether two texts have nearly all pairs of neighbouring letters in common. */
function isSimilar(one: string, other: string): boolean {
  if (one === other) return true;
  // Most pairs of texts differ in length by too much for the counting below, even without their spaces.
  if (Math.min(one.length, other.length) * 4 < Math.max(one.length, other.length)) return false;
  const pairs = (text: string) => Array.from({ length: text.length - 1 }, (_, at) => text.slice(at, at + 2));
  const [first, second] = [pairs(one.replaceAll(' ', '')), pairs(other.replaceAll(' ', ''))];
  const least = (leastSimilarity * Math.max(first.length + second.length, 1)) / 2;
  if (Math.min(first.length, second.length) < least) return false;
  const left = new Map<string, number>();
  for (const pair of first) left.set(pair, (left.get(pair) ?? 0) + 1);
  let common = 0;
  for (const pair of second) {
    const count = left.get(pair) ?? 0;
    if (count > 0) {
      common += 1;
      left.set(pair, count - 1);
    }
  }
  return common >= least;
}

/** Minutes of a number, an ISO 8601 duration or words such as "1 hr 20 min". */
function minutesOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const text = String(value ?? '');
  const iso = /^P(?:(\d+)D)?T?(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:\d+(?:\.\d+)?S)?$/i.exec(
    text.trim(),
  );
  if (iso !== null) return Number(iso[1] ?? 0) * 1440 + Number(iso[2] ?? 0) * 60 + Number(iso[3] ?? 0);
  const hours = /(\d+(?:[.,]\d+)?)\s*(?:h|hrs?|hours?|std|stunden?|uur|ore?|horas?|heures?)(?!\p{L})/iu.exec(
    text,
  )?.[1];
  const minutes = /(\d+)(?:\s*-\s*\d+)?\s*(?:m|min\p{L}*)(?!\p{L})/iu.exec(text)?.[1];
  if (hours === undefined && minutes === undefined)
    return /^\s*\d+\s*$/.test(text) ? Number(text) : undefined;
  return Number((hours ?? '0').replace(',', '.')) * 60 + Number(minutes ?? 0);
}

function pathOf(value: unknown): string {
  const text = String(value);
  if (!URL.canParse(text, 'http://site.invalid/')) return text;
  const { pathname, search } = new URL(text, 'http://site.invalid/');
  const path = `${pathname}${search}`;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const numberOf = (value: unknown) => {
  const [digits] = /\d+(?:[.,]\d+)?/.exec(String(value ?? '')) ?? [];
  return digits === undefined ? undefined : Number(digits.replace(',', '.'));
};

const listOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : String(value).split('\n')).map(plain).filter((item) => item !== '');

/** The share of two lists that they have in common, as sets of items. */
function sharedItems(given: unknown, truth: unknown): number {
  const [one, other] = [new Set(listOf(given)), new Set(listOf(truth))];
  const common = [...one].filter((item) => other.has(item)).length;
  return one.size + other.size === 0 ? 0 : (2 * common) / (one.size + other.size);
}

/** How far a value is the true one, 0 to 1. Only lists are right in part. */
function sameValue(given: unknown, truth: unknown, kind: string): number {
  if (!isPresent(given) || !isPresent(truth)) return 0;
  const scalar = Array.isArray(given) && kind !== 'list' ? given.join(', ') : given;
  switch (kind) {
    case 'list':
      return sharedItems(given, truth);
    case 'date':
      return String(scalar).slice(0, 10) === String(truth).slice(0, 10) ? 1 : 0;
    case 'url':
    case 'image':
      return pathOf(scalar) === pathOf(truth) ? 1 : 0;
    case 'minutes':
      return minutesOf(scalar) !== undefined && minutesOf(scalar) === minutesOf(truth) ? 1 : 0;
    case 'count':
    case 'rating':
    case 'number':
      return numberOf(scalar) !== undefined && numberOf(scalar) === numberOf(truth) ? 1 : 0;
    case 'code':
      return plain(scalar).replaceAll(' ', '') === plain(truth).replaceAll(' ', '') ? 1 : 0;
    default:
      return isSimilar(plain(scalar), plain(truth)) ? 1 : 0;
  }
}

/** Pairs of a given and a true row, those that share most first. */
function pairRows(
  given: readonly Row[],
  truth: readonly Row[],
  fields: readonly Field[],
): Map<number, number> {
  const pairs: { from: number; to: number; shared: number }[] = [];
  for (const [to, expected] of truth.entries())
    for (const [from, row] of given.entries()) {
      const shared = fields.reduce(
        (sum, { name, kind }) => sum + sameValue(row[name], expected[name], kind),
        0,
      );
      if (shared > 0) pairs.push({ from, to, shared });
    }
  pairs.sort(
    (one, other) =>
      other.shared - one.shared || Math.abs(one.from - one.to) - Math.abs(other.from - other.to),
  );
  const paired = new Map<number, number>();
  const used = new Set<number>();
  for (const { from, to } of pairs) {
    if (paired.has(to) || used.has(from)) continue;
    paired.set(to, from);
    used.add(from);
  }
  return paired;
}

export function scoreRows(given: readonly Row[], truth: readonly Row[], fields: readonly Field[]): Score {
  const paired = pairRows(given, truth, fields);
  let right = 0;
  for (const [to, from] of paired)
    for (const { name, kind } of fields) right += sameValue(given[from]?.[name], truth[to]?.[name], kind);
  const count = (rows: readonly Row[]) =>
    rows.reduce((sum, row) => sum + fields.filter(({ name }) => isPresent(row[name])).length, 0);
  const precision = right / Math.max(count(given), 1);
  const recall = right / Math.max(count(truth), 1);
  return {
    precision,
    recall,
    f1: precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall),
  };
}

/** Whether a value is of the kind that the field is meant to have. */
function isOfKind(value: unknown, kind: string): boolean {
  switch (kind) {
    case 'date':
      return /^\d{4}-\d\d-\d\d/.test(String(value));
    case 'url':
    case 'image':
      return typeof value === 'string' && /^https?:\/\//.test(value);
    case 'list':
      return Array.isArray(value) && value.some((item) => String(item).length > 8);
    case 'minutes':
      return minutesOf(value) !== undefined;
    case 'count':
    case 'rating':
    case 'number':
      return numberOf(value) !== undefined;
    case 'code':
      return typeof value !== 'number' && /\d/.test(String(value));
    default:
      return typeof value === 'string' && /\p{L}/u.test(value);
  }
}

/** The fields of which more than a fifth of the values are of another kind. */
export const wrongKinds = (rows: readonly Row[], fields: readonly Field[]): string[] =>
  fields
    .filter(({ name, kind }) => {
      const values = rows.map((row) => row[name]).filter(isPresent);
      return values.filter((value) => !isOfKind(value, kind)).length > values.length * 0.2;
    })
    .map(({ name }) => name);

/** For each field the column whose values are most often among the true ones; fields without any are left out. */
export function bestColumns(
  rows: readonly Row[],
  truth: readonly Row[],
  fields: readonly Field[],
): Map<string, string> {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const best = new Map<string, string>();
  for (const { name, kind } of fields) {
    let most = 0;
    for (const column of columns) {
      const renamed = rows.map((row) => ({ value: row[column] }));
      const expected = truth.map((row) => ({ value: row[name] }));
      const { f1 } = scoreRows(renamed, expected, [{ name: 'value', kind }]);
      if (f1 > most) {
        most = f1;
        best.set(name, column);
      }
    }
  }
  return best;
}
