/** Elements whose look says more than their text, such as `del`, `sup`, a ticked box or a meter: says it in words or signs. */
import type { CheerioAPI } from 'cheerio/slim';
import { type AnyNode, type Element, isTag, isText, Text } from 'domhandler';
import { markChoices } from './choices.ts';
import { collapse, getClasses, getElements, getParent } from './elements.ts';
import {
  areApart,
  centsMark,
  isCopy,
  isNoteOfTime,
  isRaised,
  isStruck,
  maxValue,
  toSmall,
} from './inline.ts';
import { replaceFormulas } from './markdown-math.ts';
import {
  absolute,
  asMarkdown,
  labelScales,
  nameDrawings,
  nameIcons,
  tellDrawnScales,
} from './markdown-pictures.ts';
import { chosenOptions, getText, hasOffers, isCredit, isFixed, statedValue, writtenValue } from './text.ts';
import { Weights } from './weights.ts';

type Change = (html: CheerioAPI, element: Element) => void;

const rename =
  (name: string): Change =>
  (_, element) => {
    element.name = name;
  };
const replace = (html: CheerioAPI, element: Element, text: string) => {
  html(element).replaceWith(new Text(text));
};

const ordinal = /^(?:st|nd|rd|th|e|er|re|ère|eme|ème|nde?|o|a|os|as|º|ª|tm|sm|mc|md|®|©|™|℠)$/i;

/** `10<sup>23</sup>` is 10²³ and `x<sub>max</sub>` x_max; `1<sup>st</sup>` and marks of notes stay. */
function raise(html: CheerioAPI, element: Element): void {
  const isRaised = element.name === 'sup';
  const text = collapse(html(element).text());
  const small = toSmall(element, text);
  const { prev } = element;
  const isOfTime = isRaised && prev !== null && isText(prev) && isNoteOfTime(text, prev.data);
  if (!/[\p{L}\p{N}]/u.test(text) || /^\[.*\]$/.test(text) || (isRaised && ordinal.test(text) && !isOfTime))
    html(element).replaceWith(html(element).contents());
  else if (small !== undefined) replace(html, element, small);
  else {
    const isWord = /^[\p{L}\p{N}]+$/u.test(text);
    const [open, close] = [isRaised ? '^' : '_', isWord ? '' : ')'];
    html(element).before(asMarkdown(isWord ? open : `${open}(`));
    html(element).after(asMarkdown(close));
    html(element).replaceWith(html(element).contents());
  }
}

const choosable = new WeakMap<AnyNode, ReadonlySet<string>>();
/** The names of the radios of a page of which one can be chosen. */
function choosableIn(html: CheerioAPI): ReadonlySet<string> {
  const [page] = html.root().toArray();
  const known = page && choosable.get(page);
  if (page === undefined || known !== undefined) return known ?? new Set();
  const open = html('input[type="radio" i]:not([disabled])').toArray();
  const names = new Set(open.map(({ attribs }) => attribs.name ?? ''));
  choosable.set(page, names);
  return names;
}

/** Whether a box that is ticked or not states something, as in a list of tasks, and does not wait for an answer. */
function isStatedBox(html: CheerioAPI, box: Element): boolean {
  const { type, name = '' } = box.attribs;
  // One of some radios that cannot be chosen is a choice that is sold out.
  if ('disabled' in box.attribs) return type?.toLowerCase() !== 'radio' || !choosableIn(html).has(name);
  if (html(box).closest('form').length > 0 || html(box).closest('li, td, dd, p').length === 0) return false;
  // Filters of lists have labels, and none of them is chosen yet.
  const isLabelled =
    html(box).closest('label').length > 0 ||
    (box.attribs.id !== undefined && html(box).siblings('label[for]').length > 0);
  if (isLabelled && box.attribs.type === 'radio') return false;
  // Where an article lists what is needed, readers tick what they have.
  if (html(box).closest('li').closest('article').length > 0) return true;
  return !isLabelled || html(box).closest('ul, ol, table, dl, fieldset').find('input[checked]').length > 0;
}

