/** The tree of a page, as cheerio reads it, with a bound on its depth and in less memory than the adapter's own. */
import { type AnyNode, type ChildNode, type Document, Element, type ParentNode } from 'domhandler';
import { parse } from 'parse5';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import { PageUnfitError } from '../foundation/errors.ts';

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

export const parseTree = (source: string): Document => parse(source, { treeAdapter });
