/**
 * Texts that some rows write in one block, others in several or in none, as people write reviews and posts: the whole text is
 * the value, and its blocks are no places of their own.
 */
import { type Element, isTag, isText } from 'domhandler';
import { getBreakLines, getClasses, getElements, getParent, shownText } from './elements.ts';

const blocks =
  /^(?:address|article|aside|blockquote|dd|details|div|dl|dt|figure|footer|h[1-6]|header|li|main|ol|p|pre|section|table|tbody|td|th|tr|ul)$/;

const blocksKnown = new WeakMap<Element, boolean>();
export function hasBlocks(element: Element): boolean {
  const cached = blocksKnown.get(element);
  if (cached !== undefined) return cached;
  const result = getElements(element).some((child) => blocks.test(child.name) || hasBlocks(child));
  blocksKnown.set(element, result);
  return result;
}

/** Blocks of a written text, those that hold blocks themselves, and what stands outside of them. */
const plain = /^(?:p|pre|div)$/;
const nested = /^(?:ul|ol|blockquote)$/;
const outside = '#text';
/** Characters of each block on average from which several of them are one text, and not a name and a place. */
const sentence = 60;

interface Part {
  readonly kind: string;
  readonly length: number;
}

/** The parts of a text in their order; undefined where the element is more than a text: a part has a class, or is a link alone. */
function partsOf(element: Element): readonly Part[] | undefined {
  if (!hasBlocks(element)) return [{ kind: outside, length: shownText(element).length }];
  const parts: Part[] = [];
  let isBare = true;
  for (const child of element.children) {
    const { length } = shownText(child);
    if (length === 0) continue;
    if (isTag(child) && (blocks.test(child.name) || hasBlocks(child))) {
      const isBlock = nested.test(child.name) || (plain.test(child.name) && !hasBlocks(child));
      if (!isBlock || getClasses(child).length > 0 || !isBare) return undefined;
      parts.push({ kind: child.name, length });
    } else {
      if (parts.at(-1)?.kind !== outside) {
        parts.push({ kind: outside, length });
        isBare = false;
      }
      isBare ||= isText(child);
    }
  }
  return isBare ? parts : undefined;
}

/** Whether a text stands in one row where another has none, or a block of another kind. */
function areMixed(forms: readonly (readonly Part[])[]): boolean {
  const longest = forms.reduce((most, form) => (form.length > most.length ? form : most), []);
  const isBegin = (form: readonly Part[]) => form.every(({ kind }, at) => kind === longest[at]?.kind);
  return !forms.every(isBegin);
}

/** Whether the blocks, which differ in number or are several, are paragraphs of one text. */
function areParagraphs(forms: readonly (readonly Part[])[]): boolean {
  const most = Math.max(...forms.map(({ length }) => length));
  if (most < 2 || forms.some((form) => form.some(({ kind }) => kind !== 'p'))) return false;
  const single = forms.filter(({ length }) => length === 1).length;
  const isLong = (at: number) => {
    const lengths = forms.flatMap((form) => form[at]?.length ?? []);
    return lengths.reduce((sum, length) => sum + length, 0) >= lengths.length * sentence;
  };
  return single * 2 > forms.length || Array.from({ length: most }, (_, at) => at).every(isLong);
}

interface TextSlot {
  readonly element: Element;
  readonly what: string;
}

/** Whether the texts at one place of many rows are wholes whose blocks are no places. */
export function areWholeTexts(slots: readonly TextSlot[]): boolean {
  if (!slots.some(({ element, what }) => what === 'text' && hasBlocks(element))) return false;
  // Blocks in lines hold several values: a name, a number, a judge.
  const inLines = slots.filter(({ element }) =>
    getElements(element).some((child) => getBreakLines(child).length > 1),
  );
  if (inLines.length * 2 > slots.length) return false;
  const forms = slots.map(({ element }) => partsOf(element));
  const known = forms.filter((form) => form !== undefined);
  return known.length === forms.length && (areMixed(known) || areParagraphs(known));
}

/** Whether the slot is a part of one of these texts: an element inside without a class, or what stands outside of its blocks. */
export function isPartOf({ element, what }: TextSlot, wholes: ReadonlySet<Element>): boolean {
  if (!/^(?:text|own|line)$/.test(what)) return false;
  if (what !== 'text' && wholes.has(element)) return true;
  let node = getClasses(element).length > 0 ? null : getParent(element);
  while (node !== null && !wholes.has(node)) node = getParent(node);
  return node !== null;
}
