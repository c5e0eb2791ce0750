/** The goal chooses: which columns of a candidate it asks for, how well they fit, and which candidate is best. */
import { assign, assignAbove, assignByContent, assignByOrder, assignTitle, type Pair } from './assign.ts';
import { type Candidate, type Column, candidateKinds, type NamedColumn } from './candidate.ts';
import { generic } from './fit.ts';
import type { Goal, Phrase } from './goal.ts';
import { allFields, openFields } from './open-fields.ts';
import { text } from './value-type.ts';
import { isKind } from './vocabulary.ts';
import { likeness, meansSame } from './words.ts';

export interface Choice {
  readonly candidate: Candidate;
  readonly fields: readonly NamedColumn[];
  /** Fields of the goal that the candidate has nothing for. */
  readonly missing: readonly string[];
  /** Fields that the goal asks for where there are any, and there are none. */
  readonly absent: readonly string[];
  /** Enough without what is missing: nearly all of it is found, by names that leave no doubt, and it is what the goal is about. */
  readonly nearly: boolean;
  /** Whether it has anything to do with what the goal is about. */
  readonly onSubject: boolean;
  readonly score: number;
}

const countKinds = [
  'serving',
  'quantity',
  'view',
  'score',
  'calorie',
  'download',
  'rating',
  'population',
  'distance',
];
const isNumeric = ({ words }: Phrase) =>
  words[0] === 'number' ||
  words.at(-1) === 'count' ||
  (words.at(-1) !== 'number' && countKinds.some((kind) => isKind(words.at(-1) ?? '', kind)));
const postal = new Set('zip postal postcode plz zipcode isbn ean gtin upc sku asin'.split(' '));

/** "In stock (3 left)" is a number only where a number is asked for. */
function asText(phrase: Phrase, column: Column): Column {
  const head = phrase.words.at(-1) ?? '';
  const wantsText = ['availability', 'title', 'ingredient', 'instruction'].some((kind) => isKind(head, kind));
  // Digits that are no quantity.
  const isNumbered =
    isKind(head, 'phone') || phrase.words.some((word) => isKind(word, 'phone') || postal.has(word));
  if (isNumbered && column.type.rules.type === 'number')
    return { ...column, type: { rules: { type: 'text', match: column.type.rules.match } } };
  const isCounted =
    column.type.rules.type === 'number' &&
    column.type.unitWords !== undefined &&
    column.type.unit !== 'currency';
  if (isNumeric(phrase) && column.type.rules.type === 'text' && column.type.rules.match === undefined) {
    // "Serves 4", "312 pages": the one number in each.
    const isOne =
      column.samples.length > 0 && column.samples.every((sample) => /^\D*\d+(?:\.\d+)?\D*$/.test(sample));
    const isShort = column.samples.every((sample) => sample.length < 24 && !/\d\s*[kmbt]\b/i.test(sample));
    if (isOne && isShort)
      return { ...column, type: { rules: { type: 'number', match: '\\d+(?:\\.\\d+)?' } } };
  }
  if (!wantsText || !isCounted || phrase.words.includes('number')) return column;
  return { ...column, type: text };
}

/** The words of a page, stemmed. */
export interface PageWords {
  readonly headings: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
  /** In another language than English. */
  readonly isForeign: boolean;
}

/** Whether the goal's subject appears in what names the candidate; a subject that says nothing always does. */
function subjectFit(
  goal: Goal,
  candidate: Candidate,
  page: PageWords,
): { readonly share: number; readonly best: number } {
  const subject = goal.subject.filter((word) => !generic.has(word));
  if (subject.length === 0) return { share: 0.5, best: 0.5 };
  const near = new Set([...candidate.about, ...candidate.columns.flatMap(({ names }) => names)]);
  const found = subject.map((word) => {
    if ([...near].some((other) => likeness(word, other) >= 0.75)) return 1;
    if (page.headings.has(word) || [...page.headings].some((other) => likeness(word, other) >= 0.75))
      return 0.4;
    // A goal in English says little about the words of a page in another language.
    return page.all.has(word) || page.isForeign ? 0.2 : 0;
  });
  const sum = found.reduce((all: number, value) => all + value, 0);
  return { share: sum / subject.length, best: Math.max(...found) };
}

/** Kinds of fields that things of every sort have. */
const common =
  'title url image date price description rating author duration category location text id year tag'.split(
    ' ',
  );

/** Whether the fields alone tell that this is what is meant: those of one thing, or such as few things have. */
function isUnmistakable(candidate: Candidate, asked: readonly Pair[]): boolean {
  const named = asked.filter(({ score }) => score >= 0.75);
  if (named.length < 2 || named.length < asked.length * 0.75) return false;
  if (!candidate.many) return true;
  const special = named.filter(
    ({ phrase }) => !phrase.words.some((word) => common.some((kind) => isKind(word, kind))),
  );
  return special.length >= 2;
}

