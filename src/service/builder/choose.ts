/** The goal chooses: which columns of a candidate it asks for, how well they fit, and which candidate is best. */
import { type Candidate, type Column, candidateKinds, type NamedColumn } from './candidate.ts';
import type { Goal, Phrase } from './goal.ts';
import { text } from './value-type.ts';
import { fieldName, likeness, meansSame } from './words.ts';

export interface Choice {
  readonly candidate: Candidate;
  readonly fields: readonly NamedColumn[];
  /** Fields of the goal that the candidate has nothing for. */
  readonly missing: readonly string[];
  /** Whether it has anything to do with what the goal is about. */
  readonly onSubject: boolean;
  readonly score: number;
}

const enough = 0.45;
/** Columns that are taken where the goal leaves it open. */
const maxOpen = 12;

const numeric = new Set(
  'price cost amount preis prix precio salary rating score star point vote number count quantity qty size year comment reply view temperature elevation height weight population distance percent'.split(
    ' ',
  ),
);
const generic = new Set(
  'product item thing entry listing post result data content element object stuff article page link offer deal goods good set group kind name title file document resource overview update'.split(
    ' ',
  ),
);

/** How far the type of the column is what such a field has: 1 speaks for it, 0 against it. */
function typeFit(phrase: Phrase, column: Column): number {
  const { type } = column.type.rules;
  const asks = (...words: string[]) =>
    phrase.words.some((word) => words.some((other) => word === other || meansSame(word, other)));
  const head = phrase.words.at(-1) ?? '';
  if (asks('image')) return type === 'image' ? 1 : 0;
  if (meansSame(head, 'url') && head !== 'address') return type === 'url' ? 1 : 0;
  if (type === 'image') return 0;
  if (type === 'url') return 0;
  if (meansSame(head, 'price') || meansSame(head, 'salary'))
    return type === 'number'
      ? column.type.unit === 'currency'
        ? 1
        : 0.6
      : type === 'text' && column.length < 40
        ? 0.4
        : 0;
  if (asks('date') && !asks('duration'))
    return type === 'date'
      ? 1
      : column.length < 60 && type !== 'number'
        ? 0.45
        : phrase.words.includes('year')
          ? 0.8
          : 0.1;
  if (asks('rating')) return type === 'number' || type === 'json' ? 0.9 : 0.3;
  if (numeric.has(head) || phrase.words.includes('number')) return type === 'number' ? 0.8 : 0.35;
  if (asks('title')) return type === 'text' ? 0.7 : 0.2;
  if (asks('description', 'text')) return type === 'text' ? Math.min(0.4 + column.length / 200, 1) : 0.1;
  if (asks('author', 'location', 'company', 'category', 'availability'))
    return type === 'text' ? 0.6 : type === 'boolean' || type === 'json' ? 0.5 : 0.15;
  return 0.5;
}

/** From 0 to 1: how likely the column is what the phrase asks for. */
export function fitOf(phrase: Phrase, column: Column, goal: Goal): number {
  const [subject = ''] = goal.subject.slice(-1);
  const isTitle = phrase.words.some(
    (word) => word !== subject && ['title', 'name', 'headline', 'heading'].includes(word),
  );
  const head = phrase.words.at(-1) ?? '';
  let named = 0;
  column.names.forEach((name, index) => {
    // Of "date posted" each word tells; the last of "book title" tells most.
    phrase.words.forEach((word, place) => {
      const weight =
        word === head ? 1 : place === 0 && phrase.words.length > 1 && generic.has(word) ? 0.3 : 0.8;
      named = Math.max(named, likeness(word, name) * weight * (index < 3 ? 1 : 0.85));
    });
  });
  const matched = phrase.words.filter((word) =>
    column.names.some((name) => likeness(word, name) >= 0.85),
  ).length;
  if (phrase.words.length > 1 && matched === phrase.words.length) named = 1.15;
  let near = 0;
  for (const name of column.nearNames)
    for (const word of phrase.words) near = Math.max(near, likeness(word, name) * 0.7);
  const type = typeFit(phrase, column);
  let score = Math.max(named, near);
  if (isTitle && column.isTitle) score = Math.max(score, 0.8);
  // The column's own name is another kind of field: "author" is no "name".
  if (type === 0) return 0;
  if (score < 0.3 && column.names.length === 0 && type >= 0.9) score = 0.5;
  else if (score < 0.3 && type >= 1 && !['text', 'json'].includes(column.type.rules.type)) score = 0.48;
  if (score < 0.3) return 0;
  const exact = column.names[0] !== undefined && phrase.words.includes(column.names[0]) ? 0.08 : 0;
  // A place that few rows have is rarely what is asked for of each.
  const spread = 0.6 + 0.4 * column.fill;
  return score * (0.55 + 0.45 * type) * spread + exact + column.fill * 0.06 - (column.constant ? 0.15 : 0);
}

