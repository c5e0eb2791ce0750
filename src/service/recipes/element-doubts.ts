/** What is to be said of the values of rows, by the elements in which they stand. */
import type { AnyNode } from 'domhandler';
import type { Row } from '../page/document.ts';
import { AmountTerms } from './amount-terms.ts';
import { ClassMarks } from './class-marks.ts';
import { FurtherTexts } from './further-texts.ts';
import type { HtmlField } from './recipe-schema.ts';
import type { TypedValue } from './values.ts';

export class ElementDoubts {
  readonly #further = new FurtherTexts();
  readonly #marks = new ClassMarks();
  readonly #terms = new AmountTerms();

  /** `found`: where the value of the row stands. `isToldElsewhere`: what more stands in it. */
  count(
    name: string,
    field: HtmlField,
    typed: TypedValue,
    found: AnyNode | undefined,
    row: AnyNode | undefined,
    isToldElsewhere = false,
  ): void {
    if (!isToldElsewhere) this.#further.count(name, field, found);
    this.#further.countOwn(name, field, found, typed.value);
    this.#marks.count(name, field, typed.value, found, row);
    this.#terms.count(name, field, typed, found, row);
  }

  /** Of a row that is given. */
  countRow(element: AnyNode | undefined, row: Row): void {
    this.#marks.countRow(element, row);
  }

  get doubts(): readonly string[] {
    return [...this.#further.doubts, ...this.#marks.doubts, ...this.#terms.doubts];
  }
}
