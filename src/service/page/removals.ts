/** Takes elements out of a page and puts them back: a copy of a large page would need more memory than there is. */
import { type ChildNode, isDocument, type ParentNode } from 'domhandler';
import { addTo } from './grouping.ts';
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
