/** For how much an amount is, where the page says it beside: "2 nights: 160 €" is no price of one night. */
import type { AnyNode, Element } from 'domhandler';
import { findCurrency } from '../../compare/money.ts';
import { shownText } from '../page/elements.ts';
import { textBeside } from './element-box.ts';
import type { HtmlField } from './recipe-schema.ts';
import { Tally } from './tally.ts';
import { isCurrencyField, type TypedValue } from './values.ts';

/** Characters beside an amount; longer texts are about more than it. */
const maxBeside = 60;
const several =
  '(?:\\d{1,4}|two|three|four|five|six|seven|zwei|drei|vier|fünf|sechs|sieben|deux|trois|quatre|dos|tres|cuatro)';
const behindWord = `(?<![\\p{L}])(?:for|per|pro|für|je|pour|par|por|para|per)\\s+${several}\\s*\\p{L}|[/×x]\\s?\\d+\\s*\\p{L}`;
const ofTimeOrPeople = `(?<![\\p{L}\\d.,])${several}\\s*(?:nights?|n[äa]chte?n?|nuits?|noches?|notti|days?|tagen?|tage|jours?|d[ií]as?|giorni|weeks?|wochen?|semaines?|semanas?|months?|monaten?|monate|mois|mes(?:es)?|people|persons?|personen|personnes?|personas?|persone|adults?|erwachsene|adultes?|adultos?|guests?|gäste|pax)(?!\\p{L})`;
const terms = new RegExp(`${behindWord}|${ofTimeOrPeople}`, 'iu');

/** Whether a text says for how much an amount is. */
export const saysTerms = (text: string): boolean => terms.test(text);

export class AmountTerms {
  readonly #beside = new Tally();

  /** `box`: as of `boxOf`. */
  count(
    name: string,
    field: HtmlField,
    { value, reads = [] }: TypedValue,
    found: Element,
    box: Element,
    row: AnyNode | undefined,
  ): void {
    const [read] = reads;
    if (field.type !== 'number' || typeof value !== 'number' || read === undefined) return;
    const unitField = 'unit_field' in field ? field.unit_field : undefined;
    if (!isCurrencyField(unitField) && findCurrency(read.text) === undefined) return;
    const own = shownText(found).replace(read.text, ' ').trim();
    const beside = own === '' ? textBeside(box, row) : own;
    // Beside another amount it says what that one is for.
    if (beside.length <= maxBeside && saysTerms(beside) && findCurrency(beside) === undefined)
      this.#beside.add(name, beside);
  }

  get doubts(): readonly string[] {
    return this.#beside.explain(
      (name, first) => `${name}: beside its amounts the page says what they are for: "${first}".`,
    );
  }
}
