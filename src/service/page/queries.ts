/** A tree with cheerio's queries, each in linear time, from which elements are taken out for a while. */
import { type Cheerio, type CheerioAPI, load } from 'cheerio/slim';
import { filter, select } from 'cheerio-select';
import {
  type AnyNode,
  type ChildNode,
  type Document,
  type Element,
  isDocument,
  isTag,
  type ParentNode,
} from 'domhandler';
import { getParent } from './elements.ts';
import { addTo } from './grouping.ts';
import { adopt } from './tree.ts';

function release(node: ChildNode): void {
  node.parent = null;
  node.prev = null;
  node.next = null;
}

/** Takes elements out of a page and puts them back: a copy of a large page would need more memory than there is. */
export class Removals {
  /** The children of changed nodes as they were. */
  readonly #before = new Map<ParentNode, ChildNode[]>();
  readonly #parents = new Map<ChildNode, ParentNode>();

  remove(node: ChildNode): void {
    const { parent, prev, next } = node;
    if (parent === null) return;
    if (!this.#before.has(parent)) this.#before.set(parent, parent.children.slice());
    this.#parents.set(node, parent);
    parent.children.splice(parent.children.lastIndexOf(node), 1);
    if (prev !== null) prev.next = next;
    if (next !== null) next.prev = prev;
    release(node);
  }

  /** Puts removed nodes back with the removed nodes around them, but without what was removed from them or beside them. */
  putBack(nodes: readonly ChildNode[]): void {
    const byParent = new Map<ParentNode, ChildNode[]>();
    for (const node of nodes) {
      const parent = this.#parents.get(node);
      if (parent !== undefined && node.parent === null) addTo(byParent, parent, node);
    }
    const tops = new Set<ChildNode>();
    for (const [parent, some] of byParent) {
      const present = new Set([...parent.children, ...some]);
      adopt(parent, this.#before.get(parent)?.filter((child) => present.has(child)) ?? []);
      let top: ParentNode = parent;
      while (top.parent !== null) top = top.parent;
      if (!isDocument(top)) tops.add(top);
    }
    if (tops.size > 0) this.putBack([...tops]);
  }

  /** The page is whole while `read` runs. */
  whole<Result>(read: () => Result): Result {
    const rest = [...this.#before.keys()].map((parent) => [parent, parent.children] as const);
    this.restore();
    try {
      return read();
    } finally {
      for (const children of this.#before.values()) children.forEach(release);
      for (const [parent, children] of rest) adopt(parent, children);
    }
  }

  restore(): void {
    for (const [parent, children] of this.#before) adopt(parent, children);
  }
}

/** Selectors that cheerio also tries on the element itself or beside it. */
const isBeside = /^\s*(?:[+~]|:scope\b)/;

/**
 * cheerio searches below an element by a list of its children, from which it removes those inside of others: each is looked
 * for in the whole list, which for 90,000 children takes minutes. Given the element, its library has nothing to remove.
 * Above an element it compiles the selector anew for each level: here once for all of them.
 */
export function queryTree(tree: Document): CheerioAPI {
  const html = load(tree);
  const { find, closest } = html.fn;
  html.fn.find = function findBelow(this: Cheerio<AnyNode>, wanted?: string | Cheerio<Element> | Element) {
    const [root, ...others] = this.toArray();
    return typeof wanted !== 'string' || isBeside.test(wanted) || root === undefined || others.length > 0
      ? find.call(this, wanted)
      : this._make(select(wanted, root, { context: [root], root: tree }));
  };
  html.fn.closest = function findAbove(this: Cheerio<AnyNode>, wanted) {
    const [element, ...others] = this.toArray();
    if (typeof wanted !== 'string' || element === undefined || !isTag(element) || others.length > 0)
      return closest.call(this, wanted);
    const around: Element[] = [];
    for (let node: Element | null = element; node !== null; node = getParent(node)) around.push(node);
    return this._make(filter(wanted, around, { root: tree }).slice(0, 1));
  };
  return html;
}

/** Queries of which `remove` takes elements out for a while. */
export function queryWithRemovals(tree: Document, removals: Removals): CheerioAPI {
  const html = queryTree(tree);
  html.fn.remove = function removeForAWhile<Node extends AnyNode>(this: Cheerio<Node>) {
    for (const node of this.toArray()) if (!isDocument(node)) removals.remove(node);
    return this;
  };
  return html;
}
