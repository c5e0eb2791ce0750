/** Data that a page can be instead of HTML: XML as JSON, and separated values as the table that they are. */
import { load } from 'cheerio/slim';
import { type Element, isCDATA, isTag, isText } from 'domhandler';
import Papa from 'papaparse';
import { maxJsonDepth } from '../../contract/json-limits.ts';
import { PageUnfitError } from '../foundation/errors.ts';
import type { JmespathValue } from './json.ts';

/** Characters in which the root begins. */
const head = 20_000;
const aside = /^(?:\s+|\ufeff|<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE(?:[^[>]|\[[\s\S]*?\]\s*(?=>))*>)/i;

/** The tag that the root of a document begins with; undefined where the text does not begin as XML or HTML does. */
export function findRoot(source: string): { readonly name: string; readonly tag: string } | undefined {
  let rest = source.slice(0, head);
  for (let found = aside.exec(rest); found !== null; found = aside.exec(rest))
    rest = rest.slice(found[0].length);
  const [tag, name] = /^<([A-Za-z_][\w.:-]*)(?:\s[^<>]*)?>?/.exec(rest) ?? [];
  return tag === undefined || name === undefined ? undefined : { name: name.replace(/^.*:/, ''), tag };
}

const feedRoots: Readonly<Record<string, RegExp>> = {
  rss: /^/,
  feed: /^/,
  RDF: /purl\.org\/(?:rss|net\/rss)|netscape\.com\/rdf|channel\.netscape/i,
};

/** RSS, Atom or RDF: told by the root, whatever stands before it. */
export function isXmlFeed(source: string): boolean {
  const root = findRoot(source);
  return (
    root !== undefined && Object.hasOwn(feedRoots, root.name) && feedRoots[root.name]?.test(root.tag) === true
  );
}

/** Documents for people, and pictures. */
const noData = /^(?:html|svg|math|rss|feed)$/i;

/** Whether a page is XML with data: neither a page for people nor a feed. */
export function isXmlData(contentType: string, source: string): boolean {
  const isXml = /[/+]xml\b/i.test(contentType) || /^\s*\ufeff?<\?xml\s/.test(source.slice(0, 100));
  const root = isXml ? findRoot(source) : undefined;
  return root !== undefined && !noData.test(root.name) && !isXmlFeed(source);
}

const ownText = ({ children }: Element): string =>
  children
    .flatMap((child) => (isCDATA(child) ? child.children : child))
    .map((child) => (isText(child) ? child.data : ''))
    .join('')
    .trim();

/**
 * Attributes and elements are members, and repeated elements a list, as are those of a root that has only one kind; an
 * element with neither is its text.
 */
function toJson(element: Element, depth = 0): JmespathValue {
  if (depth > maxJsonDepth) throw new PageUnfitError('The XML of the site is nested too deeply');
  const members = new Map<string, JmespathValue[]>();
  const children = element.children.filter(isTag);
  for (const child of children) {
    const values = members.get(child.name) ?? [];
    values.push(toJson(child, depth + 1));
    members.set(child.name, values);
  }
  const text = ownText(element);
  const attributes = Object.entries(element.attribs).filter(([name]) => !/^xmlns\b|^xsi:/.test(name));
  if (members.size === 0 && attributes.length === 0) return text;
  const isList = depth === 0 && members.size === 1;
  return Object.fromEntries([
    ...attributes.map(([name, value]) => [members.has(name) ? `@${name}` : name, value] as const),
    ...(text === '' ? [] : [[members.has('text') ? '@text' : 'text', text] as const]),
    ...[...members].map(
      ([name, values]) => [name, values.length > 1 || isList ? values : (values[0] ?? null)] as const,
    ),
  ]);
}

/** Throws a `PageUnfitError` for XML without an element. */
export function parseXml(source: string): JmespathValue {
  const root = load(source, { xml: true }).root().children().get(0);
  if (root === undefined) throw new PageUnfitError('The XML of the site has no element');
  return toJson(root);
}

const csvType = /^(?:text|application)\/(?:x-)?(?:csv|comma-separated-values|tab-separated-values|tsv)\b/i;
/** What servers that do not know the type of a file send. */
const openType = /^(?:$|text\/plain|application\/(?:octet-stream|vnd\.ms-excel))/i;

/** Whether an address returns separated values, by their type or where that says nothing by the name of the file. */
export const isCsv = (contentType: string, url: string): boolean =>
  csvType.test(contentType) || (openType.test(contentType) && /\.(?:csv|tsv)$/i.test(new URL(url).pathname));

/** The cells of each line, without empty ones at its end. */
function readLines(source: string): string[][] {
  // What Excel writes first, to say how the values are separated.
  const [sep = '', delimiter] = /^sep=(.)\r?\n/i.exec(source) ?? [];
  const { data } = Papa.parse<string[]>(source.slice(sep.length), {
    skipEmptyLines: 'greedy',
    ...(delimiter && { delimiter }),
  });
  return data.map((cells) => cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== '') + 1));
}

/** How many cells most lines have. */
function findWidth(lines: readonly (readonly string[])[]): number {
  const counts = new Map<number, number>();
  for (const { length } of lines) counts.set(length, (counts.get(length) ?? 0) + 1);
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), [1, 0] as const)[0];
}

/** Words name columns, and years may; other numbers are values. */
const areNames = (cells: readonly string[]) =>
  cells.some((cell) => /\p{L}/u.test(cell)) &&
  cells.every((cell) => !/\d/.test(cell) || /\p{L}/u.test(cell) || /^\s*(?:19|20)\d\d\s*$/.test(cell));

const toText = (text: string) => text.trim().replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const toNote = (cells: readonly string[]) => `<p>${toText(cells.join(' '))}</p>`;
const toRow = (cells: readonly string[], tag: string) =>
  `<tr>${cells.map((cell) => `<${tag}>${toText(cell)}</${tag}>`).join('')}</tr>`;

/**
 * A page with a table whose first line is the first one as wide as most. Titles before it, and notes of one cell after the
 * last row, are paragraphs. What is longer than the head is one cell across the table: nobody knows which value is which.
 */
export function csvToHtml(source: string): string {
  const lines = readLines(source);
  const width = findWidth(lines);
  const start = Math.max(
    lines.findIndex(({ length }) => length >= width),
    0,
  );
  const end = lines.findLastIndex(({ length }) => length > 1) + 1 || lines.length;
  const [head = [], ...rows] = lines.slice(start, end);
  const isHeaded = areNames(head);
  return [
    ...lines.slice(0, start).map(toNote),
    `<table>${isHeaded ? `<thead>${toRow(head, 'th')}</thead>` : toRow(head, 'td')}`,
    ...rows.map((cells) =>
      isHeaded && cells.length > head.length
        ? `<tr><td colspan="${head.length}">${toText(cells.join(' '))}</td></tr>`
        : toRow(cells, 'td'),
    ),
    '</table>',
    ...lines.slice(end).map(toNote),
  ].join('\n');
}
