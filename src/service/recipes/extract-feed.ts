/** RSS, Atom, RDF and JSON feeds, brought to the same fields. */
import { load } from 'cheerio/slim';
import { type Element, isCDATA, isTag, isText } from 'domhandler';
import type { Extracted } from '../page/document.ts';
import { readFeedText, toJsonValue, toVisibleLine } from '../page/feed.ts';
import { commonFields } from '../page/feed-fields.ts';
import type { JmespathValue } from '../page/json.ts';
import { jsonRows } from './extract-json.ts';
import type { Extract } from './recipe-schema.ts';
import { RowFields } from './row-fields.ts';

const ownText = ({ children }: Element): string =>
  children
    .map((child) =>
      isText(child)
        ? child.data
        : isCDATA(child)
          ? child.children.map((node) => (isText(node) ? node.data : '')).join('')
          : '',
    )
    .join('')
    .trim();

/**
 * The elements of each entry by tag, including namespaces that the reader does not know; attributes as `enclosure@url`,
 * nested elements as `author/name`. Of several equal ones, the first.
 */
export function entryElements(source: string): Readonly<Record<string, string>>[] {
  if (!/^\s*</.test(source)) return [];
  return load(source, { xml: true })('item, entry')
    .toArray()
    .map((entry) => {
      const elements: Record<string, string> = {};
      const read = (element: Element, tag: string, depth: number) => {
        const own = ownText(element);
        // Atom says where a text is none of HTML.
        const text = element.attribs.type === 'text' ? own : toVisibleLine(own);
        if (text !== '') elements[tag] ??= text;
        for (const [name, value] of Object.entries(element.attribs))
          if (value !== '' && !name.startsWith('xmlns')) elements[`${tag}@${name}`] ??= value;
        if (depth < 2)
          for (const child of element.children)
            if (isTag(child)) read(child, `${tag}/${child.name}`, depth + 1);
      };
      for (const child of entry.children) if (isTag(child)) read(child, child.name, 0);
      return elements;
    });
}

export async function extractFeed(
  source: string,
  extraction: Extract & { kind: 'feed' },
  base: string,
): Promise<Extracted> {
  const feed = await readFeedText(source, base);
  const entries = feed.entries.map(toJsonValue);
  const common = Object.entries(commonFields).filter(([name]) => extraction.only?.includes(name) ?? true);
  const fields = { ...Object.fromEntries(common), ...extraction.fields };
  const usesElements = Object.values(fields).some(({ path }) => /\belements\b/.test(path));
  const elements = usesElements ? entryElements(source) : [];
  const whole =
    elements.length === entries.length
      ? entries.map((entry, index) => withElements(entry, elements[index]))
      : entries;
  const into = new RowFields();
  const rows = jsonRows(whole, fields, base, into);
  const unused = extraction.only === undefined ? feed.unused : [];
  const isUsed = ([name]: [string, unknown]) => !unused.includes(name) || name in (extraction.fields ?? {});
  return {
    kind: 'rows',
    rows: rows.map((row) => Object.fromEntries(Object.entries(row).filter(isUsed))),
    doubts: [...('published' in fields ? feed.doubts : []), ...into.doubts],
  };
}

/** The caller matches entries and XML elements by index, if both lists have the same length. */
const withElements = (
  entry: JmespathValue,
  elements: Readonly<Record<string, string>> | undefined,
): JmespathValue =>
  typeof entry === 'object' && entry !== null && !Array.isArray(entry)
    ? { ...entry, elements: elements ?? {} }
    : entry;
