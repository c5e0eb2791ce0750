/** The page's structured data: things of JSON-LD, items of microdata and RDFa. */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { groupBy } from '../../page/grouping.ts';
import { isObject, type JsonObject } from '../../page/json.ts';
import { readScriptValues } from '../../page/scripts.ts';
import { toStringLiteral } from '../../page/text.ts';
import type { Structure } from './candidate.ts';
import { jsonStructure } from './json-structures.ts';

interface Thing {
  readonly type: string;
  /** JMESPath from the list of scripts to this thing and others like it. */
  readonly path: string;
  readonly row: JsonObject;
}

const maxNested = 2;
/** Types of items that are looked at. */
const maxTypes = 20;

/** All things in the values, also those inside lists of items, graphs and main entities. */
function thingsIn(values: readonly unknown[]): Thing[] {
  const things: Thing[] = [];
  const add = (row: JsonObject, path: string, depth: number) => {
    const [type] = [row['@type']].flat();
    if (typeof type === 'string') things.push({ type, path, row });
    if (depth >= maxNested) return;
    const items: unknown[] = type === 'BreadcrumbList' ? [] : [row.itemListElement ?? []].flat();
    for (const item of items.filter(isObject)) {
      if (isObject(item.item)) add(item.item, `${path}[].itemListElement[].item`, depth + 1);
      else add(item, `${path}[].itemListElement[]`, depth + 1);
    }
    for (const key of ['mainEntity', 'mainEntityOfPage', 'hasPart'])
      for (const entity of [row[key] ?? []].flat())
        if (isObject(entity)) add(entity, `${path}[].${key}[]`, depth + 1);
  };
  for (const value of values.flat()) {
    if (!isObject(value)) continue;
    const graph = value['@graph'];
    if (Array.isArray(graph)) for (const node of graph.filter(isObject)) add(node, '[]."@graph"[]', 0);
    else add(value, '[]', 0);
  }
  return things;
}

/** Types that describe the page or the site, not the page's subject. */
const notData =
  /^(?:WebSite|WebPage|Organization|BreadcrumbList|ListItem|ItemList|SearchAction|ImageObject|ImageGallery|CollectionPage|SiteNavigationElement|Person|WPHeader|WPFooter|WPSideBar|HowToSection|HowToStep|AggregateRating|Rating|NutritionInformation|Offer|PostalAddress)$/;
const jsonLd = 'script[type="application/ld+json"]';

export function findLinkedData(html: CheerioAPI): Structure[] {
  const values = readScriptValues(html, jsonLd).map(({ value }) => value);
  const groups = groupBy(thingsIn(values), ({ path, type }) => `${path} ${type}`);
  return [...groups.values()].flatMap((things): Structure[] => {
    const [first, second] = things;
    if (first === undefined || notData.test(first.type)) return [];
    // Objects or lists of objects: JMESPath's [] flattens the one and passes the other.
    const base = first.path.replaceAll('[][]', '[]');
    const type = first.type.replace(/['\\]/g, '');
    const list = `${base} | [?"@type"=='${type}' || contains(to_string("@type"), '"${type}"')]`;
    // Several plugins may repeat the same thing; that is still one record.
    const many = second !== undefined && !things.every(({ row }) => sameName(row, first.row));
    const fullest = things.reduce((most, one) => (getSize(one.row) > getSize(most.row) ? one : most));
    const rows = many
      ? { rows: things.map(({ row }) => row), path: list }
      : { rows: [fullest.row], path: `${list} | [${things.indexOf(fullest)}]` };
    const structure = jsonStructure('structured data', { ...rows, many, about: type }, jsonLd);
    return structure === undefined ? [] : [{ ...structure, type }];
  });
}

const getSize = (row: JsonObject) => Object.keys(row).length;
const sameName = (one: JsonObject, other: JsonObject) =>
  one.name !== undefined && one.name === other.name && one.url === other.url;

/** Microdata and RDFa: for each type the items that are not nested in an item of the same type. */
export function findMicrodata(html: CheerioAPI): Structure[] {
  const types = new Map<string, string>();
  for (const attribute of ['itemtype', 'typeof'])
    for (const { attribs } of html<Element, string>(`[${attribute}]`).toArray()) {
      const stated = attribs[attribute]?.trim() ?? '';
      const type = /^(?:\S*[/#:])?([\w-]+)/.exec(stated)?.[1] ?? '';
      const select = `[${attribute}$=${toStringLiteral(stated.replace(/^.*(?=[/#:])/, ''))}]`;
      if (type !== '' && !notData.test(type)) types.set(select, type);
    }
  const structures: Structure[] = [];
  for (const [script, type] of [...types].slice(0, maxTypes)) {
    const rows = readScriptValues(html, script).flatMap(({ value }) => (isObject(value) ? [value] : []));
    const many = rows.length > 1;
    const path = many ? '[]' : '[0]';
    const structure = jsonStructure('structured data', { rows, many, path, about: type }, script);
    if (structure !== undefined && structure.places.length > 1) structures.push({ ...structure, type });
  }
  return structures;
}
