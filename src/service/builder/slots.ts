/** Everything that one row of a page shows: texts, addresses, images and times, each with where it is and what names it. */
import { type AnyNode, type Element, isTag, isText } from 'domhandler';
import { classWords, isAdvertising, modulePrefix, stableClasses } from './class-names.ts';
import { wordsOf } from './words.ts';

/** One step from a row to an element. */
export interface Step {
  readonly tag: string;
  /** A selector that needs no position: by itemprop, class, data attribute or label. */
  readonly anchor: string | undefined;
  /** Among the siblings of its tag, from 1. */
  readonly position: number;
}

export interface Slot {
  readonly element: Element;
  readonly steps: readonly Step[];
  /** The attribute that holds the value; undefined for the text. */
  readonly attribute: string | undefined;
  readonly kind: 'text' | 'url' | 'image' | 'date';
  readonly value: string;
  /** The element's own text, without that of the elements inside. */
  readonly own: boolean;
  /** A text that stands before the value and names it. */
  readonly label: string | undefined;
  readonly names: readonly string[];
  readonly nearNames: readonly string[];
  readonly inHeading: boolean;
  readonly inLink: boolean;
}

/** Of one row; a bound on the work. */
const maxSlots = 2_000;

const skipped = new Set(
  'script style noscript template svg button select option input textarea form iframe canvas'.split(' '),
);
/** Parts of the text around them, unless they have a name of their own. */
const formatting = new Set(
  'b i em strong u mark small sub sup br wbr abbr font s del ins kbd code q'.split(' '),
);
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

export const classesOf = (element: Element): string[] =>
  (element.attribs.class ?? '').split(/\s+/).filter((name) => name !== '');

export const collapse = (value: string) => value.replace(/\s+/g, ' ').trim();

export function textOf(node: AnyNode): string {
  if (isText(node)) return node.data;
  if (!isTag(node) || /^(?:script|style|noscript|template)$/.test(node.name)) return '';
  return node.children.map(textOf).join('');
}

export const elementsOf = (element: Element): Element[] => element.children.filter(isTag);

/** Whether the element has letters or digits of its own, outside of child elements. */
const hasOwnText = (element: Element) =>
  element.children.some((child) => isText(child) && /[\p{L}\p{N}]/u.test(child.data));

const quoted = (value: string) => `"${value.replace(/["\\]/g, '\\$&')}"`;

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
      ([name, count]) => [name, { ...count, steady: count.rows >= rows.length * 0.3 }] as const,
    ),
  );
}

const labelKey = (label: string) => `label ${label}`;

function labelBefore(element: Element): { tag: string; text: string } | undefined {
  let before = element.prev;
  while (before !== null && !isTag(before)) before = before.prev;
  if (before === null) return undefined;
  const label = collapse(textOf(before));
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

export const positionOf = (element: Element): number => {
  let position = 1;
  for (let before = element.prev; before !== null; before = before.prev)
    if (isTag(before) && before.name === element.name) position += 1;
  return position;
};

function ownNames(element: Element): string[] {
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
    ...wordsOf(itemprop ?? ''),
    ...classWords(classesOf(element)),
    ...attributes.flatMap((name) => {
      const value = element.attribs[name] ?? '';
      return value.length <= 24 && !/\d/.test(value) ? wordsOf(value) : [];
    }),
    ...wordsOf(tagNames[element.name] ?? ''),
    ...(element.name === 'abbr' && title !== undefined && title.length < 20 ? wordsOf(title) : []),
  ];
}

const isHeading = (element: Element) => /^h[1-6]$/.test(element.name);
const numberWords = /\b(?:zero|one|two|three|four|five)\b/i;

const isApart = (element: Element) =>
  element.name === 'time' ||
  element.name === 'a' ||
  element.attribs.itemprop !== undefined ||
  classesOf(element).length > 0;

