/** What tells the rows of a list apart. A list of prices alone answers no question. */
import { isPresent } from '../../page/elements.ts';
import { toFieldName, toWords } from '../../page/words.ts';
import type { Candidate, Column } from '../candidates/candidate.ts';

/** The least share of rows that have a value, and of different values among them. */
const enoughFilled = 0.8;
const enoughDifferent = 0.5;

const share = ({ values }: Column) =>
  new Set(values.filter(isPresent).map((value) => JSON.stringify(value))).size / Math.max(values.length, 1);

/** The row's name; of a table without one its first column, where that differs from row to row. */
function subjectOf({ columns, kind }: Candidate): Column | undefined {
  const own = columns.filter(({ partOf, fill }) => partOf === undefined && fill >= enoughFilled);
  const [first] = own.filter(({ isSame }) => isSame !== true);
  const isFirstTelling = kind === 'table' && first !== undefined && share(first) >= enoughDifferent;
  return own.find(({ isTitle }) => isTitle === true) ?? (isFirstTelling ? first : undefined);
}

/** Whether its codes name things: "14-1629", "E3"; not measures, times and shares, such as "4.3 b", "19:30" and "18/24". */
const isName = ({ isCode, values }: Column) => {
  const texts = values.filter(isPresent).map(String);
  return (
    isCode &&
    !texts.some((text) => /^[-+−]?\d{1,3}[.,]\d{1,2}(?:\s?\p{L}{1,2})?$/u.test(text)) &&
    texts.filter((text) => /\p{L}[-.]?\d|\d{3}/u.test(text)).length >= texts.length * enoughFilled
  );
};

/** A heading above rows is that of several of them. */
const tellsApart = (column: Column) =>
  column.kind === 'url' ||
  isName(column) ||
  (column.kind === 'text' && column.source.above === undefined && share(column) >= enoughDifferent);

/** Whether the column is the subject, leads to it, or names the row by a code. */
const standsFor = (column: Column, subject: Column) =>
  column === subject ||
  column.kind === 'url' ||
  isName(column) ||
  [column.partOf, column.id].includes(subject.id) ||
  subject.partOf === column.id;

const nameFor = (column: Column, usual: readonly string[], used: ReadonlySet<string>): string => {
  // What stands before a text in a row is not always its name.
  const label = column.source.header ?? column.source.path?.replace(/[^\w]+/g, ' ') ?? '';
  const names = [toFieldName(toWords(label).join(' ')), ...usual];
  return names.find((name) => name !== '' && !used.has(name)) ?? column.id;
};

/**
 * What a list must also have so that its rows are told apart: its rows' name, and the address of that, where no chosen column
 * does it. Undefined where the page has nothing that does. `used`: names that are taken.
 */
export function missingSubject(
  candidate: Candidate,
  chosen: ReadonlyMap<string, Column>,
  used: ReadonlySet<string>,
): readonly { readonly name: string; readonly column: Column }[] | undefined {
  const columns = [...chosen.values()];
  if (!candidate.many || columns.length === 0) return [];
  const subject = subjectOf(candidate);
  if (subject === undefined) return columns.some(tellsApart) ? [] : undefined;
  if (columns.some((column) => standsFor(column, subject))) return [];
  const title = { name: nameFor(subject, ['title', 'name'], used), column: subject };
  const link = candidate.columns.find(({ isTitleLink }) => isTitleLink === true);
  return link === undefined ? [title] : [title, { name: used.has('link') ? 'url' : 'link', column: link }];
}

/** What tells the rows of equal tables or lists apart, where no chosen column does it: the headings above them. */
export function missingSections(
  { columns, under = [] }: Candidate,
  chosen: ReadonlyMap<string, Column>,
): readonly { readonly name: string; readonly column: Column }[] {
  const used = new Set([...chosen.values()].map(({ id }) => id));
  const sections = columns.filter(
    ({ isSection, isSame, partOf, id }) =>
      isSection === true && isSame !== true && partOf === undefined && !used.has(id),
  );
  if (under.length < 2) return [];
  const names = ['section', 'outer_section', 'table', 'list'].filter((name) => !chosen.has(name));
  return sections.map((column, index) => ({ name: names[index] ?? column.id, column }));
}

/** What the amounts of JSON are in, where a value beside them says it: `offers.priceCurrency` of `offers.price`. */
export function missingCurrencies(
  { columns }: Candidate,
  chosen: ReadonlyMap<string, Column>,
): readonly { readonly name: string; readonly column: Column }[] {
  const used = new Set([...chosen.values()].map(({ id }) => id));
  return [...chosen].flatMap(([name, { label, source, kind }]) => {
    const [, path, key] = /^(.*?)((?:low|high)?price|amount)$/i.exec(label) ?? [];
    if (source.path === undefined || kind !== 'number' || key === undefined) return [];
    const column = columns.find(
      (one) => !used.has(one.id) && [`${path}priceCurrency`, `${path}currency`].includes(one.label),
    );
    return column === undefined || chosen.has(`${name}_currency`)
      ? []
      : [{ name: `${name}_currency`, column }];
  });
}
