/** What finds and names an element by what it is, not by where it is. */
import { type Element, isTag } from 'domhandler';
import { classWords, modulePrefix, stableClasses } from './class-names.ts';
import { classesOf, elementsOf, quoted, shownText } from './elements.ts';
import { namesOf } from './standard-names.ts';
import { wordsOf } from './words.ts';

/** How often a class stands in the rows, by which the one that tells elements apart is chosen. */
export type ClassCounts = ReadonlyMap<string, ClassCount>;
interface ClassCount {
  readonly rows: number;
  readonly times: number;
  /** In a good part of the rows. */
  readonly steady: boolean;
}

export function countClasses(rows: readonly (readonly Element[])[]): ClassCounts {
  const counts = new Map<string, { rows: number; times: number }>();
  for (const roots of rows) {
    const seen = new Set<string>();
    const walk = (element: Element) => {
      const label = labelBefore(element);
      for (const name of [...classesOf(element), ...(label === undefined ? [] : [labelKey(label.text)])]) {
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
  return new Map(
    Array.from(
      counts,
      ([name, count]) =>
        [
          name,
          { ...count, steady: count.rows >= Math.max(Math.min(rows.length, 2), rows.length * 0.3) },
        ] as const,
    ),
  );
}

export const labelKey = (label: string) => `label ${label}`;

export function labelBefore(element: Element): { tag: string; text: string } | undefined {
  let before = element.prev;
  while (before !== null && !isTag(before)) before = before.prev;
  if (before === null) return undefined;
  const label = shownText(before);
  if (label === '' || label.length > 40) return undefined;
  const isLabel =
    (element.name === 'dd' && before.name === 'dt') ||
    (element.name === 'td' && before.name === 'th') ||
    (/:$/.test(label) && /^(?:span|b|strong|em|i|label|div|p|small|td)$/.test(before.name)) ||
    classesOf(before).some((name) => /label|caption|key$/i.test(name));
  return isLabel ? { tag: before.name, text: label } : undefined;
}

/** The selector that finds the element by what it is, not by where it is. */
export function anchorOf(element: Element, counts: ClassCounts): string | undefined {
  const { itemprop } = element.attribs;
  if (itemprop !== undefined && /^[\w-]+$/.test(itemprop)) return `[itemprop="${itemprop}"]`;
  const label = labelBefore(element);
  // A label names a column only where several rows have it.
  const labelled = label === undefined ? undefined : counts.get(labelKey(label.text));
  if (label !== undefined && labelled?.steady === true && /^(?:dt|th)$/.test(label.tag))
    return `${label.tag}:contains(${quoted(label.text)}) + ${element.name}`;
  const classes = classesOf(element);
  const ranked = stableClasses(classes).sort((one, other) => {
    const [first, second] = [counts.get(one), counts.get(other)];
    const repeats = (first?.times ?? 1) / (first?.rows ?? 1) - (second?.times ?? 1) / (second?.rows ?? 1);
    return Math.abs(repeats) > 0.2 ? repeats : (second?.rows ?? 0) - (first?.rows ?? 0);
  });
  if (ranked[0] !== undefined) return `.${ranked[0]}`;
  const prefix = classes.map(modulePrefix).find((found) => found !== undefined);
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

export function ownNames(element: Element): string[] {
  const { itemprop, title } = element.attribs;
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
    ...(itemprop === undefined ? [] : namesOf(itemprop)),
    ...classWords(classesOf(element)),
    ...attributes.flatMap((name) => {
      const value = element.attribs[name] ?? '';
      return value.length <= 24 && !/\d/.test(value) ? wordsOf(value) : [];
    }),
    ...wordsOf(tagNames[element.name] ?? ''),
    ...(element.name === 'abbr' && title !== undefined && title.length < 20 ? wordsOf(title) : []),
  ];
}
