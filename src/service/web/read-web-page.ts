/** Reads a page of any website: the content as Markdown, lists, tables and stated data, and notes on what is left out. */
import type { Element } from 'domhandler';
import type { DecimalMark } from '../../compare/number.ts';
import { PageTooLargeError, PageUnfitError } from '../foundation/errors.ts';
import { explainBesides, removeComments, removeShopNotes, removeTeasers } from '../page/beside.ts';
import { explainDoubt } from '../page/bytes.ts';
import { explainChoices } from '../page/choices.ts';
import { type Content, readArticle, readContent, removeBesideArticle } from '../page/content.ts';
import type { Document, Row } from '../page/document.ts';
import { type FurtherPage, findFurtherPage } from '../page/further-page.ts';
import { isObject } from '../page/json.ts';
import { readNames, toMarkdown } from '../page/markdown.ts';
import { findObstacle } from '../page/obstacles.ts';
import { sellsOne } from '../page/shown-offer.ts';
import { explainOthers, type PageFacts, readPageFacts, toData } from '../page/stated.ts';
import { tablesOf } from '../page/tables.ts';
import { removeAuthorFacts, removeQuotes } from '../page/threads.ts';
import { Weights } from '../page/weights.ts';
import { wordsOf } from '../page/words.ts';
import { explainTotals } from '../recipes/total-row.ts';
import { findAuthor, findDate, findFirstDate, findTitle } from './byline.ts';
import {
  explainContradictions,
  explainFewWords,
  explainLittle,
  explainWall,
  findGaps,
  framesIn,
  hasScripts,
  littleText,
} from './doubts.ts';
import { countContents, findKind, isToContact, measure, type PageKind } from './page-kind.ts';
import { type Records, readLinks, readLists, readTables } from './read-records.ts';
import { mostRows, type PagePart, type ReadingResult, type ReadingTask } from './readings.ts';

/** A list adds nothing if the text holds this share of its words. */
const mostlyHeld = 0.6;

/** All text but HTML and data: also calendars and cards, of which each line counts. */
const plainText =
  /^(?:text\/(?!html\b|x-server-parsed-html|xml\b|(?:x-)?json\b|[\w.-]+\+(?:xml|json))|application\/(?:x-ndjson|(?:x-)?yaml|toml)\b)/i;
const noText = /^(?:image|audio|video|font|application\/(?:pdf|zip|gzip|octet-stream|msword|vnd\.))/i;

export function readWebPage(document: Document, task: ReadingTask): ReadingResult {
  const { page } = document;
  if (noText.test(page.contentType))
    throw new PageUnfitError(
      `The address returns a file (${/^[\w.+/-]*/.exec(page.contentType)?.[0]}), not a page`,
    );
  if (plainText.test(page.contentType)) {
    const missing = explainDoubt(document.decoded);
    const text = { source_url: page.url, kind: 'other', title: null, main: document.source.trim() };
    return { data: { ...text, ...(missing.length > 0 && { missing }) } };
  }
  if (document.isFeed)
    return {
      data: {
        source_url: page.url,
        kind: 'listing',
        title: null,
        main: '',
        missing: ['The address is a feed. web_feed reads its entries.'],
      },
    };
  return document.isData ? readJsonPage(document, task) : readHtmlPage(document, task);
}

function readJsonPage(document: Document, { parts, maxRows }: ReadingTask): ReadingResult {
  const missing: string[] = [];
  if (saysNoNumber(document.source)) missing.push('NaN and Infinity in the JSON are given as null.');
  const lists = withRows(readLists(document, missing), maxRows, 'lists', missing);
  const isTextWanted = parts?.includes('main') ?? lists.length === 0;
  if (!isTextWanted && hasValues(document.json))
    missing.push('Values beside the lists are left out: ask for parts ["main"].');
  const further = lists.length > 0 ? findFurtherPage(document) : undefined;
  missing.push(...explainFurther(further));
  return {
    data: {
      source_url: document.page.url,
      kind: lists.length > 0 ? 'listing' : 'other',
      title: null,
      main: isTextWanted ? `\`\`\`json\n${JSON.stringify(document.json, null, 2)}\n\`\`\`` : '',
      ...(lists.length > 0 && { lists }),
      ...(missing.length > 0 && { missing }),
      ...(further?.url !== undefined && { next: further.url }),
    },
  };
}

