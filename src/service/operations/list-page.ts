/** Long lists, a page at a time. */

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** From 1. */
  readonly page: number;
  readonly hasNext: boolean;
}

const pageSize = 50;

/** One row more than is shown tells whether there is a next page. */
export const rowsFor = (page: number): { limit: number; offset: number } => ({
  limit: pageSize + 1,
  offset: (page - 1) * pageSize,
});

export const toPage = <Row>(rows: readonly Row[], page: number): Page<Row> => ({
  rows: rows.slice(0, pageSize),
  page,
  hasNext: rows.length > pageSize,
});

/** For lists that are in memory as a whole. */
export const slicePage = <Row>(all: readonly Row[], page: number): Page<Row> => {
  const { offset, limit } = rowsFor(page);
  return toPage(all.slice(offset, offset + limit), page);
};
