/** The things that a page's JSON-LD speaks of. */
import type { CheerioAPI } from 'cheerio/slim';
import { heldBy } from '../recipes/extract-script.ts';
import type { Candidate } from './candidate.ts';
import { isRow, type Row } from './json-columns.ts';
import { listCandidate, recordCandidate } from './json-lists.ts';
import { wordsOf } from './words.ts';

interface Thing {
  readonly type: string;
  /** Finds it, and others, from the list of scripts. */
  readonly path: string;
  readonly row: Row;
}

/** Lists of items and graphs are opened. */
function thingsIn(values: readonly unknown[]): Thing[] {
  const things: Thing[] = [];
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

export async function jsonLdCandidates(html: CheerioAPI): Promise<Candidate[]> {
  const values = (await heldBy(html, jsonLd)).map(({ value }) => value);
  const groups = new Map<string, Thing[]>();
  for (const thing of thingsIn(values)) {
    const key = `${thing.path} ${thing.type}`;
    groups.set(key, [...(groups.get(key) ?? []), thing]);
  }
  return [...groups.values()].flatMap((things): Candidate[] => {
    const [first, second] = things;
    if (first === undefined || notData.test(first.type)) return [];
    // Objects or lists of objects: JMESPath's [] flattens the one and passes the other.
    const base = first.path.replace(/^\[\]\[\]/, '[]').replaceAll('[][]', '[]');
    const list = `${base} | [?"@type"=='${first.type}' || contains(to_string("@type"), '"${first.type}"')]`;
    const about = wordsOf(first.type);
    const place = { script: jsonLd };
    const candidate =
      second === undefined
        ? recordCandidate(
            'structured data',
            { path: `${list} | [0]`, row: first.row, about, thing: about },
            place,
          )
        : listCandidate(
            'structured data',
            { list, rows: things.map(({ row }) => row), about, thing: about },
            place,
          );
    return candidate === undefined ? [] : [candidate];
  });
}