interface Pair {
  readonly phrase: Phrase;
  readonly column: Column;
  readonly score: number;
}

/** Each phrase its best column, each column once; the clearest pairs first. */
function assign(goal: Goal, phrases: readonly Phrase[], columns: readonly Column[]): Pair[] {
  const pairs = phrases
    .flatMap((phrase) => columns.map((column) => ({ phrase, column, score: fitOf(phrase, column, goal) })))
    .filter(({ score }) => score >= enough)
    .sort((one, other) => other.score - one.score);
  const taken: Pair[] = [];
  for (const pair of pairs)
    if (!taken.some(({ phrase, column }) => phrase === pair.phrase || column === pair.column))
      taken.push(pair);
  return taken;
}

/** Unnamed columns for what is left, in the order of both, where exactly as many are left and nothing speaks against it. */
function assignByOrder(goal: Goal, candidate: Candidate, taken: readonly Pair[]): Pair[] {
  // Order is evidence only where nothing in the row has a name.
  const named = candidate.columns.some(
    ({ names, type }) => names.length > 0 && !['url', 'image'].includes(type.rules.type),
  );
  if (!candidate.many) return [];
  const left = goal.fields.filter(
    (phrase) => phrase.optional !== true && !taken.some((pair) => pair.phrase === phrase),
  );
  const bare = candidate.columns.filter(
    (column) =>
      !taken.some((pair) => pair.column === column) &&
      column.names.length === 0 &&
      !column.constant &&
      column.fill >= 0.7 &&
      column.type.rules.type !== 'url' &&
      column.type.rules.type !== 'image' &&
      column.division !== 'whole' &&
      (column.division === 'part' || column.type.rules.match === undefined),
  );
  // One alone is told by its order only where the others were clear.
  const isClear = left.length === 1 ? taken.length >= 2 : left.length > 1 && !named;
  if (!isClear || left.length !== bare.length) return [];
  const pairs = left.map((phrase, index) => ({ phrase, column: bare[index], score: enough }));
  return pairs.flatMap(({ phrase, column, score }) =>
    column !== undefined && typeFit(phrase, column) >= 0.4 ? [{ phrase, column, score }] : [],
  );
}

/** "Branches: branch, address, hours": what the list is about, or what the goal names first, is the name of each row. */
function assignTitle(
  required: readonly Phrase[],
  taken: readonly Pair[],
  candidate: Candidate,
  page: PageWords,
): Pair[] {
  const title = candidate.columns.find(({ isTitle }) => isTitle);
  if (title === undefined || taken.some(({ column }) => column === title)) return [];
  const around = [...candidate.about, ...page.headings];
  const phrase = required.find(
    (one) =>
      !taken.some((pair) => pair.phrase === one) &&
      ((one === required[0] && taken.length >= 2 && taken.length === required.length - 1) ||
        one.words.every((word) => around.some((other) => meansSame(word, other)))) &&
      typeFit(one, title) >= 0.4,
  );
  return phrase === undefined ? [] : [{ phrase, column: title, score: enough }];
}

/** "In stock (3 left)" is a number only where a number is asked for. */
function asText(phrase: Phrase, column: Column): Column {
  const head = phrase.words.at(-1) ?? '';
  const wantsText = [
    'availability',
    'title',
    'description',
    'author',
    'location',
    'company',
    'category',
  ].some((word) => meansSame(head, word));
  const isCounted =
    column.type.rules.type === 'number' &&
    column.type.unitWords !== undefined &&
    column.type.unit !== 'currency';
  if (!wantsText || !isCounted || phrase.words.includes('number')) return column;
  return { ...column, type: text };
}

