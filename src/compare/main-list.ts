/** Where the rows of a result are: a list of records, also as the `rows` of a table among others such as `tables[0]`. */
import { isRecord } from '../contract/result-rows.ts';

export interface RowList {
  readonly rows: readonly unknown[];
  /** JMESPath from the value. */
  readonly path: string;
  /** The members of the value that are not these rows. */
  readonly beside: Readonly<Record<string, unknown>>;
}

/** The lists that may be meant by the rows of a value: those of records where there are some, empty ones only alone. */
export function listsOf(value: unknown): readonly RowList[] {
  const lists = everyList(value);
  const tables = lists.filter(({ rows }) => rows.every(isRecord));
  const filled = tables.filter(({ rows }) => rows.length > 0);
  return filled.length > 0 ? filled : tables.length > 0 ? tables : lists;
}

/** All lists among the members of a value. */
export const everyList = (value: unknown): readonly RowList[] =>
  isRecord(value) ? Object.entries(value).flatMap(([key, member]) => listsIn(value, key, member)) : [];

/** The longest of them, the first of equal ones. */
const longestOf = (lists: readonly RowList[]): RowList | undefined =>
  lists.reduce<RowList | undefined>(
    (longest, list) => (longest === undefined || list.rows.length > longest.rows.length ? list : longest),
    undefined,
  );

/** Members that tell how much of a list was read, and where: they follow from its rows. */
const about =
  /^(?:has_more|missing|returned|next(?:_\w+)?|total|count|(?:total|row|result)s?_(?:count|rows|results)|page|pages|source_url)$/;
const counted = /^(?:has_more|returned|total|count|(?:total|row|result)s?_(?:count|rows|results))$/;
const listName = /^(?:items|results|rows|records|entries)$/;

/** Whether a member tells of the rows beside it. */
export const isAboutRows = (name: string): boolean => about.test(name);

/**
 * The list that a value is made for; undefined where the value is a record. A list of plain values beside other members, such as
 * the pictures of a product, is one of its fields, and so is an empty one that is neither counted nor called as rows are.
 */
export function mainListOf(value: unknown): RowList | undefined {
  const list = longestOf(listsOf(value));
  if (list === undefined) return undefined;
  const others = Object.keys(list.beside);
  const isOfRecords = list.rows.length > 0 && list.rows.every(isRecord);
  const isEmptyList =
    list.rows.length === 0 && (listName.test(list.path) || others.some((name) => counted.test(name)));
  return isOfRecords || isEmptyList || others.every(isAboutRows) ? list : undefined;
}

function listsIn(value: Readonly<Record<string, unknown>>, key: string, member: unknown): RowList[] {
  const path = toName(key);
  const listAt = (rows: readonly unknown[], at: string, about: object = {}): RowList => ({
    rows,
    path: at,
    // Made when it is asked for: an object may have thousands of members, each of them a list.
    get beside() {
      const { [key]: _member, ...others } = value;
      return { ...about, ...others };
    },
  });
  const tableAt = ({ rows, columns: _columns, ...about }: Table, at: string) =>
    listAt(rows, `${at}.rows`, about);
  if (isTable(member)) return [tableAt(member, path)];
  if (!Array.isArray(member)) return [];
  const tables = member.filter(isTable);
  if (tables.length > 0 && tables.length === member.length)
    return tables.map((table, index) => tableAt(table, `${path}[${index}]`));
  return [listAt(member, path)];
}

interface Table extends Readonly<Record<string, unknown>> {
  readonly rows: readonly unknown[];
}

const isTable = (value: unknown): value is Table => isRecord(value) && Array.isArray(value.rows);

/** A name as JMESPath takes it: others than plain ones stand in double quotes. */
export const toName = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));