/** Whether JSON has a value that is no number, outside of its texts. */
const saysNoNumber = (source: string) =>
  /(?:NaN|Infinity)\b/.test(source) &&
  /(?<![\w"])-?(?:NaN|Infinity)(?![\w"])/.test(source.replace(/"(?:[^"\\]|\\.)*"?/g, '""'));

/** Whether JSON says something outside of its lists. */
const hasValues = (json: unknown): boolean =>
  isObject(json) ? Object.values(json).some(hasValues) : json !== null && !Array.isArray(json);

function explainFurther(further: FurtherPage | undefined): string[] {
  if (further === undefined) return [];
  return [
    further.url === undefined
      ? 'The list may go on: a button or a count on the page says so.'
      : 'There is a next page: its address is in `next`.',
  ];
}

function readHtmlPage(document: Document, task: ReadingTask): ReadingResult {
  const { parts } = task;
  const wants = (part: PagePart) => parts === undefined || parts.includes(part);
  const { page } = document;
  const text = readText(document, parts?.includes('main') ?? false);
  const { kind, facts } = text;
  const obstacle = findObstacle(document.html);
  if (obstacle?.isCertain === true) return { obstacle };
  const missing = obstacle === undefined ? [] : [obstacle.reason];
  missing.push(...explainDoubt(document.decoded), ...findGaps(document, text.main, text.frames));
  if (wants('main')) missing.push(...text.leftOut);
  const showsLittle = text.length < littleText && hasScripts(document);
  const further = findFurther(document, kind);
  const lists = readWanted('lists', task, document, text.main, kind, missing);
  const tables = readWanted('tables', task, document, text.main, kind, missing);
  if (wants('main') && text.cut.length > 0) {
    const what = text.cut.join(', ');
    missing.push(`${what[0]?.toUpperCase()}${what.slice(1)} are left out: ask for parts ["main"].`);
  }
  missing.push(...explainFurther(further));
  if (wants('main')) missing.push(...explainWall(document, facts));
  if (parts === undefined) missing.push(...explainOthers(facts));
  if (wants('data')) missing.push(...facts.leftOffers);
  missing.push(...explainContradictions(document, facts, text));
  const hasRows = lists.length > 0 || (parts !== undefined && tables.length > 0);
  if (showsLittle) missing.push(explainLittle(task.browser));
  else if (!hasRows || (wants('main') && text.main.length < 40))
    missing.push(...explainFewWords(document, facts, text.main, obstacle !== undefined));
  const data: Row = {
    source_url: page.url,
    kind,
    title: text.title ?? null,
    ...(text.author !== undefined && { author: text.author }),
    ...(text.date !== undefined && { date: text.date }),
    ...(wants('main') && { main: text.main }),
    ...(lists.length > 0 && { lists }),
    ...(tables.length > 0 && { tables }),
    ...(wants('data') && { data: text.data }),
    ...(parts?.includes('data') === true && facts.nodes.length > 0 && { statements: facts.nodes }),
    ...(parts?.includes('links') === true && { links: readLinks(document) }),
    ...(missing.length > 0 && { missing }),
    ...(further?.url !== undefined && { next: further.url }),
  };
  return showsLittle && task.browser === 'available' ? { needsBrowser: true, data } : { data };
}

const isListed = /^(?:listing|collection|forum|other)$/;
/** The next page of a list; of other kinds only where its address is that of the page with a number, as that of a long text. */
function findFurther(document: Document, kind: PageKind): FurtherPage | undefined {
  const further = kind === 'product' ? undefined : findFurtherPage(document);
  if (further === undefined || isListed.test(kind)) return further;
  const [here, next] = [new URL(document.page.url), new URL(further.url ?? document.page.url)];
  const path = here.pathname.replace(/\/$/, '');
  const isSame = next.pathname === here.pathname && next.search !== here.search && /\d/.test(next.search);
  const isNumbered =
    next.pathname.startsWith(`${path}/`) &&
    /^(?:\/\p{L}+)?\/\d{1,4}\/?$/u.test(next.pathname.slice(path.length));
  return isSame || isNumbered ? further : undefined;
}

