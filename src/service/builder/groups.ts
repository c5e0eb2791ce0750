/**
 * What stands above groups of rows and holds for each row below it: the heading of a day, a section, a department, in
 * whatever element. It gives columns that are read above the row.
 */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { Headings } from '../recipes/headings.ts';
import type { Column } from './candidate.ts';
import { classWords, isAdvertising, stableClasses } from './class-names.ts';
import { columnsOf } from './columns.ts';
import { classesOf, elementsOf, hasOwnText, ownText, quoted, shownText, tagOf } from './elements.ts';
import { commonPath, type PageContext, pathTo } from './row-selectors.ts';
import { parentOf } from './surroundings.ts';
import { typeOfTexts } from './value-type.ts';

type Rows = readonly (readonly Element[])[];

/** Characters of a heading; what is longer is a text. */
const maxLength = 120;
/** Headings for a row: with more of them they are part of the rows. */
const fewer = 0.8;
const maxLevels = 3;

const unread = new Set('script style noscript template svg select button form nav iframe footer'.split(' '));
/** Tags and classes of what stands above something. */
const headingTag = /^(?:h[1-6]|caption|summary|legend|dt|th|tr)$/;
const headingWord =
  /^(?:head|header|heading|title|headline|caption|divider|separator|sep|label|day|date|month|year|week|round|section|category|group|department|team|letter|board|region|city|stage|subhead|subheading)$/;

const rankOf = (element: Element): 0 | 1 | 2 => {
  if (headingTag.test(element.name) || element.attribs.role === 'heading') return 2;
  return classWords(classesOf(element)).some((word) => headingWord.test(word)) ? 1 : 0;
};

interface Member {
  readonly element: Element;
  /** It is around its rows: its own text alone is their heading. */
  readonly isAround: boolean;
  /** Rows that stand before it. */
  readonly before: number;
}

const textOf = ({ element, isAround }: Pick<Member, 'element' | 'isAround'>) =>
  isAround ? ownText(element) : shownText(element);

interface Level {
  readonly rank: number;
  readonly members: readonly Member[];
}

const tagsOf = (element: Element) => {
  const tags: string[] = [];
  for (let node: Element | null = element; node?.type === 'tag'; node = parentOf(node)) tags.push(node.name);
  return tags.join('<');
};

/** What stands between the rows and before them, by its kind: tag and class, or tag and place. */
function between(rows: Rows, root: Element, ignored: ReadonlySet<Element>): Map<string, Member[]> {
  const starts = new Set(rows.flatMap(([first]) => first ?? []));
  const inRows = new Set(rows.flat());
  const around = new Set<Element>();
  for (const row of starts)
    for (let node = parentOf(row); node !== null && !around.has(node); node = parentOf(node))
      around.add(node);
  const found = new Map<string, Member[]>();
  let before = 0;
  const add = (element: Element, isAround = false) => {
    const text = textOf({ element, isAround });
    if (text === '' || text.length > maxLength || isAdvertising(classesOf(element))) return;
    const [name] = stableClasses(classesOf(element));
    const key = `${isAround} ${name === undefined ? tagsOf(element) : `${element.name}.${name}`}`;
    const members = found.get(key) ?? [];
    found.set(key, members);
    members.push({ element, before, isAround });
  };
  const walk = (element: Element) => {
    if (starts.has(element)) before += 1;
    if (inRows.has(element) || ignored.has(element)) return;
    if (unread.has(element.name) && !around.has(element)) return;
    // Behind the last row nothing stands above one.
    if (before === rows.length) return;
    const children = elementsOf(element);
    if (!around.has(element)) {
      if (element.name === 'tr') {
        if (children.filter((cell) => shownText(cell) !== '').length === 1) add(element);
        return;
      }
      const rank = rankOf(element);
      if (rank > 0 || hasOwnText(element)) add(element);
      if (rank === 2) return;
    } else if (hasOwnText(element)) add(element, true);
    for (const child of children) walk(child);
  };
  walk(root);
  return found;
}

/** The members as headings of groups, of which some hold for several rows; undefined where they are none. */
function levelOf(members: readonly Member[], rows: number): Level | undefined {
  const byPlace = new Map(members.map((member) => [member.before, member]));
  const heads = [...byPlace.values()];
  const [first] = heads;
  if (first === undefined || heads.length < 2 || heads.length > rows * fewer) return undefined;
  // Several in one place are no headings, except before all rows, where others stand as well.
  if (members.filter(({ before }) => before > 0).length > heads.length * 1.2) return undefined;
  if (first.before > 0) return undefined;
  const values = new Set(heads.map(textOf));
  if (values.size < 2 || values.size < heads.length / 2) return undefined;
  return { rank: rankOf(first.element), members: heads };
}

const known = new WeakMap<CheerioAPI, Headings>();
function headingsOf(html: CheerioAPI): Headings {
  const headings = known.get(html) ?? new Headings(html);
  known.set(html, headings);
  return headings;
}

