/** Which column is which phrase of the goal: by fit, and what is left by order. */
import { perUnit } from './amounts.ts';
import type { Candidate, Column } from './candidate.ts';
import { isCount, isOtherCount, isOtherDate, isOtherKind } from './claims.ts';
import { contentFit, contradicts, lookOf } from './content.ts';
import { enough, fitOf, isAnothers, typeFit } from './fit.ts';
import type { Goal, Phrase } from './goal.ts';
import { isFieldWord, isKind, isThing } from './vocabulary.ts';
import { meansSame } from './words.ts';

export interface Pair {
  readonly phrase: Phrase;
  readonly column: Column;
  readonly score: number;
}

/** Each phrase its best column, each column once; the clearest pairs first. */
export function assign(goal: Goal, phrases: readonly Phrase[], columns: readonly Column[]): Pair[] {
  const pairs = phrases
    .flatMap((phrase) => columns.map((column) => ({ phrase, column, score: fitOf(phrase, column, goal) })))
    .filter(({ phrase, column, score }) => score >= enough && !isAnothers(phrase, column, goal.fields))
    .sort((one, other) => other.score - one.score);
  const taken: Pair[] = [];
  for (const pair of pairs)
    if (!taken.some(({ phrase, column }) => phrase === pair.phrase || column === pair.column))
      taken.push(pair);
  return taken;
}

/** Kinds of fields that are a text about the row. */
const telling = ['answer', 'definition', 'description', 'text'];

const whenPattern =
  /\d[./:-]\d|\d(?:st|nd|rd|th)\b|\b(?:19|20)\d\d\b|^\d|\d$|\b\d+\s?[smhdwy]|\b(?:mon|tue|wed|thu|fri|sat|sun|today|tomorrow|yesterday|spring|summer|autumn|winter|jan|feb|mar|apr|ma[iy]|ju[nl]|aug|sep|o[ck]t|nov|de[cz])/i;

/** Fields that no bare number is. */
const wordy = ['condition', 'author', 'company', 'location', 'description', 'text', 'brand', 'category'];

/** Whether nothing speaks against the column being what the phrase asks for. */
function mayBe(phrase: Phrase, column: Column): boolean {
  const fit = typeFit(phrase, column);
  if (fit < 0.4) return false;
  const { type } = column.type.rules;
  const head = phrase.words.at(-1) ?? '';
  const wantsMoney = isKind(head, 'price') || isKind(head, 'salary');
  if (wantsMoney && type !== 'number') return false;
  const isWhen = type === 'date' || column.samples.every((sample) => whenPattern.test(sample));
  if (isKind(head, 'date') && !isWhen) return false;
  if (type === 'number' && wordy.some((kind) => isKind(head, kind)) && !isCount(phrase)) return false;
  if (column.names.includes(perUnit) || contradicts(phrase.words, column)) return false;
  if (isOtherKind(phrase, column) || isOtherCount(phrase, column) || isOtherDate(phrase, column))
    return false;
  const look = lookOf(column);
  if (look !== undefined && !phrase.words.some((word) => isKind(word, look))) return false;
  // A text for each row is a summary and no place, team or name.
  const isLong = column.length > 70;
  return (
    !isLong ||
    ['description', 'text', 'definition', 'instruction'].some((kind) =>
      phrase.words.some((word) => isKind(word, kind)),
    )
  );
}

/** What is said for those who do not see it. */
const isAside = ({ source }: Column) =>
  source.in === 'html' && /^(?:alt|title|aria-label)$/.test(source.attribute ?? '');

/** Columns that may be told by their place alone. */
const isBare = (column: Column) =>
  !column.constant &&
  column.isFlag !== true &&
  column.fill >= 0.7 &&
  column.type.rules.type !== 'url' &&
  column.type.rules.type !== 'image' &&
  !isAside(column) &&
  column.division !== 'whole' &&
  !(column.source.in === 'html' && column.source.all === true) &&
  (column.division === 'part' ||
    column.type.rules.match === undefined ||
    column.type.rules.type === 'number');

/** Columns of one text. */
const isPartOf = (one: Column, other: Column) =>
  one.division !== other.division &&
  one.division !== undefined &&
  other.division !== undefined &&
  JSON.stringify(one.source) === JSON.stringify(other.source);

