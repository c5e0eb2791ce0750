/** Finds the content of a page by its structure: leaves out what stands around it, then looks for the element with the text. */
import { type CheerioAPI, load } from 'cheerio/slim';
import { type AnyNode, cloneNode, type Element, isDocument, isTag } from 'domhandler';
import { removeMenus, removeSurroundings } from './surroundings.ts';
import { elementsIn, Prose, Weights } from './weights.ts';

/** Finds the element with the content: starts at a marked one or the body, and goes down while one child holds nearly all. */
function findRoot(html: CheerioAPI, body: Element): Element {
  const prose = new Prose();
  const weights = new Weights();
  const score = (element: Element) => prose.of(element);
  const whole = score(body);
  const named = html('main, [role="main"], [itemprop="articleBody"], #content, #main, #main-content')
    .toArray()
    .filter((element) => {
      const isMain = (element.attribs.role ?? element.name) === 'main';
      return (
        score(element) >= whole * (isMain ? 0.2 : 0.4) ||
        (isMain && weights.of(element).text > weights.of(body).text * 0.4)
      );
    });
  let root = named.sort((one, other) => score(other) - score(one))[0] ?? body;
  const articles = html(root).find('article').toArray();
  const [largest] = articles.sort((one, other) => score(other) - score(one));
  if (largest !== undefined && score(largest) > score(root) * 0.6) root = largest;
  for (;;) {
    const text = weights.of(root).text;
    const next = elementsIn(root).find(
      (child) => score(child) > score(root) * 0.9 && weights.of(child).text > text * 0.75,
    );
    if (next === undefined || /^(?:p|table|ul|ol|dl|pre|tbody)$/.test(next.name)) return root;
    root = next;
  }
}

/** Finds introductions: blocks of sentences before the root, in the order of the page. */
function findIntroduction(root: Element, body: Element): Element[] {
  const weights = new Weights();
  const isIntroduction = (element: Element) => {
    const { text, linked, links } = weights.of(element);
    const sentences = text - linked;
    return sentences > 120 && linked < text * 0.3 && sentences / (links + 1) > 60;
  };
  const found: Element[] = [];
  for (
    let node: Element = root;
    node !== body && node.parent !== null && isTag(node.parent);
    node = node.parent
  ) {
    const siblings = elementsIn(node.parent);
    found.unshift(...siblings.slice(0, siblings.indexOf(node)).filter(isIntroduction));
  }
  return found;
}

const isWithin = (element: Element, around: Element): boolean => {
  for (let node: AnyNode | null = element; node !== null; node = node.parent)
    if (node === around) return true;
  return false;
};

/** Removes the second copy of a text, which pages have for another size of screen. */
function removeCopies(html: CheerioAPI, root: Element): void {
  const firsts = new Map<string, Element>();
  const weights = new Weights();
  for (const element of html(root).find('p, li, h1, h2, h3, h4, div, section, dd').toArray()) {
    // Short texts may repeat; long elements are compared by their parts.
    if (weights.of(element).text < 40 || weights.of(element).text > 2_000) continue;
    const text = html(element).text().replace(/\s+/g, ' ').trim();
    const first = firsts.get(text);
    if (first === undefined) firsts.set(text, element);
    else if (!isWithin(element, first)) html(element).remove();
  }
}

export interface Content {
  /** A copy of the page, in which `roots` stand: readers may change it. */
  readonly html: CheerioAPI;
  /** Introductions first, the element with most of the text last. */
  readonly roots: readonly Element[];
}

/** The content in a copy of the page; undefined for a page without a body. */
export function findContent(page: CheerioAPI): Content | undefined {
  const [tree] = page.root().toArray();
  if (tree === undefined || !isDocument(tree)) return undefined;
  const html = load(cloneNode(tree, true));
  const body = html('body').get(0);
  if (body === undefined) return undefined;
  removeSurroundings(html, body);
  const root = findRoot(html, body);
  removeMenus(html, root, root.name === 'body' ? 1 : 0.5);
  const roots = [...findIntroduction(root, body), root];
  for (const one of roots) removeCopies(html, one);
  return { html, roots };
}
