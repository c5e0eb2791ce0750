/** What stands around the content of a page: hidden parts, controls, menus, headers, footers, boxes named as such. */
import type { Cheerio, CheerioAPI } from 'cheerio/slim';
import { type AnyNode, type Element, isTag, isText } from 'domhandler';
import { countAmounts } from '../../compare/money.ts';
import { findChoices, type LeftOut } from './choices.ts';
import {
  elementsAround,
  getElements,
  getParent,
  headingIn,
  isWithin,
  nextElement,
  previousElement,
  shownText,
} from './elements.ts';
import { isHeard } from './inline.ts';
import { fillsCell, isStated } from './markdown-elements.ts';
import { findPanels, type Panels, tabOf } from './panels.ts';
import { isHidden } from './text.ts';
import { findAuthorBoxes } from './threads.ts';
import { areLinks, Weights } from './weights.ts';

const neverShown = [
  'style, noscript, template, link, meta, dialog:not([open]), [hidden], [aria-modal="true"]',
  'script:not([type^="math/tex"])',
].join(', ');
const controls =
  'button, select, input, textarea, datalist, label[for], label:has(input), [role="button"], [role="tab"]';
const headings = 'h1, h2, h3, h4, h5, h6';
const surroundings = [
  'nav, footer, aside, header, search',
  '[role="navigation"], [role="banner"], [role="contentinfo"], [role="search"], [role="dialog"], [role="alertdialog"]',
  '[role="menu"], [role="menubar"], [role="complementary"], [role="toolbar"], [role="tablist"], [role="alert"]',
].join(', ');

/** Words in classes and ids that mark surroundings of the content. */
const surroundingName =
  /^(?:advert\w*|breadcrumbs?|consent|cookies?|drawer|dropdown|footer|gdpr|login|menu|modal|nav|navbar|navigation|newsletter|onetrust|pager|pagination|popup|promo|recommend\w*|related|share|sharing|sidebar|signin|signup|skip|social|sponsor\w*|subscribe|toc|upsell\w*|usercentrics)$/;
/** Those that promise links. */
const linkingName = /^(?:menu|nav|navbar|navigation)$/;
/** Words that mark surroundings only where nearly all is in links. */
const controlName = /^(?:header|toolbar|tabs?|languages?|filters?|facets?)$/;
const invisible = /visibility\s*:\s*hidden/i;

