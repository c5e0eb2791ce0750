/** A tree with cheerio's queries, each in linear time. */
import { type Cheerio, type CheerioAPI, load } from 'cheerio/slim';
import { select } from 'cheerio-select';
import { type AnyNode, type Document, type Element, isDocument } from 'domhandler';
import type { Removals } from './removals.ts';

/** Selectors that cheerio also tries on the element itself or beside it. */
const isBeside = /^\s*(?:[+~]|:scope\b)/;

/**
 * cheerio searches below an element by a list of its children, from which it removes those inside of others: each is looked
 * for in the whole list, which for 90,000 children takes minutes. Given the element, its library has nothing to remove.
 */
export function queryTree(tree: Document): CheerioAPI {
  const html = load(tree);
  const { find } = html.fn;
  html.fn.find = function findBelow(this: Cheerio<AnyNode>, wanted?: string | Cheerio<Element> | Element) {
    const [root, ...others] = this.toArray();
    return typeof wanted !== 'string' || isBeside.test(wanted) || root === undefined || others.length > 0
      ? find.call(this, wanted)
      : this._make(select(wanted, root, { context: [root], root: tree }));
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
