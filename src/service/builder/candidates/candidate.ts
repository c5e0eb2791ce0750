/** What a page offers: candidates, each with the columns from which a caller chooses. */
import type { Element } from 'domhandler';
import { sayHeadings } from '../../recipes/built-layout.ts';
import { Extract, type ValueRules } from '../../recipes/recipe-schema.ts';
import type { Kind, Place, Source } from '../columns/place.ts';

/** From the best evidence to the weakest, with the letter that their ids begin with. */
export const letters = {
  'structured data': 's',
  feed: 'f',
  json: 'j',
  table: 't',
  'repeated records': 'r',
  record: 'p',
  article: 'a',
} as const;
export type CandidateKind = keyof typeof letters;

export interface Column extends Place {
  /** Stable for the same page: `c3`. */
  readonly id: string;
  readonly kind: Kind;
  /** How the recipe reads it. */
  readonly rules: ValueRules;
  /** For each row its value as the recipe gives it. */
  readonly values: readonly unknown[];
  /** The same before its type is applied. */
  readonly rawValues: readonly unknown[];
  /** The unit or currency that is left out of its numbers. */
  readonly unit?: 'currency' | 'unit' | undefined;
  /** The share of rows that have a value, 0 to 1. */
  readonly fill: number;
  /** The column whose text this is a part of. */
  readonly partOf?: string | undefined;
  /** Texts with digits that name things, such as `14-1629`. */
  readonly isCode: boolean;
  /** All rows have the same value, such as a currency: it may be chosen, and tells nothing apart. */
  readonly isSame?: true | undefined;
}

export interface NamedField {
  readonly name: string;
  readonly source: Source;
  readonly rules: ValueRules;
}

/** A structure of a page whose places have not been read. */
export interface Structure {
  readonly kind: CandidateKind;
  /** Many rows, or one record. */
  readonly many: boolean;
  readonly rows: number;
  /** What the page calls the rows: its caption, the heading above, its type. */
  readonly about: string;
  /** The headings of the equal tables, or of the groups of rows, that are read together; empty where one has none. */
  readonly under?: readonly string[] | undefined;
  readonly places: readonly Place[];
  readonly toExtract: (fields: readonly NamedField[]) => Extract;
  /** In a page: its first row. */
  readonly element?: Element | undefined;
  /**
   * What its rows are where they are no records: within rows of their own kind, headings above or columns of records of another list,
   * the fields or links that these records have, or the ends of records that begin in elements before them.
   */
  readonly noRecords?: 'replies' | 'groups' | 'fields' | 'halves' | 'links' | undefined;
  /** Schema.org's type, where stated. */
  readonly type?: string | undefined;
}

export interface Candidate extends Omit<Structure, 'places'> {
  /** Stable for the same page: `t1`. */
  readonly id: string;
  readonly columns: readonly Column[];
}

/** Types of structured data that describe the page rather than its subject. */
const lessTelling = /^(?:Article|BlogPosting|NewsArticle|WebPage|Document|Thing)$/;

/** Whether the candidate is the page's one subject, by its structured data. */
export const isStatedRecord = ({ kind, many, type }: Pick<Structure, 'kind' | 'many' | 'type'>): boolean =>
  kind === 'structured data' && !many && type !== undefined && !lessTelling.test(type);

/** The fields of a recipe, by their names. */
export const toFields = (fields: readonly NamedField[]): Record<string, Record<string, unknown>> =>
  Object.fromEntries(fields.map(({ name, source, rules }) => [name, { ...source, ...rules }]));

/** Checks a finder's extraction against the schema of recipes, so that no invalid recipe is tried. */
export const toExtract =
  (write: (fields: readonly NamedField[]) => unknown) =>
  (fields: readonly NamedField[]): Extract =>
    Extract.parse(write(fields));

/** Equal tables or lists that are read together. */
export interface Group {
  /** Such as "2 equal tables". */
  readonly what: string;
  /** The same with the headings of the page: "2 equal tables, under: Men, Women". */
  readonly text: string;
}

/** Undefined where a candidate is one table or list. */
export function groupOf({ kind, under = [] }: Pick<Structure, 'kind' | 'under'>): Group | undefined {
  if (under.length < 2) return undefined;
  const headings = sayHeadings(under);
  const what = `${under.length} equal ${kind === 'table' ? 'tables' : 'lists'}`;
  return { what, text: headings === '' ? what : `${what}, under: ${headings}` };
}
