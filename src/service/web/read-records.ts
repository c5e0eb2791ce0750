/** Lists of records and tables of a page, with rows as the page shows them. */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { createDateContext, findCandidates, findTables } from '../builder/structures.ts';
import type { Document, Row } from '../page/document.ts';
import { layOut, toGrid } from '../page/tables.ts';
import { getText } from '../page/text.ts';
import { readRows } from './read-rows.ts';

/** The most lists in an answer, the best first. */
const maxLists = 5;
/** Read one by one, beside those whose columns have names. */
const maxTables = 40;

export interface Records extends Row {
  readonly about: string | null;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

export async function readTables(document: Document): Promise<Records[]> {
  if (document.isData) return [];
  const { html } = document;
  const tables: Records[] = [];
  const structures = findTables(html);
  for (const structure of structures) {
    const read = await readRows(document, structure, structure.places);
    if (read !== undefined) tables.push({ about: structure.about || null, ...read });
  }
  const headersOf = (table: Element) => toGrid(table).headers.join('\n');
  const known = new Set(
    structures.flatMap(({ element }) => (element === undefined ? [] : headersOf(element))),
  );
  for (const table of html('table').toArray().slice(0, maxTables))
    if (!known.has(headersOf(table)) && html(table).find('table').length === 0)
      tables.push(...readPlainTable(html, table));
  return tables;
}

/** A table whose columns have no names, such as one of names and values: each row by the places of its cells. */
function readPlainTable(html: CheerioAPI, table: Element): Records[] {
  const lines = layOut(table).rows.map(({ cells }) =>
    cells.map((cell) => (cell === undefined ? '' : getText(cell).replace(/\s+/g, ' ').trim())),
  );
  const width = Math.max(0, ...lines.map(({ length }) => length));
  if (width < 2) return [];
  const columns = Array.from({ length: width }, (_, index) => `column ${index + 1}`);
  const rows = lines
    .filter((cells) => cells.some((text) => text !== ''))
    .map((cells) => Object.fromEntries(columns.map((name, index) => [name, cells[index] || null])));
  const about = html(table).find('caption').first().text().replace(/\s+/g, ' ').trim();
  return rows.length === 0 ? [] : [{ about: about || null, columns, rows }];
}

export async function readLists(document: Document): Promise<Records[]> {
  const language = document.isData ? '' : (document.html('html').attr('lang') ?? '');
  const candidates = await findCandidates(document, createDateContext(document, language));
  const lists: Records[] = [];
  for (const candidate of candidates) {
    const isList = candidate.kind === 'repeated records' || candidate.kind === 'json';
    if (!isList || !candidate.many || lists.length >= maxLists) continue;
    const wholes = candidate.columns.filter(({ partOf }) => partOf === undefined);
    const read = await readRows(document, candidate, wholes);
    if (read !== undefined) lists.push({ about: candidate.about || null, ...read });
  }
  return lists;
}
