/** What the texts of numbers say beside them, and their rows do not: a page may say more than when its action was built. */
import { hasScale, headUnit } from '../../compare/head-units.ts';
import { findCurrency } from '../../compare/money.ts';
import { loseZeros } from '../../compare/versions.ts';
import { saysTerms } from './amount-terms.ts';
import type { ValueRules } from './recipe-schema.ts';
import { isCurrencyField, type TextRead } from './values.ts';

/** Whether more than a currency stands beside an amount. Who reads a number without a unit does without its unit. */
function losesWords({ reading }: TextRead, unitField: string | undefined): boolean {
  if (reading?.kind !== 'one' && reading?.kind !== 'open') return false;
  if (!isCurrencyField(unitField)) return false;
  const beside = `${reading.before} ${reading.after}`;
  // Some pages say a currency twice, as a sign and as a code.
  const { sign = '', code = '' } = findCurrency(beside) ?? {};
  return /[\p{L}%‰]/u.test(beside.replace(sign, '').replace(code, ''));
}

/** Sentences about a field of numbers. */
export function explainLost(name: string, rules: ValueRules, reads: readonly TextRead[]): string[] {
  if (rules.type !== 'number') return [];
  const lost = reads.find((read) => losesWords(read, rules.unit_field));
  return [
    ...(lost === undefined
      ? []
      : [
          `${name}: the page says more beside its numbers than the rows hold, such as "${lost.text.slice(0, 60)}".`,
        ]),
    ...(rules.unit_field === undefined && loseZeros(reads.map(({ text }) => text))
      ? [
          `${name}: as numbers its values lose zeros at their end, and 1.10 is 1.1; versions are in another order.`,
        ]
      : []),
  ];
}

/** A sentence where the head of a column says how many its numbers count, or are for, and their own units do not. */
export function explainHead(name: string, rules: ValueRules, header = ''): string[] {
  const unit = rules.type === 'number' ? headUnit(header) : undefined;
  const isScaled = unit !== undefined && rules.unit !== unit && hasScale(unit);
  return isScaled || (rules.type === 'number' && isCurrencyField(rules.unit_field) && saysTerms(header))
    ? [`${name}: the head of its column is "${header}"; the numbers are those of its cells.`]
    : [];
}

/** Longer texts beside a table are not about its cells alone. */
const maxBeside = 200;

const isPlainNumber = ({ type, unit = '' }: ValueRules) => type === 'number' && !hasScale(unit);

/** "€ million", "in thousands", "Amounts in Tsd. EUR"; "a city of a million" counts nothing else. */
function saysScale(text: string): boolean {
  const unit = headUnit(text) ?? '';
  return hasScale(unit) && (text === unit || /\bin $/i.test(text.slice(0, -unit.length)));
}

/** A sentence where a text beside a table says how many all of its numbers count. */
export function explainTable(texts: readonly string[], columns: readonly ValueRules[]): string[] {
  const says = (text: string) =>
    text.length <= maxBeside && text.split(/[()[\],;:]/).some((part) => saysScale(part.trim()));
  const text = columns.some(isPlainNumber) ? texts.find(says) : undefined;
  return text === undefined ? [] : [`The table says "${text}"; its numbers are those of its cells.`];
}

/** A sentence where the texts of a field are those of cells with several lines. `texts`: of such cells. */
export function explainLines(name: string, texts: readonly string[] = []): string[] {
  const [first] = texts.filter((text) => text.length <= maxLines);
  return first === undefined
    ? []
    : [`${name}: some cells have several lines, which their value has in one, such as "${first}".`];
}

/** Characters from which lines are those of a longer text. */
const maxLines = 100;
