/** The labels beside the values of rows: a value that the page calls otherwise than before is another one. */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag } from 'domhandler';
import { shownText } from '../page/elements.ts';
import { boxOf, textBeside } from './element-box.ts';
import { ownSelector } from './headings.ts';
import type { HtmlExtract } from './recipe-schema.ts';

/** Rows that are looked at: a label stands in all of them. */
const sampled = 20;
const longest = 40;
const isLabel = (text: string) => text.length <= longest && /\p{L}/u.test(text) && !/\p{Nd}/u.test(text);

/** What a text begins with: "Free:" of "Free: 120", else what stands beside it. */
const labelOf = (element: Element, row: Element): string =>
  /^(\P{Nd}{1,40}?:)(?:\s|\p{Nd})/u.exec(shownText(element))?.[1] ?? textBeside(boxOf(element, row), row);

/** By the names of fields, what all rows say beside their values: "Free:". */
export function labelsOf(
  html: CheerioAPI,
  { fields }: HtmlExtract,
  rows: readonly Element[],
): Readonly<Record<string, string>> {
  const few = rows.slice(0, sampled);
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const select = ownSelector(field);
      if (select === undefined) return [];
      const texts = few.flatMap((row) => {
        const [element] = html(row).find(select).toArray().filter(isTag);
        return element === undefined ? [] : labelOf(element, row);
      });
      const [label = ''] = texts;
      return texts.length > 1 && isLabel(label) && texts.every((text) => text === label)
        ? [[name, label]]
        : [];
    }),
  );
}
