/** Fields that only their order tells from like elements beside them: where a row lacks one, the next is in its place. */
import { type AnyNode, isTag } from 'domhandler';
import { getClasses, getElements, getParent } from '../page/elements.ts';

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

export class FoundByOrder {
  /** By the name of a field, how many like elements rows have. */
  readonly #counts = new Map<string, Set<number>>();

  /** `found`: what the field's selector finds in a row, of which the first is read. */
  count(name: string, found: readonly AnyNode[], select: string, find: Find): void {
    const likes = countLike(found, select, find);
    if (likes === 0) return;
    const counts = this.#counts.get(name) ?? new Set();
    this.#counts.set(name, counts.add(likes));
  }

  /** A sentence about the fields whose rows have unequal numbers of like elements. */
  get doubts(): readonly string[] {
    const unequal = [...this.#counts].filter(([, counts]) => counts.size > 1);
    if (unequal.length === 0) return [];
    const counts = unequal.flatMap(([, some]) => [...some]).sort((one, other) => one - other);
    const names = unequal.map(([name]) => name).join(', ');
    return [
      `${names}: found by order among like elements, of which rows have ${counts[0]} to ${counts.at(-1)}; where one is absent, the next may stand in its place.`,
    ];
  }
}
