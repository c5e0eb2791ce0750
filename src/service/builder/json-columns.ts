/** The columns of objects in JSON: every path that leads to a value in some of them. */
import { isMarkup, textOfMarkup } from '../recipes/text.ts';
import type { Column } from './candidate.ts';
import { namesOf } from './standard-names.ts';
import { typeOfJson, type ValueType } from './value-type.ts';
import { wordsOf } from './words.ts';

export type Row = Readonly<Record<string, unknown>>;
export const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const maxColumns = 60;
const sampled = 40;

export const identifier = (key: string) => (/^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key));

/** Of several of these the first stands for all. */
const firstOfMany = /^(?:offers?|variants?|prices?|images?|photos?|pictures?|media|thumbnails?)$/i;
/** What tells about the page or how the object is kept, not about the object. */
const aside =
  /^(?:@.*|__typename|isPartOf|mainEntityOfPage|potentialAction|breadcrumb|relationships|children|className)$/;

/** Values of a row by their path, nested objects included. */
function flat(row: Row, prefix: string, depth: number, into: Map<string, unknown>): void {
  for (const [key, value] of Object.entries(row)) {
    if (into.size >= maxColumns || aside.test(key)) continue;
    const path = prefix === '' ? identifier(key) : `${prefix}.${identifier(key)}`;
    if (isRow(value) && depth < 3)
      flat(value, path, prefix === '' && wrappers.test(key) ? depth : depth + 1, into);
    else if (Array.isArray(value)) {
      const [first] = value;
      if (key === 'coordinates' && value.every((part) => typeof part === 'number')) {
        // GeoJSON says east before north.
        into.set(`${path}[0]`, value[0]);
        into.set(`${path}[1]`, value[1]);
      } else if (value.every((item) => typeof item !== 'object')) into.set(path, value);
      else if (isRow(first) && depth < 2) {
        // One of several: offers, images. Of more, a list of their names or texts.
        if (value.length === 1 || firstOfMany.test(key)) flat(first, `${path}[0]`, depth + 1, into);
        for (const name of ['name', 'text', 'title', 'url']) {
          if (typeof first[name] === 'string') {
            into.set(
              `${path}[].${name}`,
              value.filter(isRow).map((item) => item[name]),
            );
            break;
          }
        }
      }
    } else into.set(path, value);
  }
}

/** Keys under which interfaces keep the object itself: GraphQL, JSON:API, GeoJSON, search engines. */
const wrappers = /^(?:node|item|attributes|properties|fields|data|document|_source)$/;

const isMoney = (path: string, last: string, paths: readonly string[]) =>
  /^(?:amount|value|price|total|gross|net|min|max|low|high|from|cost)$/i.test(last) &&
  paths.some((other) => other.startsWith(path.slice(0, -last.length)) && /currency\w*$/i.test(other));

const partKeys = /^(?:name|text|value|title|src|amount|rendered)$/i;
const titleKeys = /^(?:title|name|headline|heading|label|subject)$/i;
const textKeys = /^(?:rendered|text|value|plain|default|en)$/i;
const inCents = /(?:cents?|minor_?units?|minor)$/i;

/** Where the value of a path is, and the words for it. */
function placeOf(path: string, paths: readonly string[], thing: readonly string[]) {
  const all = path.split(/[.[\]"]+/).filter((key) => key !== '' && !/^\d+$/.test(key));
  const keys = all.length > 1 && wrappers.test(all[0] ?? '') ? all.slice(1) : all;
  const last = keys.at(-1) ?? '';
  if (last === 'coordinates')
    return {
      keys,
      last,
      names: path.endsWith('[0]') ? ['longitude', 'lng', 'lon'] : ['latitude', 'lat'],
      isTitle: false,
    };
  // `author.name` is the author, not the name.
  const parts = [...keys].reverse().findIndex((key) => !partKeys.test(key));
  const named = (parts < 0 ? keys[0] : keys.at(-1 - parts)) ?? last;
  const names = namesOf(named, thing);
  return {
    keys,
    last,
    // Where a currency stands beside an amount, it is a price.
    names: isMoney(path, last, paths) ? [...names, 'price'] : names,
    isTitle: titleKeys.test(keys[0] ?? '') && keys.slice(1).every((key) => textKeys.test(key)),
  };
}

/** Texts as a reader sees them. */
const withoutMarkup = (value: unknown): unknown =>
  typeof value === 'string' ? textOfMarkup(value) : Array.isArray(value) ? value.map(withoutMarkup) : value;
const hasMarkup = (value: unknown): boolean =>
  typeof value === 'string' ? isMarkup(value) : Array.isArray(value) && value.some(hasMarkup);

function typeOf(values: readonly unknown[], key: string, markup: boolean): ValueType {
  const type = typeOfJson(values, key);
  return markup ? { ...type, rules: { ...type.rules, markup: true } } : type;
}

/** The value of a path in hundredths, as the whole it is a part of. */
export const inWholes = (path: string) => `${path} && to_number(${path}) / \`100\``;

/**
 * A column for every path that leads to a value in some of the objects. `thing`: the words of their type. `written`: how
 * a recipe writes the path.
 */
export function columnsOf(
  rows: readonly Row[],
  thing: readonly string[] = [],
  written: (path: string) => string = (path) => path,
): Column[] {
  const flats = rows.slice(0, sampled).map((row) => {
    const values = new Map<string, unknown>();
    flat(row, '', 0, values);
    return values;
  });
  const paths = [...new Set(flats.flatMap((values) => [...values.keys()]))].slice(0, maxColumns);
  let hasTitle = false;
  return paths.flatMap((path): Column[] => {
    const found = flats
      .map((row) => row.get(path))
      .filter((value) => value !== undefined && value !== null && value !== '');
    if (found.length === 0 || found.every((value) => Array.isArray(value) && value.length === 0)) return [];
    const markup = found.some(hasMarkup);
    const { keys, last, names, ...place } = placeOf(path, paths, thing);
    const isCents = inCents.test(last) && found.every((value) => /^\d+$/.test(String(value)));
    const values = markup
      ? found.map(withoutMarkup)
      : isCents
        ? found.map((value) => Number(value) / 100)
        : found;
    const isTitle = !hasTitle && place.isTitle;
    hasTitle ||= isTitle;
    const type = typeOf(
      values,
      last === 'url' || last === 'src' ? (keys.at(-2) ?? last) + last : last,
      markup,
    );
    const distinct = new Set(values.map((value) => JSON.stringify(value))).size;
    return [
      {
        source: { in: 'json', path: isCents ? inWholes(written(path)) : written(path) },
        // "job title" is the title of what is a job.
        names: isTitle ? [...names, 'title', ...thing] : names,
        nearNames: keys.slice(0, -1).flatMap(wordsOf),
        isTitle,
        type,
        fill: values.length / flats.length,
        constant: flats.length > 2 && distinct === 1,
        length: values.reduce((sum: number, value) => sum + String(value).length, 0) / values.length,
        samples: values.slice(0, 12).map(String),
        order: paths.indexOf(path),
        standard: true,
      },
    ];
  });
}
