/** All candidates of a page, the best first. */
import { isTag } from 'domhandler';
import type { Document } from '../../page/document.ts';
import { shownText } from '../../page/elements.ts';
import { findHeadedTables } from '../../page/headed-tables.ts';
import { isBesideContent } from '../../page/surroundings.ts';
import type { DateContext } from '../columns/dates.ts';
import { findArticle } from './article.ts';
import { type Candidate, type Column, isStatedRecord, letters, type Structure } from './candidate.ts';
import { findFeed } from './feed.ts';
import { structuresInJson } from './json-structures.ts';
import { findPageRecord } from './page-record.ts';
import { readCandidate } from './read-columns.ts';
import { findRepeatedRecords } from './repeated-records.ts';
import { findScriptData } from './script-data.ts';
import { findLinkedData, findMicrodata } from './structured-data.ts';
import { findTables } from './tables.ts';

function findStructures(document: Document): Structure[] | Promise<Structure[]> {
  if (document.isFeed) return findFeed(document);
  if (document.isData) return structuresInJson(document.json, '');
  const { html } = document;
  const root = html('body').get(0);
  if (root === undefined || !isTag(root)) return [];
  const headed = findHeadedTables(html);
  const stated = [...findLinkedData(html), ...findMicrodata(html)];
  const record = findPageRecord(html, stated.filter(isStatedRecord));
  return [
    ...stated,
    ...findScriptData(html),
    ...findTables(html, headed),
    ...findRepeatedRecords(html, root, headed.flat()),
    ...(record === undefined ? [] : [record]),
    ...findArticle(document),
  ];
}

/** Characters of a value that count. */
const maxLength = 150;

/** How much a column says about a row: most where its values are long and different. */
function measureTelling({ values, kind, fill }: Column): number {
  if (kind === 'url' || kind === 'image' || kind === 'boolean') return 5 * fill;
  const texts = values.map((value) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')));
  const distinct = new Set(texts).size / Math.max(texts.length, 1);
  const length = texts.reduce((sum, text) => sum + Math.min(text.length, maxLength), 0);
  const average = length / Math.max(texts.length, 1);
  return average * distinct;
}

/** How many kinds of values there are. Data has dates, numbers, codes or pictures; a menu has texts and links only. */
const countKinds = (columns: readonly Column[]) =>
  new Set(columns.filter(({ fill }) => fill > 0.5).map(({ kind, isCode }) => (isCode ? 'code' : kind))).size;

/** What a candidate's columns say in all, weighted by how surely its structure is meant as data. */
function weighCandidate(candidate: Candidate, pageText: number): number {
  const { kind, many, rows, columns, element } = candidate;
  const wholes = columns.filter(
    ({ partOf, source, isSame }) =>
      partOf === undefined && source.line === undefined && source.own !== true && isSame !== true,
  );
  const telling = wholes.reduce((sum, column) => sum + measureTelling(column), 0) * rows;
  if (kind === 'structured data' && !many)
    return Math.max(telling, pageText * 0.5) * (isStatedRecord(candidate) ? 2 : 0.5);
  if (kind === 'record') return Math.min(telling, pageText) * 0.7;
  if (kind === 'article') return Math.min(telling, pageText) * 0.2;
  if (!many) return telling * 0.3;
  const isAside = element !== undefined && isBesideContent(element);
  const trust = kind === 'table' || kind === 'feed' ? 2 : 1;
  // A page is rarely about a single column, and two rows with many columns are usually two lists.
  const shape = wholes.length === 1 || (rows < 3 && wholes.length > 15) ? 0.3 : 1;
  return telling * trust * shape * (1 + countKinds(wholes) * 0.3) * (isAside ? 0.15 : 1);
}

/** The share of its columns in another candidate from which on a candidate adds nothing. */
const mostlySame = 0.75;

/** Without candidates whose rows an earlier one has as well. */
function withoutRepeats(candidates: readonly Candidate[]): Candidate[] {
  const kept: { readonly candidate: Candidate; readonly contents: ReadonlySet<string> }[] = [];
  for (const candidate of candidates) {
    const contents = new Set(
      candidate.columns.flatMap(({ values, isSame }) => (isSame ? [] : JSON.stringify(values))),
    );
    const twin = kept.findIndex(
      (other) =>
        other.candidate.many === candidate.many &&
        [...contents].filter((content) => other.contents.has(content)).length >= contents.size * mostlySame,
    );
    if (twin < 0) kept.push({ candidate, contents });
    // The same rows without the names of their columns, heavier by a list of all cells where one cell is empty.
    else if (candidate.kind === 'table' && kept[twin]?.candidate.kind === 'repeated records')
      kept[twin] = { candidate, contents };
  }
  return kept.map(({ candidate }) => candidate);
}

export async function findCandidates(document: Document, context: DateContext): Promise<Candidate[]> {
  const structures = await findStructures(document);
  const candidates: Candidate[] = [];
  for (const [index, structure] of structures.entries()) {
    const { kind } = structure;
    const turn = structures.slice(0, index + 1).filter((one) => one.kind === kind).length;
    const candidate = await readCandidate(document, structure, `${letters[kind]}${turn}`, context);
    if (candidate !== undefined) candidates.push(candidate);
  }
  const body = document.isData ? undefined : document.html('body').get(0);
  const pageText = body === undefined ? 0 : Math.min(shownText(body).length, 20_000);
  const kinds = Object.keys(letters);
  const getRank = ({ candidate }: { readonly candidate: Candidate }) => kinds.indexOf(candidate.kind);
  const ranked = candidates
    .map((candidate) => ({ candidate, weight: weighCandidate(candidate, pageText) }))
    .sort((one, other) => other.weight - one.weight || getRank(one) - getRank(other))
    .map(({ candidate }) => candidate);
  return ofAllKinds(withoutRepeats(ranked));
}

/** The weights of lists and single records are hard to compare, so the best of both are among the first three. */
function ofAllKinds(ranked: readonly Candidate[]): Candidate[] {
  const best = [
    ranked.find(({ many }) => many),
    ranked.find(isStatedRecord),
    ranked.find(({ kind }) => kind === 'record'),
  ].filter((candidate) => candidate !== undefined);
  const first = new Set([...best, ...ranked].slice(0, 3));
  return [...ranked.filter((one) => first.has(one)), ...ranked.filter((one) => !first.has(one))];
}
