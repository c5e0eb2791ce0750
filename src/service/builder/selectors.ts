/** Selectors for a place in a row: those that survive most changes of the page first, each tried on the rows. */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import type { Group, Place } from './column-groups.ts';
import { quoted } from './elements.ts';
import type { Slot, Step } from './slots.ts';

/** Rows that a selector is tried on. */
const tried = 12;

export interface RowsContext {
  readonly html: CheerioAPI;
  readonly language: string;
  /** What is struck out in the rows. */
  readonly struck: readonly string[];
  /** The selector of the rows, for selectors relative to a row's first sibling. */
  readonly list: string;
}

/** The same selector, said so that the work does not grow with the square of an element's children. */
export const inside = (select: string) => (select.startsWith(':scope') ? select : `:scope ${select}`);

/** Tags that say what they hold. */
const telling = /^(?:h[1-6]|time|img|address|blockquote|cite|figcaption|dt|dd)$/;
const positioned = (step: Step) => `${step.tag}:nth-of-type(${step.position})`;

/** Selectors for an element, those that survive most changes of the page first. */
function selectorsOf(slot: Slot, context: RowsContext, siblings: boolean, byPosition: boolean): string[] {
  const { steps } = slot;
  const last = steps.at(-1);
  if (last === undefined) return [];
  const [first] = steps;
  const isRoot = siblings && steps.length === 1;
  const loose = (step: Step) => step.anchor ?? step.tag;
  const strict = (step: Step, index: number) => {
    if (!siblings || index > 0) return positioned(step);
    if (step.position === 0) return context.list;
    return `${context.list}${' + *'.repeat(step.position - 1)} + ${step.tag}`;
  };
  const found: string[] = [];
  if (!byPosition) {
    if (last.anchor !== undefined)
      found.push(last.anchor, `${last.tag}${last.anchor.startsWith('.') ? last.anchor : ''}`);
    else if (telling.test(last.tag)) found.push(last.tag);
    // A price that holds, beside one that is struck out.
    if (slot.struck === undefined && context.struck.length > 0)
      found.push(`${last.anchor ?? last.tag}${context.struck.map((one) => `:not(${one} *)`).join('')}`);
    for (let from = steps.length - 2; from >= 0; from--) {
      const step = steps[from];
      if (step !== undefined) found.push(`${loose(step)} ${loose(last)}`);
    }
    found.push(last.tag);
  }
  if (isRoot && first !== undefined) return [...found, strict(first, 0)];
  // To count thousands is slow as well.
  if (steps.some(({ crowded }) => crowded)) return byPosition ? [] : found;
  for (let from = steps.length - 1; from >= 0; from--) {
    const step = steps[from];
    if (step?.anchor === undefined || from === steps.length - 1) continue;
    found.push([step.anchor, ...steps.slice(from + 1).map(positioned)].join(' > '));
  }
  if (byPosition && last.anchor !== undefined && !last.anchor.includes('+'))
    found.push(`${last.anchor}:nth-of-type(${last.position})`);
  // The last of its kind: after a price that is crossed out, or alone.
  const within = steps.at(-2);
  if (!byPosition) found.push(`${within === undefined ? '' : `${loose(within)} > `}${last.tag}:last-of-type`);
  const path = steps.map(strict).join(' > ');
  found.push(siblings ? path : `:scope > ${path}`);
  return found;
}

/** The first selector that finds, in the rows tried, exactly these elements; undefined where the row itself is meant. */
export function selectorFor(
  group: Group,
  rows: readonly (readonly Element[])[],
  context: RowsContext,
  how: Place,
): { select: string | undefined; agrees: number } {
  const slot = group.perRow.flat()[0];
  if (slot === undefined || slot.steps.length === 0) return { select: undefined, agrees: 1 };
  const { html } = context;
  const siblings = rows.some((roots) => roots.length > 1);
  let best: { select: string | undefined; agrees: number } = { select: undefined, agrees: -1 };
  const byText = how.linkText === undefined ? [] : [`a:contains(${quoted(how.linkText)})`];
  for (const select of new Set([...byText, ...selectorsOf(slot, context, siblings, how.positioned)])) {
    let agreeing = 0;
    let all = 0;
    // Rows that have the element, and a few that have it not.
    for (const [index, roots] of rows.slice(0, tried).entries()) {
      const expected = group.perRow[index] ?? [];
      const root = html([...roots]);
      const within = root.find(inside(select));
      const elements = siblings ? root.filter(select).add(within) : within;
      all += 1;
      if (how.list) {
        const same = new Set<unknown>(elements.toArray());
        if (same.size === expected.length && expected.every(({ element }) => same.has(element)))
          agreeing += 1;
      } else if (elements.get(0) === expected[0]?.element)
        // In a page as one record what is found once is found for sure.
        agreeing += rows.length === 1 && elements.length > 1 ? 0.9 : 1;
    }
    const agrees = all === 0 ? 0 : agreeing / all;
    if (agrees > best.agrees) best = { select, agrees };
    if (agrees === 1) break;
  }
  return best;
}
