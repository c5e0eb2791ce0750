/**
 * Finds the column that each field of a goal means, by names and kinds alone. A field without one clear column stays
 * open.
 */
import type { Goal, GoalField } from '../../catalog/read-goal.ts';
import {
  asksForCount,
  asksForDocument,
  concepts,
  toConcept,
  toConcepts,
  wordsFor,
} from '../../catalog/synonyms.ts';
import { isPresent } from '../../page/elements.ts';
import { toWords } from '../../page/words.ts';
import { type Candidate, type Column, isStatedRecord } from '../candidates/candidate.ts';
import { byKind } from './by-kind.ts';
import { byName, type ColumnScore, enough, fewRows } from './by-name.ts';
import { canBeNamed, fitsKind } from './kind-fit.ts';
import { isPagePicture, leadsToDocuments, preferred } from './preferences.ts';
import { missingCurrencies, missingSections, missingSubject } from './subject.ts';
import {
  hasMoreThanLink,
  hasTwin,
  isBlock,
  isContradicted,
  isDivided,
  isEndOfRange,
  isLaterFigure,
  isPartOfSeveral,
  joinsTwo,
  openWords,
} from './unclear.ts';

interface FieldMatch {
  readonly field: GoalField;
  /** The best column, if there is any. */
  readonly column: Column | undefined;
  /** No other column fits as well. */
  readonly isClear: boolean;
  /** The field is the currency of this column's amounts, which another field has. */
  readonly isCurrency?: true;
}

export interface CandidateMatch {
  readonly candidate: Candidate;
  readonly fields: readonly FieldMatch[];
  /** Of all fields the share with a clear column. */
  readonly clear: number;
  readonly score: number;
}

/** Columns whose score is this close to the best one fit equally well. */
const margin = 0.12;

const price = toConcept('price');

/** Concepts that share a value: the author of an opinion is a judge. Used where no column has the name itself. */
const kin: Readonly<Record<string, string>> = {
  [toConcept('judge')]: 'author',
  [toConcept('author')]: 'judge',
};

/** Words that name the row and so do not distinguish columns: "case" in "case name" for a list of cases. */
function wordsOfRow(candidate: Candidate, goal: Goal): Set<string> {
  const subject = toConcepts(`${goal.subject} ${candidate.about} ${candidate.type ?? ''}`);
  return new Set(
    subject.filter((word) => word !== concepts.name && word !== concepts.date && word !== concepts.url),
  );
}

interface Search {
  readonly candidate: Candidate;
  readonly ofRow: ReadonlySet<string>;
  readonly asked: ReadonlySet<string>;
  /** What several fields of the goal ask for, in the same words. */
  readonly rivals: ReadonlySet<string>;
  /** The words of the fields that mean a column already. */
  readonly taken: ReadonlyMap<string, readonly string[]>;
}

const near = (scored: readonly ColumnScore[]): Column[] => {
  const [first] = scored;
  if (first === undefined || first.score < enough) return [];
  return scored.filter(({ score }) => first.score - score < margin).map(({ column }) => column);
};

/** Whether the phrase is the header of the column's whole cells. */
const isHeadedBy = (phrase: string, { source, label, partOf }: Column) =>
  source.header !== undefined &&
  Object.keys(source).length === 1 &&
  partOf === undefined &&
  toWords(label).join(' ') === toWords(phrase).join(' ');

/** Addresses and pictures are told by what they are: a cell with the text "PDF" is no link. */
const asksForAddress = (words: readonly string[]) =>
  [concepts.url, concepts.image].some((word) => words.includes(word));
/** So are dates; a day is as well "Monday". */
const asksForDate = (phrase: string) => wordsFor(phrase).includes(concepts.date) && !/^days?$/i.test(phrase);

const holdsMonths = ({ values }: Column) =>
  values.every((value) => !isPresent(value) || /^\d{4}-\d{2}$/.test(String(value)));

/** What pages write as texts as well: "50 € or an exchange", "today, 10:15"; and names that look like codes: "E3". */
const asTexts = new Set([concepts.name, concepts.date, concepts.time, price, toConcept('rating')]);
/** What is one short value. */
const isShort = (words: readonly string[]) => words.some((word) => shortOnes.has(word));
const shortOnes = new Set([price, ...['rating', 'author', 'judge'].map(toConcept)]);

/** Whether the page calls the column, as a whole, by the words of the phrase, and by nothing else. */
const isCalledLike = (phrase: string, { source, label, names, partOf }: Column) =>
  partOf === undefined &&
  source.own !== true &&
  source.line === undefined &&
  toWords(label || (names[0] ?? '')).join(' ') === toWords(phrase).join(' ');

/**
 * The columns that fit the phrase equally well, the best first. What a list itself calls so comes before all others, or nothing
 * is meant: where prices are texts such as "50 € or an exchange", the postage beside them is no price.
 */
