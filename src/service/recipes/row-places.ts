/** Where the rows of a page stand: suggestions of a search without hits look like its rows, in another place. */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag } from 'domhandler';
import type { Document, Extracted } from '../page/document.ts';
import {
  elementsAround,
  getClasses,
  getElements,
  getParent,
  shownText,
  stableClasses,
  tagWithClass,
} from '../page/elements.ts';
import { findStatedCounts, type StatedCounts } from '../page/stated-count.ts';
import { isBesideContent } from '../page/surroundings.ts';
import { ownSelector } from './headings.ts';
import type { Built, Extract } from './recipe-schema.ts';

/** Names that are said. */
const maxNames = 3;
/** Elements outside of rows that are looked at. */
const maxElsewhere = 400;

/** Where the rows stand, and what the page says of their number. */
export interface Places extends StatedCounts {
  /** The elements of the rows, or the tables that have them. */
  readonly elements: readonly Element[];
}

export function findPlaces({ html, page }: Document, extraction: Extract): Places {
  const select =
    extraction.kind === 'html' ? extraction.list : extraction.kind === 'table' ? extraction.table : undefined;
  const elements = select === undefined ? [] : html(select).toArray().filter(isTag);
  const isPage = /html/i.test(page.contentType);
  return { elements, count: undefined, denial: undefined, ...(isPage && findStatedCounts(html, elements)) };
}

/** The id and the classes of each element around that has any, the nearest first; empty where only the page is around. */
function namesAround(element: Element): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  for (let around = getParent(element); around !== null; around = getParent(around)) {
    if (around.name === 'body' || around.name === 'html') return found;
    const { id = '' } = around.attribs;
    const names = stableClasses([...(/\d/.test(id) ? [] : [id]), ...getClasses(around)]);
    if (names.length > 0) found.push(names);
  }
  return found;
}

/** What of a row no other row is in: the row, or what is around it alone. */
export function boxesOf(rows: readonly Element[]): Element[] {
  const counts = new Map<Element, number>();
  for (const row of rows)
    for (let around = getParent(row); around !== null; around = getParent(around))
      counts.set(around, (counts.get(around) ?? 0) + 1);
  return rows.map((row) => {
    let box = row;
    for (let around = getParent(row); around !== null && counts.get(around) === 1; around = getParent(around))
      box = around;
    return box;
  });
}

/** Rows of one element each, and by what they and their fields are found. */
interface FoundRows {
  readonly list: string;
  readonly rows: readonly Element[];
  readonly selectors: readonly string[];
}

/** Undefined where fewer than two rows, or no such ones, tell what is like them. */
function findRows({ elements: rows }: Places, extraction: Extract): FoundRows | undefined {
  if (extraction.kind !== 'html' || extraction.list === undefined || extraction.siblings === true)
    return undefined;
  const { list, fields } = extraction;
  const selectors = Object.values(fields).flatMap((field) => ownSelector(field) ?? []);
  return rows.length < 2 || selectors.length === 0 ? undefined : { list, rows, selectors };
}

/** What stands among the rows that is none of them, though something in it is found as it is in a row. */
function besidesOf(html: CheerioAPI, { list, rows, selectors }: FoundRows): Element[] {
  const boxes = new Set(boxesOf(rows));
  const parents = new Set([...boxes].map(getParent).filter((parent) => parent !== null));
  return [...parents]
    .flatMap((parent) => getElements(parent))
    .filter(
      (one) =>
        !boxes.has(one) &&
        html(one).find(list).length === 0 &&
        html(one).find(selectors.join(', ')).length > 0 &&
        shownText(one) !== '',
    );
}

