/**
 * Everything that is read out of one page for a goal, as one pure function. It runs in a worker thread, because a
 * hostile page can keep it busy for ever.
 */
import { isTag } from 'domhandler';
import { Document, type Page, ParseError, type Row } from '../recipes/document.ts';
import { parse } from '../recipes/parse.ts';
import { Extract, type Paging } from '../recipes/schema.ts';
import { type Candidate, type CandidateKind, fieldOf } from './candidate.ts';
import { type Choice, choose, type PageWords } from './choose.ts';
import { type Goal, readGoal } from './goal.ts';
import { answerCandidates, jsonLdCandidates, stateCandidates } from './json-data.ts';
import {
  feedsOf,
  jsonPaging,
  type Lead,
  leadsOf,
  pagingOf,
  type SearchForm,
  searchFormOf,
  siblingsOf,
} from './navigation.ts';
import { recordCandidates } from './records.ts';
import { articleCandidate, pageCandidate } from './single-record.ts';
import { collapse, textOf } from './slots.ts';
import { tableCandidates } from './tables.ts';
import { text } from './value-type.ts';
import { wordsOf } from './words.ts';

export interface AnalysisTask {
  readonly page: Page;
  readonly goal: string;
}

/** A candidate as the goal chose from it, tried on the page. */
export interface Proposal {
  readonly kind: CandidateKind;
  readonly many: boolean;
  readonly rows: number;
  readonly fields: readonly string[];
  /** For each field the share of the rows that have it. */
  readonly fills: readonly number[];
  readonly missing: readonly string[];
  readonly onSubject: boolean;
  readonly score: number;
  readonly extract: Extract;
  readonly sample: readonly Row[];
}

export interface Analysis {
  readonly title: string;
  /** The best first. */
  readonly proposals: readonly Proposal[];
  /** Where none of them covers the goal: what there is, with all its fields, for those who ask again. */
  readonly offers: readonly Proposal[];
  readonly paging: readonly Paging[];
  readonly search: SearchForm | undefined;
  readonly feeds: readonly string[];
  readonly leads: readonly Lead[];
  /** The last part of the addresses of pages beside this one: others of its kind. */
  readonly siblings: readonly string[];
  /** It asks for a password. */
  readonly login: boolean;
  /** It shows next to nothing without running its scripts. */
  readonly needsScript: boolean;
}

const maxProposals = 5;
const maxOffers = 3;
const samples = 3;
const maxPageWords = 2_000;
/** Characters of a page's text in which the goal's subject is looked for. */
const maxPageText = 200_000;

const looksLikeJson = (page: Page) => /[/+]json\b/i.test(page.contentType);
const looksLikeFeed = (document: Document) =>
  /(?:rss|atom|rdf)\+xml|feed\+json/i.test(document.page.contentType) ||
  (!/html/i.test(document.page.contentType) &&
    /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:rss|feed|rdf:RDF)\b/.test(
      document.source.slice(0, 2_000),
    ));

async function feedCandidate(document: Document): Promise<Candidate | undefined> {
  const { commonFields } = await import('../recipes/extract-feed.ts');
  const { extracted } = await parse({ page: document.page, extract: { kind: 'feed' } });
  if (extracted?.kind !== 'rows' || extracted.rows.length === 0) return undefined;
  const { rows } = extracted;
  const names: Readonly<Record<string, string[]>> = {
    title: ['title', 'headline', 'name'],
    url: ['url', 'link'],
    published: ['published', 'date'],
    summary: ['summary', 'description', 'content'],
    authors: ['author'],
    categories: ['category', 'tag'],
    id: ['id', 'guid'],
  };
  return {
    kind: 'feed',
    many: true,
    rows: rows.length,
    about: [
      'feed',
      'article',
      'post',
      'new',
      'story',
      'item',
      'episode',
      ...wordsOf(document.source.slice(0, 3_000).match(/<title[^>]*>([^<]*)/)?.[1] ?? ''),
    ],
    columns: Object.entries(commonFields).map(([part, field]) => {
      const values = rows
        .map((row) => row[part])
        .filter((value) => value !== null && !(Array.isArray(value) && value.length === 0));
      return {
        source: { in: 'feed' as const, part, path: field.path },
        names: names[part] ?? [part],
        nearNames: [],
        isTitle: part === 'title',
        type: field.type === 'text' ? text : { rules: { type: field.type } },
        fill: values.length / rows.length,
        constant: false,
        length: part === 'summary' ? 200 : 40,
      };
    }),
    extract: (fields) => ({
      kind: 'feed',
      only: [],
      fields: Object.fromEntries(
        fields.map((field) => {
          const path = field.column.source.in === 'feed' ? field.column.source.path : '@';
          const { part: _, ...rules } = { part: '', ...fieldOf(field, false) };
          return [field.name, { ...rules, path }];
        }),
      ),
    }),
  };
}

async function htmlCandidates(document: Document, language: string, goal: Goal): Promise<Candidate[]> {
  const { html } = document;
  const root = html('body').get(0);
  if (root === undefined || !isTag(root)) return [];
  const page = pageCandidate(document, language, root);
  // Whoever asks for many rows asks for no article, and reading one costs more than all the rest.
  const article = goal.many === true ? undefined : await articleOf(document);
  return [
    ...jsonLdCandidates(html),
    ...stateCandidates(html),
    ...tableCandidates(document, language, root),
    ...recordCandidates({ html, language, root }),
    ...(article === undefined ? [] : [article]),
    ...(page === undefined ? [] : [page]),
  ];
}