const optionsOf = (html: CheerioAPI, select: Element): string[] =>
  html(select)
    .find('option')
    .toArray()
    .map((option) => collapse(html(option).text()))
    .filter((text) => text !== '');

/** Whether a control is all that a cell of a table with heads shows, as the quantities of a cart are. */
export function fillsCell(html: CheerioAPI, control: Element): boolean {
  const [cell] = html(control).closest('td').toArray();
  if (cell === undefined || isFixed(control) || html(cell).closest('table').find('th').length === 0)
    return false;
  const value = statedValue(control) ?? writtenValue(control)?.trim() ?? '';
  return value !== '' && getText(cell).trim() === value;
}

/** Whether a field outside of a form holds a number, such as the persons that a recipe is for; 0 and 1 wait for a choice. */
const holdsNumber = (html: CheerioAPI, control: Element): boolean =>
  /^\s*(?![01]\s*$)\d+(?:[.,]\d+)?\s*$/.test(writtenValue(control) ?? '') &&
  html(control).closest('form').length === 0;

/**
 * Whether a control states something: readers cannot change it, it is ticked in a list or all that a cell shows, its options
 * have prices, or a number stands in it outside of a form.
 */
export function isStated(html: CheerioAPI, control: Element): boolean {
  const { attribs, name } = control;
  if (name === 'select' && hasOffers(control)) return true;
  const type = (attribs.type ?? 'text').toLowerCase();
  if (name === 'input' && /^(?:checkbox|radio)$/.test(type)) return isStatedBox(html, control);
  if (name === 'input' && /^(?:hidden|password|submit|button|image|reset|file)$/.test(type)) return false;
  return isFixed(control) || fillsCell(html, control) || holdsNumber(html, control);
}

function showInput(html: CheerioAPI, input: Element): void {
  const type = (input.attribs.type ?? 'text').toLowerCase();
  if (!isStated(html, input)) html(input).remove();
  else if (/^(?:checkbox|radio)$/.test(type)) {
    const mark = 'checked' in input.attribs ? 'x' : ' ';
    const space = input.next !== null && isText(input.next) && /^\s/.test(input.next.data) ? '' : ' ';
    html(input).replaceWith(asMarkdown(type === 'radio' ? `(${mark})${space}` : `[${mark}]${space}`));
  } else replace(html, input, ` ${input.attribs.value ?? html(input).text()} `);
}

const checkedName = /^(?:is-)?(?:checked|completed?|done)$/;
/** Ticks the items of a list of which only the classes say that some are done. */
function tickItems(html: CheerioAPI, root: Element): void {
  const isTicked = (element: Element) => getClasses(element).some((name) => checkedName.test(name));
  const lists = new Set(html(root).find('li[class]').toArray().filter(isTicked).map(getParent));
  for (const list of lists) {
    const items = list === null ? [] : getElements(list).filter(({ name }) => name === 'li');
    if (items.every(isTicked) || html(items).find('input').length > 0) continue;
    for (const item of items) html(item).prepend(asMarkdown(isTicked(item) ? '[x]' : '[ ]'), new Text(' '));
  }
}

function showSelect(html: CheerioAPI, select: Element): void {
  const chosen = () => chosenOptions(select).map((option) => collapse(html(option).text()));
  if (hasOffers(select)) replace(html, select, ` ${optionsOf(html, select).join('; ')} `);
  else if (isStated(html, select)) replace(html, select, ` ${chosen().join(', ')} `);
  else html(select).remove();
}

function showMeter(html: CheerioAPI, meter: Element): void {
  const said = statedValue(meter);
  if (said !== undefined) replace(html, meter, said);
  else if (collapse(html(meter).text()) === '') html(meter).remove();
  else meter.name = 'span';
}

