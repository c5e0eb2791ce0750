/** Where the rows of a page stand: suggestions of a search without hits look like its rows, in another place. */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag } from 'domhandler';
import { stableClasses } from '../page/class-names.ts';
import type { Document, Extracted } from '../page/document.ts';
import { getClasses, getParent } from '../page/elements.ts';
import { findStatedCounts, type StatedCounts } from '../page/stated-count.ts';
import type { Built, Extract } from './recipe-schema.ts';

/** The elements of the rows, or the tables that have them. */
function placesOf(html: CheerioAPI, extraction: Extract): Element[] {
  const select =
    extraction.kind === 'html' ? extraction.list : extraction.kind === 'table' ? extraction.table : undefined;
  return select === undefined ? [] : html(select).toArray().filter(isTag);
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

/** What the page says of the number of these rows. */
export const statedOf = ({ html, page }: Document, extraction: Extract): StatedCounts =>
  /html/i.test(page.contentType)
    ? findStatedCounts(html, placesOf(html, extraction))
    : { count: undefined, denial: undefined };

/** To be compared with later: the names around the rows, and words of the page that deny any rows all the same. */
export function readPlaces(document: Document, extraction: Extract): Pick<Built, 'within' | 'denial'> {
  const nearest = placesOf(document.html, extraction).map((place) => namesAround(place)[0] ?? []);
  // Where one stands in the open page, no place is another.
  const within = nearest.some(({ length }) => length === 0) ? [] : [...new Set(nearest.flat())];
  const { denial } = statedOf(document, extraction);
  return { within, ...(denial !== undefined && { denial }) };
}

/** Without rows that are surely others; with what speaks for it where that is not sure. `denial`: as of `statedOf`. */
export function checkPlaces(
  { html }: Document,
  extraction: Extract,
  extracted: Extracted,
  denial: string | undefined,
): Extracted {
  const { within, ...built } = ('built' in extraction && extraction.built) || {};
  if (within === undefined || extracted.kind !== 'rows' || extracted.rows.length === 0) return extracted;
  const places = placesOf(html, extraction).map(namesAround);
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
