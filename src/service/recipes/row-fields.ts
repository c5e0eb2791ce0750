/**
 * Sets the fields of rows. Which of two readings a value has, the others of its field tell, else those of the page, else what
 * the recipe says: a page may write its values otherwise than when the action was built.
 */
import type { AnyNode } from 'domhandler';
import { timeOfDay, timeZone } from '../../compare/date.ts';
import type { DecimalMark } from '../../compare/number.ts';
import { decimalMarkOf, disagree, hasLetter, mixesLetters, toldMarks } from '../../compare/number-set.ts';
import type { Document, Row } from '../page/document.ts';
import { shownText } from '../page/elements.ts';
import { addTo } from '../page/grouping.ts';
import { type DateForm, orderInRules, readDateText } from './date-values.ts';
import { explainLost } from './lost-texts.ts';
import type { ValueRules } from './recipe-schema.ts';
import { totalRowText } from './total-row.ts';
import type { TextRead, TypedValue } from './values.ts';

type PageMarks = Pick<Document, 'decimalMark' | 'toldMark' | 'isMonthFirst' | 'toldOrder'>;
type Reading = TextRead['reading'];

interface Waiting {
  readonly row: Row;
  readonly reads: readonly TextRead[];
}

interface Field {
  readonly name: string;
  readonly rules: ValueRules;
  readonly waiting: Waiting[];
}

const isDateReading = (reading: NonNullable<Reading>): reading is DateForm =>
  reading.kind === 'date' || reading.kind === 'open date';

const numbersOf = (readings: readonly Reading[]) =>
  readings.filter((one) => one !== undefined).filter((one) => !isDateReading(one));

/** How the values of a field are written: a decimal mark, or whether the month comes first. */
type Way = DecimalMark | boolean;

/** How a field is read: its way, whether brackets mean a minus, and whether letters are mixed: `1k` beside `2m`. */
interface Settled {
  readonly way: Way | undefined;
  readonly isAccount: boolean;
  readonly isMixed: boolean;
}

/** What the values of a field tell of the way that they are written. */
function toldWays(readings: readonly Reading[]): Set<Way> {
  const present = readings.filter((reading) => reading !== undefined);
  const orders = present.filter(isDateReading).flatMap(({ isMonthFirst }) => isMonthFirst ?? []);
  return new Set<Way>([...orders, ...toldMarks(numbersOf(readings))]);
}

const builtWay = (rules: ValueRules): Way | undefined =>
  rules.type === 'number' ? rules.decimal : orderInRules(rules);

const isOpen = (reading: Reading): boolean => reading?.kind === 'open' || reading?.kind === 'open date';

const hasOtherMark = (reading: Reading): boolean =>
  reading?.kind === 'open date' && reading.isOtherMark === true;

const isInBrackets = (reading: Reading): boolean =>
  reading !== undefined && 'isInBrackets' in reading && reading.isInBrackets === true;

/** Whether brackets mean a minus among these numbers of one field: some stand in brackets, and some do not, none with a minus. */
function hasAccounts(readings: readonly Reading[]): boolean {
  const numbers = readings.filter((one) => one?.kind === 'one' || one?.kind === 'open');
  const isMinus = (one: Reading) => one?.kind === 'one' && !isInBrackets(one) && Number(one.value) < 0;
  return numbers.some(isInBrackets) && !numbers.every(isInBrackets) && !numbers.some(isMinus);
}

/** Whether its brackets may be others than an account's, or its `m` metres as well as millions. */
const isUnclear = (reading: Reading, { isAccount, isMixed }: Settled): boolean =>
  (isInBrackets(reading) && !isAccount) ||
  (isMixed && reading !== undefined && !isDateReading(reading) && hasLetter(reading, 'm'));

/** The value of a text that is written in a way; the text, where the way of one with two readings is not known. */
function settledValue({ text, reading }: TextRead, settled: Settled, value: unknown): unknown {
  if (reading === undefined || isUnclear(reading, settled)) return text;
  if (!isOpen(reading)) return value;
  const { way } = settled;
  if (reading.kind === 'open') return way === '.' || way === ',' ? reading.values[way] : text;
  if (reading.kind !== 'open date' || reading.values === undefined) return value;
  return way === undefined ? text : way === true ? reading.values.monthFirst : reading.values.dayFirst;
}

/** Whether the text of a value stays, because it has not one reading. */
const staysText = ({ reading }: TextRead, settled: Settled): boolean =>
  reading === undefined ||
  isUnclear(reading, settled) ||
  reading.kind === 'range' ||
  reading.kind === 'unclear' ||
  (isOpen(reading) && settled.way === undefined);