function openFields(candidate: Candidate): NamedColumn[] {
  const names = new Set<string>();
  const fields: NamedColumn[] = [];
  const useful = candidate.columns.filter(
    (column) => column.fill >= 0.5 && (!column.constant || column.names.length > 0),
  );
  for (const column of useful) {
    const { type } = column.type.rules;
    const words = column.names.filter((name) => name.length > 1);
    let base =
      column.isTitle && type === 'text' && candidate.kind !== 'table' && candidate.kind !== 'page state'
        ? 'title'
        : fieldName(words.slice(0, candidate.kind === 'table' ? 4 : 1));
    if (type === 'url') base = 'url';
    if (base === '') base = type === 'image' ? 'image' : type === 'text' ? 'text' : type;
    let name = base;
    for (let number = 2; names.has(name); number++) name = `${base}_${number}`;
    // The same name again is mostly the same thing shown twice.
    if ((names.has(base) && base !== 'text') || fields.length >= maxOpen) continue;
    names.add(name);
    fields.push({ name, column });
  }
  return fields;
}

/** The words of a page, stemmed. */
export interface PageWords {
  readonly headings: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
  /** In another language than English. */
  readonly isForeign: boolean;
}

/** Whether the goal's subject appears in what names the candidate; a subject that says nothing always does. */
function subjectFit(goal: Goal, candidate: Candidate, page: PageWords): number {
  const subject = goal.subject.filter((word) => !generic.has(word));
  if (subject.length === 0) return 0.5;
  const near = new Set([...candidate.about, ...candidate.columns.flatMap(({ names }) => names)]);
  const found = subject.map((word) => {
    if ([...near].some((other) => likeness(word, other) >= 0.75)) return 1;
    if (page.headings.has(word) || [...page.headings].some((other) => likeness(word, other) >= 0.75))
      return 0.4;
    // A goal in English says little about the words of a page in another language.
    return page.all.has(word) || page.isForeign ? 0.2 : 0;
  });
  return found.reduce((sum: number, value) => sum + value, 0) / subject.length;
}

export function choose(goal: Goal, candidates: readonly Candidate[], pageWords: PageWords): Choice[] {
  const choices = candidates.map((candidate): Choice => {
    const required = goal.fields.filter(({ optional }) => optional !== true);
    const best = assign(goal, required, candidate.columns);
    const found = [...best, ...assignByOrder(goal, candidate, best)];
    found.push(...assignTitle(required, found, candidate, pageWords));
    const free = candidate.columns.filter((column) => !found.some((pair) => pair.column === column));
    // In a table the fields that were asked for tell its rows apart well enough.
    const implied = goal.fields.filter(({ optional }) => optional === true && candidate.kind !== 'table');
    const pairs = [...found, ...assign(goal, implied, free)];
    const missing = required
      .filter((phrase) => !pairs.some((pair) => pair.phrase === phrase))
      .map(({ name }) => name);
    const subject = subjectFit(goal, candidate, pageWords);
    const isOpen = goal.fields.length === 0;
    const fields = isOpen
      ? openFields(candidate)
      : goal.fields.flatMap((phrase): NamedColumn[] => {
          const column = pairs.find((pair) => pair.phrase === phrase)?.column;
          if (column === undefined) return [];
          const isList =
            column.source.in === 'html'
              ? column.source.all === true
              : column.type.rules.type === 'json' && column.source.in === 'json';
          return [{ name: isList ? phrase.written : phrase.name, column: asText(phrase, column) }];
        });
    const asked = pairs.filter(({ phrase }) => phrase.optional !== true);
    const quality = isOpen
      ? Math.min(fields.length, 6) / 6
      : asked.reduce((sum, { score, column }) => sum + score * column.fill, 0) / Math.max(required.length, 1);
    const many = goal.many === undefined ? 0.3 : goal.many === candidate.many ? 1 : -1.5;
    const evidence = 1 - candidateKinds.indexOf(candidate.kind) / candidateKinds.length;
    const titled = fields.some(({ column }) => column.isTitle) ? 0.3 : 0;
    const size = candidate.many ? Math.log2(Math.min(candidate.rows, 64)) * 0.25 : 0;
    return {
      candidate,
      fields,
      missing,
      onSubject: subject > 0,
      score: quality * 4 + many + evidence * 0.6 + subject * 1.5 + titled + size - missing.length * 3,
    };
  });
  return choices.filter(({ fields }) => fields.length > 0).sort((one, other) => other.score - one.score);
}
