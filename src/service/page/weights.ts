/** How much text, linked text and prose the elements of a page hold, each found in one walk. */
import { type AnyNode, isTag, isText } from 'domhandler';

export interface Weight {
  /** Characters of text, links included. */
  readonly text: number;
  readonly linked: number;
  readonly links: number;
  readonly words: number;
}

/** Whether nearly all of a text is in links. */
export const areLinks = ({ text, linked }: Pick<Weight, 'text' | 'linked'>) => linked > text * 0.8;

/** Nodes that are read again rather than kept: most are texts and elements around one, and pages have a million of them. */
const isSmall = (node: AnyNode): boolean =>
  isText(node)
    ? node.data.length < 200
    : 'children' in node &&
      node.children.length < 2 &&
      node.children.every((one) => isText(one) && isSmall(one));

const unread = /^(?:script|style|noscript|template)$/;

export class Weights {
  readonly #weights = new WeakMap<AnyNode, Weight>();

  of(node: AnyNode): Weight {
    const known = this.#weights.get(node);
    if (known !== undefined) return known;
    let weight = { text: 0, linked: 0, links: 0, words: 0 };
    if (isText(node)) {
      const text = node.data.trim();
      weight = { text: text.length, linked: 0, links: 0, words: text === '' ? 0 : text.split(/\s+/).length };
    } else if ('children' in node && !(isTag(node) && unread.test(node.name))) {
      for (const child of node.children) {
        const part = this.of(child);
        weight.text += part.text;
        weight.linked += part.linked;
        weight.links += part.links;
        weight.words += part.words;
      }
      if (isTag(node) && node.name === 'a') weight = { ...weight, linked: weight.text, links: 1 };
    }
    if (!isSmall(node)) this.#weights.set(node, weight);
    return weight;
  }
}

/** How much a character of a short text counts; a character of a longer text counts 1. */
const shortShare = 0.4;

/** Scores elements by their sentences: short texts and links count less. */
export class Prose {
  readonly #scores = new WeakMap<AnyNode, number>();

  of(node: AnyNode, isLinked = false): number {
    const known = this.#scores.get(node);
    if (known !== undefined) return known;
    let score = 0;
    if (isText(node)) {
      const { length } = node.data.trim();
      score = length * (isLinked ? 0.3 : length < 25 ? shortShare : 1);
    } else if ('children' in node) {
      const inLink = isLinked || (isTag(node) && node.name === 'a');
      for (const child of node.children) score += this.of(child, inLink);
    }
    if (!isText(node)) this.#scores.set(node, score);
    return score;
  }
}
