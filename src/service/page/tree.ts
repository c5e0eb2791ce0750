/**
 * The tree of a page, with a bound on its depth and in less memory than the adapter's own, and cheerio's queries of it, each in
 * linear time. Elements are taken out of it for a while.
 */
import { type Cheerio, type CheerioAPI, load } from 'cheerio/slim';
import { filter, select } from 'cheerio-select';
import {
  type AnyNode,
  type ChildNode,
  type Document,
  Element,
  isDocument,
  isTag,
  type ParentNode,
} from 'domhandler';
import { parse } from 'parse5';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import { PageUnfitError } from '../foundation/errors.ts';
import { getElements, getParent } from './elements.ts';
import { addTo } from './grouping.ts';

/** Limit of nesting, because the time to parse grows with its square. No page for people is as deep. */
const maxDepth = 1_000;

/** An element with its depth below the root. */
class DeepElement extends Element {
  depth = 0;
}

const depthOf = (node: AnyNode | null): number => {
  if (node instanceof DeepElement) return node.depth;
  // The content of a template is a document inside of it.
  return node === null || node.parent === null ? 0 : depthOf(node.parent);
};

/** A prototype without members. An object without any prototype is a hash table, which takes several times the memory. */
const noMembers: object = Object.freeze(Object.create(null));

const createElement: typeof adapter.createElement = (name, namespace, attributes) => {
  // Names like `xlink:href` in drawings have a namespace, which writing the tree needs.
  if (attributes.some(({ prefix }) => prefix !== undefined)) {
    const {
      attribs,
      'x-attribsNamespace': namespaces,
      'x-attribsPrefix': prefixes,
    } = adapter.createElement(name, namespace, attributes);
    const element = new DeepElement(name, attribs, []);
    return Object.assign(element, {
      namespace,
      'x-attribsNamespace': namespaces,
      'x-attribsPrefix': prefixes,
    });
  }
  const attribs: Record<string, string> = Object.create(noMembers);
  for (const { name: key, value } of attributes) attribs[key] = value;
  const element = new DeepElement(name, attribs, []);
  element.namespace = namespace;
  return element;
};

/** A second `<html>` or `<body>` adds its attributes to the first. The adapter's own wants the tables of names that elements here lack. */
const adoptAttributes: typeof adapter.adoptAttributes = ({ attribs }, attributes) => {
  for (const { name, value } of attributes) attribs[name] ??= value;
};

function appendChild(parent: ParentNode, child: ChildNode): void {
  if (child instanceof DeepElement) {
    child.depth = depthOf(parent) + 1;
    if (child.depth > maxDepth) throw new PageUnfitError('The elements of the page are nested too deeply');
  }
  // A push to an empty array makes room for sixteen more, and most elements have one child.
  if (parent.children.length > 0) adapter.appendChild(parent, child);
  else {
    parent.children = [child];
    child.parent = parent;
  }
}

/** The room that its children do not need is given back when an element ends. */
function onItemPop(element: Element): void {
  if (element.children.length > 1) element.children = element.children.slice();
}

function insertText(parent: ParentNode, text: string): void {
  if (parent.children.length > 0) adapter.insertText(parent, text);
  else appendChild(parent, adapter.createTextNode(text));
}

const treeAdapter: typeof adapter = {
  ...adapter,
  createElement,
  adoptAttributes,
  appendChild,
  insertText,
  onItemPop,
};

/** Makes the nodes the children of `parent`. */
export function adopt(parent: ParentNode, children: ChildNode[]): void {
  parent.children = children;
  for (const [index, child] of children.entries()) {
    child.parent = parent;
    child.prev = children[index - 1] ?? null;
    child.next = children[index + 1] ?? null;
  }
}

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

  /** Whether a node stood in one of these, also where what it stood in was removed later. */
  wasWithin(node: ChildNode, roots: ReadonlySet<ParentNode>): boolean {
    const around = node.parent ?? this.#parents.get(node);
    if (around === undefined || isDocument(around)) return false;
    return roots.has(around) || this.wasWithin(around, roots);
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
function queryTree(tree: Document): CheerioAPI {
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

export const parsePage = (source: string): CheerioAPI => queryTree(parse(source, { treeAdapter }));

/** Queries of which `remove` takes elements out for a while. */
export function queryWithRemovals(tree: Document, removals: Removals): CheerioAPI {
  const html = queryTree(tree);
  html.fn.remove = function removeForAWhile<Node extends AnyNode>(this: Cheerio<Node>) {
    for (const node of this.toArray()) if (!isDocument(node)) removals.remove(node);
    return this;
  };
  return html;
}

/** Removes what surrounds some parts in an element, and nothing from one that holds none. */
export function keepParts(html: CheerioAPI, element: Element, parts: ReadonlySet<Element>): boolean {
  if (parts.has(element)) return true;
  const children = getElements(element);
  const kept = new Set(children.filter((child) => keepParts(html, child, parts)));
  if (kept.size > 0) html(element.children.filter((child) => !(isTag(child) && kept.has(child)))).remove();
  return kept.size > 0;
}
