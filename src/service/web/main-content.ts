/** Finds the content of a page by its structure: removes menus and other surroundings, then looks for the element with the text. */
import type { CheerioAPI } from 'cheerio/slim';
import { type AnyNode, type Element, isTag, isText } from 'domhandler';

const neverShown =
  '.sr-only, .visually-hidden, .screen-reader-text, script, style, noscript, template, svg, iframe, object, canvas, audio, video, link, meta, dialog, [hidden], [aria-modal="true"]';
const controls =
  'button, select, input, textarea, datalist, label[for], label:has(input), [role="button"], [role="tab"]';
const headings = 'h1, h2, h3, h4, h5, h6';
const surroundings = [
  'nav, menu, footer, aside, header',
  '[role="navigation"], [role="banner"], [role="contentinfo"], [role="search"], [role="dialog"], [role="alertdialog"]',
  '[role="menu"], [role="menubar"], [role="complementary"], [role="toolbar"], [role="tablist"], [role="alert"]',
].join(', ');

/** Words in classes and ids that mark surroundings of the content. */
const surroundingName =
  /^(?:advert\w*|breadcrumbs?|consent|cookies?|drawer|dropdown|footer|gdpr|login|menu|modal|nav|navbar|navigation|newsletter|onetrust|pager|pagination|popup|promo|recommend\w*|related|share|sharing|sidebar|signin|signup|skip|social|sponsor\w*|subscribe|toc|upsell\w*|usercentrics)$/;
const hiddenStyle = /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;

