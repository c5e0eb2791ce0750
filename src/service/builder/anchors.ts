/** What finds and names an element by what it is, not by where it is. */
import type { Element } from 'domhandler';
import { classWords, modulePrefix, stableClasses, styleLabel } from './class-names.ts';
import { classesOf, elementsOf, quoted } from './elements.ts';
import { isIcon } from './icons.ts';
import {
  type Count,
  type Counts,
  formedLabel,
  iconKey,
  labelBeside,
  labelInside,
  labelKey,
  labelTextOf,
  pairOf,
} from './labels.ts';
import { namesOf } from './standard-names.ts';
import { parentOf } from './surroundings.ts';
import { isFieldWord } from './vocabulary.ts';
import { wordsOf } from './words.ts';

export function countClasses(rows: readonly (readonly Element[])[]): Counts {
  const counts = new Map<string, { rows: number; times: number }>();
  /** What stands first in the pairs of one kind. */
  const firsts = new Map<string, Set<string>>();
  for (const roots of rows) {
    const seen = new Set<string>();
    const walk = (element: Element) => {
      const label = formedLabel(element)?.text ?? labelTextOf(element);
      const pair = label === undefined ? undefined : pairOf(element);
      if (pair !== undefined && label !== undefined)
        firsts.set(pair, (firsts.get(pair) ?? new Set()).add(labelKey(label)));
      for (const name of [
        ...classesOf(element),
        ...(label === undefined ? [] : [labelKey(label)]),
        ...(pair === undefined ? [] : [pair]),
        ...(isIcon(element) ? [iconKey(element)] : []),
      ]) {
        const count = counts.get(name) ?? { rows: 0, times: 0 };
        counts.set(name, count);
        count.times += 1;
        if (!seen.has(name)) count.rows += 1;
        seen.add(name);
      }
      for (const child of elementsOf(element)) walk(child);
    };
    for (const root of roots) walk(root);
  }
  const read = (name: string, { rows: having, times }: { rows: number; times: number }): Count => {
    const texts = firsts.get(name);
    return {
      rows: having,
      times,
      // Several pairs in each row that begin with much the same words are labels and values.
      steady:
        texts !== undefined
          ? times >= having * 1.8 && texts.size <= times * 0.5
          : having >= Math.max(Math.min(rows.length, 2), rows.length * 0.3),
      constant: rows.length >= 3 && having >= rows.length * 0.9,
    };
  };
  return new Map(Array.from(counts, ([name, count]) => [name, read(name, count)] as const));
}

/** The selector that finds the element by what it is, not by where it is. */
export function anchorOf(element: Element, counts: Counts): string | undefined {
  const { itemprop, property } = element.attribs;
  if (itemprop !== undefined && /^[\w-]+$/.test(itemprop)) return `[itemprop="${itemprop}"]`;
  if (property !== undefined && /^[\w:-]+$/.test(property)) return `[property="${property}"]`;
  const label = labelBeside(element, counts) ?? labelInside(element, counts);
  if (label !== undefined && /^(?:dt|th)$/.test(label.element.name)) return label.anchor;
  const classes = classesOf(element);
  const ranked = stableClasses(classes).sort((one, other) => {
    const [first, second] = [counts.get(one), counts.get(other)];
    const repeats = (first?.times ?? 1) / (first?.rows ?? 1) - (second?.times ?? 1) / (second?.rows ?? 1);
    return Math.abs(repeats) > 0.2 ? repeats : (second?.rows ?? 0) - (first?.rows ?? 0);
  });
  const [best] = ranked;
  // A class that several in a row have tells less than a label.
  const shared = best === undefined ? undefined : counts.get(best);
  if (label !== undefined && (shared === undefined || shared.times > shared.rows * 1.2)) return label.anchor;
  if (best !== undefined) return `.${best}`;
  const prefix =
    classes.map(modulePrefix).find((found) => found !== undefined) ??
    classes.flatMap((name) => styleLabel(name) ?? []).at(-1);
  if (prefix !== undefined) return `[class*=${quoted(prefix)}]`;
  for (const name of [
    'data-testid',
    'data-test',
    'data-qa',
    'data-field',
    'data-role',
    'data-type',
    'data-label',
    'role',
  ]) {
    const value = element.attribs[name];
    if (value !== undefined && /^[\p{L}][\w -]{1,30}$/u.test(value)) return `[${name}=${quoted(value)}]`;
  }
  return undefined;
}

const tagNames: Readonly<Record<string, string>> = {
  time: 'date',
  address: 'location',
  cite: 'author',
  blockquote: 'quote',
  figcaption: 'caption',
  p: '',
  dfn: 'term',
  dt: 'term',
  dd: 'definition',
};

/** What microdata or RDFa say that it is. */
const propertyOf = ({ attribs }: Element) => attribs.itemprop ?? attribs.property?.replace(/^\w+:/, '');

/** What a name is the name of, within so many steps above it: an author, a place. */
function ownerOf(element: Element, steps: number): string | undefined {
  let node = parentOf(element);
  for (let step = 0; step < steps && node !== null; step++, node = parentOf(node)) {
    const card = classesOf(node).some((name) => /^h-/.test(name))
      ? classesOf(node).find((name) => /^p-/.test(name))
      : undefined;
    const owner = propertyOf(node) ?? card?.slice(2) ?? node.attribs.rel?.replace(/^schema:/, '');
    if (owner !== undefined) return isFieldWord(namesOf(owner)[0] ?? '') ? owner : undefined;
  }
  return undefined;
}

/** `steps`: how deep in its row it stands. */
export function ownNames(element: Element, steps = 0): string[] {
  const { title } = element.attribs;
  const property = propertyOf(element);
  const classes = classesOf(element);
  const isName = property === 'name' || classes.includes('p-name');
  const named = isName ? ownerOf(element, steps) : undefined;
  if (named !== undefined) return namesOf(named);
  const attributes = [
    'data-testid',
    'data-test',
    'data-field',
    'data-label',
    'aria-label',
    'data-type',
    'rel',
  ];
  return [
    ...(property === undefined ? [] : namesOf(property)),
    ...classWords(classes),
    ...attributes.flatMap((name) => {
      const value = element.attribs[name] ?? '';
      return value.length <= 40 && !/\d/.test(value) ? wordsOf(value) : [];
    }),
    ...wordsOf(tagNames[element.name] ?? ''),
    // What is shown to who points at a value says what it is.
    ...(title !== undefined && title.length < 40 && !/\d/.test(title) ? wordsOf(title) : []),
  ];
}