/** The words in class and id. Classes that compute a style, as `top-[var(--nav-height)]`, are skipped; letters between digits are no word. */
export const nameParts = (attribs: Readonly<Record<string, string>>): string[] =>
  `${attribs.class ?? ''} ${attribs.id ?? ''}`
    .split(/\s+/)
    .filter((name) => !/[[(]/.test(name))
    .join(' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    // Looked for only at the begin of a number: from each digit on, it would take the square of the time.
    .split(/(?<!\d)\d*[^a-z\d]+/);

/** Stars, and the blanks between them. */
const mostSigns = 25;
/** Whether a number has only signs beside it, such as the stars of a rating. */
function isAmongSigns(html: CheerioAPI, element: Element, text: string): boolean {
  const parent = getParent(element);
  if (parent === null || !/\d/.test(text) || parent.children.length > mostSigns) return false;
  return getElements(parent).length > 1 && html(parent).text().trim() === text;
}

const showsText = (node: AnyNode): boolean =>
  isTag(node) ? !isHeard(node) && node.children.some(showsText) : isText(node) && node.data.trim() !== '';

/** All that a cell says stays, and a number beside signs. */
function removeHeard(html: CheerioAPI): void {
  const shown = new Map<AnyNode, boolean>();
  for (const element of html('[class]').toArray().filter(isHeard)) {
    const [cell] = html(element).closest('td, th').toArray();
    if (cell !== undefined && !shown.has(cell)) shown.set(cell, showsText(cell));
    const isAlone = cell !== undefined && shown.get(cell) === false;
    if (!isAlone && !isAmongSigns(html, element, html(element).text().trim())) html(element).remove();
  }
}

/**
 * Removes what waits for an answer of the reader. The heading of a section that opens and closes is often a button: such
 * buttons stay, and controls that state something, with their labels.
 */
function removeControls(html: CheerioAPI, all: Cheerio<Element>, found: Panels): LeftOut[] {
  const { openers } = found;
  const around = elementsAround(all.filter(headings).toArray());
  // A term of a list of terms is one as well: `<dt><button>Ingredients</button></dt>`.
  const isHeading = (element: Element) =>
    around.has(element) || html(element).closest(`${headings}, dt`).length > 0;
  const stated = new Set(
    all
      .filter('input, select, textarea')
      .toArray()
      .filter((control) => isStated(html, control)),
  );
  const choices = findChoices(
    html,
    all,
    found,
    (control) => stated.has(control) && !fillsCell(html, control),
  );
  const ids = new Set(
    all
      .filter('input[id], select[id], textarea[id], button[id]')
      .toArray()
      .filter((control) => !stated.has(control))
      .map(({ attribs }) => attribs.id),
  );
  for (const element of all.filter(controls).toArray()) {
    if (isHeading(element) || openers.has(element) || stated.has(element)) continue;
    if (element.name === 'label') {
      const inner = html(element).find('input, select, textarea').toArray();
      const isOfControl =
        inner.length > 0 ? !inner.some((one) => stated.has(one)) : ids.has(element.attribs.for);
      if (!isOfControl) continue;
    }
    html(element).remove();
  }
  return choices;
}

/** The least that a part beside the content says to be named, in characters outside of links: a fact box has a heading and a line. */
export const leastNamed = 40;

const flow = /^(?:p|h[2-6]|[uod]l|pre|blockquote|table|figure|aside)$/;
const isAmongBlocks = (block: Element) =>
  [previousElement(block), nextElement(block)].every((beside) => flow.test(beside?.name ?? ''));

/**
 * Whether a block that is too short to be named, without links, but to files, stands between two paragraphs, of whose text it
 * is, or is an aside in an article or among the blocks of a text.
 */
const isBetween = (html: CheerioAPI, block: Element, weights: Weights): boolean =>
  ((previousElement(block)?.name === 'p' && nextElement(block)?.name === 'p') ||
    (block.name === 'aside' && (isAmongBlocks(block) || html(block).closest('article').length > 0))) &&
  (weights.of(block).links === 0 || isOffer(html, block)) &&
  weights.of(block).text < leastNamed &&
  html(block).find('form, iframe').length === 0;

/** Whether a box has a table, or a list of labels with values: `Built: 1931`. */
function hasFacts(html: CheerioAPI, box: Element): boolean {
  const items = html(box).find('li').toArray().map(shownText);
  const areFacts = items.length > 1 && items.every((item) => /^[^:]{1,40}: ?\S/.test(item));
  return areFacts || html(box).find('dl, table').length > 0;
}

/** Whether a block explains what the text refers to: a link in it leads back to one that leads into it. */
const isFootnote = (html: CheerioAPI, block: Element, byId: ReadonlyMap<string, Element>): boolean =>
  html(block)
    .find('a[href^="#"]')
    .toArray()
    .some(({ attribs: { href = '' } }) => {
      const place = byId.get(href.slice(1));
      if (place === undefined || isWithin(place, block)) return false;
      const [link = place] = html(place).find('a[href^="#"]').toArray();
      const target = byId.get(link.attribs.href?.slice(1) ?? '');
      return target !== undefined && isWithin(target, block);
    });

/**
 * Finds what is called a menu, but has hardly any links and no choices, such as that of a restaurant. `choices`: what was
 * removed from the page.
 */
function findOtherMenus(html: CheerioAPI, body: Element, choices: readonly LeftOut[]): Element[] {
  const weights = new Weights();
  const offersChoices = (element: Element) => choices.some(({ place }) => isWithin(place, element));
  return html(body)
    .find('[class], [id]')
    .toArray()
    .filter((element) => {
      const names = nameParts(element.attribs).filter((part) => surroundingName.test(part));
      if (names.length === 0 || !names.every((name) => linkingName.test(name))) return false;
      const { text, linked } = weights.of(element);
      const says = text >= leastNamed || countAmounts(shownText(element)) > 0;
      return says && linked < text * 0.2 && !offersChoices(element);
    });
}

/** Whether a box is a quote of somebody whom it names. */
const isQuote = (box: Element): boolean => {
  const [quote, ...others] = getElements(box).filter(({ name }) => name === 'blockquote');
  return quote !== undefined && others.length === 0 && shownText(quote) !== shownText(box);
};

export interface Surroundings {
  /** The outermost ones of those that are no controls. */
  readonly removed: readonly Element[];
  readonly choices: readonly LeftOut[];
}

/**
 * Removes hidden elements, controls and surroundings. Surroundings that hold the main heading or much of the text stay.
 * Returns what it removed.
 */
export function removeSurroundings(html: CheerioAPI, body: Element): Surroundings {
  const removed: Element[] = [];
  // Walking through a page takes most of the time of a query.
  const all = html.root().find('*');
  const found = findPanels(html, all);
  const { panels } = found;
  const choices = removeControls(html, all, found);
  html(neverShown)
    .filter((_, node) => !(isTag(node) && panels.has(node)))
    .remove();
  removeHeard(html);
  const before = new Weights();
  const whole = before.of(body).text;
  const byId = new Map(all.toArray().map((element) => [element.attribs.id ?? '', element]));
  const ofPosts = findAuthorBoxes(html, body);
  for (const element of html(surroundings).toArray().filter(isTag)) {
    if (!isWithin(element, body) || ofPosts.has(element) || before.of(element).text > whole * 0.5) continue;
    if (/^(?:aside|footer)$/.test(element.name) && isBetween(html, element, before)) continue;
    // Articles and teasers often have their heading in a `header` of their own.
    const hasHeading =
      html(element).find('h1').length > 0 || html(element).closest('article, main, section, li').length > 0;
    if (element.name === 'header' && hasHeading && before.of(element).links < 8) continue;
    const isSource = html(element).closest('blockquote, article').length > 0 && before.of(element).links < 2;
    if (element.name === 'footer' && isSource) continue;
    const isBox = element.name === 'aside' && html(element).closest('article').length > 0;
    if (isBox && hasFacts(html, element) && before.of(element).links < 2) continue;
    if (element.name === 'aside' && (isFootnote(html, element, byId) || isQuote(element))) continue;
    html(element).remove();
    removed.push(element);
  }
  const others = new Set(findOtherMenus(html, body, choices));
  const isOfOther = (element: Element | null): boolean =>
    element !== null && (others.has(element) || isOfOther(getParent(element)));
  for (const element of html(body).find('[class], [id], [style]').toArray()) {
    if (/^(?:body|main|article|h1|math|table|pre)$/.test(element.name)) continue;
    const isNamed =
      nameParts(element.attribs).some((part) => surroundingName.test(part)) && !isOfOther(element);
    const isUnseen =
      (isHidden(element) || invisible.test(element.attribs.style ?? '')) &&
      before.of(element).text < 200 &&
      !panels.has(element);
    if (!(isNamed || isUnseen) || !isWithin(element, body)) continue;
    if (!isUnseen && (isBetween(html, element, before) || ofPosts.has(element))) continue;
    if (before.of(element).text > whole * 0.3 || html(element).find('h1, main').length > 0) continue;
    html(element).remove();
    if (!isUnseen) removed.push(element);
  }
  return { removed, choices };
}

/** Files and addresses of people: what a page offers, where a menu leads to pages. A link that shares a page has no address. */
const offered =
  /^(?:mailto:[^?]|tel:.)|\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|rtf|csv|tsv|zip|gz|epub|mp3|ics|gpx|kmz?|dmg|exe|apk)(?:[?#].*)?$/i;

const isOffer = (html: CheerioAPI, block: Element): boolean =>
  html(block)
    .find('a[href]')
    .toArray()
    .some(({ attribs }) => offered.test(attribs.href?.trim() ?? ''));

/** Words of a link from which on it may be a title. */
const wordsOfTitle = 5;
/** The links with a text. */
const countNamed = (html: CheerioAPI, element: Element) =>
  html(element)
    .find('a')
    .toArray()
    .filter((link) => shownText(link) !== '').length;

/** Where less text than this would stay, in characters, the links are what the page has to say. */
const leastRest = 40;

/**
 * Removes unmarked menus: blocks of short links. If they hold `share` of the text or more, they are the content and stay.
 * Returns what it removed.
 */
export function removeMenus(html: CheerioAPI, root: Element, share: number): Element[] {
  const weights = new Weights();
  const whole = weights.of(root);
  const menus: Element[] = [];
  const isMenu = (element: Element) => {
    const { text, linked, links, words } = weights.of(element);
    const isBlock = !/^(?:p|t[dhr]|tbody|thead|caption|pre|code|h[1-6]|d[dt])$/.test(element.name);
    const areShort = links >= 3 && areLinks({ text, linked }) && words / links < wordsOfTitle;
    // Cards have a link around a picture beside that with the title: what a large part of the text leads to are no ways of a site.
    if (areShort && text > whole.text * 0.2 && words / countNamed(html, element) >= wordsOfTitle)
      return false;
    return isBlock && areShort && text < whole.text * 0.5;
  };
  const walk = (element: Element) => {
    if (element.name === 'pre') return;
    const children = getElements(element);
    const found = new Set(children.filter(isMenu));
    // Among items that say more than links do, one is none, however many links it has.
    const isList = /^[uo]l$/.test(element.name);
    for (const child of children)
      if (!found.has(child)) walk(child);
      else if (!isList && !isOffer(html, child)) menus.push(child);
  };
  walk(root);
  const sum = menus.reduce((total, menu) => total + weights.of(menu).text, 0);
  if (sum >= whole.text * share || whole.text - sum < leastRest) return [];
  html(menus).remove();
  return menus;
}

const isCard = (element: Element): boolean => {
  const heading = headingIn(element);
  return heading !== undefined && shownText(element).length >= shownText(heading).length + 12;
};

/** Whether it is in a menu, a sidebar, a footer: by the tags around it, or by class names alone. */
function asideBy(element: Element | undefined): 'tag' | 'name' | undefined {
  let isNamed = false;
  let node = element ?? null;
  for (; node !== null && node.name !== 'body' && node.name !== 'main'; node = getParent(node)) {
    if (/^(?:nav|footer)$/.test(node.name)) return 'tag';
    if (node.name === 'header' && getParent(node)?.name === 'body') return 'tag';
    const names = [...nameParts(node.attribs), node.attribs.role ?? ''];
    if (node.name === 'aside' || names.some((name) => surroundingName.test(name) || controlName.test(name)))
      isNamed = true;
  }
  return isNamed ? 'name' : undefined;
}

export const isBesideContent = (element: Element): boolean => asideBy(element) !== undefined;

/** Whether the elements are a menu, breadcrumbs or a footer: by tags, or by class names where nearly all text is in links. */
export function isNavigation(members: readonly Element[]): boolean {
  const aside = asideBy(members[0]);
  if (aside !== 'name') return aside === 'tag';
  const some = members.slice(0, 10);
  // A card may be a single link around a heading and a text; that is not a menu.
  if (some.filter(isCard).length * 2 > some.length) return false;
  const weights = new Weights();
  const total = (part: 'text' | 'linked') => some.reduce((sum, member) => sum + weights.of(member)[part], 0);
  return areLinks({ text: total('text'), linked: total('linked') });
}

/** The heading before the element or before its ancestors, or the tab that shows them; empty if there is none near. */
export function headingAbove(element: Element): string {
  let node: Element | null = element;
  for (let level = 0; level < 6 && node !== null && node.name !== 'body'; level++, node = getParent(node)) {
    // What stands before a panel is another panel.
    const tab = tabOf(node, node);
    if (tab !== undefined) return shownText(tab).slice(0, 100);
    let before = previousElement(node);
    for (let steps = 0; before !== undefined && steps < 6; steps++, before = previousElement(before)) {
      const isOther = isHidden(before) || /^(?:aside|nav)$/.test(before.name);
      const heading = isOther ? undefined : headingIn(before);
      if (heading !== undefined && shownText(heading) !== '') return shownText(heading).slice(0, 100);
    }
  }
  return '';
}
