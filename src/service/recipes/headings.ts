/** Headings that apply to all rows up to the next one: a day, a section, a department. */
import type { CheerioAPI } from 'cheerio/slim';
import { type AnyNode, type Element, hasChildren, isTag } from 'domhandler';
import { isWithin } from '../page/elements.ts';
import { isTab, tabAround } from '../page/panels.ts';
import type { HtmlExtract } from './recipe-schema.ts';

/** From the outermost to the innermost. */
export const headingTags = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'summary'];
/** With more headings than this share of the rows, they belong to the rows. */
export const fewerHeadings = 0.8;

interface HeadingPlace {
  readonly element: Element;
  readonly place: number;
}

/** Summaries of other parts that may stand between a row and its heading. */
const maxSummaries = 50;

const isInParent = (element: Element, { parent }: Element): boolean =>
  parent !== null && isWithin(element, parent);

export class Headings {
  readonly #html: CheerioAPI;
  #places: Map<AnyNode, number> | undefined;
  readonly #cached = new Map<string, readonly HeadingPlace[]>();

  constructor(html: CheerioAPI) {
    this.#html = html;
  }

  /** The position of each element in document order. */
  get #order(): ReadonlyMap<AnyNode, number> {
    if (this.#places !== undefined) return this.#places;
    const places = new Map<AnyNode, number>();
    const walk = (node: AnyNode) => {
      if (isTag(node)) places.set(node, places.size);
      if (hasChildren(node)) for (const child of node.children) walk(child);
    };
    for (const node of this.#html.root().toArray()) walk(node);
    this.#places = places;
    return places;
  }

  #all(selector: string): readonly HeadingPlace[] {
    const cached = this.#cached.get(selector);
    if (cached !== undefined) return cached;
    const headings = this.#html(selector)
      .toArray()
      .flatMap((element): HeadingPlace[] => {
        const place = this.#order.get(element);
        return place === undefined || !isTag(element) ? [] : [{ element, place }];
      })
      .sort((a, b) => a.place - b.place);
    this.#cached.set(selector, headings);
    return headings;
  }

  /** The last matching element that begins before the row, or the tab that shows it; ancestors of the row begin before it too. */
  before(row: AnyNode, selector: string): Element | undefined {
    const all = this.#all(selector);
    // A tab stands above its panel, wherever it is.
    const tab = isTag(row) ? tabAround(row) : undefined;
    if (tab !== undefined && all.some(({ element }) => element === tab)) return tab;
    const heading = all[this.#countBefore(all, row) - 1]?.element;
    // The caption of another table says nothing of this one.
    const isOfOther =
      heading?.name === 'caption' && isTag(row) && row.name === 'tr' && !isInParent(row, heading);
    return isOfOther || (heading !== undefined && isTab(heading)) ? undefined : heading;
  }

  /** Of each row, or table, the last matching element before it that is in none of them; a summary counts for what it opens. */
  around(rows: readonly Element[], selector: string): (Element | undefined)[] {
    const inside = new Set<AnyNode>();
    const mark = (node: AnyNode) => {
      if (inside.has(node)) return;
      inside.add(node);
      if (hasChildren(node)) for (const child of node.children) mark(child);
    };
    for (const row of rows) mark(row);
    const outside = this.#all(selector).filter(({ element }) => !inside.has(element));
    return rows.map((row) => {
      const count = this.#countBefore(outside, row);
      return outside
        .slice(Math.max(count - maxSummaries, 0), count)
        .findLast(({ element }) => element.name !== 'summary' || isInParent(row, element))?.element;
    });
  }

  #countBefore(all: readonly HeadingPlace[], row: AnyNode): number {
    const place = this.#order.get(row) ?? 0;
    let [from, to] = [0, all.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((all[middle]?.place ?? 0) < place) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** The elements that are headings of rows. */
  of(selectors: readonly string[]): ReadonlySet<AnyNode> {
    return new Set(selectors.flatMap((selector) => this.#all(selector).map(({ element }) => element)));
  }
}

/** The selector by which a field is read in its row. */
export const ownSelector = (field: HtmlExtract['fields'][string]): string | undefined =>
  'select' in field && !('above' in field && field.above) ? field.select : undefined;

/** The selectors by which fields are read above their rows. */
export const selectorsAbove = (fields: Readonly<Record<string, object>>): string[] => [
  ...new Set(
    Object.values(fields).flatMap((field) =>
      'above' in field && typeof field.above === 'string' ? [field.above] : [],
    ),
  ),
];
