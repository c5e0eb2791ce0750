/** The places in JSON objects: every path that leads to a value in some of them. */

import { addTo } from '../../page/grouping.ts';
import { isObject, isScalar, type JsonObject, toPath } from '../../page/json.ts';
import { isMarkup } from '../../page/text.ts';
import type { Place } from './place.ts';
import { isNumberedName } from './value-kind.ts';

const maxPlaces = 60;
const sampled = 40;
const maxDepth = 5;
/** The least share of rows that have a line of a text. */
const leastFill = 0.7;

/** Keys that describe the page or the storage of the object. */
const aside =
  /^(?:@.*|__typename|isPartOf|mainEntityOfPage|potentialAction|breadcrumb|relationships|className|_links)$/;
/** Keys whose lists hold alternatives: the first one counts. */
const firstOfMany =
  /^(?:offers?|variants?|prices?|images?|photos?|pictures?|media|thumbnails?|videos?|author|creator)$/i;
/** Keys of an object that stands for a single value: `author.name` is the author. */
const valueKeys = /^(?:name|text|value|url|src|rendered|@value|title)$/;
/** Properties of schema.org that are lists, also where a page writes them as one text. */
const listProperties = /^(?:recipeIngredient|ingredients|recipeInstructions)$/;

/** How many lines of a text become places. */
const maxLines = 4;

interface JsonPlace {
  readonly path: string;
  /** Of a text in several lines, from 1. */
  readonly line?: number;
  readonly keys: readonly string[];
  readonly value: unknown;
}

/** Lines of a text that is a list: by its markup, or one item a line; else the text as the only item. */
function splitText(path: string, text: string): string {
  const mark = ['</li>', '</p>', '<br', '\n'].find(
    (one) => text.split(one).filter((piece) => piece.trim().length > 3).length > 1,
  );
  // Shorter items are fragments of tags.
  const least = mark === '\n' ? 2 : 5;
  return mark === undefined ? `[${path}][?@]` : `split(${path}, '${mark}')[?length(@) > \`${least}\`]`;
}

/** The text of a step, after its name where the name is no number and the text does not begin with it. */
function stepPath(steps: readonly unknown[]): string {
  const names = steps.flatMap((step) => (isObject(step) && step.text && step.name) || []);
  const areTelling = names.every((name) => !isNumberedName(name) && !/(?:\.{3}|…)$/.test(String(name)));
  return names.length > 0 && areTelling
    ? '[text && name && !starts_with(to_string(text), to_string(name)) && name, text || name][] | [?@]'
    : '[text || name][] | [?@]';
}

/** `{"name": "Color", "value": "Red"}`: what a list of such objects says needs both. */
function pairPath(path: string, objects: readonly JsonObject[]): string | undefined {
  const key = ['name', 'key', 'label', 'title'].find((one) =>
    objects.every((object) => typeof object[one] === 'string'),
  );
  const areValues = objects.every(({ value }) => isScalar(value ?? {}));
  return key && areValues ? `${path}[].join(': ', [${key}, to_string(value)])` : undefined;
}

/** The texts of a list of objects, such as the steps of a recipe, also where they stand in sections; else the objects. */
function textsPath(path: string, items: readonly unknown[]): string {
  const objects = items.filter(isObject);
  const pairs = objects.length === items.length ? pairPath(path, objects) : undefined;
  if (pairs !== undefined) return pairs;
  // The name of a section is an item of its own before its steps.
  if (objects.some(({ itemListElement }) => Array.isArray(itemListElement))) {
    const steps = stepPath(objects.flatMap((object) => object.itemListElement ?? object));
    return `${path}[].[itemListElement && {text: name}, itemListElement || @][][].${steps}`;
  }
  const key = ['text', 'name', 'title', 'url', 'src', 'value', 'label'].find((one) =>
    objects.some((object) => typeof object[one] === 'string'),
  );
  if (key === 'text') return `${path}[].${stepPath(objects)}`;
  return key === undefined ? path : `${path}[].${key}`;
}

/** The lines of a short text with few lines; each may be a value. */
function linesIn({ path, keys, value }: JsonPlace): JsonPlace[] {
  const lines = typeof value === 'string' && value.length < 300 ? value.split('\n') : [];
  if (lines.length < 2 || lines.length > maxLines) return [];
  return lines.map((text, index) => ({ path, keys, value: text.trim(), line: index + 1 }));
}

/** The lists of all rows, by their paths: what one of them has once, another may have several times. */
type ListsByPath = Map<string, unknown[][]>;

const membersOf = (object: JsonObject, path: string) =>
  Object.entries(object).flatMap(([key, value]) =>
    aside.test(key) && key !== '@value' ? [] : [{ key, value, path: toPath(path, key) }],
  );

function collectLists(value: unknown, path: string, lists: ListsByPath, depth = 0): void {
  if (depth > maxDepth) return;
  if (Array.isArray(value)) {
    addTo(lists, path, value);
    if (isObject(value[0])) collectLists(value[0], `${path}[0]`, lists, depth + 1);
  } else if (isObject(value))
    for (const member of membersOf(value, path)) collectLists(member.value, member.path, lists, depth + 1);
}

interface Where {
  readonly path: string;
  readonly keys: readonly string[];
  readonly depth: number;
  readonly lists: ListsByPath;
}

