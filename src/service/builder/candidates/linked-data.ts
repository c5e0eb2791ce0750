/** The things that a page's JSON-LD speaks of. */
import type { CheerioAPI } from 'cheerio/slim';
import { readScriptValues } from '../../recipes/extract-script.ts';
import { isObject, type JsonObject } from '../page/json-values.ts';
import type { Structure } from './candidate.ts';
import { jsonStructure } from './json-structures.ts';

interface Thing {
  readonly type: string;
  /** JMESPath from the list of scripts to this thing and others like it. */
  readonly path: string;
  readonly row: JsonObject;
}

const maxNested = 2;

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

/** Types that tell about the page and the site, not about what the page is for. */
const notData =
  /^(?:WebSite|WebPage|Organization|BreadcrumbList|ListItem|ItemList|SearchAction|ImageObject|CollectionPage|SiteNavigationElement|Person|WPHeader|WPFooter|HowToSection|HowToStep)$/;
const jsonLd = 'script[type="application/ld+json"]';

export async function findLinkedData(html: CheerioAPI): Promise<Structure[]> {
  const values = (await readScriptValues(html, jsonLd)).map(({ value }) => value);
  const groups = new Map<string, Thing[]>();
  for (const thing of thingsIn(values)) {
    const key = `${thing.path} ${thing.type}`;
    groups.set(key, [...(groups.get(key) ?? []), thing]);
  }
  return [...groups.values()].flatMap((things): Structure[] => {
    const [first, second] = things;
    if (first === undefined || notData.test(first.type)) return [];
    // Objects or lists of objects: JMESPath's [] flattens the one and passes the other.
    const base = first.path.replaceAll('[][]', '[]');
    const type = first.type.replace(/['\\]/g, '');
    const list = `${base} | [?"@type"=='${type}' || contains(to_string("@type"), '"${type}"')]`;
    // Several plugins may state the same thing: that is one record.
    const many = second !== undefined && !things.every(({ row }) => sameName(row, first.row));
    const fullest = things.reduce((most, one) => (getSize(one.row) > getSize(most.row) ? one : most));
    const rows = many
      ? { rows: things.map(({ row }) => row), path: list }
      : { rows: [fullest.row], path: `${list} | [${things.indexOf(fullest)}]` };
    const structure = jsonStructure('structured data', { ...rows, many, about: type }, { script: jsonLd });
    return structure === undefined ? [] : [{ ...structure, type }];
  });
}

const getSize = (row: JsonObject) => Object.keys(row).length;
const sameName = (one: JsonObject, other: JsonObject) =>
  one.name !== undefined && one.name === other.name && one.url === other.url;
