/** The content in copies that are small enough to be changed and written one after the other. */
import { type AnyNode, type ChildNode, cloneNode, Element, isTag, isText, type ParentNode } from 'domhandler';
import { getElements } from './elements.ts';
import { adopt } from './tree.ts';

/** Nodes of one piece; nearly all pages have fewer. Writing a piece takes many times its memory. */
const mostNodes = 10_000;
const lists = /^(?:ul|ol|menu|dir)$/;
const containers = /^(?:body|main|article|section|div|center|form|fieldset|ul|ol|menu|dir)$/;
const parts = /^(?:td|th|tr|tbody|thead|tfoot|caption)$/;
/** Between two of these no text goes on. */
const blocks =
  /^(?:address|article|blockquote|center|dl|div|fieldset|figure|form|h[1-6]|hr|li|main|menu|ol|p|pre|section|table|ul)$/;

/** The number of nodes in it, not further than up to `most`. */
function countNodes(node: AnyNode, most = mostNodes): number {
  let count = 1;
  if ('children' in node)
    for (const child of node.children) {
      if (count > most) return count;
      count += countNodes(child, most - count);
    }
  return count;
}

const romans = [
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
] as const;

/** The number of an item as letters, where the list's type asks for them; undefined beyond `z` and 39. */
function toLetters(type: string, number: number): string | undefined {
  if (number < 1) return undefined;
  let letters: string | undefined;
  if (/^a$/i.test(type) && number <= 26) letters = String.fromCharCode(96 + number);
  if (/^i$/i.test(type) && number < 40) {
    let left = number;
    letters = '';
    for (const [value, roman] of romans) for (; left >= value; left -= value) letters += roman;
  }
  return /[AI]/.test(type) ? letters?.toUpperCase() : letters;
}

/** The mark of each item of an ordered list, with `start`, `value`, `reversed` and `type` as browsers count. */
export function itemMarks(list: Element): Map<Element, string> {
  const marks = new Map<Element, string>();
  if (list.name !== 'ol') return marks;
  const items = getElements(list).filter(({ name }) => name === 'li');
  const step = 'reversed' in list.attribs ? -1 : 1;
  const start = Number.parseInt(list.attribs.start ?? '', 10);
  let number = Number.isNaN(start) ? (step < 0 ? items.length : 1) : start;
  for (const item of items) {
    const own = Number.parseInt(item.attribs.value ?? '', 10);
    if (!Number.isNaN(own)) number = own;
    const mark = toLetters(item.attribs.type ?? list.attribs.type ?? '1', number);
    marks.set(item, mark === undefined ? `${number}. ` : `- ${mark}. `);
    number += step;
  }
  return marks;
}

export interface Piece {
  /** A copy, whose parents are those in the page: readers look up, too. */
  readonly element: Element;
  /** What stands between it and the piece before. */
  readonly joint: string;
}

function toPiece(name: string, nodes: readonly ChildNode[], parent: ParentNode | null): Element {
  const marks = parent !== null && isTag(parent) ? itemMarks(parent) : undefined;
  const piece = new Element(name, {});
  const copies = nodes.map((node) => {
    const copy = cloneNode(node, true);
    const mark = isTag(node) ? marks?.get(node) : undefined;
    if (mark !== undefined && isTag(copy)) copy.attribs['data-mark'] = mark;
    return copy;
  });
  // A part of a table without its table is only a place.
  for (const copy of copies) if (isTag(copy) && parts.test(copy.name)) copy.name = 'div';
  adopt(piece, copies);
  piece.parent = parent;
  return piece;
}

const isBlock = (node: ChildNode | undefined) => node !== undefined && isTag(node) && blocks.test(node.name);
const isBlank = (node: ChildNode | undefined) =>
  node !== undefined && isText(node) && node.data.trim() === '';

/** The pieces of the content from its begin to its end, each made when it is asked for. */
export function* toPieces(root: Element): Generator<Piece> {
  if (countNodes(root) <= mostNodes || !containers.test(root.name)) {
    yield { element: toPiece('div', [root], root.parent), joint: '\n\n' };
    return;
  }
  const isList = lists.test(root.name);
  let nodes: ChildNode[] = [];
  let [count, joint] = [0, '\n\n'];
  for (const child of root.children) {
    const size = countNodes(child);
    const last = nodes.at(-1);
    const isApart = isBlock(child) || isBlock(last);
    if (last !== undefined && count + size > mostNodes && (isApart || isBlank(last))) {
      yield { element: toPiece(isList ? 'ul' : 'div', nodes, root), joint };
      [nodes, count, joint] = [[], 0, isList ? '\n' : isApart ? '\n\n' : ' '];
    }
    if (nodes.length === 0 && size > mostNodes && !isList && isTag(child)) {
      yield* toPieces(child);
      joint = '\n\n';
    } else {
      nodes.push(child);
      count += size;
    }
  }
  if (nodes.length > 0) yield { element: toPiece(isList ? 'ul' : 'div', nodes, root), joint };
}
