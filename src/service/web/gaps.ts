/** What a page itself shows to be elsewhere, unreadable, or behind a wall. */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import type { Document } from '../page/document.ts';
import { getParent, shownText } from '../page/elements.ts';
import { isObject } from '../page/json-values.ts';
import type { PageFacts } from '../page/stated.ts';
import { isHidden } from '../page/text.ts';
import type { ReadingTask } from './readings.ts';

/** A page with scripts and less text than this, in characters, needs a browser. */
export const littleText = 150;

export const hasScripts = ({ html }: Document) =>
  html('script:not([type]), script[type*="javascript"], script[type="module"]').length > 0;

/** Pages in the page. Those of one pixel count visitors. */
export const framesIn = (html: CheerioAPI, around: readonly Element[]) =>
  around
    .flatMap((element) => html(element).find('frame, iframe, object[data], embed[src]').toArray())
    .filter(({ attribs }) => !/^[01](?:px)?$/.test((attribs.width ?? attribs.height ?? '').trim()));

/** What the page itself shows to be elsewhere, or unreadable. `frames`: those of the content. */
export function findGaps({ html, base, page }: Document, main: string, frames: readonly Element[]): string[] {
  const gaps: string[] = [];
  const addressesOf = (elements: readonly Element[]) =>
    elements.flatMap(({ attribs }) => {
      const address = attribs.src ?? attribs.data ?? attribs['data-src'];
      return address !== undefined &&
        /^(?!(?:about|javascript|data):)/i.test(address) &&
        URL.canParse(address, base)
        ? new URL(address, base).href
        : [];
    });
  if (page.refresh !== undefined)
    gaps.push(`The page sends its readers on to ${page.refresh}: read that address.`);
  const all = addressesOf(framesIn(html, html.root().children('html').toArray()));
  const unlinked = addressesOf(frames).filter((address) => !main.includes(address));
  if (all.length > 0 && (main.length < littleText || html('frameset').length > 0))
    gaps.push(`The content may stand in frames, which are pages of their own: ${listFew(all)}.`);
  else if (unlinked.length > 0)
    gaps.push(`Frames in the content, which are pages of their own, are not read: ${listFew(unlinked)}.`);
  return gaps;
}

const listFew = (addresses: readonly string[]) =>
  [...addresses.slice(0, 5), ...(addresses.length > 5 ? [`${addresses.length - 5} more`] : [])].join(', ');

export function explainLittle(browser: ReadingTask['browser']): string {
  if (browser === 'used') return 'The page shows hardly any text, even in a browser.';
  return 'The page needs its scripts to show its content, and this service has no browser: `svc-mcp doctor` says how to get one.';
}

/** Less text than most contents have, and what a notice has at most, in characters. */
const fewWords = 120;
const mostOfNotice = 300;
const statedContent = /Product|Article|Posting|Recipe|Event|Person|Place|Book|Movie|Video|Music|Question|FAQ/;

/** A page of a few words may say why there is no content, in words that nobody foresees. */
export function explainFewWords(
  { html, base }: Document,
  { types }: PageFacts,
  main: string,
  isDoubted: boolean,
): string[] {
  const text = main.replace(/\]\([^()\s]*\)/g, ']');
  const length = text.replace(/\s+/g, '').length;
  if (length < 40) return ['The page shows hardly any text.'];
  // Numbers, pictures, tables and lists are content.
  const isContent = /\d|!\[|^\|/m.test(text) || (text.match(/^\s*[-*] /gm)?.length ?? 0) > 2;
  if (isDoubted || isContent || length > mostOfNotice || types.some((type) => statedContent.test(type)))
    return [];
  const isHome = ({ attribs }: Element) =>
    URL.canParse(attribs.href ?? '', base) && new URL(attribs.href ?? '', base).pathname === '/';
  const links = html('a[href]').not('header a, nav a, footer a').toArray();
  const isNotice =
    length < fewWords ||
    html('meta[name="robots" i][content*="noindex" i]').length > 0 ||
    /[!?…]$/.test(html('h1, h2').first().text().trim()) ||
    (links.length > 0 && links.every(isHome));
  return isNotice
    ? [`The page shows only ${length} characters of text: it may be a notice in place of the content.`]
    : [];
}

