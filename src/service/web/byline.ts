/** Finds title, author and date of a page: in its stated data, and in the places where pages usually show them. */
import type { CheerioAPI } from 'cheerio/slim';
import { type AnyNode, type ChildNode, type Element, isTag, isText } from 'domhandler';
import { collapse, elementsAround, getParent, shownText } from '../page/elements.ts';
import type { PageFacts } from '../page/stated.ts';
import { getText } from '../page/text.ts';
import { threadAuthors } from '../page/threads.ts';
import { chooseDay, dayForms, findDay, ofPublication, otherDay, toDay, untilToday } from './days.ts';

/** Not kept, as `shownText` is: what stands beside the content is removed from the page later. */
const readLine = (element: Element) => collapse(getText(element));
const lower = (text: string) => collapse(text).toLowerCase();
const maxTitle = 300;

/** Separate the parts of a title. A hyphen needs spaces around it, so `built-in` is one word. */
const bars = /\s+[|–—\-»«·•~/]+\s+|\s*[|»]\s*/;
/** A colon separates parts, too. */
const separators = new RegExp(`${bars.source}|:\\s+`);
const edges = /^[\s|–—\-»«·•:~/]+|[\s|–—\-»«·•:~/]+$/g;
const wordsOf = (text: string): string[] => lower(text).match(/[\p{L}\p{N}]+/gu) ?? [];
const letters = (text: string) => wordsOf(text).join('');

/** Removes the name of the site from the end of a title or a heading. */
function withoutSite(title: string, isSite: (part: string) => boolean): string {
  const parts = title.split(separators).filter(Boolean);
  const last = parts.at(-1) ?? '';
  if (parts.length < 2 || !isSite(last)) return title;
  return withoutSite(title.slice(0, title.lastIndexOf(last)).replace(edges, ''), isSite);
}
/** By custom, the last part of a title behind a bar is the name of the site. */
const withoutLast = (title: string) => title.replace(/\s+[|»]\s+[^|»]+$/, '');

