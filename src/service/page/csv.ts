/** CSV and other separated values as the table that they are, for the readers of tables in pages. */
import Papa from 'papaparse';

const csvType = /^(?:text|application)\/(?:x-)?(?:csv|comma-separated-values|tab-separated-values|tsv)\b/i;
/** What servers that do not know the type of a file send. */
const openType = /^(?:$|text\/plain|application\/(?:octet-stream|vnd\.ms-excel))/i;

/** Whether an address returns separated values, by their type or where that says nothing by the name of the file. */
export const isCsv = (contentType: string, url: string): boolean =>
  csvType.test(contentType) || (openType.test(contentType) && /\.(?:csv|tsv)$/i.test(new URL(url).pathname));

/** The cells of each line, without empty ones at its end. */
function readLines(source: string): string[][] {
  // What Excel writes first, to say how the values are separated.
  const [sep = '', delimiter] = /^sep=(.)\r?\n/i.exec(source) ?? [];
  const { data } = Papa.parse<string[]>(source.slice(sep.length), {
    skipEmptyLines: 'greedy',
    ...(delimiter && { delimiter }),
  });
  return data.map((cells) => cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== '') + 1));
}

/** How many cells most lines have. */
function findWidth(lines: readonly (readonly string[])[]): number {
  const counts = new Map<number, number>();
  for (const { length } of lines) counts.set(length, (counts.get(length) ?? 0) + 1);
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), [1, 0] as const)[0];
}

/** Words name columns, and years may; other numbers are values. */
const areNames = (cells: readonly string[]) =>
  cells.some((cell) => /\p{L}/u.test(cell)) &&
  cells.every((cell) => !/\d/.test(cell) || /\p{L}/u.test(cell) || /^\s*(?:19|20)\d\d\s*$/.test(cell));

const toText = (text: string) => text.trim().replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const toNote = (cells: readonly string[]) => `<p>${toText(cells.join(' '))}</p>`;
const toRow = (cells: readonly string[], tag: string) =>
  `<tr>${cells.map((cell) => `<${tag}>${toText(cell)}</${tag}>`).join('')}</tr>`;

/**
 * A page with a table whose first line is the first one as wide as most. Titles before it, and notes of one cell after the
 * last row, are paragraphs. What is longer than the head is one cell across the table: nobody knows which value is which.
 */
export function csvToHtml(source: string): string {
  const lines = readLines(source);
  const width = findWidth(lines);
  const start = Math.max(
    lines.findIndex(({ length }) => length >= width),
    0,
  );
  const end = lines.findLastIndex(({ length }) => length > 1) + 1 || lines.length;
  const [head = [], ...rows] = lines.slice(start, end);
  const isHeaded = areNames(head);
  return [
    ...lines.slice(0, start).map(toNote),
    `<table>${isHeaded ? `<thead>${toRow(head, 'th')}</thead>` : toRow(head, 'td')}`,
    ...rows.map((cells) =>
      isHeaded && cells.length > head.length
        ? `<tr><td colspan="${head.length}">${toText(cells.join(' '))}</td></tr>`
        : toRow(cells, 'td'),
    ),
    '</table>',
    ...lines.slice(end).map(toNote),
  ].join('\n');
}