/** The selector whose nearest match above each row is the heading of its group. */
function selectorAbove({ members }: Level, rows: Rows, context: PageContext): string | undefined {
  const elements = members.map(({ element }) => element);
  const [first] = elements;
  if (first === undefined) return undefined;
  const tag = tagOf(first);
  const options = stableClasses(classesOf(first))
    .filter((name) => elements.every((element) => classesOf(element).includes(name)))
    .map((name) => `${tag}.${name}`);
  for (const [key, value] of Object.entries(first.attribs))
    if (
      /^(?:data-[a-z-]+|role|scope)$/.test(key) &&
      elements.every((element) => element.attribs[key] === value)
    )
      options.push(`${tag}[${key}=${quoted(value)}]`);
  const parents = [...new Set(elements.map(parentOf))].filter((parent) => parent !== null);
  const [parent] = parents;
  if (tag === 'tr') {
    const inside = [':only-child', 'th', '[colspan]', 'td:nth-child(2):empty', 'td > b', 'td > strong'];
    options.push(...inside.map((one) => `tr:has(> ${one})`), 'tr:not(:has(> td))');
  } else if (parent !== undefined) {
    const path = parents.length === 1 ? pathTo(parent, context) : commonPath(parents, context);
    options.push(`${path} > ${tag}`, tag);
  }
  const headings = headingsOf(context.html);
  const starts = rows.flatMap(([start]) => start ?? []);
  return options.find((option) => {
    const above = headings.of([option]);
    if (starts.some((start) => above.has(start))) return false;
    let next = 0;
    let expected: Element | undefined;
    return starts.every((start, index) => {
      while (members[next] !== undefined && (members[next]?.before ?? 0) <= index) {
        expected = members[next]?.element;
        next += 1;
      }
      return expected === undefined || headings.before(start, option) === expected;
    });
  });
}

export const weekday =
  /^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun|today|tomorrow|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado|domingo)/i;
const month =
  /^(?:jan|feb|m[aä]r|apr|a[vb]r|ma[iy]|jun|jui|jul|aug|ao[uû]|ago|sep|o[ck]t|nov|de[czk]|ene|f[eé]v|dic)\p{L}*\.?(?:\s+\d{4})?$/iu;

/** What such headings are mostly called, by the look of their texts. */
function usualNames({ type, samples }: Column): string[] {
  const most = (pattern: RegExp) =>
    samples.length > 0 && samples.filter((text) => pattern.test(text)).length >= samples.length * 0.8;
  if (most(month)) return ['month', 'date'];
  if (type.rules.type === 'date' || most(weekday)) return ['date', 'day'];
  return type.rules.type === 'text' ? ['section', 'category', 'group'] : [];
}

/** Words that say that something is a heading, not of what. */
const empty = new Set('title heading header head headline name caption label text link url'.split(' '));

/** What the headings of one level hold. */
function columnsIn({ members }: Level, above: string, context: PageContext): Column[] {
  const [first] = members;
  if (first?.isAround !== true)
    return columnsOf(
      members.map(({ element }) => [element]),
      { ...context, list: above },
    );
  const values = members.map(textOf);
  return [
    {
      source: { in: 'html', own: true },
      names: classWords(classesOf(first.element)),
      nearNames: [],
      isTitle: false,
      type: typeOfTexts(values, context.language),
      fill: 1,
      constant: false,
      length: values.reduce((sum, value) => sum + value.length, 0) / values.length,
      samples: values.slice(0, 12),
      order: 0,
    },
  ];
}

/** The columns that are read above the rows; `ignored` are no headings, such as those of a table's columns. */
export function groupColumns(
  rows: Rows,
  context: PageContext,
  ignored: ReadonlySet<Element> = new Set(),
): Column[] {
  if (rows.length < 3) return [];
  const levels = [...between(rows, context.root, ignored).values()]
    .flatMap((members) => levelOf(members, rows.length) ?? [])
    .sort((one, other) => other.rank - one.rank);
  const places = new Set<string>();
  return levels
    .filter(({ rank, members }) => {
      // Of one place the clearest heading alone, and a text without a sign of being one only where nothing else is.
      const place = members.map(({ before }) => before).join();
      const isNew = rank > 0 ? !places.has(place) : places.size === 0;
      return isNew && places.size < maxLevels && places.add(place);
    })
    .flatMap((level, index): Column[] => {
      const above = selectorAbove(level, rows, context);
      if (above === undefined) return [];
      return columnsIn(level, above, context)
        .filter(({ type }) => type.rules.type !== 'url' && type.rules.type !== 'image')
        .map((column): Column => {
          const { source } = column;
          const names = column.names.filter((name) => !empty.has(name));
          return {
            ...column,
            source: source.in === 'html' ? { ...source, above } : source,
            names: [...new Set([...names, ...usualNames(column)])],
            nearNames: [],
            isTitle: false,
            isTitleLink: false,
            isAbove: true,
            order: -10 + index + column.order / 100,
          };
        });
    });
}
