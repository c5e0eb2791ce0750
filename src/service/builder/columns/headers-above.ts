/** Headers over rows that are no table: as many short texts as each row has parts, in what stands before the rows. */
import type { Element } from 'domhandler';
import { elementsOf, parentOf, previousElement, shownText } from '../page/elements.ts';

/** How far above the rows they are looked for. */
const maxLevels = 3;
const maxHeader = 30;
/** With fewer parts a heading and a note look the same. */
const fewest = 3;

/** The texts over the parts of the rows; none where nothing of this form stands before them. */
export function headersOver(rows: readonly (readonly Element[])[]): string[] {
  const roots = rows.map(([root]) => root);
  const [first] = roots;
  if (first === undefined || rows.length < 2 || rows.some(({ length }) => length !== 1)) return [];
  const width = elementsOf(first).length;
  const even = roots.filter((root) => root !== undefined && elementsOf(root).length === width).length;
  if (width < fewest || even < rows.length * 0.7 || first.name === 'tr') return [];
  let node: Element | null = first;
  for (let level = 0; level < maxLevels && node !== null; level++) {
    let head = previousElement(node);
    while (head !== undefined && elementsOf(head).length === 1) head = elementsOf(head)[0];
    const texts = head === undefined ? [] : elementsOf(head).map(shownText);
    if (
      texts.length === width &&
      texts.every((text) => text.length <= maxHeader && !/^\W*\d/.test(text)) &&
      texts.filter((text) => text !== '').length >= width * 0.6 &&
      new Set(texts).size >= width * 0.6
    )
      return texts;
    node = parentOf(node);
  }
  return [];
}

/** Which part of its row an element stands in, from 0. */
export function partOf(element: Element, root: Element): number {
  let node: Element | null = element;
  while (node !== null && parentOf(node) !== root) node = parentOf(node);
  return node === null ? -1 : elementsOf(root).indexOf(node);
}
