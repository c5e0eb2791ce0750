/** Takes elements out of a page and puts them back: a copy of a large page would need more memory than there is. */
import { type ChildNode, isDocument, type ParentNode } from 'domhandler';
import { adopt } from './tree.ts';

function release(node: ChildNode): void {
  node.parent = null;
  node.prev = null;
  node.next = null;
}

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

  /** Puts a removed node back with the removed nodes around it, but without what was removed from it or beside it. */
  putBack(node: ChildNode): void {
    const parent = this.#parents.get(node);
    const before = parent && this.#before.get(parent);
    if (parent === undefined || before === undefined || node.parent !== null) return;
    const present = new Set(parent.children).add(node);
    adopt(
      parent,
      before.filter((child) => present.has(child)),
    );
    let top: ChildNode = node;
    while (top.parent !== null && !isDocument(top.parent)) top = top.parent;
    this.putBack(top);
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