/** "tel. 123" beside 123: it shows again what another column holds. */
const repeats = ({ samples }: Column, other: Column) =>
  other.samples.length > 1 &&
  samples.length === other.samples.length &&
  samples.every((sample, index) => {
    const part = other.samples[index] ?? '';
    return sample.includes(part) && part.length >= sample.length * 0.6;
  });

/**
 * What is left between phrases that were found, where as many columns are left between theirs. `above`: how many of the
 * goal's other fields stand above the rows.
 */
export function assignByOrder(
  goal: Goal,
  candidate: Candidate,
  taken: readonly Pair[],
  above: number,
): Pair[] {
  const required = goal.fields.filter(({ optional }) => optional !== true);
  if (!candidate.many || candidate.kind === 'feed' || candidate.kind === 'page state') return [];
  const open = required.filter((phrase) => !taken.some((pair) => pair.phrase === phrase));
  if (open.length === 0) return [];
  const columns = candidate.columns.filter(
    (column) =>
      isBare(column) &&
      !taken.some(
        (pair) => pair.column === column || isPartOf(pair.column, column) || repeats(column, pair.column),
      ),
  );
  const numbers = columns.filter(({ type }) => type.rules.type === 'number');
  // Where amounts of money are shown as such, a bare number is none.
  const isMoney = ({ type }: Column) => type.unit === 'currency';
  const hasMoney = candidate.columns.some(isMoney);
  const possible = (phrase: Phrase, column: Column) =>
    mayBe(phrase, column) &&
    (!hasMoney || isMoney(column) || !isKind(phrase.words.at(-1) ?? '', 'price')) &&
    !isAnothers(phrase, column, required) &&
    // Which of several numbers counts what, only words tell.
    (!isCount(phrase) || numbers.length === 1 || (column.type.rules.type === 'text' && column.length > 25));
  // What no column can be is elsewhere.
  const left = open.filter((phrase) => columns.some((column) => possible(phrase, column)));
  if (left.length === 0) return [];
  // "Questions with answers": the text beside the name, where a text is what is asked for.
  const isPair =
    required.length === 1 &&
    columns.length === 2 &&
    columns.some(({ isTitle }) => isTitle) &&
    telling.some((kind) => required.some(({ words }) => isKind(words.at(-1) ?? '', kind)));
  if (required.length === 1 && !isPair) return [];
  // One alone is told by its place only where others were clear.
  if (
    taken.length === 0 &&
    !isPair &&
    candidate.columns.some(
      ({ names, type }) => names.length > 0 && !['url', 'image'].includes(type.rules.type),
    )
  )
    return [];
  const known = taken.length + above;
  // A name and one number, whichever of them is found: what else there is, is the other.
  const [last] = left;
  const isOnly =
    last !== undefined &&
    taken.length === 1 &&
    columns.length === 1 &&
    columns.every(
      (column) => (column.type.rules.type === 'number' && typeFit(last, column) >= 0.6) || column.isTitle,
    );
  if (left.length === 1 && known < 2 && !isPair && !isOnly) return [];
  if (left.length > known + 2) return [];
  // Pictures and links stand in a row where they look best.
  const placed = taken.filter(({ column }) => !['image', 'url'].includes(column.type.rules.type));
  const inOrder = placed.every((pair, index) => {
    const next = placed[index + 1];
    return (
      next === undefined ||
      Math.sign(required.indexOf(pair.phrase) - required.indexOf(next.phrase)) ===
        Math.sign(pair.column.order - next.column.order)
    );
  });
  const found: Pair[] = [];
  // "Questions with answers": the name of each, and what else there is.
  const usable = isPair ? columns.filter(({ isTitle }) => !isTitle) : columns;
  const match = (phrases: readonly Phrase[], free: readonly Column[]) => {
    const fitting = free.filter((column) => phrases.some((phrase) => possible(phrase, column)));
    // What has no name of its own, and every row has, comes first.
    const plain = fitting.filter(
      ({ names, fill, isTitle }) => isTitle || (names.length === 0 && fill > 0.95),
    );
    const usable = fitting.length > phrases.length ? plain : fitting;
    if (phrases.length === 0 || usable.length !== phrases.length) return;
    const pairs = phrases.map((phrase, index) => ({ phrase, column: usable[index], score: enough }));
    if (pairs.every(({ phrase, column }) => column !== undefined && possible(phrase, column)))
      for (const { phrase, column, score } of pairs)
        if (column !== undefined) found.push({ phrase, column, score });
  };
  if (!inOrder) {
    if (left.length === 1 || left.length <= known) match(left, usable);
    return found;
  }
  // The gaps between neighbours that were found.
  const anchors = [...placed].sort((one, other) => one.column.order - other.column.order);
  for (let gap = 0; gap <= anchors.length; gap++) {
    const [from, to] = [anchors[gap - 1], anchors[gap]];
    const phrases = left.filter((phrase) => {
      const place = required.indexOf(phrase);
      return (
        (from === undefined || place > required.indexOf(from.phrase)) &&
        (to === undefined || place < required.indexOf(to.phrase))
      );
    });
    const free = usable
      .filter(
        ({ order }) =>
          (from === undefined || order > from.column.order) && (to === undefined || order < to.column.order),
      )
      .sort((one, other) => one.order - other.order);
    match(phrases, free);
  }
  if (found.length === 0) match(left, usable);
  return found;
}

