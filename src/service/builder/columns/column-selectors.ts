/**
 * Selectors for a place in a row: the ones most likely to survive changes of the page first, each tried on the rows.
 */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { shownText } from '../../page/elements.ts';
import type { PairLabel } from '../../page/sibling-marks.ts';
import { isLabelMark } from '../../page/sibling-marks.ts';
import type { Slot, SlotsPerRow, Step } from '../../page/slots.ts';
import { containing } from '../../page/text.ts';

/** Rows that a selector is tried on. */
const tried = 12;

export interface RowsContext {
  readonly html: CheerioAPI;
  /** The selector of the rows, for selectors relative to a row's first sibling. */
  readonly list: string;
}

const telling = /^(?:h[1-6]|time|img|address|blockquote|cite|figcaption|dt|dd)$/;
const positioned = (step: Step) => `${step.tag}:nth-of-type(${step.position})`;
const loose = (step: Step) =>
  step.anchor === undefined ? step.tag : `${step.anchor.startsWith('[') ? '' : step.tag}${step.anchor}`;

/** The selector of one of the siblings that make up a row, relative to the row's first. */
const rootSelector = ({ position, tag }: Step, list: string) => {
  const first = list.replace(/^.* > /, '');
  return position === 0 ? first : `${first}${' + *'.repeat(position - 1)} + ${tag}`;
};

/** From the label of the value, which other rows have at other places. */
function byLabel(steps: readonly Step[]): string[] {
  const pairAt = steps.findLastIndex(({ tag, pair }) => tag === 'dd' && pair !== undefined);
  const { pair } = steps[pairAt] ?? {};
  const at = pair === undefined ? steps.findLastIndex(({ anchor }) => isLabelMark(anchor)) : pairAt;
  const [step, ...inside] = at < 0 ? [] : steps.slice(at);
  if (step === undefined) return [];
  const start = pair === undefined ? loose(step) : toPairSelector(pair);
  return [[start, ...inside.map(loose)].join(' '), [start, ...inside.map(positioned)].join(' > ')];
}

/** The `<dd>` beside the `<dt>` with a label. */
const toPairSelector = ({ text, longer, turn, isBehind }: PairLabel): string => {
  const dt = `dt${containing(text, longer)}`;
  return isBehind ? `dd:has(${'+ dd '.repeat(turn - 1)}+ ${dt})` : `${dt}${' + dd'.repeat(turn)}`;
};

/** Selectors for an element, the ones most likely to survive changes of the page first. */
function toSelectors(steps: readonly Step[], list: string, isSiblings: boolean): string[] {
  const last = steps.at(-1);
  if (last === undefined) return [];
  const selectors: string[] = byLabel(steps);
  if (last.anchor !== undefined) selectors.push(loose(last));
  else if (telling.test(last.tag)) selectors.push(last.tag);
  for (let from = steps.length - 2; from >= 0; from--) {
    const step = steps[from];
    if (step?.anchor !== undefined)
      selectors.push(`${loose(step)} ${loose(last)}`, `${loose(step)} > ${loose(last)}`);
  }
  selectors.push(last.tag);
  for (let from = steps.length - 2; from >= 0; from--) {
    const step = steps[from];
    if (step?.anchor === undefined) continue;
    selectors.push([loose(step), ...steps.slice(from + 1).map(positioned)].join(' > '));
  }
  const strict = steps.map((step, index) =>
    isSiblings && index === 0 ? rootSelector(step, list) : positioned(step),
  );
  selectors.push(isSiblings ? strict.join(' > ') : `:scope > ${strict.join(' > ')}`);
  return selectors;
}

/** Whether the element has no value where the slot has its own: rows may leave a place empty. */
const isEmpty = (element: Element | undefined, { what, attribute }: Slot) =>
  element !== undefined &&
  (attribute === undefined
    ? /^(?:text|own|line)$/.test(what) && shownText(element) === ''
    : (element.attribs[attribute] ?? '').trim() === '');

/**
 * The first selector that finds these elements in most tried rows (undefined `select`: the row itself), and the share
 * of rows in which it does.
 */
export function selectorFor(
  perRow: SlotsPerRow,
  rows: readonly (readonly Element[])[],
  { html, list }: RowsContext,
  isList = false,
): { readonly select: string | undefined; readonly agrees: number } {
  const slot = perRow.flat()[0];
  if (slot === undefined || slot.steps.length === 0) return { select: undefined, agrees: 1 };
  const isSiblings = rows.some((roots) => roots.length > 1);
  let best: { select: string | undefined; agrees: number } = { select: undefined, agrees: -1 };
  // What tells one of the items from the others finds that one only.
  const steps = slot.steps.map((step, at) =>
    isList && at === slot.steps.length - 1 ? { ...step, anchor: step.kind } : step,
  );
  for (const select of new Set(toSelectors(steps, list, isSiblings))) {
    const some = rows.slice(0, tried);
    const agreeing = some.filter((roots, index) => {
      const root = html([...roots]);
      const elements = isSiblings ? root.filter(select).add(root.find(select)) : root.find(select);
      const expected = (perRow[index] ?? []).map(({ element }) => element);
      if (!isList)
        return elements.get(0) === expected[0] || (expected.length === 0 && isEmpty(elements.get(0), slot));
      const distinct = [...new Set(expected)];
      return (
        elements.length === distinct.length && distinct.every((element, at) => element === elements.get(at))
      );
    }).length;
    const agrees = agreeing / Math.max(some.length, 1);
    if (agrees > best.agrees) best = { select, agrees };
    if (agrees === 1) break;
  }
  return best;
}