const isList = ({ source, type }: Column) =>
  source.in === 'html' ? source.all === true : source.in === 'json' && type.rules.type === 'json';

const identifying = ['id', 'code', 'title', 'email', 'term', 'version'];

/** In a page about one thing a list is what is asked for in the plural alone. */
function suits(goal: Goal, candidate: Candidate, column: Column): boolean {
  const isList = column.source.in === 'html' && column.source.all === true;
  if (!isList || candidate.many) return true;
  return (
    goal.many !== true &&
    goal.fields.some(
      ({ written, words }) =>
        /s$/.test(written) &&
        words.length > 0 &&
        [...column.names, ...column.nearNames].some((name) => words.some((word) => meansSame(word, name))),
    )
  );
}

/** The least score of a pair that leaves no doubt. */
const certain = 0.6;

/** Of four fields and more a quarter may be missing where what names the rows is there and the others are clear. */
function isNearly(
  { subject }: Goal,
  required: readonly Phrase[],
  missing: readonly string[],
  found: readonly Pair[],
): boolean {
  // Rows without what they are named by are other rows.
  const isName = ({ words }: Phrase) =>
    words.some((word) => isKind(word, 'title') || subject.some((other) => meansSame(word, other)));
  if (required.some((phrase) => missing.includes(phrase.name) && isName(phrase))) return false;
  const asked = required.filter(({ ifAny }) => ifAny !== true).length;
  const clear = found.filter(({ score, column }) => score >= certain || column.isTitle).length;
  return (
    asked >= 4 &&
    missing.length <= Math.floor(asked / 4) &&
    clear >= found.length - 1 &&
    found.some(
      ({ phrase, column }) =>
        column.isTitle || identifying.some((kind) => isKind(phrase.words.at(-1) ?? '', kind)),
    )
  );
}

/** The columns of a candidate for what a goal asks. */
function pairsOf(
  goal: Goal,
  required: readonly Phrase[],
  candidate: Candidate,
  subject: number,
  pageWords: PageWords,
): Pair[] {
  const found = assign(
    goal,
    required,
    candidate.columns.filter((column) => suits(goal, candidate, column)),
  );
  const left = () => required.filter((phrase) => !found.some((pair) => pair.phrase === phrase));
  const free = () => candidate.columns.filter((column) => !found.some((pair) => pair.column === column));
  // What no name tells is told by its place only in data that is about the goal's subject, or has most of its fields.
  if (subject >= 0.4 || (found.length >= 3 && isUnmistakable(candidate, found))) {
    const inRows = { ...candidate, columns: candidate.columns.filter(({ isAbove }) => isAbove !== true) };
    const byOrder = (without: readonly Phrase[]) =>
      assignByOrder(
        { ...goal, fields: goal.fields.filter((phrase) => !without.includes(phrase)) },
        inRows,
        found.filter(({ phrase }) => !without.includes(phrase)),
        without.length,
      );
    found.push(
      ...assignByContent(
        left(),
        inRows.columns.filter((column) => free().includes(column)),
      ),
    );
    const above = found.filter(({ column }) => column.isAbove === true).map(({ phrase }) => phrase);
    found.push(...byOrder(above));
    found.push(...assignAbove(goal, left(), free(), pageWords.all, (phrase) => byOrder([...above, phrase])));
  }
  found.push(...assignTitle(required, found, candidate, pageWords.headings));
  return found;
}

const titleOf = ({ columns }: Candidate) => columns.find(({ isTitle }) => isTitle);
const isOfTitle = ({ source }: Column, candidate: Candidate) =>
  JSON.stringify(source) === JSON.stringify(titleOf(candidate)?.source);

const inWholes = (candidate: Candidate): Candidate => ({
  ...candidate,
  columns: candidate.columns.filter(({ division }) => division !== 'piece'),
});

/** "Name – Town – 12 km" as its parts alone, the first of them the row's name; undefined where no text has any. */
function inParts(candidate: Candidate): Candidate | undefined {
  const whole = titleOf(candidate);
  const isPart = (column: Column) =>
    (column.division === 'part' || column.division === 'piece') && isOfTitle(column, candidate);
  const [first] = candidate.columns
    .filter((column) => isPart(column) && column.type.rules.type === 'text')
    .sort((one, other) => one.order - other.order);
  if (whole === undefined || first === undefined) return undefined;
  return {
    ...candidate,
    columns: candidate.columns
      .filter((column) => column !== whole && (column.division !== 'piece' || isPart(column)))
      .map((column): Column => {
        if (column === first)
          return { ...column, division: 'part', isTitle: true, names: [...column.names, 'title'] };
        return column.division === 'piece' ? { ...column, division: 'part' } : column;
      }),
  };
}