/** The slots of one row in the order of the page. */
export function slotsOf(roots: readonly Element[], counts: ClassCounts): Slot[] {
  const slots: Slot[] = [];
  const walk = (
    element: Element,
    steps: readonly Step[],
    near: readonly string[],
    inside: { heading: boolean; link: boolean; label?: string },
  ): void => {
    if (skipped.has(element.name) || element.attribs.hidden !== undefined || slots.length >= maxSlots) return;
    if (steps.length > 0 && isAdvertising(classesOf(element))) return;
    const names = ownNames(element);
    const state = {
      heading: inside.heading || isHeading(element),
      link: inside.link || element.name === 'a',
    };
    const label = labelBefore(element)?.text;
    const before = label !== undefined && counts.get(labelKey(label))?.steady === true ? label : undefined;
    const add = (
      kind: Slot['kind'],
      value: string | undefined,
      attribute: string | undefined,
      more: readonly string[] = [],
      own = false,
    ) => {
      const shown = collapse(value ?? '');
      if (shown === '') return;
      slots.push({
        element,
        steps,
        attribute,
        kind,
        value: shown,
        own,
        label: before ?? inside.label,
        names: [...names, ...more],
        nearNames: near,
        inHeading: state.heading,
        inLink: state.link,
      });
    };
    const { attribs, name } = element;
    const whole = collapse(textOf(element));
    const { content } = attribs;
    if (name === 'meta' || name === 'link' || (content !== undefined && attribs.itemprop !== undefined)) {
      if (attribs.itemprop !== undefined) {
        const address = content ?? attribs.href;
        const isAddress = /^(?:url|image|link|sameAs)$/i.test(attribs.itemprop);
        add(
          isAddress ? (attribs.itemprop === 'image' ? 'image' : 'url') : 'text',
          address,
          content === undefined ? 'href' : 'content',
        );
      }
      if (name === 'meta' || name === 'link') return;
    }
    if (name === 'img') {
      add('image', attribs['data-src'] ?? attribs['data-original'] ?? attribs.src, undefined, ['image']);
      return;
    }
    if (name === 'a' && attribs.href !== undefined && !/^(?:#|javascript:)/i.test(attribs.href)) {
      const contact = /^(mailto|tel):/i.exec(attribs.href)?.[1]?.toLowerCase();
      if (contact === undefined) add('url', attribs.href, undefined, ['url', 'link']);
      else names.push(contact === 'tel' ? 'phone' : 'email');
    }
    if (name === 'time' && attribs.datetime !== undefined) {
      add('date', attribs.datetime, undefined);
      return;
    }
    if ((name === 'data' || name === 'meter') && attribs.value !== undefined)
      add('text', attribs.value, 'value');
    // What stars show is often in a class ("star-rating Three") or in a label for screen readers.
    if (numberWords.test(attribs.class ?? '')) add('text', attribs.class, 'class', ['rating']);
    const spoken = attribs['aria-label'] ?? (/^[★☆\s]*$/.test(whole) ? attribs.title : undefined);
    if (spoken !== undefined && /\d/.test(spoken) && spoken.length < 60 && !/\d/.test(whole))
      add('text', spoken, attribs['aria-label'] === undefined ? 'title' : 'aria-label', ['rating']);
    for (const [key, value] of Object.entries(attribs)) {
      if (
        /^data-(?:price|rating|score|date|author|name|title|sku|stock|brand|category|value|amount)/.test(
          key,
        ) &&
        value.length < 80
      )
        add('text', value, key, wordsOf(key.replace(/^data-/, '')));
    }
    const children = elementsOf(element);
    const isText =
      hasOwnText(element) ||
      (whole !== '' &&
        children.length <= 1 &&
        children.every((child) => formatting.has(child.name) && classesOf(child).length === 0));
    const [only] = children;
    // "<p>by <a>Ann</a></p>": the text around is the label of what is inside.
    const around = collapse(
      element.children
        .filter((child) => !isTag(child))
        .map(textOf)
        .join(' '),
    );
    const isOnlyLabel =
      isText &&
      children.length === 1 &&
      only !== undefined &&
      !(formatting.has(only.name) && hasOwnText(element) && !/:$|^by$/i.test(around)) &&
      around.length <= 24 &&
      /^(?:\p{L}[\p{L} ]*:|by|von|par|from|in|at|on|posted by|written by|published)$/iu.test(around);
    const startsWithLabel =
      isOnlyLabel && element.children.find((child) => collapse(textOf(child)) !== '') !== only;
    if (isText && !startsWithLabel) {
      // "Name <span class=price>12</span>": in a short text, what has a name of its own is not part of it.
      const apart = children.some((child) => isApart(child) && collapse(textOf(child)) !== '');
      if (attribs.title !== undefined && /(?:…|\.\.\.)$/.test(whole) && attribs.title.length >= whole.length)
        add('text', attribs.title, 'title');
      else if (apart && around.length <= 80 && whole.length <= 160)
        add('text', around.replace(/^[\s|·•,–—-]+|[\s|·•,–—-]+$/g, ''), undefined, [], true);
      else add('text', whole, undefined);
    }
    const nearNames = [...names, ...near].slice(0, 8);
    const below = startsWithLabel ? { ...state, label: around } : state;
    const positions = new Map<string, number>();
    for (const child of children) {
      const position = (positions.get(child.name) ?? 0) + 1;
      positions.set(child.name, position);
      const plain =
        formatting.has(child.name) && classesOf(child).length === 0 && child.attribs.itemprop === undefined;
      if (isText && plain && !startsWithLabel && elementsOf(child).length === 0) continue;
      walk(
        child,
        [...steps, { tag: child.name, anchor: anchorOf(child, counts), position }],
        nearNames,
        below,
      );
    }
  };
  roots.forEach((root, index) => {
    const steps: Step[] =
      roots.length === 1
        ? []
        : [{ tag: root.name, anchor: index === 0 ? undefined : anchorOf(root, counts), position: index }];
    walk(root, steps, [], { heading: false, link: false });
  });
  return slots;
}