export class RowFields {
  readonly #page: PageMarks | undefined;
  readonly #cutsTimes: boolean;
  readonly #emptyTexts: string[] = [];
  readonly #fields = new Map<string, Field>();
  readonly #doubts: string[] = [];
  readonly #unmatched = new Map<string, { readonly row: Row; readonly text: string }[]>();
  readonly #timesBehind = new Map<string, { readonly row: Row; readonly text: string }[]>();

  /** `cutsTimes`: the recipe, as one that somebody wrote, leaves out the times of dates, and entries, on purpose. */
  constructor(page?: PageMarks, cutsTimes = true) {
    this.#page = page;
    this.#cutsTimes = cutsTimes;
  }

  /** What is to be said of the values, as sentences, when the rows are settled. */
  get doubts(): readonly string[] {
    return this.#doubts;
  }

  /** Sets a field, and its unit's field, in a row. False where a required value is missing. */
  set(
    row: Row,
    name: string,
    rules: ValueRules,
    { value: raw, unit, reads, unmatched, timeBehind }: TypedValue,
  ): boolean {
    const value = raw ?? rules.default ?? null;
    // A default says what the absence means.
    if (unmatched !== undefined && rules.default === undefined)
      addTo(this.#unmatched, name, { row, text: unmatched });
    if (timeBehind !== undefined && !this.#cutsTimes)
      addTo(this.#timesBehind, name, { row, text: timeBehind });
    row[name] = value;
    if (rules.unit_field !== undefined) row[rules.unit_field] = unit ?? null;
    if (reads !== undefined && (raw !== null || value === null)) {
      const field = this.#fields.get(name) ?? { name, rules, waiting: [] };
      this.#fields.set(name, field);
      field.waiting.push({ row, reads });
    }
    return rules.required !== true || value !== null;
  }

  /** Whether a row that is not settled has no value at all: a spacer, an advertisement, or an entry of other markup. */
  isEmpty(row: Row, element: AnyNode | undefined): boolean {
    const isEmpty = hasNoValue(row);
    const text = isEmpty && !this.#cutsTimes && element !== undefined ? shownText(element) : '';
    if (text !== '') this.#emptyTexts.push(text);
    return isEmpty;
  }

  /** Call it once, with the rows that stay; a text that is no value of its field is in its row only then. */
  settle(rows: readonly Row[]): void {
    const kept = new Set(rows);
    const fields = [...this.#fields.values()].map(({ waiting, ...field }) => {
      const own = waiting.filter(({ row }) => kept.has(row));
      const readings = own.flatMap(({ reads }) => reads.map(({ reading }) => reading));
      return { ...field, waiting: own, readings, built: builtWay(field.rules), told: toldWays(readings) };
    });
    // A page that turned to another way did so in all of its fields.
    const turned = new Set(
      fields.flatMap(({ built, told }) => (built === undefined || told.has(built) ? [] : [...told])),
    );
    const isAccount = fields.some(({ readings }) => hasAccounts(readings));
    for (const field of fields) {
      const isTurned = [...turned].some((way) => typeof way === typeof field.built && way !== field.built);
      const way = this.#wayOf(field, isTurned);
      const settledAs = { way, isAccount, isMixed: mixesLetters(numbersOf(field.readings)) };
      this.#say(field, settledAs);
      this.#sayZones(field);
      for (const { row, reads } of field.waiting) {
        const value = row[field.name];
        const settled = (one: unknown, index: number) => {
          const read = reads[index];
          return read === undefined ? one : settledValue(read, settledAs, one);
        };
        row[field.name] = Array.isArray(value) ? value.map(settled) : settled(value, 0);
      }
    }
    for (const [name, some] of this.#unmatched) {
      const own = some.filter(({ row }) => kept.has(row));
      if (own[0] !== undefined)
        this.#doubts.push(
          `${name}: null in ${own.length} of ${rows.length} rows whose text has another form than the others, such as "${own[0].text}".`,
        );
    }
    for (const [name, some] of this.#timesBehind) {
      const isInRow = ({ row, text }: (typeof some)[number]) =>
        Object.values(row).some((value) => typeof value === 'string' && value.includes(text));
      const lost = some.find((one) => kept.has(one.row) && !isInRow(one));
      if (lost !== undefined)
        this.#doubts.push(
          `${name}: the page has times behind its dates that the rows do not hold, such as "${lost.text}".`,
        );
    }
    this.#doubts.push(...explainEmpty(this.#emptyTexts));
    const numbers = fields.filter(({ rules }) => rules.type === 'number').map(({ name }) => name);
    const totalText = totalRowText(rows, numbers);
    if (totalText !== undefined) this.#doubts.push(totalText);
  }