export function choose(goal: Goal, candidates: readonly Candidate[], pageWords: PageWords): Choice[] {
  const choices = candidates.map((candidate): Choice => {
    const required = goal.fields.filter(({ optional }) => optional !== true);
    const subject = subjectFit(goal, candidate, pageWords);
    const whole = inWholes(candidate);
    const asWhole = pairsOf(goal, required, whole, subject.best, pageWords);
    const parted = inParts(candidate);
    const asParts = parted === undefined ? [] : pairsOf(goal, required, parted, subject.best, pageWords);
    // A text is taken apart where that gives more of what is asked for, or where a part of it is asked for.
    const takesPart = asWhole.some(
      ({ column }) => column.division === 'part' && isOfTitle(column, candidate),
    );
    const isParted = asParts.length > asWhole.length || (takesPart && asParts.length === asWhole.length);
    // What is divided among other fields is no name of the row.
    const undivided = asWhole.filter(({ column }) => !takesPart || column !== titleOf(candidate));
    const found = isParted ? asParts : undivided;
    const { columns } = isParted && parted !== undefined ? parted : whole;
    const left = () => required.filter((phrase) => !found.some((pair) => pair.phrase === phrase));
    const free = () => columns.filter((column) => !found.some((pair) => pair.column === column));
    // Whoever asks about one thing knows which.
    const implied = goal.fields.filter(({ optional }) => optional === true && candidate.many);
    // In a table a code or a number of its own tells the rows apart well enough, in data for programs an address as well.
    const [about = ''] = goal.subject;
    const isNamed = found.some(({ phrase, column }) => {
      // Days are told apart by their dates.
      if (isKind(about, 'date') && column.type.rules.type === 'date') return true;
      if (candidate.kind === 'page state') return column.type.rules.type === 'url';
      const isIdentifying = identifying.some((kind) => isKind(phrase.words.at(-1) ?? '', kind));
      return candidate.kind === 'table' && (column.isTitle || isIdentifying);
    });
    const pairs = [...found, ...(isNamed ? [] : assign(goal, implied, free()))];
    const missing = left().flatMap(({ name, ifAny }) => (ifAny === true ? [] : [name]));
    const absent = left().flatMap(({ name, ifAny }) => (ifAny === true ? [name] : []));
    const isOpen = goal.fields.length === 0;
    const fields = isOpen
      ? openFields(candidate)
      : goal.fields.flatMap((phrase): NamedColumn[] => {
          const column = pairs.find((pair) => pair.phrase === phrase)?.column;
          if (column === undefined) return [];
          return [{ name: isList(column) ? phrase.written : phrase.name, column: asText(phrase, column) }];
        });
    const asked = pairs.filter(({ phrase }) => phrase.optional !== true);
    const quality = isOpen
      ? Math.min(allFields(candidate).length, 6) / 6
      : asked.reduce((sum, { score, column }) => sum + score * column.fill, 0) / Math.max(required.length, 1);
    const many = goal.many === undefined ? 0.3 : goal.many === candidate.many ? 1 : -1.5;
    const evidence = 1 - candidateKinds.indexOf(candidate.kind) / candidateKinds.length;
    const titled = fields.some(({ column }) => column.isTitle) ? 0.3 : 0;
    // Records that have it all in themselves come before parts of them below a heading, but where one value is asked for
    // of each and there are lists of them side by side, their parts are the rows.
    const above = fields.some(({ column }) => column.isAbove === true) ? 0.1 : 0;
    const lists = asked.filter(({ column }) => isList(column));
    const isBundle = lists.length > 2 || lists.filter(({ phrase }) => !/s$/.test(phrase.written)).length > 1;
    const bundled = candidate.many && isBundle ? 1 : 0;
    const size = candidate.many ? Math.log2(Math.min(candidate.rows, 64)) * 0.25 : 0;
    return {
      candidate,
      fields,
      missing,
      absent,
      nearly:
        isNearly(goal, required, missing, found) &&
        (subject.best >= 0.75 || goal.subject.length === 0 || isUnmistakable(candidate, asked)),
      onSubject: subject.share > 0 || isUnmistakable(candidate, asked),
      score:
        quality * 4 +
        many +
        evidence * 0.6 +
        subject.share * 1.5 +
        titled +
        size -
        above -
        bundled -
        missing.length * 3,
    };
  });
  return choices.filter(({ fields }) => fields.length > 0).sort((one, other) => other.score - one.score);
}
