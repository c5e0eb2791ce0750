/** What a page offers: candidates, each with columns from which the goal chooses. */
import type { Element } from 'domhandler';
import type { Extract, HtmlField, JsonField } from '../recipes/schema.ts';
import type { ValueType } from './value-type.ts';

/** From the best evidence to the weakest. */
export const candidateKinds = [
  'structured data',
  'feed',
  'page state',
  'table',
  'repeated records',
  'definition list',
  'article',
  'page',
] as const;
export type CandidateKind = (typeof candidateKinds)[number];

/** How a column is found, before its type is added. */
export type Source =
  | {
      readonly in: 'html';
      readonly select?: string;
      readonly above?: string;
      readonly attribute?: string;
      readonly all?: true;
      readonly own?: true;
      readonly line?: number;
      readonly count?: Readonly<Record<string, number>>;
    }
  | { readonly in: 'json'; readonly path: string }
  | { readonly in: 'script'; readonly script: string; readonly path: string }
  | {
      readonly in: 'table';
      readonly header?: string;
      readonly above?: string;
      readonly select?: string;
      readonly attribute?: string;
      readonly all?: true;
      readonly own?: true;
      readonly line?: number;
      readonly count?: Readonly<Record<string, number>>;
    }
  | { readonly in: 'feed'; readonly part: string; readonly path: string }
  | { readonly in: 'article'; readonly part: string };

export interface Column {
  readonly source: Source;
  /** Words for it, the most telling first: labels, itemprop, class words, keys. */
  readonly names: readonly string[];
  /** Words of what surrounds it. */
  readonly nearNames: readonly string[];
  /** The row's own name: a heading, the first link. */
  readonly isTitle: boolean;
  readonly type: ValueType;
  /** The share of the rows that have it, 0 to 1. */
  readonly fill: number;
  /** Every row has the same value. */
  readonly constant: boolean;
  /** One of the parts of a text, or a text that is split into such; a piece is a part by no more than a comma. */
  readonly division?: 'part' | 'piece' | 'whole' | undefined;
  /** Characters of an average value. */
  readonly length: number;
  /** Some of its values as texts. */
  readonly samples: readonly string[];
  /** What stands right above it in a table, without what stands over several columns. */
  readonly label?: string | undefined;
  /** Its place in the row. */
  readonly order: number;
  /** The address that the row's name leads to. */
  readonly isTitleLink?: boolean | undefined;
  /** True in the rows that say so: taken only where the goal asks for that very state. */
  readonly isFlag?: true;
  /** It stands above the rows and holds for several. */
  readonly isAbove?: true;
  /** A cell of it spans several rows. */
  readonly isRepeated?: boolean;
  /** The header of a table's column where it may be an abbreviation. */
  readonly short?: string | undefined;
  /** Its names are those of a standard (itemprop, JSON-LD). */
  readonly standard?: boolean | undefined;
}

export interface Candidate {
  readonly kind: CandidateKind;
  /** Many rows, or one record. */
  readonly many: boolean;
  readonly rows: number;
  /** Words of its caption, the heading above it, ids, class names, types and keys. */
  readonly about: readonly string[];
  readonly columns: readonly Column[];
  /** In a page: where its rows begin. */
  readonly element?: Element | undefined;
  readonly extract: (fields: readonly NamedColumn[]) => Extract;
}

export interface NamedColumn {
  readonly name: string;
  readonly column: Column;
}

/** The field of a recipe for a column; its unit goes into a field of its own. */
export function fieldOf({ name, column }: NamedColumn, required: boolean): HtmlField & Partial<JsonField> {
  const { rules } = column.type;
  const unit = column.type.unit;
  const unitField = unit === undefined ? {} : { unit_field: `${name}_${unit}` };
  const { in: _, ...where } = column.source;
  return { ...where, ...rules, ...unitField, ...(required ? { required } : {}) };
}
