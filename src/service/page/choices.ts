/** What of the content goes with its controls: the choices that they offer, and items and prices that they would show. */
import type { Cheerio, CheerioAPI } from 'cheerio/slim';
import { type AnyNode, type Element, isTag, isText, Text } from 'domhandler';
import { findAmounts } from '../../compare/money.ts';
import { collapse, getClasses, getElements, getParent, previousElement, shownText } from './elements.ts';
import { addTo } from './grouping.ts';
import { isHeard } from './inline.ts';
import { asMarkdown } from './markdown-pictures.ts';
import type { Panels } from './panels.ts';
import { getText, isHidden } from './text.ts';
import { mostlyHeld, Phrases } from './words.ts';

/** A part that is left out, and the element that it stood in. */
export interface LeftOut {
  readonly place: Element;
  readonly kind: 'choice' | 'item' | 'row' | 'part' | 'amount' | 'more';
  readonly text: string;
}

const mostChoices = 4;
const mostOptions = 10;
const longest = 60;
const shorten = (text: string) => (text.length > longest ? `${text.slice(0, longest - 1).trimEnd()}…` : text);

/** The words right before a control in its line, where no label names it. */
function wordsBefore({ prev }: Element): string {
  const text = prev === null ? '' : isText(prev) ? prev.data : isTag(prev) ? shownText(prev) : '';
  return collapse(text).length > longest ? '' : collapse(text);
}

/** Labels by the ids that they name. */
type Labels = ReadonlyMap<string, Element>;

/** The label that stands around a control, without the control, or names it. */
function labelOf(html: CheerioAPI, control: Element, labels: Labels): Cheerio<AnyNode> {
  const [label = labels.get(control.attribs.id ?? '')] = html(control).closest('label').toArray();
  const copy = html(label === undefined ? [] : [label]).clone();
  copy.find('select').remove();
  return copy;
}

/** What the labels of boxes say. What all of them say only to those who hear the page, styles show at some of them. */
function labelsOf(html: CheerioAPI, boxes: readonly Element[], labels: Labels): string[] {
  const counts = new Map<string, number>();
  const all = boxes.map((box) => {
    const label = labelOf(html, box, labels);
    const heard = label.find('[class]').toArray().filter(isHeard);
    const texts = [...new Set(heard.map((one) => collapse(html(one).text())))];
    html(heard).remove();
    for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
    return { seen: collapse(label.text()), texts };
  });
  return all.map(({ seen, texts }) => {
    const own = texts.filter((text) => counts.get(text) !== boxes.length).join(', ');
    return seen === '' || own === '' ? seen || own : `${seen} (${own})`;
  });
}

function nameOf(html: CheerioAPI, select: Element, labels: Labels): string {
  const { name = '', 'aria-label': spoken = '' } = select.attribs;
  const [label = ''] = labelOf(html, select, labels).toArray().map(shownText);
  const names = [label, spoken, wordsBefore(select), name];
  return shorten(names.map(collapse).find((text) => text !== '') ?? '');
}

function describe(name: string, options: readonly string[]): string {
  const shown = options.slice(0, mostOptions).map(shorten);
  const more = options.length > mostOptions ? [`${options.length - mostOptions} more`] : [];
  return `${name.replace(/\s*[:：]$/, '')} (${[...shown, ...more].join('; ')})`.trim();
}

/** What a control says of itself. `chosen`: the attribute by which it says that it is. */
function statesOf({ attribs }: Element, chosen: string): string {
  const isChosen = chosen in attribs && attribs[chosen] !== 'false';
  const isOff =
    'disabled' in attribs ||
    attribs['aria-disabled'] === 'true' ||
    /(?:^|\s)disabled(?:\s|$)/.test(attribs.class ?? '');
  return (isChosen ? ' [chosen]' : '') + (isOff ? ' [disabled]' : '');
}

const withState = (text: string, control: Element, chosen: string): string =>
  text === '' ? '' : text + statesOf(control, chosen);

/** Says of choices that are no controls, such as the sizes of a product, which one is made and which cannot be. */
export function markChoices(html: CheerioAPI, root: Element): void {
  const telling = '[aria-disabled="true"], [aria-checked="true"], [class~="disabled"]';
  for (const choice of html(root).find(telling).not('a, button, input, option, [role="tab"]').toArray()) {
    const text = collapse(html(choice).text());
    const isOneOf = html(choice).siblings(choice.name).not('[aria-disabled="true"], .disabled').length > 0;
    if (isOneOf && text !== '' && text.length <= longest && html(choice).find('a, input').length === 0)
      html(choice).append(new Text(' '), asMarkdown(statesOf(choice, 'aria-checked').trim()));
  }
}

/** The element in which the choice stands, without its label. */
const placeOf = (html: CheerioAPI, control: Element) =>
  getParent(html(control).closest('label').get(0) ?? control);

