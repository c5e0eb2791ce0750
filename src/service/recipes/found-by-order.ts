/** Fields that only their order tells from like elements beside them: where a row lacks one, the next is in its place. */
import { type AnyNode, type Element, isTag } from 'domhandler';
import { saysMoney } from '../../compare/money.ts';
import { getElements, getParent, shownText } from '../page/elements.ts';
import { isStruck } from '../page/inline.ts';

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
  return found.filter(
    (one) => isTag(one) && one.parent === parent && one.attribs.class === first.attribs.class,
  ).length;
}

/** By the name of a field, how many like things rows have. */
type Counts = Map<string, Set<number>>;

const add = (counts: Counts, name: string, count: number) =>
  count > 0 && counts.set(name, (counts.get(name) ?? new Set()).add(count));

/** As "2", or "1 to 3". */
const between = (numbers: Iterable<number>): string => {
  const sorted = [...new Set(numbers)].sort((one, other) => one - other);
  return sorted.length > 1 ? `${sorted[0]} to ${sorted.at(-1)}` : `${sorted[0]}`;
};

/** A sentence about the fields whose rows have unequal numbers of like things. */
function explain(counts: Counts, things: string): string[] {
  const unequal = [...counts].filter(([, some]) => some.size > 1);
  if (unequal.length === 0) return [];
  const numbers = unequal.flatMap(([, some]) => [...some]);
  const names = unequal.map(([name]) => name).join(', ');
  return [
    `${names}: found by order among ${things}, of which rows have ${between(numbers)}; where one is absent, the next may stand in its place.`,
  ];
}

const maxAmount = 40;
const isAmount = (element: Element) => {
  const text = shownText(element);
  return text.length <= maxAmount && saysMoney(text);
};

/** An amount of money and those beside it: a price may have been reduced since. 0 for anything else. */
function countAmounts([first]: readonly AnyNode[]): number {
  if (first === undefined || !isTag(first) || !isAmount(first)) return 0;
  const parent = getParent(first);
  if (parent === null) return 1;
  return getElements(parent).filter((one) => one === first || (isAmount(one) && !isStruck(one))).length;
}

export class FoundByOrder {
  readonly #elements: Counts = new Map();
  readonly #lines: Counts = new Map();
  readonly #among: Counts = new Map();
  readonly #built: Readonly<Record<string, number>>;

  /** `built`: what `among` was when the action was built. */
  constructor(built: Readonly<Record<string, number>> = {}) {
    this.#built = built;
  }

  /** `found`: what the field's selector finds in a row, of which the first is read. */
  count(name: string, found: readonly AnyNode[], select: string, find: Find): void {
    const like = countLike(found, select, find);
    add(this.#elements, name, like);
    add(this.#among, name, Math.max(like, countAmounts(found)));
  }

  /** Of the text of which the field is a line. */
  countLines(name: string, lines: number): void {
    add(this.#lines, name, lines);
  }

  /** Of the fields that all rows have among as many like elements: how many. */
  get among(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      [...this.#among].flatMap(([name, [only = 0, ...others]]) => (others.length > 0 ? [] : [[name, only]])),
    );
  }

  get doubts(): readonly string[] {
    const departed = [...this.#among].filter(([name, counts]) => {
      const built = this.#built[name];
      return built !== undefined && [...counts].some((count) => count !== built);
    });
    const names = new Set(departed.map(([name]) => name));
    const others = new Map([...this.#elements].filter(([name]) => !names.has(name)));
    return [
      ...departed.map(
        ([name, counts]) =>
          `${name}: stands among ${between(counts)} like elements, and when the action was built among ${this.#built[name]}: it may be another of them.`,
      ),
      ...explain(others, 'like elements'),
      ...explain(this.#lines, 'lines of a text'),
    ];
  }
}