/** "Branches: branch, address, hours": what the list is about, or what the goal names first, is the name of each row. */
export function assignTitle(
  required: readonly Phrase[],
  taken: readonly Pair[],
  candidate: Candidate,
  around: Iterable<string>,
): Pair[] {
  const title = candidate.columns.find(({ isTitle }) => isTitle);
  if (title === undefined || taken.some(({ column }) => column === title)) return [];
  const near = [...candidate.about, ...around];
  // "Brand, model, price": a word that is no kind of field, among the first that are asked for.
  const isAlone = (one: Phrase) =>
    one === required[0] ||
    (one === required[1] &&
      one.words.length === 1 &&
      one.words.every((word) => isThing(word) || !isFieldWord(word)));
  const phrase = required.find(
    (one) =>
      !taken.some((pair) => pair.phrase === one) &&
      ((isAlone(one) && taken.length >= 2 && taken.length === required.length - 1) ||
        one.words.every((word) => near.some((other) => meansSame(word, other)))) &&
      typeFit(one, title) >= 0.4,
  );
  return phrase === undefined ? [] : [{ phrase, column: title, score: enough }];
}

/** A version, a duration: what is left may be told by the look of its values, whatever it is called. */
export const assignByContent = (left: readonly Phrase[], columns: readonly Column[]): Pair[] =>
  left.flatMap((phrase) => {
    const fitting = columns.filter(
      (column) =>
        contentFit(phrase.words, column) > 0 &&
        typeFit(phrase, column) >= 0.4 &&
        !isOtherDate(phrase, column),
    );
    const [column] = fitting;
    return column !== undefined && fitting.length === 1 ? [{ phrase, column, score: enough }] : [];
  });

/** Kinds of fields by which rows are commonly grouped. */
const grouping =
  'category date location company brand author year version country language status platform room team album'.split(
    ' ',
  );

/** Whether rows may be grouped by it, and nothing speaks against the heading being what is asked for. */
function mayStandAbove(phrase: Phrase, column: Column): boolean {
  const head = phrase.words.at(-1) ?? '';
  const isGrouping = !isFieldWord(head) || grouping.some((kind) => isKind(head, kind));
  const isName = phrase.words.some((word) => isKind(word, 'title'));
  return isGrouping && !isName && column.fill >= 0.7 && mayBe(phrase, column);
}

/**
 * What no row has in itself stands above it: one phrase that is left, or one without which the others follow in order.
 * `shown`: the words of the page. `assignOthers` gives what the others would be.
 */
export function assignAbove(
  goal: Goal,
  left: readonly Phrase[],
  columns: readonly Column[],
  shown: ReadonlySet<string>,
  assignOthers: (without: Phrase) => Pair[],
): Pair[] {
  const isSubject = ({ words }: Phrase) =>
    words.some((word) => isThing(word) || goal.subject.some((other) => meansSame(word, other)));
  // Whoever lists fields begins with what is outermost; of others the page itself has to speak.
  const [outermost] = goal.fields.filter(({ optional }) => optional !== true);
  const likely = left.filter((one) => one === outermost || one.words.every((word) => shown.has(word)));
  const ordered = [...likely.filter((one) => !isSubject(one)), ...likely.filter(isSubject)];
  // The nearest heading first.
  const above = columns.filter(({ isAbove }) => isAbove === true).reverse();
  for (const phrase of ordered) {
    const column = above.find((one) => mayStandAbove(phrase, one));
    if (column === undefined) continue;
    const others = left.length === 1 ? [] : assignOthers(phrase);
    if (others.length === left.length - 1) return [{ phrase, column, score: enough }, ...others];
  }
  return [];
}
