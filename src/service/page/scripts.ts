/**
 * What a page says to programs, in the form of JSON: JSON-LD as one tree, scripts that are JSON or assign it to a name, items of
 * microdata and RDFa.
 */
import type { CheerioAPI } from 'cheerio/slim';
import { type AnyNode, type Element, isTag } from 'domhandler';
import { exceededLimit, maxJsonDepth } from '../../contract/json-limits.ts';
import { isObject, type JmespathValue, type JsonObject, readJsonText } from './json.ts';
import { getLines, imageAddress, toStringLiteral } from './text.ts';

/** JSON-LD with the names of schema.org as most sites write them: `schema:name` and `http://schema.org/name` are `name`. */
const vocabulary = /^https?:\/\/(?:www\.)?schema\.org[/#]+(?=\w|$)/i;
/** What a context says of names and prefixes: `{"s": "http://schema.org/", "id": "@id"}`. */
type Terms = ReadonlyMap<string, string>;

const usual: Terms = new Map([
  ['schema', 'http://schema.org/'],
  ['sdo', 'http://schema.org/'],
]);

function withContext(known: Terms, context: unknown): Terms {
  const own = [context].flat().filter(isObject);
  if (own.length === 0) return known;
  const terms = new Map(known);
  for (const [name, meaning] of own.flatMap(Object.entries<unknown>)) {
    const id = isObject(meaning) ? meaning['@id'] : meaning;
    if (typeof id === 'string' && !name.startsWith('@')) terms.set(name, id);
  }
  return terms;
}

/** The name without its prefix where it is one of schema.org or of JSON-LD itself; other names stay. */
function toPlainName(name: string, terms: Terms): string {
  let full = terms.get(name) ?? name;
  if (full.startsWith('@')) return full;
  const [, prefix = '', rest = ''] = /^([\w-]+):(?!\/\/)(.+)$/.exec(full) ?? [];
  full = rest === '' ? full : `${terms.get(prefix) ?? `${prefix}:`}${rest}`;
  const plain = full.replace(vocabulary, '');
  return plain === full || plain === '' ? name : plain;
}

/** The value of `{"@value": "8.50", "@type": "xsd:decimal"}`. */
const isValue = (node: JsonObject) =>
  '@value' in node && Object.keys(node).every((key) => /^@(?:value|type|language|direction)$/.test(key));

/** The same data under such names. A name that stands there without a prefix, too, keeps its value. */
function withPlainNames(value: unknown, known: Terms = usual): unknown {
  if (Array.isArray(value)) return value.map((one) => withPlainNames(one, known));
  if (!isObject(value)) return value;
  if (isValue(value)) return value['@value'];
  const terms = withContext(known, value['@context']);
  const members = new Map<string, unknown>();
  for (const [key, member] of Object.entries(value)) {
    const name = toPlainName(key, terms);
    if (name !== key && (members.has(name) || Object.hasOwn(value, name))) continue;
    if (name === '@type') members.set(name, toPlainTypes(member, terms));
    else if (name === '@context') members.set(name, member);
    else members.set(name, toMember(withPlainNames(member, terms), name !== key));
  }
  return Object.fromEntries(members);
}

/** Where names are written in full, each value is a list, mostly of one. */
const toMember = (member: unknown, isExpanded: boolean) =>
  isExpanded && Array.isArray(member) && member.length === 1 ? member[0] : member;

const toPlainTypes = (types: unknown, terms: Terms): unknown =>
  Array.isArray(types)
    ? types.map((type) => toPlainTypes(type, terms))
    : typeof types === 'string'
      ? toPlainName(types, terms)
      : types;

interface Syntax {
  /** The attribute with the type of an item. */
  readonly item: string;
  /** The attribute with the names of a property. */
  readonly property: string;
}
const syntaxes: readonly Syntax[] = [
  { item: 'itemtype', property: 'itemprop' },
  { item: 'typeof', property: 'property' },
];

type Value = string | Item;
interface Item {
  readonly [property: string]: Value | readonly Value[];
}

/** Parts of an item that are followed. */
const maxParts = 20;

const imageProperties = /^(?:image|thumbnailUrl|photo|logo)$/;
const addressProperties = /^(?:url|sameAs|link)$/;

/** `https://schema.org/Recipe` and `schema:Recipe` → `Recipe`. */
const toName = (text: string): string => text.replace(/^.*[/#:]/, '');
const toNames = (attribute = ''): string[] => attribute.split(/\s+/).map(toName).filter(Boolean);

function findImage(element: Element): string | undefined {
  if (element.name === 'img') return imageAddress(element.attribs);
  for (const child of element.children.filter(isTag)) {
    const address = findImage(child);
    if (address !== undefined) return address;
  }
  return undefined;
}

function readValue(element: Element, property: string): string {
  const { name, attribs } = element;
  const isAddress = name === 'link' || (name === 'a' && addressProperties.test(property));
  const stated =
    attribs.content ?? (name === 'time' ? attribs.datetime : isAddress ? attribs.href : undefined);
  if (stated !== undefined) return stated.trim();
  return imageProperties.test(property) ? (findImage(element) ?? '') : getLines(element).join('\n');
}

/** The elements elsewhere that an item of microdata names as its parts; those of inner items could name each other. */
function findParts(html: CheerioAPI, { attribs }: Element): Element[] {
  const ids = attribs.itemref?.split(/\s+/).filter(Boolean).slice(0, maxParts) ?? [];
  return ids
    .flatMap((id) =>
      html(`[id=${toStringLiteral(id)}]`)
        .first()
        .toArray(),
    )
    .filter(isTag);
}

/** The item's own properties, with nested items. */
function readProperties(item: Element, syntax: Syntax, parts: readonly Element[] = []): Map<string, Value[]> {
  const properties = new Map<string, Value[]>();
  const walk = (elements: readonly Element[]): void => {
    for (const child of elements) {
      if (child.name === 'nav' || /breadcrumb/i.test(child.attribs.class ?? '')) continue;
      const names = toNames(child.attribs[syntax.property]);
      const isItem = child.attribs[syntax.item] !== undefined || child.attribs.itemscope !== undefined;
      // A nested item without a property name does not belong to this one.
      if (isItem && names.length === 0) continue;
      const inner = isItem ? readProperties(child, syntax) : undefined;
      for (const name of names) {
        const value = inner?.size ? toItem(child, syntax, inner) : readValue(child, name);
        if (value === '') continue;
        const values = properties.get(name) ?? [];
        properties.set(name, values);
        values.push(value);
      }
      if (!isItem) walk(child.children.filter(isTag));
    }
  };
  walk([...item.children.filter(isTag), ...parts]);
  return properties;
}

function toItem(
  { attribs }: Element,
  { item }: Syntax,
  properties: ReadonlyMap<string, readonly Value[]>,
): Item {
  const [type = ''] = toNames(attribs[item]);
  const entries = [...properties].map(([name, [first = '', ...others]]) => [
    name,
    others.length === 0 ? first : [first, ...others],
  ]);
  return { '@type': type, ...Object.fromEntries(entries) };
}

const findSyntax = ({ attribs }: Element) => syntaxes.find(({ item }) => attribs[item] !== undefined);

const isItem = (node: AnyNode): node is Element => isTag(node) && findSyntax(node) !== undefined;

/** Whether an item says what it is of the one around it; others stand for themselves, such as the products of a `WebPage`. */
const isNamed = (element: Element) =>
  toNames(element.attribs[findSyntax(element)?.property ?? '']).length > 0;

/** The item at an element, with its type as `@type`. */
function readItem(html: CheerioAPI, element: Element): Item | undefined {
  const syntax = findSyntax(element);
  return syntax && toItem(element, syntax, readProperties(element, syntax, findParts(html, element)));
}

const maxValues = 2_000_000;
/** Values copied from targets of references. */
const maxFollowed = 300_000;
/** Nested references that are followed: an item's author, but not everything that the author wrote. */
const maxReferences = 2;
const maxDepth = 100;

/** The id that the object refers to. */
function getReference({ '@id': id, '@type': _, ...rest }: JsonObject): string | undefined {
  return typeof id === 'string' && Object.keys(rest).length === 0 ? id : undefined;
}

/** The possible targets of references. */
function targetsIn(value: unknown): Map<string, JsonObject> {
  const targets = new Map<string, JsonObject>();
  let remaining = maxValues;
  const walk = (node: unknown, depth: number): void => {
    remaining -= 1;
    if (remaining < 0 || depth > maxDepth || typeof node !== 'object' || node === null) return;
    if (isObject(node)) {
      const id = node['@id'];
      if (typeof id === 'string' && getReference(node) === undefined) targets.set(id, node);
    }
    for (const entry of Object.values(node)) walk(entry, depth + 1);
  };
  walk(value, 0);
  return targets;
}

export function followIds(values: readonly unknown[]): JmespathValue[] {
  const targets = targetsIn(values);
  let remaining = maxValues;
  let remainingReferences = maxFollowed;
  const open = new Set<unknown>();
  const copy = (node: unknown, depth: number, references: number): JmespathValue => {
    remaining -= 1;
    if (references > 0) remainingReferences -= 1;
    if (remaining < 0 || depth > maxDepth || node === undefined || node === null) return null;
    if (typeof node === 'string' || typeof node === 'number' || typeof node === 'boolean') return node;
    if (typeof node !== 'object' || open.has(node)) return null;
    open.add(node);
    const copiedNode = copyNode(node, depth, references);
    open.delete(node);
    return copiedNode;
  };
  const copyNode = (node: object, depth: number, references: number): JmespathValue => {
    if (Array.isArray(node)) return node.map((item) => copy(item, depth + 1, references));
    if (isObject(node) && references < maxReferences && remainingReferences > 0) {
      const target = targets.get(getReference(node) ?? '');
      if (target !== undefined && !open.has(target)) return copy(target, depth + 1, references + 1);
    }
    return Object.fromEntries(
      Object.entries(node).map(([key, entry]) => [key, copy(entry, depth + 1, references)]),
    );
  };
  return values.map((value) => copy(value, 0, 0));
}

/** The data of a script. */
export interface ScriptValue {
  readonly script: AnyNode;
  readonly value: JmespathValue;
  /** The name that the script assigns it to: `window.__STATE__`. */
  readonly name?: string | undefined;
}

/** `name = {…}`, the whole script, also in a comment or a CDATA section. */
const assignment =
  /^(?:<!--|(?:\/\/|\/\*)?\s*<!\[CDATA\[(?:\s*\*\/)?)?\s*(?:(?:var|let|const)\s+)?([\w$.]{1,100}(?:\[["'][\w$-]{1,100}["']\])?)\s*=\s*(?=[{[]|JSON\.parse\()/;
/** JSON in a text, as sites write what is large: browsers read it faster. */
const parsedText =
  /^JSON\.parse\(\s*("[^"\\]*(?:\\[\s\S][^"\\]*)*"|'[^'\\]*(?:\\[\s\S][^'\\]*)*')\s*\)\s*;?$/;

/** The value of a text that is not nested too deeply. */
const readBounded = (text: string): unknown =>
  exceededLimit(text, { depth: maxJsonDepth }) === undefined ? readJsonText(text)?.value : undefined;

/** The JSON that a script is or assigns. JavaScript is not parsed: pages filled only by scripts need a browser. */
function readScript(source: string): { readonly value: unknown; readonly name?: string } {
  const text = source.trim();
  const [head = '', name] = assignment.exec(text) ?? [];
  const assigned = text.slice(head.length);
  const [, literal] = parsedText.exec(assigned) ?? [];
  const written = literal === undefined ? assigned : readBounded(literal);
  const value = typeof written === 'string' ? readBounded(written) : undefined;
  return name === undefined ? { value } : { value, name: name.replace(/\[["'](.*)["']\]/, '.$1') };
}

interface Held {
  readonly script: AnyNode;
  readonly value: unknown;
  readonly name?: string | undefined;
}

/**
 * The data of each matching script, and the item at each matching element of microdata or RDFa; others are left out.
 */
export function readScriptValues(html: CheerioAPI, selector: string): ScriptValue[] {
  const held = html(selector)
    .toArray()
    .flatMap((script): Held[] => {
      if (!isItem(script)) {
        const { value, name } = readScript(html(script).text());
        const isLinkedData = /^application\/ld\+json/i.test(html(script).attr('type') ?? '');
        return [{ script, name, value: isLinkedData ? withPlainNames(value) : value }];
      }
      const isPart = html(script).parents(selector).length > 0 && isNamed(script);
      return isPart ? [] : [{ script, value: readItem(html, script) }];
    })
    .filter(({ value }) => value !== undefined);
  const values = followIds(held.map(({ value }) => value));
  return held.map(({ script, name }, index) => ({ script, name, value: values[index] ?? null }));
}
