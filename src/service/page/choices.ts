/** What of the content goes with its controls: the choices that they offer, and items of lists that they would show. */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag, isText } from 'domhandler';
import { collapse, getParent, shownText } from './elements.ts';
import { addTo } from './grouping.ts';
import { isHidden } from './text.ts';

/** A part that is left out, and the element that it stood in. */
export interface LeftOut {
  readonly place: Element;
  /** Undefined for a hidden item. */
  readonly text?: string;
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

/** The text of the label that stands around a control, without the control, or names it. */
function labelOf(html: CheerioAPI, control: Element, labels: Labels): string {
  const [label = labels.get(control.attribs.id ?? '')] = html(control).closest('label').toArray();
  return label === undefined ? '' : collapse(html(label).clone().find('select').remove().end().text());
}

function nameOf(html: CheerioAPI, select: Element, labels: Labels): string {
  const { name = '', 'aria-label': spoken = '' } = select.attribs;
  const names = [labelOf(html, select, labels), spoken, wordsBefore(select), name];
  return shorten(names.map(collapse).find((text) => text !== '') ?? '');
}

function describe(name: string, options: readonly string[]): string {
  const shown = options.slice(0, mostOptions).map(shorten);
  const more = options.length > mostOptions ? [`${options.length - mostOptions} more`] : [];
  return `${name.replace(/\s*[:：]$/, '')} (${[...shown, ...more].join('; ')})`.trim();
}

const withState = (text: string, isDisabled: boolean) => (isDisabled ? `${text} [disabled]` : text);

/** The element in which the choice stands, without its label. */
const placeOf = (html: CheerioAPI, control: Element) =>
  getParent(html(control).closest('label').get(0) ?? control);

function readSelect(html: CheerioAPI, select: Element, labels: Labels): string | undefined {
  const options = html(select)
    .find('option')
    .toArray()
    .filter((option) => option.attribs.value !== '')
    .map((option) => withState(collapse(html(option).text()), 'disabled' in option.attribs))
    .filter((text) => text !== '');
  return options.length < 2 ? undefined : describe(nameOf(html, select, labels), options);
}

function readRadios(html: CheerioAPI, boxes: readonly Element[], labels: Labels): string | undefined {
  const options = boxes
    .map((box) => withState(labelOf(html, box, labels), 'disabled' in box.attribs))
    .filter((text) => text !== '');
  const [first] = boxes;
  if (first === undefined || options.length < 2) return undefined;
  const legend = collapse(html(first).closest('fieldset').children('legend').first().text());
  return describe(shorten(legend || (first.attribs.name ?? '')), options);
}

/** Call it before the controls are removed. `isStated`: the control stays in the text. */
export function findChoices(html: CheerioAPI, isStated: (control: Element) => boolean): LeftOut[] {
  const found: LeftOut[] = [];
  const labels = new Map(
    html('label[for]')
      .toArray()
      .map((label) => [label.attribs.for ?? '', label]),
  );
  const add = (control: Element | undefined, text: string | undefined) => {
    const place = control === undefined || isHidden(control) ? null : placeOf(html, control);
    if (place !== null && text !== undefined) found.push({ place, text });
  };
  for (const select of html('select').toArray())
    if (!isStated(select)) add(select, readSelect(html, select, labels));
  const groups = new Map<string, Element[]>();
  for (const box of html('input[type="radio"][name]').toArray())
    if (!isStated(box)) addTo(groups, box.attribs.name ?? '', box);
  for (const boxes of groups.values()) add(boxes[0], readRadios(html, boxes, labels));
  for (const item of html('li[hidden]').toArray()) {
    const list = getParent(item);
    if (list !== null && collapse(html(item).text()) !== '') found.push({ place: list });
  }
  return found;
}

/** Sentences about what is left out of the content. */
export function explainChoices(leftOut: readonly LeftOut[]): string[] {
  const choices = leftOut.flatMap(({ text }) => text ?? []);
  const shown = choices.slice(0, mostChoices);
  const more = choices.length > mostChoices ? [`${choices.length - mostChoices} more`] : [];
  const items = leftOut.length - choices.length;
  return [
    ...(shown.length > 0
      ? [`Choices that the content offers are left out: ${[...shown, ...more].join(', ')}.`]
      : []),
    ...(items > 0
      ? [
          `${items === 1 ? '1 hidden item' : `${items} hidden items`} of lists in the content ${items === 1 ? 'is' : 'are'} left out.`,
        ]
      : []),
  ];
}
