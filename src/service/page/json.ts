/**
 * JSON as sites write it: with comments, CDATA sections, `;`, `\'`, line breaks in texts, commas at the end, NaN, several
 * values one after another. Numbers that a JavaScript number cannot hold become texts, exactly.
 */
import { search } from '@jmespath-community/jmespath';
import { isRounded } from '../../compare/number.ts';
import { maxJsonDepth } from '../../contract/json-limits.ts';
import { PageChangedError } from '../foundation/errors.ts';

export type JmespathValue = Parameters<typeof search>[0];

/** What keeps JSON of others from being run as a script. */
const guard = /^\s*(?:\)\]\}'?,?|while\s*\(1\);|for\s*\(;;\);)/;
/**
 * Comments, also those that hide a script from old browsers or from XML. One without an end goes up to the end of its line
 * or to the value in it: otherwise the search for the end would start again at each.
 */
const aside =
  '\\s+|(?://\\s*)?(?:<!--[^{\\[\\n]*?(?:-->|(?=[{\\[\\n]|$))|-->|<!\\[CDATA\\[|\\]\\]>)|//[^\\n]*|/\\*[\\s\\S]*?\\*/';
// A text without an end goes up to the end of all: otherwise the search for it would start again at each quote.
const texts = '"(?:[^"\\\\]|\\\\[\\s\\S])*"?|\'(?:[^\'\\\\]|\\\\[\\s\\S])*\'?';
const numbers = '[-+]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][-+]?\\d+)?(?![\\w$])';
const token = new RegExp(
  `(?<aside>${aside})|(?<text>${texts})|(?<number>${numbers})|(?<word>-?[A-Za-z]+)|(?<mark>[{}[\\],:;])|(?<other>[\\s\\S])`,
  'gy',
);
const words = new Map([
  ...['true', 'True'].map((word) => [word, 'true'] as const),
  ...['false', 'False'].map((word) => [word, 'false'] as const),
  ...['null', 'None', 'undefined', 'NaN', '-NaN', 'Infinity', '-Infinity'].map(
    (word) => [word, 'null'] as const,
  ),
]);