/** Names of parts that ask readers to pay or to sign up. */
const wallName =
  /(?:pay|reg|registration|subscri\w*|login|metered)[-_]?wall|(?:premium|paid|content|article|subscri\w*)[-_]?(?:gate|lock|locked|barrier)(?![a-z])|content-not-granted/i;
/** A longer part with such a name is the text that is sold. */
const mostOfWall = 600;
/** Stems of "read", "article", and of "subscribe", "member". */
const readStem =
  /(?<!\p{L})(?:read|article|story|conten[iu]|conteúdo|inhalt|innehåll|indhold|treść|obsah|контент|материал|lesen|artikel|weiterles|lire|lecture|leer|leyendo|artículo|legg|lettura|articol|ler(?!\p{L})|lendo|artigo|lees|lezen|läs|les(?!\p{L})|læs|czyta|artyku|číst|člán|oku|lue|olvas|чита|стат)|続き|記事|コンテンツ|内容|阅读|閱讀|全文|기사|계속/iu;
const payStem =
  /(?<!\p{L})(?:subscri|abon|abbon|suscri|assin|abo(?!\p{L})|member|mitglied|membre|miembro|prenumer|tilaa|předplat|subskry|előfizet|подпис|(?:mit|with|avec|con|com|med|met) \p{L}*plus(?!\p{L}))|有料|会員|订阅|訂閱|구독/iu;

/** What the page shows or states of a text that not all readers get. */
export function explainWall({ html }: Document, { nodes, meta }: PageFacts): string[] {
  const isPaid = ({ isAccessibleForFree, hasPart }: Record<string, unknown>): boolean =>
    /^(?:https?:\/\/schema\.org\/)?false$/i.test(String(isAccessibleForFree)) ||
    [hasPart].flat().filter(isObject).some(isPaid);
  if (nodes.some(isPaid) || /^(?:locked|metered|premium|paid)$/i.test(meta('article:content_tier') ?? ''))
    return ['The page says that not all of it is free to read.'];
  const wall = findNamedWall(html) ?? findSaidWall(html);
  if (wall === undefined) return [];
  const text = shownText(html(wall).find('h1, h2, h3, h4').get(0) ?? wall).replaceAll('"', "'");
  const short = text.length > 80 ? `${text.slice(0, 79).trimEnd()}…` : text;
  return [`The text may go on for readers who pay or sign up: a part of the page says "${short}".`];
}

function isShown(element: Element): boolean {
  for (let node: Element | null = element; node !== null; node = getParent(node))
    if (isHidden(node)) return false;
  return true;
}

const findNamedWall = (html: CheerioAPI): Element | undefined =>
  html('[class], [id], [subscriptions-section]')
    .toArray()
    .find((element) => {
      const { attribs, name } = element;
      const names = `${attribs.class ?? ''} ${attribs.id ?? ''} ${attribs['subscriptions-section'] ?? ''}`;
      if (/^(?:html|body|script|style|link|noscript)$/.test(name) || !wallName.test(names)) return false;
      const { length } = shownText(element);
      return length > 0 && length < mostOfWall && isShown(element);
    });

/** A line after the last paragraph that asks for a subscription, to read on. */
function findSaidWall(html: CheerioAPI): Element | undefined {
  const asks = (text: string) => payStem.test(text) && !/newsletter|\brss\b/i.test(text);
  const lines = html('h2, h3, h4, h5, p, button, a')
    .not('nav *, header *, footer *, form[role="search"] *')
    .toArray();
  const texts = lines.map(shownText);
  // A character of Chinese or Japanese says as much as some letters.
  const lengthOf = (text: string) => text.length + 2 * (text.match(/[\u3040-\u9fff]/g)?.length ?? 0);
  const last = texts.findLastIndex(
    (text, at) => lines[at]?.name === 'p' && lengthOf(text) > 80 && !asks(text),
  );
  return last === -1
    ? undefined
    : lines.find((line, at) => {
        const text = texts[at] ?? '';
        return at > last && text.length < 200 && asks(text) && readStem.test(text) && isShown(line);
      });
}