function contendersFor(phrase: string, search: Search): readonly Column[] {
  const { columns, many } = search.candidate;
  const found = fittingFor(phrase, search);
  const words = wordsFor(phrase);
  if (!many || asksForAddress(words)) return found;
  const called = columns.filter((column) => column.fill >= fewRows && isCalledLike(phrase, column));
  const isOfCalled = ({ id, partOf }: Column) =>
    called.some((column) => column.id === id || column.id === partOf);
  // Words such as "at" name no kind of value.
  const meant = called.filter((column) => words.length === 0 || isPlainText(column, search));
  if (meant.length === 0 || found.some(isOfCalled)) return found;
  const mayBeText = words.every((word) => asTexts.has(word));
  return meant.filter((column) => canBeNamed(phrase, column) && (mayBeText || fitsKind(column, words)));
}

const isPlainText = ({ id, kind, isSame }: Column, { taken }: Search) =>
  kind === 'text' && isSame !== true && !taken.has(id);

function fittingFor(phrase: string, { candidate, ofRow, taken, rivals }: Search): readonly Column[] {
  const words = wordsFor(phrase);
  // A heading above several rows is the name of none, and a month above them the day of none.
  const asksForName = words.length > 0 && words.every((word) => word === concepts.name);
  const columns = candidate.columns.filter(
    (column) =>
      column.source.above === undefined || !(asksForName || (asksForDate(phrase) && holdsMonths(column))),
  );
  const left = columns.filter((column) => !taken.has(column.id) && !isEndOfRange(column, columns));
  const free = left.filter(({ isSame }) => isSame !== true);
  const headed = left.filter((column) => isHeadedBy(phrase, column));
  // "Change" beside "% Change".
  const literal = headed.filter(({ label }) => label.toLowerCase() === phrase.toLowerCase());
  const exact = literal.length === 1 ? literal : headed;
  if (exact.length === 1 && !asksForAddress(words) && !asksForDate(phrase)) return exact;
  const documents = asksForDocument(phrase) ? free.filter(leadsToDocuments) : [];
  if (documents.length > 0) return documents;
  // Structured data lists sizes and crops of a picture; the page shows one of them.
  const asksForPicture = words.length > 0 && words.every((word) => word === concepts.image);
  const pictures = asksForPicture ? free.filter(isPagePicture) : [];
  if (pictures.length > 0) return pictures;
  const named = near(byName(phrase, free, ofRow));
  if (named.length > 0) return named;
  // One column may have the names of two fields: "Authoring judge".
  const shared = columns.filter(
    (column) =>
      !(taken.get(column.id) ?? []).some((word) => words.includes(word)) && !isEndOfRange(column, columns),
  );
  const says = ({ label, names }: Column) => toConcepts([label, ...names].join(' '));
  const sharing = near(byName(phrase, shared, ofRow)).filter((column) =>
    words.every((word) => says(column).includes(word)),
  );
  if (sharing.length > 0) return sharing;
  // Two fields for the row's name, such as "name" and "title", are distinguished by labels only.
  const formed = asksForCount(phrase) || rivals.has(words.join(' ')) ? [] : byKind(phrase, words, free);
  if (formed.length > 0 || !candidate.many) return formed;
  const akin = near(words.flatMap((word) => kin[word] ?? []).flatMap((other) => byName(other, free, ofRow)));
  // What is the same in all rows is meant only where nothing else is.
  return akin.length > 0 ? akin : near(byName(phrase, left, ofRow));
}

/** "Tags" as one text, "life love", is replaced by the list of them if the row has both. */
function asList(phrase: string, column: Column, columns: readonly Column[]): Column {
  if (column.kind !== 'text' || !/s$/i.test(phrase)) return column;
  const isSame = ({ kind, values }: Column) =>
    kind === 'list' &&
    values.every((value, row) => Array.isArray(value) && value.join(' ') === column.values[row]);
  return columns.find(isSame) ?? column;
}

function matchField(field: GoalField, search: Search): FieldMatch {
  const { phrase } = field;
  const { candidate, ofRow, asked } = search;
  const { columns } = candidate;
  const contenders = contendersFor(phrase, search);
  const column = preferred(contenders, { phrase, words: wordsFor(phrase), columns, asked });
  if (column !== undefined)
    return {
      field,
      column: asList(phrase, column, columns),
      isClear:
        column.isUncertain !== true &&
        !joinsTwo(phrase, columns) &&
        !hasTwin(column, columns) &&
        !isDivided(column, columns) &&
        !isContradicted(phrase, column, columns) &&
        !isLaterFigure(phrase, column, columns) &&
        !isPartOfSeveral(phrase, column, columns, asked) &&
        openWords(phrase, column, ofRow).length === 0 &&
        !(isShort(wordsFor(phrase)) && isBlock(column, columns)) &&
        !(wordsFor(phrase).includes(concepts.name) && hasMoreThanLink(column, columns)),
    };
  const [amount, ...others] = columns.filter(({ id, unit }) => unit === 'currency' && search.taken.has(id));
  if (amount !== undefined && others.length === 0 && wordsFor(phrase).join(' ') === toConcept('currency'))
    return { field, column: amount, isClear: true, isCurrency: true };
  const likely = contenders[0] ?? byName(phrase, columns, ofRow)[0]?.column;
  return { field, column: likely, isClear: false };
}

