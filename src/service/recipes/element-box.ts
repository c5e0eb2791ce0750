/** The outermost element of a row that shows nothing but a value, and what stands beside it. */
import { type AnyNode, type Element, isTag, isText } from 'domhandler';
import { collapse, getParent, shownText } from '../page/elements.ts';
import { isStruck } from '../page/inline.ts';
import { isHidden } from '../page/text.ts';

function textIn(node: AnyNode): string {
  if (isText(node)) return collapse(node.data);
  const text = isTag(node) ? shownText(node) : '';
  return text !== '' && isTag(node) && isHidden(node) ? '' : text;
}

/** What shows the text of an element and nothing else, up to the row. */
export function boxOf(element: Element, row: AnyNode | undefined): Element {
  let box = element;
  for (let above = getParent(box); above !== null && above !== row; above = getParent(above)) {
    const inner = box;
    if (above.children.some((one) => one !== inner && textIn(one) !== '')) break;
    box = above;
  }
  return box;
}

/** What the element around a box says beside it, up to the row. */
export function textBeside(box: Element, row: AnyNode | undefined): string {
  const around = getParent(box);
  if (around === null || around === row) return '';
  return collapse(around.children.map((one) => (one === box ? '' : textIn(one))).join(' '));
}

/** The text of a box where a line goes through it. */
export const struckText = (box: Element): string | undefined =>
  (isStruck(box) && shownText(box)) || undefined;

/** For a `Tally` of struck texts. A price of before is struck out in all rows. */
export const sayStruck = (
  name: string,
  first: string,
  struck: readonly string[],
  all: number,
): string | undefined =>
  struck.length === all
    ? undefined
    : `${name}: struck out in ${struck.length} of ${all} rows, such as "${first.slice(0, 60)}": it may not hold any more.`;
