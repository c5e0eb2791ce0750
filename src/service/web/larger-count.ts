/** What a page says beside a list of more rows than it shows: "30 products", "and 20 more". */
import { type AnyNode, type Element, isTag } from 'domhandler';
import { getElements, getParent, isWithin, shownText } from '../page/elements.ts';
import { toCount } from '../page/paging.ts';
import { looksLikeYear } from '../page/stated-count.ts';
import { isHidden } from '../page/text.ts';

const number = String.raw`(\d{1,3}(?:[.,'’\s]\d{3})+|\d{1,6})`;
/** A number of things and nothing else, and a number of more: what else a line says may be of something else. */
const whole = new RegExp(String.raw`^${number}\s(\p{L}[\p{L}-]{3,})$`, 'u');
const heading = new RegExp(String.raw`^\p{L}[\p{L}\s-]*\s?\(${number}\)$`, 'u');
const more = new RegExp(
  String.raw`^(?:\+\s?${number}(?:\s\p{L}+){0,2}|(?:and|und|et|y|e|en|och|og)\s${number}\s(?:\p{L}+\s)?(?:more|others?|weitere\p{L}*|autres?|más|altri|meer|till|flere)(?:\s\p{L}+)?)$`,
  'iu',
);
/** Levels of the blocks around the rows in which their head and foot stand. */
const levels = 2;
const longest = 200;
/** What offers choices and ways, or is another list. */
const elsewhere = /^(?:a|aside|button|dl|footer|form|label|nav|ol|script|select|style|table|template|ul)$/;

const holdsElsewhere = (element: Element): boolean =>
  getElements(element).some((child) => elsewhere.test(child.name) || holdsElsewhere(child));

function linesIn(element: Element): string[] {
  if (elsewhere.test(element.name) || isHidden(element)) return [];
  const own = holdsElsewhere(element) ? [] : [shownText(element)];
  return [...own, ...getElements(element).flatMap(linesIn)];
}

/** `rows`: the first elements of the rows of a list. Undefined where the page says none, or different ones. */
export function findLargerCount(rows: readonly Element[]): string | undefined {
  const [first] = rows;
  let node = first === undefined ? null : getParent(first);
  const isShort = (other: AnyNode): other is Element => isTag(other) && shownText(other).length <= longest;
  const lines: string[] = [];
  for (
    let level = 0;
    level < levels && node !== null && node.name !== 'body';
    level++, node = getParent(node)
  ) {
    const { parent } = node;
    if (parent === null || !rows.every((row) => node !== null && isWithin(row, node))) continue;
    const beside = parent.children.filter((other) => other !== node).filter(isShort);
    lines.push(...beside.flatMap(linesIn));
  }
  const said = [...new Set(lines)].filter((line) => isLarger(line, rows.length));
  return said.length === 1 ? said[0] : undefined;
}

function isLarger(line: string, count: number): boolean {
  const [, all] = whole.exec(line) ?? heading.exec(line) ?? [];
  if (all !== undefined) return !looksLikeYear(all) && toCount(all) > count;
  const [, plus, others] = more.exec(line) ?? [];
  return toCount(plus ?? others ?? '0') > 0;
}
