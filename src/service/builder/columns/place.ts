/** Where values stand in each row of a structure, before they are read. */

/** Where a value is, in the terms of a recipe's field, without its type. */
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

/** A place in each row that has values, before they are read. */
export interface Place {
  readonly source: Source;
  /** The page's own label for it; empty if it has none. */
  readonly label: string;
  /** Further names, the most specific first: itemprop, keys, class names, tags. */
  readonly names: readonly string[];
  /** A pattern of the part of the text that is the value. */
  readonly match?: string | undefined;
  /** The markup says what it is. */
  readonly hint?: 'url' | 'image' | undefined;
  /** The row's own name: its heading, or the text of its first link. */
  readonly isTitle?: true | undefined;
  /** The address that the row's name leads to. */
  readonly isTitleLink?: true | undefined;
  /** The heading of the table or list that the row stands in, where the page has several equal ones. */
  readonly isSection?: true | undefined;
  /** The page states it for programs: JSON-LD, microdata, RDFa. */
  readonly isStated?: true | undefined;
  /** The value can be read, or found, in more than one way. */
  readonly isUncertain?: true | undefined;
}

/** The kinds of values that callers see. */
export type Kind = 'text' | 'number' | 'date' | 'url' | 'image' | 'boolean' | 'list';