/** The text of a page with its title, author, date and kind. */
function readText(document: Document, isInFull: boolean) {
  const { html, page } = document;
  const facts = readPageFacts(document);
  const title = findTitle(html, facts, page.url);
  const shownDate = findDate(html, facts, true);
  const { kind, firstDate, shown, ...text } = readShown(document, facts, shownDate !== undefined, isInFull);
  // The day of an event is none of publication.
  const isDated = !isUndated.test(kind) && !facts.types.some((type) => type.endsWith('Event'));
  const isThread = kind === 'forum';
  const author = isDated || facts.author !== undefined ? findAuthor(html, facts, isThread) : undefined;
  const ownDate = isThread ? shownDate : findDate(html, facts, false);
  return {
    ...text,
    facts,
    title,
    kind,
    author,
    date: isDated || facts.published !== undefined ? (ownDate ?? firstDate) : undefined,
    data: toData(document, facts, kind === 'product'),
    main: kind === 'product' ? withDescription(shown, facts.description) : shown,
  };
}

/** On pages of products and lists, the dates and names that are shown belong to reviews and entries. */
const isUndated = /^(?:product|listing|collection)$/;

/** The kind of a page and the text of its content. `isDated`: the page shows a date beside it. */
function readShown(document: Document, facts: PageFacts, isDated: boolean, isInFull: boolean) {
  const { html, base } = document;
  const contents = countContents(html);
  const leftOut: string[] = [];
  return readContent(html, (content) => {
    const root = content?.roots.at(-1);
    if (content === undefined || root === undefined)
      return {
        kind: 'other' as const,
        firstDate: undefined,
        cut: [],
        leftOut,
        frames: [],
        length: 0,
        shown: '',
      };
    const firstDateIn = (isThread: boolean) => findFirstDate(content.html, root, isThread);
    const shape = measure(content.html, root, contents);
    const kind: PageKind = findKind(facts, shape, isDated || firstDateIn(true) !== undefined, {
      isSale: () => content.whole(() => sellsOne(document)),
      isContact: () => content.whole(() => isToContact(html)),
    });
    const cut = isInFull ? [] : leaveOut(document, content, root, kind);
    // Facts about the authors of a thread have dates of their own. They are removed by now, unless the text is wanted in full.
    const isThread = kind === 'forum';
    const firstDate = isUndated.test(kind) || (isThread && isInFull) ? undefined : firstDateIn(isThread);
    const weights = new Weights();
    if (!isInFull) leftOut.push(...explainBesides(content.html, content, base));
    const names = readNames(html);
    const written = isInFull ? content.withBesides() : content.roots;
    // Writing the text changes its elements.
    const frames = framesIn(content.html, written);
    const length = content.roots.reduce((sum, element) => sum + weights.of(element).text, 0);
    const notes: string[] = [];
    const shown = written
      .map((element) => toMarkdown(html, element, base, notes, names))
      .filter(Boolean)
      .join('\n\n');
    leftOut.push(...explainChoices(content.choices, shown), ...notes);
    return { kind, firstDate, cut, leftOut, frames, length, shown };
  });
}

/** Removes what only stands beside the content, and returns what that was. */
function leaveOut(document: Document, content: Content, root: Element, kind: PageKind): string[] {
  const { html } = content;
  if (kind !== 'article' && kind !== 'product' && kind !== 'forum') return [];
  const removals: readonly (readonly [PageKind | undefined, string, () => boolean])[] = [
    ['article', 'comments and notes about the author', () => removeComments(html, root)],
    [undefined, 'links to other pages beside the content', () => removeTeasers(html, root)],
    ['article', 'boxes beside the text', () => removeBesides(document, content, root)],
    ['product', 'reviews and notes of the shop', () => removeShopNotes(html, root)],
    ['forum', 'quotes of posts that stand on the page', () => removeQuotes(html, root)],
    ['forum', 'facts about the authors', () => removeAuthorFacts(html, root)],
  ];
  return removals.flatMap(([of, what, remove]) =>
    (of === undefined || of === kind) && remove() ? what : [],
  );
}