const toText = (written: string): string | undefined => {
  const quote = written.charAt(0);
  if (written.length < 2 || !written.endsWith(quote)) return undefined;
  const inner = written
    .slice(1, -1)
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/\\(?:x([\da-fA-F]{2})|(u(?![\da-fA-F]{4})|[^"\\/bfnrtu])|.)/g, (found, code, sign) => {
      if (code !== undefined) return `\\u00${code}`;
      return sign ?? found;
    });
  return quote === '"'
    ? `"${inner}"`
    : `"${inner.replace(/(\\.)|"/g, (found, escaped) => escaped ?? `\\${found}`)}"`;
};

const isExact = (written: string): boolean => {
  const value = Number(written);
  // A leading zero is part of a name: 007.
  return Number.isFinite(value) && !isRounded(written, value) && !/^[-+]?0\d/.test(written);
};

const toNumber = (written: string, isText: boolean): string =>
  isText || !isExact(written) ? JSON.stringify(written.replace(/^\+/, '')) : String(Number(written));

/**
 * Writes the values of a text as JSON, one after another; undefined where it is none. Numbers with one of the names `asTexts`
 * become texts; `inexactNames` receives the names whose integers have to.
 */
function writeStrict(
  source: string,
  asTexts: ReadonlySet<string>,
  inexactNames: Set<string>,
): string[] | undefined {
  const values: string[] = [];
  let name = '';
  let [pieces, depth, isCommaOpen]: [string[], number, boolean] = [[], 0, false];
  const end = () => {
    if (depth > 0) return;
    if (pieces.length > 0) values.push(pieces.join(' '));
    pieces = [];
  };
  const add = (piece: string) => {
    // A comma before the end of a list is none.
    if (isCommaOpen && depth > 0 && piece !== '}' && piece !== ']') pieces.push(',');
    pieces.push(piece);
    isCommaOpen = false;
  };
  for (const { groups = {} } of source.matchAll(token)) {
    const { text, number, word, mark } = groups;
    if (groups.aside !== undefined) continue;
    if (groups.other !== undefined || depth > maxJsonDepth) return undefined;
    // A closing mark too many, as templates write it.
    if ((mark === '}' || mark === ']') && depth === 0) continue;
    if (mark === ',') isCommaOpen = !['[', '{', undefined].includes(pieces.at(-1));
    else if (mark === ';') {
      if (depth > 0) return undefined;
    } else {
      const piece =
        mark ??
        (text !== undefined
          ? toText(text)
          : number !== undefined
            ? toNumber(number, asTexts.has(name))
            : words.get(word ?? ''));
      if (piece === undefined || (mark === ':' && depth === 0)) return undefined;
      if (mark === ':') name = pieces.at(-1) ?? '';
      if (/^[-+]?\d+$/.test(number ?? '') && !Number.isSafeInteger(Number(number))) inexactNames.add(name);
      add(piece);
      if (mark === '{' || mark === '[') depth += 1;
      if (mark === '}' || mark === ']') depth -= 1;
      end();
    }
  }
  return depth === 0 && values.length > 0 ? values : undefined;
}

/** As `writeStrict`; where a name has an integer that only a text holds, its other numbers are texts as well: one kind. */
function toStrict(source: string): string[] | undefined {
  const names = new Set<string>();
  const values = writeStrict(source, names, names);
  return values === undefined || names.size === 0 ? values : writeStrict(source, new Set(names), names);
}

function parseAll(values: readonly string[]): { readonly value: JmespathValue } | undefined {
  try {
    const all = values.map((value): JmespathValue => JSON.parse(value));
    return { value: all.length === 1 ? (all[0] ?? null) : all };
  } catch {
    return undefined;
  }
}

/** Numbers that `JSON.parse` would round or lose. */
const inexact = /\d{16}|\d{10}\.\d|[eE]\+?\d{3}/;

/** The value of a text, or the list of its values; undefined where it is no JSON. Bound its depth before. */
export function readJsonText(source: string): { readonly value: JmespathValue } | undefined {
  const text = source.replace(guard, '');
  const strict = inexact.test(text) ? undefined : parseAll([text]);
  if (strict !== undefined) return strict;
  const values = toStrict(text);
  const read = values && parseAll(values);
  // Some sites escape what they put into a script.
  return read ?? (/^\s*[[{]\s*&quot;/.test(text) ? readJsonText(withoutEscapes(text)) : undefined);
}
const withoutEscapes = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** The value at a JMESPath; throws a `PageChangedError` where it cannot be evaluated. */
export function evaluatePath(value: JmespathValue, expression: string): unknown {
  try {
    return search(value, expression);
  } catch {
    throw new PageChangedError(
      'An expression of the recipe does not match the response; the site may have changed',
    );
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

const identifier = (key: string): string => (/^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key));

/** The path of an object's key; the object's path is empty for the whole value. */
export const toPath = (path: string, key: string): string =>
  path === '' ? identifier(key) : `${path}.${identifier(key)}`;

export interface JsonRows {
  readonly rows: readonly JsonObject[];
  readonly many: boolean;
  /** JMESPath of the rows, or of the one record; empty for the whole value. */
  readonly path: string;
  readonly about: string;
  /** How many values of the list are no objects, and no rows. */
  readonly others?: number;
}

/** Values looked at in one document; a bound on the work. */
const maxVisited = 50_000;
const maxDepth = 30;
const maxItems = 60;
/** How many rows of one list are searched for lists inside of them. */
const maxAlike = 2;
const maxLists = 6;
const maxRecords = 3;

/** Whether an object is a record: it has several values, one of them a name. */
function isRecord(object: JsonObject): boolean {
  const keys = Object.keys(object).filter((key) => object[key] !== null && isScalar(object[key]));
  return keys.length >= 3 && keys.some((key) => /^(?:name|title|headline|label)$/i.test(key));
}

const getSize = ({ rows }: JsonRows) => rows.length * Object.keys(rows[0] ?? {}).length;

/** The lists of objects and the records in a value, the largest first; `start` is the path that leads to it. */
export function findJsonRows(value: unknown, start = ''): JsonRows[] {
  const candidateRows: JsonRows[] = [];
  let visited = 0;
  /** What is in a value, each with its path and the key above it. */
  const inside = (node: unknown, path: string, about: string): [unknown, string, string][] => {
    if (isObject(node)) {
      if (isRecord(node)) candidateRows.push({ rows: [node], many: false, path, about });
      return Object.entries(node).map(([name, entry]) => [entry, toPath(path, name), name]);
    }
    if (!Array.isArray(node)) return [];
    const rows = node.filter(isObject);
    const many = rows.length >= 2 && rows.length >= node.length * 0.9;
    const others = node.length - rows.length;
    if (many) candidateRows.push({ rows, many, path: path || '@', about, others });
    const some = node.slice(0, many ? maxAlike : maxItems);
    return some.map((item, index) => [item, `${path || '@'}[${index}]`, about]);
  };
  const walk = (node: unknown, path: string, about: string, depth: number) => {
    visited += isScalar(node) ? 0 : 1;
    if (visited > maxVisited || depth > maxDepth) return;
    for (const [item, at, key] of inside(node, path, about)) walk(item, at, key, depth + 1);
  };
  walk(value, start, '', 0);
  candidateRows.sort((one, other) => getSize(other) - getSize(one));
  const lists = candidateRows.filter(({ many }) => many).slice(0, maxLists);
  const records = candidateRows.filter(({ many }) => !many).slice(0, maxRecords);
  return [...lists, ...records];
}