const relative =
  /^(?:[^\d]*|.*\b(?:ago|vor|il y a|hace|fa|geleden|sedan|siden|temu)\b.*|\d+\s*(?:s|m|h|d|w|mo|y|min|hrs?|days?|weeks?|months?|years?))$/i;

/** A time that is told as "yesterday" gets its date. */
function showTime(html: CheerioAPI, time: Element): void {
  const text = collapse(html(time).text());
  const moment = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d)?/.exec(time.attribs.datetime ?? '')?.[0];
  if (moment === undefined || !relative.test(text)) return;
  if (text === '') replace(html, time, moment.replace('T', ' '));
  else html(time).append(new Text(` (${moment.slice(0, 10)})`));
}

function showTitle(seen: Set<string>): Change {
  return (html, element) => {
    const title = collapse(element.attribs.title ?? '');
    const text = collapse(html(element).text());
    if (title === '' || title.toLowerCase() === text.toLowerCase() || seen.has(title)) return;
    seen.add(title);
    html(element).append(new Text(text === '' ? title : ` (${title})`));
  };
}

function quote(html: CheerioAPI, element: Element): void {
  const depth = html(element).parents('q').length;
  const [open, close] = depth % 2 === 0 ? ['“', '”'] : ['‘', '’'];
  html(element).prepend(new Text(open)).append(new Text(close));
}

/** `bdo` shows letters in the other order. */
function turn(html: CheerioAPI, element: Element): void {
  const text = html(element).text();
  const direction = (element.attribs.dir ?? '').toLowerCase();
  const isRightToLeft = /[\u0590-\u08ff]/.test(text);
  if (isRightToLeft ? direction === 'ltr' : direction === 'rtl')
    replace(html, element, [...text].reverse().join(''));
}

/** A film, a sound or a frame becomes a link to it; what stands in it for older browsers is left out. */
const linkMedia =
  (base: string): Change =>
  (html, element) => {
    const { attribs, name } = element;
    const inside = html(element).find('source[src], a[href]').get(0)?.attribs;
    const source = attribs.src ?? attribs.data ?? inside?.src ?? inside?.href;
    const address = absolute(source ?? attribs['data-src'], base);
    const title = collapse(attribs.title ?? attribs['aria-label'] ?? attribs.alt ?? '');
    const inner = collapse(html(element).text());
    const own = address === undefined ? '' : mediaName(name, attribs.type ?? '', address);
    const link = html('<a></a>')
      .attr('href', address)
      .text(title || own);
    if (/^(?:object|canvas)$/.test(name) && inner !== '') {
      element.name = 'div';
      // What stands for a film is shown instead of it; a file is there beside it.
      if (!/^(?:|Video|Audio)$/.test(own) && inside?.href === undefined) html(element).prepend(link, ' ');
    } else if (address === undefined || (/^(?:canvas|iframe)$/.test(name) && title === ''))
      html(element).remove();
    else html(element).replaceWith(link);
  };

