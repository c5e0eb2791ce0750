/** What a page offers: candidates, each with the columns from which a caller chooses. */
import type { Element } from 'domhandler';
import { Extract, type ValueRules } from '../../recipes/schema.ts';

/** From the best evidence to the weakest. */
export const candidateKinds = [
  'structured data',
  'feed',
  'json',
  'table',
  'repeated records',
  'record',
  'article',
] as const;
export type CandidateKind = (typeof candidateKinds)[number];

/** Where a value stands, in the words of a recipe's field, without its type. */
export interface Source {
  readonly select?: string;
  readonly attribute?: string;
  readonly all?: true;
  readonly own?: true;
  readonly line?: number;
  /** Table: the header of its column. */
  readonly header?: string;
  /** Read from the nearest such element before the row. */
  readonly above?: string;
  /** JSON and feeds: JMESPath from the row. */
  readonly path?: string;
  /** In the record of a page: the scripts that the path starts from. */
  readonly script?: string;
  /** The text is HTML. */
  readonly markup?: true;
  /** Article: which part. */
  readonly part?: string;
}

/** A place in each row at which values stand, before they are read. */
export interface Place {
  readonly source: Source;
  /** What the page calls it, as it is written there; empty where it says nothing. */
  readonly label: string;
  /** Further names, the most telling first: itemprop, keys, class names, tags. */
  readonly names: readonly string[];
  /** The markup says what it is. */
  readonly hint?: 'url' | 'image' | undefined;
  /** The row's own name: its heading, or the text of its first link. */
  readonly isTitle?: true | undefined;
  /** The address that the row's name leads to. */
  readonly isTitleLink?: true | undefined;
  /** The page states it for programs: JSON-LD, microdata, RDFa. */
  readonly isStated?: true | undefined;
}

/** The kinds of values that callers see. */
export type Kind = 'text' | 'number' | 'date' | 'url' | 'image' | 'boolean' | 'list';

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
  /** It can be read in another way, too: which of day and month comes first is open. */
  readonly isUncertain?: true | undefined;
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
  readonly places: readonly Place[];
  readonly toExtract: (fields: readonly NamedField[]) => Extract;
  /** In a page: its first row. */
  readonly element?: Element | undefined;
  /** Schema.org's type, where stated. */
  readonly type?: string | undefined;
}

export interface Candidate extends Omit<Structure, 'places'> {
  /** Stable for the same page: `t1`. */
  readonly id: string;
  readonly columns: readonly Column[];
}

/** Types of structured data that tell about the page rather than about what it shows. */
const lessTelling = /^(?:Article|BlogPosting|NewsArticle|WebPage|Document|Thing)$/;

/** The one thing that a page is about, as it states it for programs. */
export const isStatedRecord = ({ kind, many, type }: Pick<Structure, 'kind' | 'many' | 'type'>): boolean =>
  kind === 'structured data' && !many && type !== undefined && !lessTelling.test(type);

/** The fields of a recipe, by their names. */
export const fieldsOf = (fields: readonly NamedField[]): Record<string, Record<string, unknown>> =>
  Object.fromEntries(fields.map(({ name, source, rules }) => [name, { ...source, ...rules }]));

/** Checks what a finder writes against the schema of recipes, so that no wrong recipe is tried. */
export const toExtract =
  (write: (fields: readonly NamedField[]) => unknown) =>
  (fields: readonly NamedField[]): Extract =>
    Extract.parse(write(fields));
