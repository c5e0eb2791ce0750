/** Items of microdata and RDFa. */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { isTag } from 'domhandler';
import type { Place, Source } from '../columns/place.ts';
import { getElements, getTag, isWithin, shownText } from '../page/elements.ts';
import { type NamedField, type Structure, toExtract, toFields } from './candidate.ts';

interface Dialect {
  readonly item: string;
  readonly property: string;
}
const dialects: readonly Dialect[] = [
  { item: 'itemtype', property: 'itemprop' },
  { item: 'typeof', property: 'property' },
];

const notData =
  /(?:WebSite|WebPage|Organization|BreadcrumbList|ListItem|SearchAction|ImageObject|SiteNavigationElement|Person|WPHeader|WPFooter|WPSideBar|AggregateRating|Rating|NutritionInformation|Offer|PostalAddress|ImageGallery)$/;
const maxProperties = 40;
/** Properties that are lists, also where one element holds the whole list. */
const listProperties = /^(?:recipeIngredient|ingredients?|recipeInstructions|instructions)$/i;
const imageProperties = /^(?:image|thumbnailUrl|photo|logo)$/;
const addressProperties = /^(?:url|sameAs|link)$/;

const toTypeName = (value: string) =>
  value
    .trim()
    .split(/\s+/)[0]
    ?.replace(/^.*[/#:]/, '') ?? '';

export function findMicrodata(html: CheerioAPI): Structure[] {
  return dialects.flatMap((dialect) => {
    const items = new Map<string, Element[]>();
    for (const element of html(`[${dialect.item}]`).toArray().filter(isTag)) {
      const type = toTypeName(element.attribs[dialect.item] ?? '');
      if (type !== '' && !notData.test(type)) items.set(type, [...(items.get(type) ?? []), element]);
    }
    return [...items].flatMap(([type, elements]) => toStructure(type, elements, dialect, html) ?? []);
  });
}

interface Property {
  readonly name: string;
  select: string;
  readonly elements: Element[];
}

/** Its own properties, and those of the items in it: `aggregateRating ratingValue`. */
function findProperties(item: Element, dialect: Dialect, html: CheerioAPI): Map<string, Property> {
  const properties = new Map<string, Property>();
  const quoted = (name: string) => `[${dialect.property}~="${name}"]`;
  const add = (child: Element, owner: string, name: string) => {
    const key = `${owner} ${name}`.trim();
    const property = properties.get(key) ?? { name: key.replace(/\b\w+:/g, ''), select: '', elements: [] };
    if (property.select === '') {
      const around = owner === '' ? '' : `${quoted(owner)} `;
      const plain = `${around}${quoted(name)}`;
      // A nested item may have the same property on another tag.
      const tagged = `${around}${getTag(child)}${quoted(name)}`;
      const isFirst = (select: string) => html(item).find(select).get(0) === child;
      property.select = !isFirst(plain) && isFirst(tagged) ? tagged : plain;
    }
    if (properties.size < maxProperties) properties.set(key, property);
    property.elements.push(child);
  };
  const getNames = ({ attribs }: Element) =>
    (attribs[dialect.property] ?? '').split(/\s+/).filter((name) => /^[\w:-]+$/.test(name));
  const walk = (element: Element, owner: string) => {
    for (const child of getElements(element)) {
      if (child.name === 'nav' || /breadcrumb/i.test(child.attribs.class ?? '')) continue;
      const isItem = child.attribs[dialect.item] !== undefined || child.attribs.itemscope !== undefined;
      const names = getNames(child);
      // A nested item without a property name does not belong to this one.
      if (isItem && names.length === 0) continue;
      for (const name of names) add(child, owner, name);
      walk(child, isItem && owner === '' ? (names[0] ?? '') : owner);
    }
  };
  walk(item, '');
  return properties;
}

/** The attribute that holds the value where the text does not. */
function getAttribute({ name, attribs }: Element): string | undefined {
  if (attribs.content !== undefined) return 'content';
  if (name === 'time' && attribs.datetime !== undefined) return 'datetime';
  if (name === 'link') return 'href';
  return undefined;
}

function toPlace({ name, select, elements }: Property, html: CheerioAPI): Place | undefined {
  const [first] = elements;
  if (first === undefined) return undefined;
  const own = name.split(' ').at(-1) ?? name;
  const attribute = getAttribute(first);
  const isImage = imageProperties.test(own);
  const isList = listProperties.test(own);
  // One element may have all items of a list.
  const inner =
    isList && elements.length === 1
      ? ['li', 'p', 'tr'].find((tag) => html(first).find(tag).length > 1)
      : undefined;
  const source: Source = {
    select: inner === undefined ? select : `${select} ${inner}`,
    ...(attribute === undefined ? {} : { attribute }),
    ...(isList || (elements.length > 1 && !isImage && !/ /.test(name)) ? { all: true } : {}),
  };
  const isAddress = addressProperties.test(own) && (attribute === 'href' || first.name === 'a');
  return {
    source,
    label: name,
    names: /^(?:author|creator|publisher) name$/.test(name) ? [name.replace(' name', '')] : [own, name],
    hint: isImage ? 'image' : isAddress ? 'url' : undefined,
    ...(/^(?:name|headline)$/.test(name) ? { isTitle: true } : {}),
  };
}

function toStructure(
  type: string,
  elements: readonly Element[],
  dialect: Dialect,
  html: CheerioAPI,
): Structure | undefined {
  const outer = elements.filter((one) => !elements.some((other) => one !== other && isWithin(one, other)));
  const [first] = outer;
  if (first === undefined || outer.every((element) => shownText(element) === '')) return undefined;
  const stated = first.attribs[dialect.item]?.trim() ?? type;
  const list = `[${dialect.item}$="${stated.replace(/^.*(?=[/#:])/, '').replace(/["\\]/g, '')}"]`;
  const many = outer.length > 1;
  const properties = new Map(
    outer
      .slice(0, 20)
      .reverse()
      .flatMap((element) => [...findProperties(element, dialect, html)]),
  );
  const places = [...properties.values()].flatMap((property) => toPlace(property, html) ?? []);
  if (places.length < 2) return undefined;
  const within = (field: NamedField) => ({
    ...field,
    source: { ...field.source, select: `${list} ${field.source.select ?? ''}`.trim() },
  });
  return {
    kind: 'structured data',
    many,
    rows: outer.length,
    about: type,
    type,
    element: first,
    places,
    toExtract: toExtract((fields) => ({
      kind: 'html',
      ...(many ? { list } : {}),
      fields: toFields(many ? fields : fields.map(within)),
    })),
  };
}