export function findTitle(html: CheerioAPI, facts: PageFacts, url: string): string | undefined {
  const stated = collapse(html('head > title, title').first().text());
  const said = facts.meta('og:title', 'twitter:title') ?? stated;
  const headings = html('h1')
    .toArray()
    .filter((element) => html(element).closest('nav, footer, aside, dialog, [hidden]').length === 0)
    .map((element) => readLine(element).replace(/\s*[¶#]$/, ''))
    .filter((text) => text.length > 1 && text.length < maxTitle);
  const statedParts = stated.split(bars).filter(Boolean);
  const site = letters(facts.meta('og:site_name') ?? '');
  const host = letters(new URL(url).hostname.replace(/^www\./, '').replace(/\.\w+$/, ''));
  /** The stated name of the site, words of the host's name, or the last part of the title that is a heading as well. */
  const isSite = (part: string) => {
    const text = letters(part);
    if (text.length < 3) return false;
    const isInHost = host.includes(text) || wordsOf(part).every((word) => host.includes(word));
    const isLast = statedParts.length > 1 && text === letters(statedParts.at(-1) ?? '');
    return text === site || isInHost || (isLast && headings.some((heading) => letters(heading) === text));
  };
  const shorten = (title: string) => withoutLast(withoutSite(title, isSite));
  const own = headings
    // A heading that the title goes on behind is whole: "A | B testing explained | Blog".
    .map((text) => (said !== text && said.startsWith(text) ? withoutSite(text, isSite) : shorten(text)))
    .filter((text) => text !== '' && !isSite(text));
  const short = shorten(said);
  const parts = [said, stated, short, ...said.split(separators), ...stated.split(separators)].map(letters);
  const isSaid = own.find((text) => parts.includes(letters(text)));
  const titleWords = wordsOf(short);
  const near = own.find((text) => {
    const words = wordsOf(text);
    const common = words.filter((word) => titleWords.includes(word)).length;
    const isWithin = common === words.length;
    return common >= (isWithin ? titleWords.length * 0.6 : words.length * 0.4);
  });
  const candidates = [isSaid, near, facts.headline, short, shorten(stated), headings[0]];
  return candidates.find((candidate) => candidate !== undefined && candidate !== '')?.slice(0, maxTitle);
}

const byWords = /^(?:by|von|par|por|di|door|av|af|written by|posted by|author|autor|auteur)\b[\s:]*/i;

function toName(text: string, most = 60): string | undefined {
  const name = collapse(text).replace(byWords, '').trim();
  const isName =
    name.length > 1 &&
    name.length < most &&
    /\p{L}/u.test(name) &&
    !/^https?:|[@/]|\b\d{4}/.test(name) &&
    (most > 60 || name.split(' ').length < 7);
  return isName ? name : undefined;
}

/** Behind a link to the author stand ranks and counts of posts. */
function leadingName(html: CheerioAPI, element: Element): string {
  // What is marked as a name may be for machines alone.
  const said = shownText(element) || ('itemprop' in element.attribs ? collapse(html(element).text()) : '');
  const text = said.replace(byWords, '');
  const links = html(element).find('a').toArray().map(shownText);
  return links.find((link) => link !== '' && text.startsWith(link)) ?? text;
}

const markedAuthor = '[rel~="author"]';
/** Where pages show their author: the most reliable places first. */
const authorPlaces = [
  '[itemprop="author"] [itemprop="name"], [itemprop="author"]',
  markedAuthor,
  '[class*="author" i][class*="name" i], [class*="byline" i][class*="name" i], .author a, .byline a',
  '[class*="byline" i], [class~="author" i], [class*="post-author" i], [class*="entry-author" i]',
];
/** What others wrote below the text is marked so. */
const besideContent =
  'nav, footer, [role="navigation"], [class*="related" i], [itemprop$="Answer"], [itemprop="comment"]';
const besideArticle = 'aside, [class*="comment" i]';

export function findAuthor(html: CheerioAPI, facts: PageFacts, isThread: boolean): string | undefined {
  const said = facts.author === undefined ? undefined : toName(facts.author, 200);
  if (said !== undefined) return said;
  const beside = isThread ? besideContent : `${besideContent}, ${besideArticle}`;
  const nameOf = (element: Element) =>
    toName(element.attribs['data-author'] ?? element.attribs.content ?? leadingName(html, element));
  for (const place of isThread ? threadAuthors : authorPlaces) {
    const [first, ...others] = html(place)
      .toArray()
      .filter(isTag)
      .slice(0, 20)
      .filter((element) => html(element).closest(beside).length === 0 && nameOf(element) !== undefined);
    if (first === undefined) continue;
    // Side by side they are the authors of one text.
    const areMarked = place === markedAuthor;
    const together = others.filter((other) => areMarked && other.parent === first.parent);
    return [...new Set([first, ...together].map(nameOf))].join(', ');
  }
  return isThread ? undefined : findByline(html);
}

const names = String.raw`((?:\p{Lu}[\p{L}.'’-]+\s?){1,4})`;
/** "Autor: Enno Harms" says it more surely than "published by". */
const bylines = [
  String.raw`^(?:Auth?or(?:in|e)?|Auteure?)\s?:\s*`,
  // Behind other words, such as "Photo by" and "Stand by Me", "by" names nobody who wrote the text.
  String.raw`(?:^|[\d|•·–—:,]\s*|\b(?:[Pp]osted|[Pp]ublished|[Uu]pdated|[Rr]eported|[Ss]tory|[Ww]ords|[Aa]rticle|[Tt]ext)\s+)(?:[Bb]y|von|par|por|[Ww]ritten by|[Aa]uthor:?)\s+`,
].map((before) => new RegExp(before + names, 'u'));
/** "Published: May 4, 2021 by Harbor Press" is a fact of what the page is about, however deep it stands in its list. */
const factLists = 'dl, dl *, table, td, th';
const longestByline = 200;
/** The capitalized words after "by" in a short text near the heading; in German, French and Spanish as well. */
function findByline(html: CheerioAPI): string | undefined {
  const heading = html('h1').first();
  const around = [heading.nextAll().slice(0, 4), heading.parent().nextAll().slice(0, 3), heading.parent()];
  const facts = html(factLists).toArray();
  const withFacts = new Set<AnyNode>([...elementsAround(facts), ...facts]);
  const texts = around
    .flatMap((some) => some.toArray())
    .flatMap((one) => [one, ...html(one).find('*').toArray()])
    .filter((one) => !withFacts.has(one))
    .map(readLine)
    .filter((text) => text.length <= longestByline);
  for (const byline of bylines)
    for (const text of texts) {
      const name = toName(byline.exec(text)?.[1] ?? '');
      if (name !== undefined) return name;
    }
  return undefined;
}

/** What stands before it, in its own element or in one that holds nothing else. */
function nodeBefore(element: Element): ChildNode | undefined {
  for (let before = element.prev; before !== null; before = before.prev)
    if (shownText(before) !== '') return before;
  const around = getParent(element);
  return around === null || shownText(around) !== shownText(element) ? undefined : nodeBefore(around);
}

/** Whether a label before it calls a date something that is not known as a publication: "Closing", "End of support:". */
function isOtherwiseCalled(element: Element): boolean {
  const before = nodeBefore(element);
  if (before === undefined) return false;
  const text = shownText(before).slice(-besideDate);
  const isNamed =
    isTag(before) && (/^(?:dt|th|label)$/.test(before.name) || /label/i.test(before.attribs.class ?? ''));
  return (
    (isText(before) && otherDay.test(text)) ||
    ((isNamed || text.endsWith(':')) && text.length < 40 && !ofPublication.test(text.replace(/[\s:]+$/, '')))
  );
}

/** Levels up to the line in which a day stands beside others. */
const levelsOfLine = 3;

/** What the nearest line around an element, or its own, says of several days. */
function chooseAround(element: Element): ReturnType<typeof chooseDay> {
  let node: Element | null = element;
  for (let level = 0; level <= levelsOfLine && node !== null; level++, node = getParent(node)) {
    const chosen = chooseDay(node);
    if (chosen !== undefined) return chosen;
  }
  return undefined;
}

/** Characters of an item beside its date, such as "Published on" and a place. */
const besideDate = 60;
const mostNeighbours = 20;

/** Elements of the same kind on either side, up to a bound: pages have lists of any length. */
function neighboursOf(element: Element): Element[] {
  const found: Element[] = [];
  for (const side of ['prev', 'next'] as const)
    for (let one = element[side], seen = 0; one !== null && seen < mostNeighbours; one = one[side]) {
      if (!isTag(one)) continue;
      seen += 1;
      if (one.name === element.name && one.attribs.class === element.attribs.class) found.push(one);
    }
  return found;
}

/** What readers add to a page, one below the other. */
const ofReader = /review|comment/i;

/** Tells for elements of one page whether they stand in a row of a table or a list: a date there is that of the row. */
function createRowCheck(html: CheerioAPI): (element: Element) => boolean {
  const layouts = new Map<Element, boolean>();
  const isLayout = (table: Element) => {
    const isKnown = layouts.get(table) ?? html(table).find('table, h1, h2, article, p + p').length > 0;
    layouts.set(table, isKnown);
    return isKnown;
  };
  const isRow = (element: Element): boolean => {
    const others = neighboursOf(element);
    if (element.name === 'tr') {
      const [table] = html(element).closest('table').toArray().filter(isTag);
      return others.length > 0 && table !== undefined && !isLayout(table);
    }
    if (element.name === 'li' || element.name === 'dd') {
      const beside = readLine(element).replace(dayForms, '').length;
      const hasOther = others.some((other) => dayForms.test(html(other).text()));
      return hasOther || (others.length > 0 && beside > besideDate);
    }
    if (!['div', 'article', 'section'].includes(element.name)) return false;
    const isDated = (other: Element) => html(other).find('time, [datetime], [class*="date" i]').length > 0;
    return (
      (others.length > 0 && ofReader.test(element.attribs.class ?? '')) || others.filter(isDated).length > 1
    );
  };
  return (element) => [element, ...html(element).parents().toArray()].filter(isTag).some(isRow);
}

/** The text of the content, as far as it is wanted, without the elements that are left out. */
function leadText(root: Element, characters: number, isLeftOut: (element: Element) => boolean): string {
  let text = '';
  const rest: ChildNode[] = [root];
  for (let node = rest.pop(); node !== undefined && text.length < characters; node = rest.pop()) {
    if (isText(node)) text += node.data;
    if (!isTag(node) || isLeftOut(node)) continue;
    if (/^(?:dd|dt|div|p|li|td|th|br)$/.test(node.name)) text += ' ';
    for (let child = node.lastChild; child !== null; child = child.prev) rest.push(child);
  }
  return text;
}

/** The day of publication, as YYYY-MM-DD. `isThread`: its first post is the page's text, though it is one of a list. */
export function findDate(html: CheerioAPI, facts: PageFacts, isThread: boolean): string | undefined {
  const said = toDay(facts.published);
  if (said !== undefined) return said;
  const marked = html('time, [itemprop="datePublished"], [datetime], [class*="publish" i], [class*="date" i]')
    .toArray()
    .slice(0, 40);
  const outside = marked
    .filter(isTag)
    .filter(
      (element) =>
        html(element).closest('nav, footer, aside, [class*="comment" i], [class*="related" i]').length === 0,
    );
  const isInRow = isThread ? () => false : createRowCheck(html);
  for (const element of outside) {
    const text = readLine(element);
    if (
      otherDay.test(
        `${text.slice(0, 60)} ${element.attribs.class ?? ''} ${html(element).parent().attr('class') ?? ''}`,
      )
    )
      continue;
    const day =
      untilToday(toDay(element.attribs.datetime ?? element.attribs.content)) ??
      (text.length < 60 ? findDay(text) : undefined);
    if (day === undefined || isOtherwiseCalled(element) || isInRow(element)) continue;
    const chosen = chooseAround(element);
    if (chosen !== 'none') return untilToday(chosen) ?? day;
  }
  // Otherwise a date in a short text beside the title.
  const holds = (day: string) => (one: Element) => findDay(readLine(one)) === day;
  const heading = html('h1').first();
  for (const near of [heading.next(), heading.parent().next(), heading.prev(), heading.parent()]) {
    const text = near.toArray().map(readLine).join(' ');
    const day = text.length < 200 ? findDay(text) : undefined;
    if (day === undefined) continue;
    const holder = [...near.toArray(), ...near.find('*').toArray()].filter(isTag).findLast(holds(day));
    if (holder !== undefined && (isInRow(holder) || isOtherwiseCalled(holder))) continue;
    const chosen = holder === undefined ? undefined : chooseAround(holder);
    if (chosen !== 'none') return untilToday(chosen) ?? day;
  }
  return undefined;
}

/** The first date in the first characters of the content. */
export function findFirstDate(html: CheerioAPI, root: Element, isThread: boolean): string | undefined {
  const isInRow = createRowCheck(html);
  const isLeftOut = (element: Element) =>
    !isThread &&
    (isOtherwiseCalled(element) ||
      chooseDay(element) === 'none' ||
      ((/^(?:tr|li|dd)$/.test(element.name) || ofReader.test(element.attribs.class ?? '')) &&
        isInRow(element)));
  return findDay(collapse(leadText(root, 1_000, isLeftOut)).slice(0, 400));
}
