/** What is to be said of the values of rows, by the elements in which they stand. */
import { type AnyNode, type Element, isTag } from 'domhandler';
import type { Row } from '../page/document.ts';
import { getElements, shownText, tagWithClass } from '../page/elements.ts';
import { AmountTerms } from './amount-terms.ts';
import { ClassMarks } from './class-marks.ts';
import { boxOf, sayStruck, struckText } from './element-box.ts';
import { FurtherTexts } from './further-texts.ts';
import type { HtmlField } from './recipe-schema.ts';
import { Tally } from './tally.ts';
import type { TypedValue } from './values.ts';

const isDigits = (text: string): boolean => /^\p{Nd}+$/u.test(text);

/** The texts of equal elements of digits that nothing divides: "2" and "1" are drawn apart, and read as 21. */
function gluedDigits(element: Element): string[] | undefined {
  const inner = getElements(element);
  if (inner.length < 2) return undefined;
  const texts = inner.map(shownText);
  const areEqual = texts.every(isDigits) && new Set(inner.map(tagWithClass)).size === 1;
  return areEqual && shownText(element) === texts.join('') ? texts : undefined;
}

export class ElementDoubts {
  readonly #further = new FurtherTexts();
  readonly #marks = new ClassMarks();
  readonly #terms = new AmountTerms();
  readonly #glued = new Tally<readonly string[]>();
  readonly #struck = new Tally();

  /** `found`: where the value of the row stands. `isToldElsewhere`: what more stands in it. */
  count(
    name: string,
    field: HtmlField,
    typed: TypedValue,
    found: AnyNode | undefined,
    row: AnyNode | undefined,
    isToldElsewhere = false,
  ): void {
    if (found === undefined || !isTag(found)) return;
    if (!isToldElsewhere) this.#further.count(name, field, found);
    this.#further.countOwn(name, field, found, typed);
    const box = boxOf(found, row);
    this.#marks.count(name, field, typed.value, box);
    this.#terms.count(name, field, typed, found, box, row);
    if (typed.value !== null) this.#struck.add(name, struckText(box));
    if (field.type === 'number') this.#glued.add(name, gluedDigits(found));
  }

  /** Of a row that is given. */
  countRow(element: AnyNode | undefined, row: Row): void {
    this.#marks.countRow(element, row);
  }

  get doubts(): readonly string[] {
    return [
      ...this.#further.doubts,
      ...this.#marks.doubts,
      ...this.#terms.doubts,
      ...this.#glued.explain(
        (name, digits) =>
          `${name}: its numbers are the digits of several elements (${digits.join(' and ')}), which may be numbers of their own.`,
      ),
      ...this.#struck.explain(sayStruck),
    ];
  }
}