/** The words in class and id. Classes that compute a style, as `top-[var(--nav-height)]`, are skipped; letters between digits are no word. */
const nameParts = ({ attribs }: Element): string[] =>
  `${attribs.class ?? ''} ${attribs.id ?? ''}`
    .replace(/\S*[[(]\S*/g, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/\d*[^a-z\d]+/);

export interface Weight {
  /** Characters of text, links included. */
  readonly text: number;
  readonly linked: number;
  readonly links: number;
  readonly words: number;
}

/** The weight of each element, found in one walk. */
export class Weights {
  readonly #weights = new WeakMap<AnyNode, Weight>();

  of(node: AnyNode): Weight {
    const known = this.#weights.get(node);
    if (known !== undefined) return known;
    let weight = { text: 0, linked: 0, links: 0, words: 0 };
    if (isText(node)) {
      const text = node.data.trim();
      weight = { text: text.length, linked: 0, links: 0, words: text === '' ? 0 : text.split(/\s+/).length };
    } else if ('children' in node) {
      for (const child of node.children) {
        const part = this.of(child);
        weight.text += part.text;
        weight.linked += part.linked;
        weight.links += part.links;
        weight.words += part.words;
      }
      if (isTag(node) && node.name === 'a') weight = { ...weight, linked: weight.text, links: 1 };
    }
    this.#weights.set(node, weight);
    return weight;
  }
}

const elementsIn = (node: AnyNode): Element[] => ('children' in node ? node.children.filter(isTag) : []);

/** Removes hidden elements, controls and surroundings. Surroundings that hold the main heading or much of the text stay. */
function removeSurroundings(html: CheerioAPI, body: Element): void {
  html(neverShown).remove();
  // The heading of a section that opens and closes is often a button: such buttons stay.
  html(controls)
    .filter(
      (_, element) => html(element).closest(headings).length + html(element).find(headings).length === 0,
    )
    .remove();
  const before = new Weights();
  const whole = before.of(body).text;
  const isMost = (element: Element) => before.of(element).text > whole * 0.5;
  for (const element of html(surroundings).toArray().filter(isTag)) {
    if (isMost(element) || html(element).find('main, [role="main"]').length > 0) continue;
    // Articles and teasers often have their heading in a `header` of their own.
    const hasHeading =
      html(element).find('h1').length > 0 || html(element).closest('article, main, section, li').length > 0;
    if (element.name === 'header' && hasHeading && before.of(element).links < 8) continue;
    if (
      element.name === 'footer' &&
      html(element).closest('blockquote, article').length > 0 &&
      before.of(element).links < 2
    )
      continue;
    html(element).remove();
  }
  for (const element of html(body).find('[class], [id], [style]').toArray()) {
    if (/^(?:body|main|article|h1)$/.test(element.name)) continue;
    const isNamed = nameParts(element).some((part) => surroundingName.test(part));
    const isHidden = hiddenStyle.test(element.attribs.style ?? '') && before.of(element).text < 200;
    if (!isNamed && !isHidden) continue;
    if (before.of(element).text > whole * 0.3 || html(element).find('h1, main').length > 0) continue;
    html(element).remove();
  }
}

/** Removes unmarked menus: blocks of short links. If they hold `share` of the text or more, they are the content and stay. */
function removeMenus(html: CheerioAPI, root: Element, share: number): void {
  const weights = new Weights();
  const whole = weights.of(root);
  const menus: Element[] = [];
  const walk = (element: Element) => {
    const { text, linked, links, words } = weights.of(element);
    if (element.name === 'pre') return;
    const isMenu = links >= 3 && linked > text * 0.8 && words / links < 5;
    if (isMenu && text < whole.text * 0.5 && !/^(?:p|td|tr|tbody|pre|code)$/.test(element.name))
      menus.push(element);
    else for (const child of elementsIn(element)) walk(child);
  };
  for (const child of elementsIn(root)) walk(child);
  const sum = menus.reduce((total, menu) => total + weights.of(menu).text, 0);
  if (sum < whole.text * share) for (const menu of menus) html(menu).remove();
}

/** How much a character of a short text counts; a character of a longer text counts 1. */
const shortShare = 0.4;
/** Scores elements by their sentences: short texts and links count less. */
class Prose {
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
    this.#scores.set(node, score);
    return score;
  }
}

/** Finds the element with the content: starts at a marked one or the body, and goes down while one child holds nearly all. */
function findRoot(html: CheerioAPI, body: Element): Element {
  const prose = new Prose();
  const weights = new Weights();
  const score = (element: Element) => prose.of(element);
  score(body);
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

const lookOf = ({ name, attribs }: Element) => `${name}.${attribs.class ?? ''}`;

/** Removes labels such as "Share": the same short text in most elements of one tag and class. */
function removeRepeatedLabels(html: CheerioAPI, root: Element): void {
  const looks = new Map<string, Element[]>();
  for (const element of html(root).find('a, span, div, p, small, i, em, b, strong, li, time').toArray()) {
    if (elementsIn(element).length > 0 || html(element).closest('pre, code, table, h1, h2, h3').length > 0)
      continue;
    const look = lookOf(element);
    looks.set(look, [...(looks.get(look) ?? []), element]);
  }
  for (const elements of looks.values()) {
    if (elements.length < 3) continue;
    const texts = new Map<string, Element[]>();
    for (const element of elements) {
      const text = html(element).text().replace(/\s+/g, ' ').trim();
      texts.set(text, [...(texts.get(text) ?? []), element]);
    }
    for (const [text, same] of texts)
      if (same.length >= 3 && same.length >= elements.length * 0.6 && text.length < 40 && !/\d|:$/.test(text))
        html(same).remove();
  }
}

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

function isWithin(element: Element, around: Element): boolean {
  for (let node: AnyNode | null = element; node !== null; node = node.parent)
    if (node === around) return true;
  return false;
}

/** Finds the parents of teasers: siblings of one tag, most of them short and with a link to another page. */
export function findTeasers(root: Element): Element[] {
  const weights = new Weights();
  const found: Element[] = [];
  const isTeaser = (element: Element) => {
    const { text, linked, links } = weights.of(element);
    return links >= 1 && text < 400 && (linked > text * 0.25 || links >= 2) && text > 0;
  };
  const walk = (parent: Element) => {
    const children = elementsIn(parent).filter((child) => weights.of(child).text > 0);
    const groups = new Map<string, Element[]>();
    for (const child of children) {
      const look = child.name;
      groups.set(look, [...(groups.get(look) ?? []), child]);
    }
    const isGroup = [...groups.values()].some(
      (group) =>
        group.length >= 3 &&
        group.length >= children.length * 0.6 &&
        group.filter(isTeaser).length > group.length * 0.8,
    );
    if (isGroup && !/^(?:p|td|tr|tbody|table|dl|pre)$/.test(parent.name)) found.push(parent);
    else for (const child of children) walk(child);
  };
  walk(root);
  return found;
}

export interface Content {
  readonly roots: readonly Element[];
}

/** Removes surroundings, menus, labels and copies from the tree. */
export function findContent(html: CheerioAPI): Content | undefined {
  const body = html('body').get(0);
  if (body === undefined) return undefined;
  removeSurroundings(html, body);
  const root = findRoot(html, body);
  removeMenus(html, root, root.name === 'body' ? 1 : 0.5);
  const roots = [...findIntroduction(root, body), root];
  for (const one of roots) {
    removeRepeatedLabels(html, one);
    removeCopies(html, one);
  }
  return { roots };
}

/** Removes the teasers behind the last long text, for pages about one thing. Returns whether it removed any. */
export function removeTeasers(html: CheerioAPI, root: Element): boolean {
  const weights = new Weights();
  const whole = weights.of(root).text;
  const order = html(root).find('*').toArray();
  const places = new Map(order.map((element, place) => [element, place]));
  const lastProse = order.findLastIndex(({ name }, place) => {
    const { text, linked } = weights.of(order[place] ?? root);
    return /^(?:p|blockquote|pre|table)$/.test(name) && text - linked > 120;
  });
  const groups = findTeasers(root).filter((group) => group !== root && (places.get(group) ?? 0) > lastProse);
  const sum = groups.reduce((total, group) => total + weights.of(group).text, 0);
  if (sum > whole * 0.5) return false;
  for (const group of groups) {
    const before = html(group).prev().get(0);
    if (before !== undefined && /^h[2-6]$/.test(before.name)) html(before).remove();
    html(group).remove();
  }
  return groups.length > 0;
}

const besideProduct =
  /^(?:reviews?|ratings?|testimonials?|questions?|qa|ugc|bazaarvoice|yotpo|shipping|delivery|returns|swatch(?:es)?|variants?|quantity|badges?)$/;

/** Removes reviews and other notes of a shop from the page of a product. Returns whether it removed more than labels. */
export function removeShopNotes(html: CheerioAPI, root: Element): boolean {
  const weights = new Weights();
  const most = weights.of(root).text * 0.5;
  const notes = html(root)
    .find('[class], [id]')
    .toArray()
    .filter(
      (element) =>
        nameParts(element).some((part) => besideProduct.test(part)) && weights.of(element).text <= most,
    );
  html(notes).remove();
  return notes.some((element) => weights.of(element).text > 40);
}

/** Removes the facts about authors of posts, such as "Joined: 2020": a label and a short value, three times or more. */
export function removeAuthorFacts(html: CheerioAPI, root: Element): boolean {
  const weights = new Weights();
  const facts = new Map<string, Element[]>();
  for (const label of html(root).find('dt, strong, b, span, em').toArray()) {
    const text = html(label).text().trim();
    const { parent } = label;
    if (!/^[^:]{2,30}:$/.test(text) || parent === null || !isTag(parent)) continue;
    if (parent.name === 'p' || weights.of(parent).text > 100) continue;
    const key = `${lookOf(label)} ${text}`;
    facts.set(key, [...(facts.get(key) ?? []), parent]);
  }
  const repeated = [...facts.values()].filter((group) => group.length >= 3).flat();
  html(repeated).remove();
  return repeated.length > 0;
}