const placesInObject = (object: JsonObject, { path, keys, depth, lists }: Where): JsonPlace[] =>
  membersOf(object, path).flatMap((member) =>
    placesIn(member.value, { path: member.path, keys: [...keys, member.key], depth, lists }),
  );

function placesIn(value: unknown, where: Where): JsonPlace[] {
  const { path, keys, depth } = where;
  if (Array.isArray(value)) return placesInList(value, where);
  if (isObject(value)) return depth < maxDepth ? placesInObject(value, { ...where, depth: depth + 1 }) : [];
  const place = { path, keys, value };
  const isList = typeof value === 'string' && value !== '' && listProperties.test(keys.at(-1) ?? '');
  return isList ? [{ ...place, path: splitText(path, value) }] : [place, ...linesIn(place)];
}

function placesInList(list: readonly unknown[], where: Where): JsonPlace[] {
  const { path, keys, lists } = where;
  const [first] = list;
  const last = keys.at(-1) ?? '';
  const isList = listProperties.test(last);
  const all = lists.get(path) ?? [];
  if (list.length === 0) return [];
  if (all.flat().every(isScalar)) return [scalarsPlace(list, all, where)];
  const isSeveral = all.some(({ length }) => length > 1) || isList;
  const isOne = (!isSeveral || firstOfMany.test(last)) && !isList;
  const inFirst = isOne && isObject(first) ? placesIn(first, { ...where, path: `${path}[0]` }) : [];
  return isSeveral ? [...inFirst, { path: textsPath(path, all.flat()), keys, value: list }] : inFirst;
}

/** `["4", "4 servings"]` is one value in two forms; the first of several pictures stands for all. */
function scalarsPlace(
  list: readonly unknown[],
  all: readonly (readonly unknown[])[],
  { path, keys }: Where,
): JsonPlace {
  const last = keys.at(-1) ?? '';
  const texts = list.map(String);
  const isList = listProperties.test(last);
  const isSeveral = all.some(({ length }) => length > 1) || isList;
  if (firstOfMany.test(last) || !isSeveral) return { path: `${path}[0]`, keys, value: texts[0] ?? '' };
  const longest = longestOf(texts);
  const isOneInForms = all.every((one) => {
    const own = one.map(String);
    return own.length <= 3 && own.every((text) => longestOf(own).includes(text));
  });
  return isOneInForms && !isList
    ? { path: `${path}[${texts.indexOf(longest)}]`, keys, value: longest }
    : { path, keys, value: list };
}

const longestOf = (texts: readonly string[]): string =>
  texts.reduce((long, text) => (text.length > long.length ? text : long), texts[0] ?? '');

const titleKeys = /^(?:title|name|headline|heading|label|subject)$/i;
const imageKeys = /^(?:image|photo|picture|thumbnail|logo|avatar|thumbnailUrl)$/i;

const isAddressKey = (key: string) => /^(?:url|src|contentUrl)$/.test(key);

/** `author.name` is the author; `author.url` is an address. */
function getNames(keys: readonly string[], isImage: boolean): string[] {
  const last = keys.at(-1) ?? '';
  const owner = keys.at(-2);
  if (owner === undefined) return [last];
  if (isAddressKey(last))
    return [keys.slice(0, -1).join(' '), ...(isImage && keys.length === 2 ? [] : ['url'])];
  return valueKeys.test(last) ? [owner] : [last, keys.join(' ')];
}

function toPlace({ path, keys, line }: JsonPlace, markup: boolean): Place {
  const last = keys.at(-1) ?? '';
  const owner = keys.at(-2);
  const isImage =
    imageKeys.test(last) || (owner !== undefined && isAddressKey(last) && imageKeys.test(owner));
  return {
    source: { path, ...(line === undefined ? {} : { line }), ...(markup ? { markup: true } : {}) },
    label: keys.join('.'),
    names: getNames(keys, isImage),
    hint: isImage ? 'image' : undefined,
    ...(keys.length === 1 && titleKeys.test(last) ? { isTitle: true } : {}),
  };
}

const hasMarkup = (value: unknown): boolean =>
  typeof value === 'string'
    ? isMarkup(value)
    : Array.isArray(value)
      ? value.some(hasMarkup)
      : isObject(value) && [value.name, value.text, value.itemListElement].some(hasMarkup);

/** A place for every path that leads to a value in some of the objects. */
export function jsonPlaces(rows: readonly JsonObject[]): Place[] {
  const byPath = new Map<string, { readonly place: JsonPlace; markup: boolean; rows: number }>();
  const some = rows.slice(0, sampled);
  const lists: ListsByPath = new Map();
  for (const row of some) collectLists(row, '', lists);
  for (const row of some) {
    for (const place of placesInObject(row, { path: '', keys: [], depth: 0, lists }).slice(0, maxPlaces)) {
      if (place.value === null || place.value === '') continue;
      const key = `${place.line ?? ''} ${place.path}`;
      const existing = byPath.get(key) ?? { place, markup: false, rows: 0 };
      if (byPath.size >= maxPlaces && existing.rows === 0) continue;
      byPath.set(key, {
        ...existing,
        markup: existing.markup || hasMarkup(place.value),
        rows: existing.rows + 1,
      });
    }
  }
  // Lines that few rows have come from running text.
  return [...byPath.values()]
    .filter((found) => found.place.line === undefined || found.rows >= some.length * leastFill)
    .map(({ place, markup }) => toPlace(place, markup));
}