function removeBesides(document: Document, { html, whole }: Content, root: Element): boolean {
  try {
    const article = whole(() => readArticle(document));
    return article !== undefined && removeBesideArticle(html, root, article);
  } catch (error) {
    if (error instanceof PageTooLargeError) return false;
    throw error;
  }
}

/** The share of the words that occur in the text. */
function shareHeld(words: readonly string[], text: ReadonlySet<string>): number {
  return words.length === 0 ? 1 : words.filter((word) => text.has(word)).length / words.length;
}

/** Shops often show the description only with scripts, but state it in the data of the page. */
function withDescription(main: string, description: string | undefined): string {
  const text = description?.replace(/<[^<>]*>/g, ' ').trim() ?? '';
  if (text.length < 40 || shareHeld(wordsOf(text), new Set(wordsOf(main))) > 0.6) return main;
  return `${text}\n\n${main}`;
}

/** The lists or tables that `parts` asks for. Without `parts` those that the text leaves out, if they have more words than the text. */
function readWanted(
  name: 'lists' | 'tables',
  { parts, maxRows }: ReadingTask,
  document: Document,
  main: string,
  kind: PageKind,
  missing: string[],
): Row[] {
  const read = name === 'lists' ? readLists : readTables;
  if (parts !== undefined)
    return parts.includes(name)
      ? withRows(read(document, missing), maxRows, name, missing, document.decimalMark)
      : [];
  const isUseful =
    name === 'lists' ? kind === 'listing' || kind === 'collection' : document.html(tablesOf).length > 0;
  if (!isUseful) return [];
  const mainWords = wordsOf(main);
  const text = new Set(mainWords);
  const all = read(document);
  const left = all.filter(({ rows }) => shareHeld(rows.slice(0, 50).flatMap(wordsInRow), text) < mostlyHeld);
  const isLarge = ({ rows, total }: Records) =>
    (rows.flatMap(wordsInRow).length * total) / rows.length > mainWords.length;
  const large = left.filter(isLarge).slice(0, name === 'lists' ? 1 : undefined);
  if (large.length < left.length)
    missing.push(
      `Further ${name} outside of the content (${left.length - large.length}) are left out: ask for parts ["${name}"].`,
    );
  if (large[0] !== all[0]) missing.push(...explainCount(all[0], 'its list'));
  return withRows(large, maxRows, name, missing, document.decimalMark);
}

const explainCount = (records: Records | undefined, what: string): string[] =>
  records?.said === undefined
    ? []
    : [
        `The page says "${records.said.replaceAll('"', "'")}" beside ${what}, which has ${records.total} rows.`,
      ];

const wordsInRow = (row: Row): string[] =>
  Object.values(row).flatMap((value) =>
    typeof value === 'string' && !/^https?:/.test(value) ? wordsOf(value) : [],
  );

/** Cuts each list or table to `maxRows` rows, and says so in `missing`. */
function withRows(
  all: readonly Records[],
  maxRows: number,
  name: 'lists' | 'tables',
  missing: string[],
  mark?: DecimalMark,
): Row[] {
  return all.map(({ leftOut, doubts, total, said, ...records }, index) => {
    missing.push(...explainCount(all[index], `${name}[${index}]`));
    const { rows } = records;
    for (const what of leftOut) missing.push(`${what} of ${name}[${index}] are left out.`);
    const totals = name === 'tables' ? explainTotals(rows, mark) : [];
    missing.push(...[...doubts, ...totals].map((text) => `${name}[${index}]: ${text}`));
    if (total <= maxRows) return records;
    const step = maxRows < mostRows ? 'ask with a larger max_rows' : `an answer holds at most ${mostRows}`;
    missing.push(`${total - maxRows} of ${total} rows of ${name}[${index}] are left out: ${step}.`);
    return { ...records, rows: rows.slice(0, maxRows) };
  });
}
