/** Lists of records and tables of a page, with rows as the page shows them. */
import {
  createDateContext,
  findCandidates,
  findPagings,
  findTables,
  looksLikeJson,
} from '../builder/structures.ts';
import type { Document, Row } from '../page/document.ts';
import { readRows } from './read-rows.ts';

/** The most lists in an answer, the best first. */
const maxLists = 5;

export interface Records extends Row {
  readonly about: string | null;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

export async function readTables(document: Document): Promise<Records[]> {
  const tables: Records[] = [];
  for (const structure of looksLikeJson(document.page) ? [] : findTables(document.html)) {
    const read = await readRows(document, structure, structure.places);
    if (read !== undefined) tables.push({ about: structure.about || null, ...read });
  }
  return tables;
}

export async function readLists(document: Document): Promise<Records[]> {
  const language = looksLikeJson(document.page) ? '' : (document.html('html').attr('lang') ?? '');
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

/** The address of the page after this one. */
export function findNextPage({ html, base, page }: Document): string | undefined {
  for (const paging of findPagings(html, page.url, base)) {
    const url = new URL(page.url);
    if (paging.kind === 'next' && paging.select !== undefined) {
      const href = html(paging.select).first().attr('href');
      if (href !== undefined && URL.canParse(href, base)) return new URL(href, base).href;
    } else if (paging.kind === 'page') {
      url.searchParams.set(paging.query, String(paging.first + 1));
      return url.href;
    } else if (paging.kind === 'offset') {
      url.searchParams.set(paging.query, String(paging.first + paging.step));
      return url.href;
    } else if (paging.kind === 'path') {
      url.pathname = paging.path.replace('{page}', String(paging.first + 1));
      return url.href;
    }
  }
  return undefined;
}
