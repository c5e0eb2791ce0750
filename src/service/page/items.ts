/** Microdata and RDFa of a page, in the form of JSON-LD. */
import { type AnyNode, type Element, isTag } from 'domhandler';
import { getLines, imageAddress } from './text.ts';

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
export interface Item {
  readonly [property: string]: Value | readonly Value[];
}

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

/** The item's own properties, with nested items. */
function readProperties(item: Element, syntax: Syntax): Map<string, Value[]> {
  const properties = new Map<string, Value[]>();
  const walk = (element: Element): void => {
    for (const child of element.children.filter(isTag)) {
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
      if (!isItem) walk(child);
    }
  };
  walk(item);
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

export const isItem = (node: AnyNode): node is Element => isTag(node) && findSyntax(node) !== undefined;

/** The item at an element, with its type as `@type`. */
export function readItem(element: Element): Item | undefined {
  const syntax = findSyntax(element);
  return syntax && toItem(element, syntax, readProperties(element, syntax));
}