  /** Undefined where nothing tells, or the values contradict each other. */
  #wayOf({ rules, readings, built, told }: Told, isTurned: boolean): Way | undefined {
    if (told.size > 1) return undefined;
    const [own] = told;
    if (own !== undefined || !readings.some(isOpen)) return own ?? built;
    const numbers = numbersOf(readings);
    if (disagree(numbers)) return undefined;
    if (built === undefined)
      return rules.type === 'number'
        ? (decimalMarkOf(numbers) ?? this.#page?.decimalMark)
        : this.#page?.isMonthFirst;
    if (isTurned) return typeof built === 'boolean' ? !built : built === '.' ? ',' : '.';
    if (readings.filter(isOpen).every(hasOtherMark)) return this.#page?.isMonthFirst;
    return (typeof built === 'boolean' ? this.#page?.toldOrder : this.#page?.toldMark) ?? built;
  }

  /** A time without a zone that it or its column says is taken as UTC, which it seldom is. */
  #sayZones({ name, rules, waiting }: Told): void {
    if (rules.type !== 'date') return;
    const times = waiting.flatMap(({ reads }) =>
      reads.flatMap(({ text, reading }) => (reading !== undefined && timeOfDay.test(text) ? text : [])),
    );
    const zoned = times.filter((text) => rules.zone !== undefined || timeZone.test(text)).length;
    if (zoned < times.length)
      this.#doubts.push(
        zoned === 0
          ? `${name}: its times name no time zone that is known; they are given as if they were in UTC.`
          : `${name}: some times name their zone; the others are taken as UTC, which may be wrong.`,
      );
    const { zone: _, ...local } = rules;
    const dayOf = (text: string, as: ValueRules) => readDateText(text, as).value?.slice(0, 10);
    const moved = times.find((text) => {
      const shown = /Z\)?$/.test(text) ? undefined : dayOf(text.replace(timeZone, ''), local);
      return shown !== undefined && shown !== dayOf(text, rules);
    });
    if (moved !== undefined)
      this.#doubts.push(
        `${name}: times are given in UTC, where some are of another day than the page says, such as "${moved}".`,
      );
  }

  /** Dates with two readings between marks that do not tell, where those of the build did. */
  #explainOtherMarks(name: string, readings: readonly Reading[]): string[] {
    const open = readings.filter(isOpen);
    if (open.length === 0 || !open.every(hasOtherMark) || this.#page?.toldOrder !== undefined) return [];
    return [
      `${name}: its dates have no points as when the action was built, and some have two readings; the language of the page or its country tells the order of day and month.`,
    ];
  }

  #say({ name, rules, waiting, readings, built, told }: Told, settled: Settled): void {
    const { way } = settled;
    const others = [...told, ...(way === undefined ? [] : [way])].filter((one) => one !== built);
    if (built !== undefined && others.length > 0) this.#doubts.push(turnedText(name, built, way));
    else if (way !== undefined) this.#doubts.push(...this.#explainOtherMarks(name, readings));
    const reads = waiting.flatMap((one) => one.reads);
    this.#doubts.push(...explainLost(name, rules, reads));
    const stays = reads.map((read) => staysText(read, settled));
    if (!stays.includes(true)) return;
    const kind = rules.type === 'number' ? 'number' : 'date';
    this.#doubts.push(
      stays.includes(false)
        ? `${name}: some values are not clearly one ${kind}; they stay the texts that the page shows.`
        : `${name}: no value is clearly one ${kind}; they stay the texts that the page shows.`,
    );
  }
}

interface Told extends Field {
  readonly readings: readonly Reading[];
  readonly built: Way | undefined;
  readonly told: Set<Way>;
}

/** The page writes a field otherwise than the recipe says. */
function turnedText(name: string, built: Way, way: Way | undefined): string {
  const written =
    typeof built === 'boolean'
      ? 'dates are written in another order of day and month'
      : 'numbers are written with another decimal mark';
  const outcome =
    way === undefined
      ? 'in others as before: a value with two readings stays a text'
      : 'they are read as the page writes them now';
  return `${name}: ${written} than when the action was built${way === undefined ? ', ' : '; '}${outcome}.`;
}

const hasNoValue = (row: Row): boolean =>
  Object.values(row).every(
    (value) => value === null || (Array.isArray(value) && value.every((one) => one === null)),
  );

/** Characters of a text that is said. */
const maxSaid = 60;

/** A sentence about entries of a list without any field. `texts`: what each of them shows. */
function explainEmpty([first = '', ...others]: readonly string[]): string[] {
  if (first === '') return [];
  const which =
    others.length === 0 ? '1 entry of the list has' : `${others.length + 1} entries of the list have`;
  return [
    `${which} none of the fields and ${others.length === 0 ? 'is' : 'are'} not given, such as "${first.slice(0, maxSaid)}": the markup may be another.`,
  ];
}