async function articleOf(document: Document): Promise<Candidate | undefined> {
  // Only pages with paragraphs can be articles, and the reader is large.
  const paragraphs = document
    .html('p')
    .toArray()
    .filter((paragraph) => document.html(paragraph).text().length > 80);
  if (paragraphs.length < 2) return undefined;
  try {
    const { extracted } = await parse({ page: document.page, extract: { kind: 'article' } });
    return extracted?.kind === 'record' ? articleCandidate(extracted.record, document.html) : undefined;
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

const isPresent = (value: unknown) =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);

/** Rejects with a `ParseError` for a page that cannot be read. */
export async function analyze(task: AnalysisTask): Promise<Analysis> {
  const document = new Document(task.page);
  const goal = readGoal(task.goal);
  if (looksLikeJson(task.page)) {
    const candidates = answerCandidates(document.json);
    return {
      ...nothing,
      ...(await propose(task, candidates, wordsOfAnswer(document))),
      paging: jsonPaging(document.json, task.page.url),
    };
  }
  if (looksLikeFeed(document)) {
    const candidate = await feedCandidate(document);
    return {
      ...nothing,
      ...(await propose(task, candidate === undefined ? [] : [candidate], wordsOfAnswer(document))),
    };
  }
  const { html, base } = document;
  const language = (html('html').attr('lang') ?? '').slice(0, 2).toLowerCase();
  const title = collapse(html('title').first().text()).slice(0, 200);
  const headings = html('h1, h2, h3, caption, th')
    .toArray()
    .slice(0, 200)
    .map((heading) => html(heading).text())
    .join(' ');
  const body = html('body').get(0);
  const shown = collapse(body === undefined ? '' : textOf(body));
  const head = html('meta[name="description"], meta[name="keywords"], meta[property="og:title"]')
    .toArray()
    .map(({ attribs }) => attribs.content ?? '')
    .join(' ');
  const pageWords: PageWords = {
    headings: new Set(
      wordsOf(`${title} ${headings} ${head} ${new URL(task.page.url).pathname}`).slice(0, maxPageWords),
    ),
    all: new Set(wordsOf(shown.slice(0, maxPageText))),
    isForeign: language !== '' && language !== 'en',
  };
  const found = await propose(task, await htmlCandidates(document, language, goal), pageWords);
  return {
    title,
    ...found,
    paging: pagingOf(html, task.page.url, base),
    search: searchFormOf(html, base),
    feeds: feedsOf(html, base),
    leads: leadsOf(html, task.page.url, base, goal),
    siblings: siblingsOf(html, task.page.url, base),
    login: html('input[type="password"]').length > 0,
    needsScript:
      shown.length < 400 &&
      (html('script').length > 0 || /javascript/i.test(html('noscript').text())) &&
      (html('#root, #app, #__next, #__nuxt, [data-reactroot], [ng-app], app-root').length > 0 ||
        /javascript/i.test(`${html('noscript').text()} ${shown}`)),
  };
}

/** Of JSON and feeds all words count, keys included. */
function wordsOfAnswer({ page, source }: Document): PageWords {
  return {
    headings: new Set(wordsOf(page.url)),
    all: new Set(wordsOf(source.slice(0, maxPageText))),
    isForeign: false,
  };
}

const nothing: Analysis = {
  title: '',
  proposals: [],
  offers: [],
  paging: [],
  search: undefined,
  feeds: [],
  leads: [],
  siblings: [],
  login: false,
  needsScript: false,
};

/** Whether it has all that the goal asks for. */
export const covers = ({ missing, onSubject, fields }: Proposal) =>
  missing.length === 0 && onSubject && fields.length > 0;

async function propose(
  task: AnalysisTask,
  candidates: readonly Candidate[],
  pageWords: PageWords,
): Promise<Pick<Analysis, 'proposals' | 'offers'>> {
  const goal = readGoal(task.goal);
  const proposals = await proposalsFor(goal, task, choose(goal, candidates, pageWords), maxProposals);
  if (proposals.some(covers)) return { proposals, offers: [] };
  const open = { ...goal, fields: [] };
  const offers = await proposalsFor(open, task, choose(open, candidates, pageWords), maxOffers);
  return { proposals, offers };
}

async function proposalsFor(
  goal: Goal,
  task: AnalysisTask,
  choices: readonly Choice[],
  most: number,
): Promise<Proposal[]> {
  const proposals: Proposal[] = [];
  for (const choice of choices) {
    if (proposals.length >= most) break;
    const extract = Extract.safeParse(choice.candidate.extract(choice.fields));
    if (!extract.success) continue;
    const rows = await rowsOf(task.page, extract.data);
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
      rows: rows.length,
      fields,
      fills,
      missing,
      onSubject: choice.onSubject,
      score: choice.score,
      extract: extract.data,
      sample: rows.slice(0, samples),
    });
  }
  return proposals;
}

async function rowsOf(page: Page, extract: Extract): Promise<Row[]> {
  try {
    const { extracted } = await parse({ page, extract });
    if (extracted === undefined) return [];
    return extracted.kind === 'rows' ? extracted.rows : [extracted.record];
  } catch (error) {
    if (error instanceof ParseError) return [];
    throw error;
  }
}
