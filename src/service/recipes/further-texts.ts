/** Texts of several elements in few rows, which their value has in one: a badge, a state, a second name beside the first. */
import type { Element } from 'domhandler';
import { getElements, shownText } from '../page/elements.ts';
import type { HtmlField } from './recipe-schema.ts';
import { Tally } from './tally.ts';
import type { TypedValue } from './values.ts';

/** Rows of which few can be told. */
const leastRows = 3;
/** Characters from which elements are those of a longer text. */
const maxText = 100;
/** Elements that set a part of a text in another way. */
const formats = /^(?:abbr|b|strong|i|em|u|mark|su[bp]|small|br|wbr|time|code|font|q|cite|bdi|img|s|del|ins)$/;

const shownIn = (element: Element) => getElements(element).filter((one) => shownText(one) !== '');

/** Levels that are looked into. */
const maxDepth = 6;

/** Whether an element stands beside other texts in it, or in the one element that says all of it. */
function hasFurther(element: Element, depth = 0): boolean {
  const inner = shownIn(element);
  const all = inner.find((one) => shownText(one) === shownText(element));
  if (all === undefined) return inner.some(({ name }) => !formats.test(name));
  return depth < maxDepth && hasFurther(all, depth + 1);
}

/** Whether its value is all of an element's text. */
const isWhole = (field: HtmlField): boolean =>
  field.type === 'text' &&
  Object.entries(field).every(
    ([rule, value]) => value === undefined || ['type', 'select', 'header'].includes(rule),
  );

export class FurtherTexts {
  readonly #rows = new Tally();
  readonly #own = new Tally();

  /** `found`: of the field in a row. */
  count(name: string, field: HtmlField, found: Element): void {
    const text = isWhole(field) ? shownText(found) : '';
    if (text !== '') this.#rows.add(name, text.length <= maxText && hasFurther(found) ? text : undefined);
  }

  /** `typed`: what a row has of the text of this element outside of its child elements; that of no number stays a text. */
  countOwn(name: string, field: HtmlField, found: Element, { value, reads }: TypedValue): void {
    const isNone = value === null && reads === undefined;
    if ('own' in field && field.own === true)
      this.#own.add(name, isNone ? shownText(found) || undefined : undefined);
  }

  get doubts(): readonly string[] {
    return [
      ...this.#own.explain((name, first, told, all) =>
        told.length === all
          ? undefined
          : `${name}: null in ${told.length} of ${all} rows whose text stands in a further element, such as "${first.slice(0, maxText)}".`,
      ),
      ...this.#rows.explain((name, first, told, all) =>
        all >= leastRows && told.length * 2 <= all
          ? `${name}: in ${told.length} of ${all} rows its value has the texts of several elements, such as a text and a badge: "${first}".`
          : undefined,
      ),
    ];
  }
}