function readSelect(html: CheerioAPI, select: Element, labels: Labels): string | undefined {
  const options = html(select)
    .find('option')
    .toArray()
    .filter((option) => option.attribs.value !== '')
    .map((option) => withState(collapse(html(option).text()), option, 'selected'))
    .filter((text) => text !== '');
  return options.length < 2 ? undefined : describe(nameOf(html, select, labels), options);
}

function readRadios(html: CheerioAPI, boxes: readonly Element[], labels: Labels): string | undefined {
  const texts = labelsOf(html, boxes, labels);
  const options = boxes
    .map((box, index) => withState(texts[index] ?? '', box, 'checked'))
    .filter((text) => text !== '');
  const [first] = boxes;
  if (first === undefined || options.length < 2) return undefined;
  const legend = collapse(html(first).closest('fieldset').children('legend').first().text());
  return describe(shorten(legend || (first.attribs.name ?? '')), options);
}

/** The attributes by which buttons say which one of them holds. */
const switchStates = ['aria-pressed', 'aria-checked', 'aria-selected'];
const switches = switchStates.map((name) => `[${name}]:not(input)`).join(', ');
const levels = 3;
/** The elements around one, the nearest first. */
function parentsOf(element: Element): Element[] {
  const parents: Element[] = [];
  for (let node = getParent(element); node !== null && parents.length < levels; node = getParent(node))
    parents.push(node);
  return parents;
}

/** Buttons of which one is pressed, and says so: `Monthly | Annual`. `leading`: those whose panels are on the page. */
function readSwitches(all: Cheerio<Element>, leading: ReadonlySet<Element>): LeftOut[] {
  const telling = all.filter(switches);
  const buttons = telling.add(telling.siblings('button')).toArray().filter(isTag);
  const inside = new Map<Element, Element[]>();
  for (const button of buttons) for (const parent of parentsOf(button)) addTo(inside, parent, button);
  const groups = new Map<Element, readonly Element[]>();
  for (const button of buttons) {
    const group = parentsOf(button).find((parent) => (inside.get(parent)?.length ?? 0) > 1);
    if (group !== undefined) groups.set(group, inside.get(group) ?? []);
  }
  return [...groups].flatMap(([around, group]): LeftOut[] => {
    if (group.every((button) => leading.has(button))) return [];
    const names = group.map((button) => collapse(shownText(button) || (button.attribs['aria-label'] ?? '')));
    const options = group.map((button, index) => {
      const state = switchStates.find((name) => name in button.attribs) ?? '';
      return withState(names[index] ?? '', button, state);
    });
    const isOneOf = options.filter((option) => option.includes(' [chosen]')).length === 1;
    const place = getParent(around);
    const words = group[0] === undefined ? '' : wordsBefore(group[0]);
    if (!isOneOf || place === null || new Set(names).size < names.length || names.includes('')) return [];
    return [{ place, kind: 'choice', text: describe(around.attribs['aria-label'] ?? words, options) }];
  });
}

/** Amounts that are hidden beside others: those of another period, or of a choice that is not made. */
function findHiddenAmounts(html: CheerioAPI, hidden: readonly Element[]): LeftOut[] {
  const outermost = hidden.filter((element) => !html(element).parents().toArray().some(isHidden));
  const known = new Map<Element, string[]>();
  const shownIn = (element: Element) => {
    const amounts = known.get(element) ?? findAmounts(collapse(getText(element)));
    known.set(element, amounts);
    return amounts;
  };
  return outermost.flatMap((element) => {
    const amounts = findAmounts(collapse(getText(element)));
    const place = getParent(element);
    const around = amounts.length === 0 ? [] : parentsOf(element);
    const shown = around.map(shownIn).find(({ length }) => length > 0);
    if (place === null || shown === undefined) return [];
    return amounts
      .filter((text) => !shown.includes(text))
      .map((text): LeftOut => ({ place, kind: 'amount', text }));
  });
}

/** "Show 4 more updates". */
const countOfMore =
  /\d.*(?<!\p{L})(?:more|weitere|mehr|plus|autres|más|altr[ei]|meer|andere|fler[ea]?|więcej|dalších|ещё)(?!\p{L})|(?<!\p{L})(?:more|autres|otros|altr[ei]|ещё) \d/iu;

/** "… with a lid. Read more": whether a control stands behind hidden text that goes on with shown text, or paragraphs. */
function opensText(html: CheerioAPI, control: Element): boolean {
  const hidden = previousElement(control);
  const shown = hidden?.prev;
  if (hidden === undefined || !isHidden(hidden) || collapse(html(hidden).text()) === '') return false;
  if (shown != null && isText(shown) && collapse(shown.data) !== '') return true;
  const before = previousElement(hidden);
  return before?.name === 'p' && shownText(before) !== '' && html(hidden).find('p').addBack('p').length > 0;
}