/** "Video", or the name of a file that is none: `tariff.pdf`. */
function mediaName(name: string, type: string, address: string): string {
  if (name === 'audio' || /^audio\//i.test(type)) return 'Audio';
  if (name === 'video' || /^video\//i.test(type)) return 'Video';
  const file = new URL(address).pathname.split('/').at(-1) ?? '';
  if (/\.(?:mp4|webm|ogv|mov|swf|avi)$/i.test(file) || file === '') return 'Video';
  return file.replace(/%[\da-f]{2}/gi, ' ');
}

const untouched = /^(?:pre|code|svg|math|textarea|x-markdown|script|style)$/;

/** Writes the mark before the cents of prices, and blanks between values that only styles draw apart; removes copies of a value. */
function separateValues(html: CheerioAPI, element: Element, weights: Weights): void {
  let tail = '';
  let beside: { readonly element: Element; readonly text: string } | undefined;
  const before: string[] = [];
  for (const child of [...element.children]) {
    if (!isTag(child)) {
      if (isText(child)) before.push(child.data);
      tail = isText(child) ? `${tail}${child.data}`.slice(-8) : tail;
      beside = isText(child) ? undefined : beside;
      continue;
    }
    if (untouched.test(child.name)) {
      beside = undefined;
      continue;
    }
    const text = weights.of(child).text > maxValue ? '' : getText(child);
    if (isCopy(child, text, before)) {
      html(child).remove();
      continue;
    }
    before.push(text);
    const cents = centsMark(child, text, element, () => tail);
    if (cents !== undefined) {
      if (child.prev !== null && isText(child.prev)) child.prev.data = child.prev.data.trimEnd();
      html(child).replaceWith(new Text(`${cents}${text.trim()}`));
    } else {
      if (beside !== undefined && !isRaised(child) && areApart(beside.element, beside.text, child, text))
        html(child).before(new Text(' '));
      separateValues(html, child, weights);
    }
    tail = `${tail}${text}`.slice(-8);
    // What shows nothing stands between no two values.
    if (weights.of(child).text > 0) beside = isRaised(child) ? undefined : { element: child, text };
  }
}

/** Looks that are written into the element itself. */
function markStyles(html: CheerioAPI, root: Element): void {
  for (const element of html(root).find('[style*="line-through"], [class*="line-through"]').toArray())
    if (!/^(?:s|del|strike)$/.test(element.name) && isStruck(element, 0))
      html(element).wrapInner('<del></del>');
}

/** Writes what elements say beside their text into the tree. Addresses are made absolute with `base`. Adds to `missing` what has no words. */
export function writeOutElements(html: CheerioAPI, root: Element, base: string, missing: string[]): void {
  replaceFormulas(html, root, (tex, isBlock) =>
    tex === '' ? new Text('') : asMarkdown(isBlock ? `$$${tex}$$` : `$${tex}$`),
  );
  separateValues(html, root, new Weights());
  nameIcons(html, root, missing);
  labelScales(html, root);
  nameDrawings(html, root);
  tellDrawnScales(html, root, missing);
  tickItems(html, root);
  markChoices(html, root);
  for (const title of html(root).find('svg title').toArray()) html(title).append(new Text(' '));
  markStyles(html, root);
  html(root).find('rp, source, track, param').not('audio *, video *').remove();
  const seenTitles = new Set<string>();
  const media = linkMedia(base);
  const explain = showTitle(seenTitles);
  const changes: Readonly<Record<string, Change>> = {
    q: quote,
    abbr: explain,
    acronym: explain,
    dfn: explain,
    kbd: rename('code'),
    samp: rename('code'),
    tt: rename('code'),
    var: rename('em'),
    cite: (page, element) => {
      if (isCredit(element)) page(element).wrap('<p></p>');
      element.name = 'em';
    },
    output: rename('span'),
    menu: rename('ul'),
    dir: rename('ul'),
    xmp: rename('pre'),
    listing: rename('pre'),
    legend: rename('p'),
    figcaption: rename('p'),
    meter: showMeter,
    progress: showMeter,
    time: showTime,
    bdo: turn,
    input: showInput,
    textarea: showInput,
    select: showSelect,
    summary: (page, element) => {
      element.name = 'p';
      if (page(element).find('h1, h2, h3, h4, h5, h6, p').length === 0)
        page(element).wrapInner('<strong></strong>');
      else element.name = 'div';
    },
    rt: (page, element) => {
      if (collapse(page(element).text()) === '') page(element).remove();
      else page(element).prepend(new Text('(')).append(new Text(')'));
    },
    audio: media,
    video: media,
    iframe: media,
    embed: media,
    object: media,
    canvas: media,
  };
  for (const element of html(root).find(Object.keys(changes).join(', ')).toArray())
    changes[element.name]?.(html, element);
  // Inner ones first: the outer one then holds signs already.
  for (const element of html(root).find('sup, sub').toArray().reverse()) raise(html, element);
}
