/** JSON that holds data: an interface's answer, JSON-LD and the state that a page's application starts from. */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag } from 'domhandler';
import { type Assigned, scriptState, scriptValue } from '../recipes/extract-script.ts';
import { type Candidate, type CandidateKind, type Column, fieldOf, type NamedColumn } from './candidate.ts';
import { namesOf } from './standard-names.ts';
import { typeOfJson } from './value-type.ts';
import { wordsOf } from './words.ts';

type Row = Readonly<Record<string, unknown>>;
const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Values looked at in one document; a bound on the work. */
const maxVisited = 50_000;
const maxColumns = 60;
const sampled = 40;

const identifier = (key: string) => (/^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key));

/** Values of a row by their path, nested objects included. */
function flat(row: Row, prefix: string, depth: number, into: Map<string, unknown>): void {
  for (const [key, value] of Object.entries(row)) {
    if (into.size >= maxColumns || key.startsWith('@') || key === '__typename') continue;
    const path = prefix === '' ? identifier(key) : `${prefix}.${identifier(key)}`;
    if (isRow(value) && depth < 3) flat(value, path, depth + 1, into);
    else if (Array.isArray(value)) {
      const [first] = value;
      if (value.every((item) => typeof item !== 'object')) into.set(path, value);
      else if (isRow(first) && depth < 2) {
        // One of several: offers, images. Of more, a list of their names or texts.
        if (value.length === 1) flat(first, `${path}[0]`, depth + 1, into);
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

const isMoney = (path: string, last: string, paths: readonly string[]) =>
  /^(?:amount|value|price|total|gross|net|min|max|low|high|from|cost)$/i.test(last) &&
  paths.some((other) => other.startsWith(path.slice(0, -last.length)) && /currency\w*$/i.test(other));

const partKeys = /^(?:name|text|value|title|src|amount|rendered)$/i;

/** A column for every path that leads to a value in some of the objects. */
export function columnsOf(rows: readonly Row[], thing: readonly string[] = []): Column[] {
  const flats = rows.slice(0, sampled).map((row) => {
    const values = new Map<string, unknown>();
    flat(row, '', 0, values);
    return values;
  });
  const paths = [...new Set(flats.flatMap((values) => [...values.keys()]))].slice(0, maxColumns);
  let hasTitle = false;
  return paths.flatMap((path): Column[] => {
    const values = flats
      .map((row) => row.get(path))
      .filter((value) => value !== undefined && value !== null && value !== '');
    if (values.length === 0 || values.every((value) => Array.isArray(value) && value.length === 0)) return [];
    const keys = path.split(/[.[\]"]+/).filter((key) => key !== '' && !/^\d+$/.test(key));
    const last = keys.at(-1) ?? '';
    // `author.name` is the author, not the name.
    const parts = [...keys].reverse().findIndex((key) => !partKeys.test(key));
    const named = (parts < 0 ? keys[0] : keys.at(-1 - parts)) ?? last;
    const names = namesOf(named, thing);
    const nested = keys.length > 1;
    const isTitle = !hasTitle && !nested && /^(?:title|name|headline|heading|label|subject)$/i.test(last);
    hasTitle ||= isTitle;
    const type = typeOfJson(values, last === 'url' || last === 'src' ? (keys.at(-2) ?? last) + last : last);
    const distinct = new Set(values.map((value) => JSON.stringify(value))).size;
    return [
      {
        source: { in: 'json', path },
        // Where a currency stands beside an amount, it is a price.
        names: isMoney(path, last, paths)
          ? [...names, 'price']
          : // "job title" is the title of what is a job.
            isTitle
            ? [...names, 'title', ...thing]
            : names,
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

interface Found {
  readonly list: string | undefined;
  readonly rows: readonly Row[];
  readonly about: readonly string[];
  readonly depth: number;
  /** The words of its type, where that is stated. */
  readonly thing?: readonly string[];
}

/** Objects by id: {"17": {…}, "18": {…}}; in a cache of several kinds, those of one kind. */
function mapsIn(
  entries: readonly (readonly [string, unknown])[],
  path: string,
  keys: readonly string[],
  depth: number,
): Found[] {
  if (entries.length < 3) return [];
  const all = path === '' ? 'values(@)' : `values(${path})`;
  const about = keys.flatMap(wordsOf);
  const rows = entries.map(([, entry]) => entry).filter(isRow);
  const [first] = rows;
  if (first === undefined) return [];
  const shared = (row: Row) =>
    Object.keys(first).filter((key) => key in row).length >= Object.keys(first).length * 0.6;
  if (rows.length === entries.length && Object.keys(first).length >= 2 && rows.every(shared))
    return [{ list: all, rows, about, depth }];
  const byType = new Map<string, Row[]>();
  for (const row of rows)
    if (typeof row.__typename === 'string' && /^\w+$/.test(row.__typename))
      byType.set(row.__typename, [...(byType.get(row.__typename) ?? []), row]);
  return [...byType]
    .filter(([, some]) => some.length >= 2)
    .map(([type, some]) => ({
      list: `${all}[?__typename=='${type}']`,
      rows: some,
      about: [...about, ...wordsOf(type)],
      depth,
    }));
}

/** Lists of objects anywhere in a value. */
function listsIn(value: unknown, start: string): Found[] {
  const found: Found[] = [];
  let visited = 0;
  const walk = (node: unknown, path: string, keys: readonly string[], depth: number): void => {
    visited += 1;
    if (visited > maxVisited || depth > 12) return;
    if (Array.isArray(node)) {
      const rows = node.filter(isRow);
      if (rows.length >= 2 && rows.length >= node.length * 0.9) {
        found.push({ list: path === '' ? '@' : path, rows, about: keys.flatMap(wordsOf), depth });
        // GraphQL and the like: the objects themselves are one level further down.
        const wrapped = ['node', 'item', 'attributes', 'fields', 'data', 'document', '_source'].find((key) =>
          rows.every((row) => isRow(row[key])),
        );
        if (wrapped !== undefined)
          found.push({
            list: `${path || '@'}[].${wrapped}`,
            rows: rows.map((row) => row[wrapped]).filter(isRow),
            about: keys.flatMap(wordsOf),
            depth,
          });
      }
      for (const [index, item] of node.slice(0, 3).entries())
        walk(item, `${path || '@'}[${index}]`, keys, depth + 1);
    } else if (isRow(node)) {
      const entries = Object.entries(node);
      found.push(...mapsIn(entries, path, keys, depth));
      for (const [key, entry] of entries)
        walk(entry, path === '' ? identifier(key) : `${path}.${identifier(key)}`, [...keys, key], depth + 1);
    }
  };
  walk(value, start, [], 0);
  return found;
}

function candidateOf(kind: CandidateKind, found: Found, script: string | undefined): Candidate | undefined {
  const columns = columnsOf(found.rows, found.thing);
  if (columns.length === 0) return undefined;
  return {
    kind,
    many: found.list !== undefined,
    rows: found.rows.length,
    about: found.about,
    columns,
    extract: (fields: readonly NamedColumn[]) => ({
      kind: 'json',
      ...(script === undefined ? {} : { script }),
      ...(found.list === undefined ? {} : { list: found.list }),
      fields: Object.fromEntries(
        fields.map((field) => {
          const path = field.column.source.in === 'json' ? field.column.source.path : '@';
          return [field.name, { ...fieldOf(field, false), path }];
        }),
      ),
    }),
  };
}

/** Of an interface that answers with JSON. */
export function answerCandidates(value: unknown): Candidate[] {
  const lists = listsIn(value, '').flatMap((found) => candidateOf('page state', found, undefined) ?? []);
  if (!isRow(value)) return lists;
  const record = candidateOf(
    'page state',
    { list: undefined, rows: [value], about: [], depth: 0 },
    undefined,
  );
  return record === undefined ? lists : [...lists, record];
}

/** The things that JSON-LD speaks of, lists of items and graphs opened; `path` finds them from the list of scripts. */
function thingsIn(values: readonly unknown[]): { type: string; path: string; row: Row }[] {
  const things: { type: string; path: string; row: Row }[] = [];
  const add = (row: Row, path: string) => {
    const types = [row['@type']].flat();
    const [type] = types;
    if (typeof type === 'string') things.push({ type, path, row });
    const { itemListElement, mainEntity } = row;
    const items: unknown[] = [itemListElement ?? []].flat();
    for (const item of items.filter(isRow)) {
      if (isRow(item.item)) add(item.item, `${path}[].itemListElement[].item`);
      else if (type !== 'BreadcrumbList') add(item, `${path}[].itemListElement[]`);
    }
    for (const entity of [mainEntity ?? []].flat()) if (isRow(entity)) add(entity, `${path}[].mainEntity[]`);
  };
  for (const value of values.flat()) {
    if (!isRow(value)) continue;
    const graph = value['@graph'];
    if (Array.isArray(graph)) for (const node of graph.filter(isRow)) add(node, '[]."@graph"[]');
    else add(value, '[]');
  }
  return things;
}

const notData =
  /^(?:WebSite|WebPage|Organization|BreadcrumbList|ListItem|ItemList|SearchAction|ImageObject|CollectionPage|SiteNavigationElement|Person|WPHeader|WPFooter)$/;
const jsonLd = 'script[type="application/ld+json"]';

export function jsonLdCandidates(html: CheerioAPI): Candidate[] {
  const values = html(jsonLd)
    .toArray()
    .map((script) => scriptValue(html(script).text()))
    .filter((value) => value !== undefined);
  const groups = new Map<string, { type: string; path: string; row: Row }[]>();
  for (const thing of thingsIn(values)) {
    const key = `${thing.path} ${thing.type}`;
    groups.set(key, [...(groups.get(key) ?? []), thing]);
  }
  return [...groups.values()].flatMap((things): Candidate[] => {
    const [first] = things;
    if (first === undefined || notData.test(first.type)) return [];
    // Objects or lists of objects: JMESPath's [] flattens the one and passes the other.
    const base = first.path.replace(/^\[\]\[\]/, '[]').replaceAll('[][]', '[]');
    const all = `${base} | [?"@type"=='${first.type}' || contains(to_string("@type"), '"${first.type}"')]`;
    const many = things.length > 1;
    const about = wordsOf(first.type);
    const found: Found = { list: all, rows: things.map(({ row }) => row), about, depth: 0, thing: about };
    const candidate = candidateOf('structured data', found, jsonLd);
    if (candidate === undefined) return [];
    if (many) return [candidate];
    return [
      {
        ...candidate,
        many: false,
        extract: (fields) => ({
          kind: 'json',
          script: jsonLd,
          fields: Object.fromEntries(
            fields.map((field) => {
              const path = field.column.source.in === 'json' ? field.column.source.path : '@';
              return [field.name, { ...fieldOf(field, false), path: `${all} | [0].${path}` }];
            }),
          ),
        }),
      },
    ];
  });
}

const maxScripts = 40;

/** The state that a page brings in its scripts. */
export function stateCandidates(html: CheerioAPI): Candidate[] {
  const known = new Map<Element, Assigned | undefined>();
  const stateOf = (script: Element) => {
    if (!known.has(script)) known.set(script, scriptState(html(script).text()));
    return known.get(script);
  };
  return html('script:not([src]):not([type="application/ld+json"])')
    .toArray()
    .slice(0, maxScripts)
    .flatMap((script): Candidate[] => {
      const state = stateOf(script);
      if (typeof state?.value !== 'object' || state.value === null) return [];
      const selector = selectorOf(script, state.variable);
      if (selector === undefined) return [];
      // Of the scripts that hold JSON: others may speak of the same variable.
      const holding = html(selector)
        .toArray()
        .slice(0, maxScripts)
        .filter((other) => isTag(other) && stateOf(other) !== undefined);
      const place = holding.indexOf(script);
      if (place < 0) return [];
      return listsIn(state.value, `[${place}]`).flatMap(
        (found) => candidateOf('page state', found, selector) ?? [],
      );
    });
}

function selectorOf({ attribs: { id, type } }: Element, variable: string | undefined): string | undefined {
  if (id !== undefined && /^[\w-]+$/.test(id)) return `script[id="${id}"]`;
  if (variable !== undefined) return `script:contains("${variable.replace(/"/g, '\\"')}")`;
  return type === undefined ? undefined : `script[type="${type}"]`;
}