/** A selector that says more than a tag, or a place. */
const isNamed = (select: string) => /[.#[]/.test(select.replace(/:[\w-]+\([^)]*\)/g, ''));
/** The least share of the fields with names that an element beside the rows has as well. */
const mostFields = 0.6;

/** What around an element no row is in, or is in a row: the outermost; undefined where that is all of the page. */
function boxBeside(element: Element, around: ReadonlySet<Element>): Element | undefined {
  let box: Element | undefined;
  for (let node: Element | null = element; node !== null; node = getParent(node)) {
    if (around.has(node)) return box;
    box = node;
  }
  return undefined;
}

/** Elements elsewhere in the page that have most of what rows have, such as the first story in a box of its own. */
function rowsElsewhere(html: CheerioAPI, { rows, selectors }: FoundRows): Element[] {
  const named = new Set(selectors.filter(isNamed));
  if (named.size < 2) return [];
  const inRows = new Set(rows);
  const around = elementsAround(rows);
  const isInRow = (element: Element) => {
    for (let node: Element | null = element; node !== null; node = getParent(node))
      if (inRows.has(node)) return true;
    return false;
  };
  const counts = new Map<Element, number>();
  for (const select of named) {
    const found = html(select).toArray().filter(isTag).slice(0, maxElsewhere);
    const shown = found.filter((one) => shownText(one) !== '' && !isInRow(one));
    for (const box of new Set(shown.map((one) => boxBeside(one, around))))
      if (box !== undefined) counts.set(box, (counts.get(box) ?? 0) + 1);
  }
  const least = Math.max(2, named.size * mostFields);
  return [...counts].flatMap(([box, count]) => (count >= least && !isBesideContent(box) ? box : []));
}

const kindsOf = (elements: readonly Element[]) =>
  [...new Set(elements.map(tagWithClass))].slice(0, maxNames).join(', ');
const mayBeRows = (count: number) =>
  count === 1 ? 'it may be a row, and is not given.' : 'they may be rows, and are not given.';

/** Sentences about what has most of what rows have, and what stands among the rows and did not when the action was built. */
export function explainNearRows({ html }: Document, extraction: Extract, places: Places): string[] {
  const found = findRows(places, extraction);
  if (found === undefined) return [];
  const elsewhere = rowsElsewhere(html, found);
  const known = ('built' in extraction && extraction.built?.besides) || undefined;
  const isNew = (one: Element) => known?.includes(tagWithClass(one)) === false && !elsewhere.includes(one);
  const joined = known === undefined ? [] : besidesOf(html, found).filter(isNew);
  return [
    ...(elsewhere.length === 0
      ? []
      : [
          `Beside the rows ${elsewhere.length === 1 ? '1 element has' : `${elsewhere.length} elements have`} most of what they have (${kindsOf(elsewhere)}): ${mayBeRows(elsewhere.length)}`,
        ]),
    ...(joined.length === 0
      ? []
      : [
          `Among the rows ${joined.length === 1 ? 'stands 1 more element' : `stand ${joined.length} more elements`} (${kindsOf(joined)}) of a kind that was not there when the action was built, with something of what rows have: ${mayBeRows(joined.length)}`,
        ]),
  ];
}

/**
 * To be compared with later: the names around the rows, what else stands among them, and words of the page that deny any rows
 * all the same.
 */
export function readPlaces(
  { html }: Document,
  extraction: Extract,
  places: Places,
): Pick<Built, 'within' | 'denial' | 'besides'> {
  const nearest = places.elements.map((place) => namesAround(place)[0] ?? []);
  // Where one stands in the open page, no place is another.
  const within = nearest.some(({ length }) => length === 0) ? [] : [...new Set(nearest.flat())];
  const { denial } = places;
  const found = findRows(places, extraction);
  const besides = [...new Set(found === undefined ? [] : besidesOf(html, found).map(tagWithClass))];
  const isOfRows = extraction.kind === 'html';
  return { within, ...(denial !== undefined && { denial }), ...(isOfRows && { besides }) };
}

/** Without rows that are surely others; with what speaks for it where that is not sure. */
export function checkPlaces(
  extraction: Extract,
  extracted: Extracted,
  { elements, denial }: Places,
): Extracted {
  const { within, ...built } = ('built' in extraction && extraction.built) || {};
  if (within === undefined || extracted.kind !== 'rows' || extracted.rows.length === 0) return extracted;
  const places = elements.map(namesAround);
  const others = places.filter(
    (around) => around.length > 0 && !around.flat().some((name) => within.includes(name)),
  );
  const isElsewhere = within.length > 0 && others.length > 0;
  const isDenied = denial !== undefined && denial !== built.denial;
  const doubt = (text: string) => ({ ...extracted, doubts: [...(extracted.doubts ?? []), text] });
  const said = `The page says "${denial}".`;
  if (isElsewhere && isDenied && others.length === places.length)
    return {
      kind: 'rows',
      rows: [],
      doubts: [
        `${said} Rows that stand elsewhere than when the action was built, such as suggestions, are not given.`,
      ],
    };
  if (isDenied) return doubt(`${said} These rows may be something else, such as suggestions.`);
  if (!isElsewhere) return extracted;
  const all = others.length === places.length ? 'The' : 'Some';
  return doubt(
    `${all} rows stand in "${others[0]?.[0]?.join(' ') ?? ''}", and when the action was built in "${within.join(' ')}": they may be something else, such as suggestions.`,
  );
}