function matchCandidate(candidate: Candidate, goal: Goal): CandidateMatch {
  const ofRow = wordsOfRow(candidate, goal);
  const goalWords = new Set(goal.fields.flatMap(({ phrase }) => toConcepts(phrase)));
  const getScore = ({ phrase }: GoalField) => byName(phrase, candidate.columns, ofRow)[0]?.score ?? 0;
  const scored = goal.fields.map((field) => ({ field, score: getScore(field) }));
  const wanted = goal.fields.map(({ phrase }) => wordsFor(phrase).join(' '));
  const rivals = new Set(wanted.filter((words, index) => wanted.indexOf(words) !== index));
  const matches = new Map<GoalField, FieldMatch>();
  const taken = new Map<string, readonly string[]>();
  // Fields with a sure name choose first; the others choose among the columns that are left.
  for (const { field } of scored.sort((one, other) => other.score - one.score)) {
    const match = matchField(field, { candidate, ofRow, asked: goalWords, rivals, taken });
    matches.set(field, match);
    const { column, isClear } = match;
    if (isClear && column !== undefined)
      taken.set(column.id, [...(taken.get(column.id) ?? []), ...wordsFor(field.phrase)]);
  }
  const fields = goal.fields.flatMap((field) => matches.get(field) ?? []);
  const count = fields.filter(({ isClear }) => isClear).length;
  return {
    candidate,
    fields,
    clear: fields.length === 0 ? 0 : count / fields.length,
    score: count + fields.filter(({ column }) => column !== undefined).length * 0.3,
  };
}

/** Replies alone are not what a thread says, nor are headings or links alone what records say. */
const fitsMany = ({ many, noRecords }: Candidate, goal: Goal) =>
  noRecords === undefined && (goal.many === undefined || goal.many === many);

/** Whether most rows have something of the fields: of a page that is laid out in rows, one has all of its list. */
function hasMostRows(match: CandidateMatch): boolean {
  const columns = (withSubject(match) ?? match).fields.flatMap(({ column }) => column ?? []);
  const rows = [...(columns[0]?.values.keys() ?? [])];
  const some = rows.filter((row) => columns.some(({ values }) => isPresent(values[row])));
  return columns.length === 0 || some.length * 2 > rows.length;
}

/** All candidates, the one that fits the goal best first; `candidates` are sorted by their own quality. */
export function matchGoal(candidates: readonly Candidate[], goal: Goal): CandidateMatch[] {
  return candidates
    .map((candidate) => matchCandidate(candidate, goal))
    .map((match) =>
      fitsMany(match.candidate, goal) && hasMostRows(match)
        ? match
        : { ...match, clear: 0, score: isNone(match) ? 0 : match.score * 0.5 },
    )
    .sort((one, other) => other.score - one.score || Number(isNone(one)) - Number(isNone(other)));
}

/** Comes behind all records. */
const isNone = ({ candidate }: CandidateMatch) => candidate.noRecords !== undefined;

/** The match with what names its rows, and their lists; undefined where the page has nothing that tells them apart. */
export function withSubject(match: CandidateMatch): CandidateMatch | undefined {
  const chosen = new Map(
    match.fields.flatMap(({ field, column }) =>
      column === undefined ? [] : [[field.name, column] as const],
    ),
  );
  const clear = match.fields.flatMap(({ field, isClear }) => (isClear ? field.name : []));
  const added = missingSubject(match.candidate, chosen, new Set(clear));
  if (added === undefined) return undefined;
  const toFields = (columns: typeof added) =>
    columns.map(({ name, column }) => ({ field: { name, phrase: name }, column, isClear: true }));
  const sections = missingSections(match.candidate, chosen);
  const currencies = toFields(missingCurrencies(match.candidate, chosen));
  return { ...match, fields: [...toFields(added), ...match.fields, ...currencies, ...toFields(sections)] };
}

/** The candidate of which every field is clear; undefined where there is none. */
export function clearMatch(matches: readonly CandidateMatch[], goal: Goal): CandidateMatch | undefined {
  if (goal.fields.length === 0) return undefined;
  const clear = matches.flatMap((match) => (match.clear === 1 ? (withSubject(match) ?? []) : []));
  // Visible data comes before the data of scripts, which may have codes for words and cents for prices.
  const first = clear.find(({ candidate }) => candidate.kind !== 'json') ?? clear[0];
  if (first === undefined || !isStatedRecord(first.candidate)) return first;
  // The page's record has the values of the structured data, and may have a better picture.
  const hasPagePicture = ({ fields }: CandidateMatch) =>
    fields.some(({ column }) => column !== undefined && isPagePicture(column));
  return clear.find(hasPagePicture) ?? first;
}