/** Whether an element that shows text stands beside a hidden one of its tag and of one of its classes: another tab, or tag. */
function isBesideShown(hidden: Element): boolean {
  const names = new Set(getClasses(hidden));
  const isAlike = (one: Element) =>
    one.name === hidden.name &&
    !isHidden(one) &&
    shownText(one) !== '' &&
    getClasses(one).some((name) => names.has(name));
  const place = getParent(hidden);
  return names.size > 0 && place !== null && getElements(place).some(isAlike);
}

/** As what a hidden element is told; undefined where it is not. A panel is shown in the text. */
function kindOfHidden(element: Element, panels: ReadonlySet<Element>): LeftOut['kind'] | undefined {
  if (element.name === 'li') return 'item';
  if (element.name === 'tr') return 'row';
  const isPart = element.name !== 'button' && !panels.has(element) && isBesideShown(element);
  return isPart ? 'part' : undefined;
}

/** Call it before the controls are removed. `all`: the elements of the page. `isStated`: the control stays in the text. */
export function findChoices(
  html: CheerioAPI,
  all: Cheerio<Element>,
  { leading, panels }: Panels,
  isStated: (control: Element) => boolean,
): LeftOut[] {
  const hidden = all.toArray().filter(isHidden);
  const found = [...readSwitches(all, leading), ...findHiddenAmounts(html, hidden)];
  const labels = new Map(
    all
      .filter('label[for]')
      .toArray()
      .map((label) => [label.attribs.for ?? '', label]),
  );
  const add = (control: Element | undefined, text: string | undefined) => {
    const place = control === undefined || isHidden(control) ? null : placeOf(html, control);
    if (place !== null && text !== undefined) found.push({ place, kind: 'choice', text });
  };
  for (const select of all.filter('select').toArray())
    if (!isStated(select)) add(select, readSelect(html, select, labels));
  const groups = new Map<string, Element[]>();
  for (const box of all.filter('input[type="radio" i]').toArray())
    if (!isStated(box)) addTo(groups, box.attribs.name ?? '', box);
  const isTab = ({ attribs }: Element) => {
    const label = labels.get(attribs.id ?? '');
    return label !== undefined && leading.has(label);
  };
  for (const boxes of groups.values())
    if (!boxes.every(isTab)) add(boxes[0], readRadios(html, boxes, labels));
  for (const button of all.filter('button, [role="button"], a:not([href]), a[href^="#"]').toArray()) {
    const place = getParent(button);
    const text = shorten(shownText(button));
    const isMore = (button.name !== 'a' && countOfMore.test(text)) || opensText(html, button);
    if (place !== null && !leading.has(button) && isMore) found.push({ place, kind: 'more', text });
  }
  for (const element of hidden) {
    const kind = kindOfHidden(element, panels);
    const place = getParent(element);
    const text = kind === undefined ? '' : collapse(html(element).text());
    if (kind !== undefined && place !== null && text !== '') found.push({ place, kind, text });
  }
  return found;
}

/** The first few of the texts. */
function listFew(texts: readonly string[]): string {
  const more = texts.length > mostChoices ? [`${texts.length - mostChoices} more`] : [];
  return [...texts.slice(0, mostChoices), ...more].join(', ');
}

function explainHidden(leftOut: readonly LeftOut[], kind: 'item' | 'row', places: string): string[] {
  const { length } = leftOut.filter((one) => one.kind === kind);
  if (length === 0) return [];
  const what = length === 1 ? `1 hidden ${kind}` : `${length} hidden ${kind}s`;
  return [`${what} of ${places} in the content ${length === 1 ? 'is' : 'are'} left out.`];
}

/** Sentences about what is left out of the content. `shown`: the text of what is not. */
export function explainChoices(leftOut: readonly LeftOut[], shown: string): string[] {
  const textsOf = (wanted: LeftOut['kind']) => [
    ...new Set(leftOut.filter(({ kind }) => kind === wanted).map(({ text }) => text)),
  ];
  const [choices, more] = [textsOf('choice'), textsOf('more')];
  const hiddenParts = textsOf('part');
  const held = hiddenParts.length > 0 ? new Phrases(shown) : undefined;
  const parts = hiddenParts.filter((text) => held?.hold(text, mostlyHeld) === false);
  const amounts = textsOf('amount').filter((text) => !shown.includes(text));
  const hidden = [...explainHidden(leftOut, 'item', 'lists'), ...explainHidden(leftOut, 'row', 'tables')];
  return [
    ...(choices.length > 0 ? [`Choices that the content offers are left out: ${listFew(choices)}.`] : []),
    ...(amounts.length > 0
      ? [`Amounts that the page hides beside those it shows are left out: ${listFew(amounts)}.`]
      : []),
    ...(more.length > 0 && hidden.length === 0
      ? [`What buttons would show is left out: ${listFew(more.map((text) => `"${text}"`))}.`]
      : []),
    ...hidden,
    ...(parts.length > 0
      ? [
          `Hidden parts beside such as are shown are left out: ${listFew(parts.map((text) => `"${shorten(text)}"`))}.`,
        ]
      : []),
  ];
}
