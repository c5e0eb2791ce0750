/** Fields that only their order tells from like elements beside them: where a row lacks one, the next is in its place. */
import { type AnyNode, isTag } from 'domhandler';
import { saysMoney } from '../../compare/money.ts';
import { getClasses, getElements, getParent, shownText } from '../page/elements.ts';

/** The last place in an order that a selector names, which is none where it is the first of all but at its end. */
const placeIn = (select: string) =>
  [...select.matchAll(/:nth-of-type\((\d+)\)/g)].findLast(
    ({ 1: place, 0: step, index }) => place !== '1' || index + step.length === select.length,
  );

/** What a selector finds in a row. */
type Find = (select: string) => readonly AnyNode[];

/**
 * Elements among which a selector, which found these in a row, chooses one by its order, whether that one is there or not; 1
 * where it needs none, 0 where there are none.
 */
function countLike(found: readonly AnyNode[], select: string, find: Find): number {
  const place = placeIn(select);
  const [first] = place === undefined ? found : find(`${select.slice(0, place.index)}:nth-of-type(1)`);
  if (first === undefined || !isTag(first)) return 0;
  const parent = getParent(first);
  if (parent === null) return 1;
  if (place !== undefined) return getElements(parent).filter(({ name }) => name === first.name).length;
  const classes = getClasses(first).join(' ');
  return found.filter((one) => isTag(one) && one.parent === parent && getClasses(one).join(' ') === classes)
    .length;
}

/** By the name of a field, how many like things rows have. */
type Counts = Map<string, Set<number>>;

const add = (counts: Counts, name: string, count: number) =>
  count > 0 && counts.set(name, (counts.get(name) ?? new Set()).add(count));

/** A sentence about the fields whose rows have unequal numbers of like things. */
function explain(counts: Counts, things: string): string[] {
  const unequal = [...counts].filter(([, some]) => some.size > 1);
  if (unequal.length === 0) return [];
  const numbers = unequal.flatMap(([, some]) => [...some]).sort((one, other) => one - other);
  const names = unequal.map(([name]) => name).join(', ');
  return [
    `${names}: found by order among ${things}, of which rows have ${numbers[0]} to ${numbers.at(-1)}; where one is absent, the next may stand in its place.`,
  ];
}

const maxAmount = 40;
/** Amounts of money beside each other, of which the first is read: as where a price has been reduced since. */
function amountsIn(found: readonly AnyNode[]): readonly string[] {
  const [first, ...others] = found.filter(isTag);
  if (first === undefined || others.length === 0) return [];
  const beside = others.filter((one) => getParent(one) === getParent(first));
  const texts = [first, ...beside].map((one) => shownText(one));
  const areAmounts = texts.every((text) => text.length <= maxAmount && saysMoney(text));
  return areAmounts && new Set(texts).size > 1 ? texts : [];
}

export class FoundByOrder {
  readonly #elements: Counts = new Map();
  readonly #lines: Counts = new Map();
  /** By the name of a field, the amounts of a row. */
  readonly #amounts = new Map<string, readonly string[]>();

  /** `found`: what the field's selector finds in a row, of which the first is read. */
  count(name: string, found: readonly AnyNode[], select: string, find: Find): void {
    add(this.#elements, name, countLike(found, select, find));
    const amounts = this.#amounts.has(name) ? [] : amountsIn(found);
    if (amounts.length > 0) this.#amounts.set(name, amounts);
  }

  /** Of the text of which the field is a line. */
  countLines(name: string, lines: number): void {
    add(this.#lines, name, lines);
  }

  get doubts(): readonly string[] {
    const several = [...this.#amounts].map(
      ([name, texts]) =>
        `${name}: rows have several amounts in its place, such as ${texts.map((text) => `"${text}"`).join(' and ')}; the first is read.`,
    );
    return [
      ...explain(this.#elements, 'like elements'),
      ...explain(this.#lines, 'lines of a text'),
      ...several,
    ];
  }
}
