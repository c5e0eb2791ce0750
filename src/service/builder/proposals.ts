/** Candidates as the goal chose from them, each tried on the page. */
import { type Document, ParseError, type Row } from '../recipes/document.ts';
import { extract as extractFrom } from '../recipes/parse.ts';
import { Extract } from '../recipes/schema.ts';
import type { Candidate, CandidateKind, NamedColumn } from './candidate.ts';
import { type Choice, choose, type PageWords } from './choose.ts';
import type { Goal } from './goal.ts';

/** A candidate as the goal chose from it, tried on the page. */
export interface Proposal {
  readonly kind: CandidateKind;
  readonly many: boolean;
  readonly rows: number;
  readonly fields: readonly string[];
  /** For each field the share of the rows that have it. */
  readonly fills: readonly number[];
  readonly missing: readonly string[];
  /** Asked for where there are any, and there are none. */
  readonly absent: readonly string[];
  /** Good enough without what is missing. */
  readonly nearly: boolean;
  readonly onSubject: boolean;
  readonly score: number;
  readonly extract: Extract;
  readonly sample: readonly Row[];
  /** The pages that its rows lead to, where they may have what is missing. */
  readonly details?: Details | undefined;
}

/** Rows with the address of the page of each. */
export interface Details {
  /** The field that holds the address. */
  readonly field: string;
  readonly extract: Extract;
  /** Of the first rows. */
  readonly urls: readonly string[];
}

const maxProposals = 5;
const maxOffers = 3;
const samples = 3;
/** Rows in which it is counted which fields are filled. */
const counted = 60;

const isPresent = (value: unknown) =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);

/** Whether it has all that the goal asks for. */
export const covers = ({ missing, onSubject, fields }: Proposal) =>
  missing.length === 0 && onSubject && fields.length > 0;

export async function propose(
  document: Document,
  goal: Goal,
  candidates: readonly Candidate[],
  pageWords: PageWords,
): Promise<{ readonly proposals: Proposal[]; readonly offers: Proposal[] }> {
  const proposals = await proposalsFor(goal, document, choose(goal, candidates, pageWords), maxProposals);
  if (proposals.some(covers)) return { proposals, offers: [] };
  const open = { ...goal, fields: [] };
  return {
    proposals,
    offers: await proposalsFor(open, document, choose(open, candidates, pageWords), maxOffers),
  };
}

async function proposalsFor(
  goal: Goal,
  document: Document,
  choices: readonly Choice[],
  most: number,
): Promise<Proposal[]> {
  const proposals: Proposal[] = [];
  for (const choice of choices) {
    // Once the goal is covered, a few others are enough to choose from.
    if (proposals.length >= (proposals.some(covers) ? maxOffers : most)) break;
    const extract = Extract.safeParse(choice.candidate.extract(choice.fields));
    if (!extract.success) continue;
    const rows = await rowsOf(document, extract.data);
    if (rows.length === 0) continue;
    const fields = choice.fields.map(({ name }) => name);
    const fills = fields.map((name) => rows.filter((row) => isPresent(row[name])).length / rows.length);
    const { kind, many } = choice.candidate;
    const missing = [
      ...choice.missing,
      ...fields.filter(
        (name, index) => fills[index] === 0 && goal.fields.some((phrase) => phrase.name === name),
      ),
    ];
    proposals.push({
      kind,
      many,
      rows: rows.length < counted ? rows.length : choice.candidate.rows,
      fields,
      fills,
      missing,
      absent: choice.absent,
      nearly: choice.nearly && missing.length === choice.missing.length,
      onSubject: choice.onSubject,
      score: choice.score,
      extract: extract.data,
      sample: rows.slice(0, samples),
      details:
        missing.length > 0 && many && !proposals.some(covers) ? await detailsOf(document, choice) : undefined,
    });
  }
  return proposals;
}

async function rowsOf(document: Document, extract: Extract): Promise<Row[]> {
  try {
    const extracted = await extractFrom(document, extract, counted);
    return extracted.kind === 'rows' ? extracted.rows : [extracted.record];
  } catch (error) {
    if (error instanceof ParseError) return [];
    throw error;
  }
}

/** The same rows with the address of each, where they have one on the site. */
async function detailsOf(document: Document, { candidate, fields }: Choice): Promise<Details | undefined> {
  const known = fields.find(({ column }) => column.isTitleLink === true);
  const addresses = candidate.columns.filter(
    ({ type, fill, constant }) => type.rules.type === 'url' && fill >= 0.9 && !constant,
  );
  const column = addresses.find(({ isTitleLink }) => isTitleLink === true) ?? addresses[0];
  if (column === undefined) return undefined;
  const field = known?.name ?? 'url';
  const named: NamedColumn[] = [...fields.filter(({ name }) => name !== field), { name: field, column }];
  const extract = Extract.safeParse(candidate.extract(named));
  if (!extract.success) return undefined;
  const rows = await rowsOf(document, extract.data);
  const { origin } = new URL(document.page.url);
  const urls = rows
    .map((row) => row[field])
    .filter((url) => typeof url === 'string')
    .filter((url) => new URL(url).origin === origin && url !== document.page.url);
  if (urls.length < rows.length * 0.8 || new Set(urls).size < urls.length * 0.8) return undefined;
  return { field, extract: extract.data, urls: urls.slice(0, samples) };
}
