/** Texts that have a further element in few rows: a badge, a state, a second name, which their value has in one with the rest. */
import { type AnyNode, type Element, isTag } from 'domhandler';
import { getElements, shownText } from '../page/elements.ts';
import { addTo } from '../page/grouping.ts';
import type { HtmlField } from './recipe-schema.ts';

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
  readonly #rows = new Map<string, { all: number; texts: string[] }>();
  readonly #own = new Map<string, string[]>();

  /** `found`: of the field in a row. */
  count(name: string, field: HtmlField, found: AnyNode | undefined): void {
    if (found === undefined || !isTag(found) || !isWhole(field)) return;
    const text = shownText(found);
    if (text === '') return;
    const rows = this.#rows.get(name) ?? { all: 0, texts: [] };
    this.#rows.set(name, rows);
    rows.all += 1;
    if (text.length <= maxText && hasFurther(found)) rows.texts.push(text);
  }

  /** `value`: what a row has of the text of this element outside of its child elements. */
  countOwn(name: string, field: HtmlField, found: AnyNode | undefined, value: unknown): void {
    if (!('own' in field) || field.own !== true || found === undefined) return;
    const inChild = value === null ? shownText(found) : '';
    addTo(this.#own, name, inChild);
  }

  get doubts(): readonly string[] {
    const inChildren = [...this.#own].flatMap(([name, texts]) => {
      const lost = texts.filter((text) => text !== '');
      return lost.length === 0 || lost.length === texts.length
        ? []
        : `${name}: null in ${lost.length} of ${texts.length} rows whose text stands in a further element, such as "${lost[0]?.slice(0, maxText)}".`;
    });
    return [...inChildren, ...this.#amongTexts];
  }

  get #amongTexts(): readonly string[] {
    return [...this.#rows].flatMap(([name, { all, texts }]) => {
      const [first] = texts;
      const areFew = all >= leastRows && texts.length * 2 <= all;
      return first === undefined || !areFew
        ? []
        : `${name}: in few rows its text has a further one in it, such as a badge, which is part of the value: "${first}".`;
    });
  }
}
