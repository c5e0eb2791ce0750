/** XML that is data: what its root is, and its elements as JSON. */
import { load } from 'cheerio/slim';
import { type Element, isCDATA, isTag, isText } from 'domhandler';
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
