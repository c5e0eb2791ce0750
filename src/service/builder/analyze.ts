/**
 * Everything that is read out of one page for a goal, as one pure function. It runs in a worker process, because a
 * hostile page can keep it busy for ever.
 */
import { isTag } from 'domhandler';
import { Document, type Page, ParseError } from '../recipes/document.ts';
import { extract } from '../recipes/parse.ts';
import type { Paging } from '../recipes/schema.ts';
import type { Candidate } from './candidate.ts';
import type { PageWords } from './choose.ts';
import { collapse, shownText } from './elements.ts';
import { type Emptiness, emptinessOf } from './emptiness.ts';
import { feedCandidate, looksLikeFeed } from './feed.ts';
import { type Goal, readGoal } from './goal.ts';
import { answerCandidates } from './json-answers.ts';
import { jsonLdCandidates } from './json-ld.ts';
import { jsonPaging, statePaging } from './json-paging.ts';
import { feedsOf, type Lead, leadsOf, siblingsOf } from './navigation.ts';
import { stateCandidates } from './page-state.ts';
import { pagingOf } from './paging.ts';
import { covers, type Proposal, propose } from './proposals.ts';
import { recordCandidates } from './records.ts';
import { shownValues } from './shown-values.ts';
import { articleCandidate, pageCandidate, withStated } from './single-record.ts';
import { openSearchForm, openSearchOf, type SearchForm, searchFormOf } from './site-search.ts';
import { tableCandidates } from './tables.ts';
import { wordsOf } from './words.ts';

export interface AnalysisTask {
  readonly page: Page;
  readonly goal: string;
  /** Of the goal's fields these alone, of one record: what a page of details is to give. */
  readonly only?: readonly string[] | undefined;
}

export interface Analysis {
  readonly title: string;
  /** The best first. */
  readonly proposals: readonly Proposal[];
  /** Where none of them covers the goal: what there is, with all its fields, for those who ask again. */
  readonly offers: readonly Proposal[];
  readonly paging: readonly Paging[];
  readonly search: SearchForm | undefined;
  /** The address of its OpenSearch description. */
  readonly openSearch: string | undefined;
  readonly feeds: readonly string[];
  readonly leads: readonly Lead[];
  /** The last part of the addresses of pages beside this one: others of its kind. */
  readonly siblings: readonly string[];
  /** It asks for a password. */
  readonly login: boolean;
  /** What it says where it has nothing of what it is for. */
  readonly emptiness: string | undefined;
  /** It shows next to nothing without running its scripts. */
  readonly needsScript: boolean;
}

const maxPageWords = 2_000;
/** Characters of a page's text in which the goal's subject is looked for. */
const maxPageText = 200_000;

const looksLikeJson = (page: Page) => /[/+]json\b/i.test(page.contentType);
/** Lists and what is stated for programs first; the page as one record costs more than all of them. */
async function proposalsOf(
  document: Document,
  language: string,
  goal: Goal,
  pageWords: PageWords,
  emptiness: Emptiness | undefined,
  state: readonly Candidate[],
): Promise<Pick<Analysis, 'proposals' | 'offers'>> {
  const { html } = document;
  const root = html('body').get(0);
  if (root === undefined || !isTag(root)) return { proposals: [], offers: [] };
  const candidates: Candidate[] = [
    ...(await jsonLdCandidates(html)),
    ...state,
    ...tableCandidates(document, language, root),
    ...recordCandidates({ html, language, root }),
  ].filter(({ element, many }) => !many || emptiness?.excludes(element) !== true);
  if (goal.many === true) {
    const found = await propose(document, goal, candidates, pageWords);
    // Whoever asks for all of them is not served with one, where there are several.
    if (found.proposals.some((one) => covers(one) || (one.many && one.onSubject && one.rows >= 3)))
      return found;
  }
  // What a page says of having nothing is no row of it either.
  if (emptiness !== undefined && goal.many !== false) return propose(document, goal, candidates, pageWords);
  const page = pageCandidate(document, language, root);
  // Whoever asks for many rows asks for no article.
  const article = goal.many === true ? undefined : await articleOf(document);
  if (article !== undefined) candidates.push(article);
  if (page !== undefined) candidates.push(withStated(page, candidates, html));
  return propose(document, goal, candidates, pageWords);
}

async function articleOf(document: Document): Promise<Candidate | undefined> {
  // Only pages with paragraphs can be articles, and the reader is large.
  const paragraphs = document
    .html('p')
    .toArray()
    .filter((paragraph) => document.html(paragraph).text().length > 80);
  if (paragraphs.length < 2) return undefined;
  try {
    const extracted = await extract(document, { kind: 'article' });
    return extracted.kind === 'record' ? articleCandidate(extracted.record, document.html) : undefined;
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

function goalOf({ goal, only }: AnalysisTask): Goal {
  const read = readGoal(goal);
  if (only === undefined) return read;
  return { ...read, many: false, fields: read.fields.filter(({ name }) => only.includes(name)) };
}

/** Rejects with a `ParseError` for a page that cannot be read. */
export async function analyze(task: AnalysisTask): Promise<Analysis> {
  const document = new Document(task.page);
  const goal = goalOf(task);
  if (looksLikeJson(task.page)) {
    const candidates = answerCandidates(document.json);
    return {
      ...nothing,
      ...(await propose(document, goal, candidates, wordsOfAnswer(document))),
      paging: jsonPaging(document.json, task.page),
    };
  }
  if (/^\s*(?:<\?xml[^>]*>\s*)?<OpenSearchDescription\b/.test(document.source.slice(0, 500)))
    return { ...nothing, search: openSearchForm(document.html, document.base) };
  if (looksLikeFeed(document)) {
    const candidate = await feedCandidate(document);
    return {
      ...nothing,
      ...(await propose(document, goal, candidate === undefined ? [] : [candidate], wordsOfAnswer(document))),
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
  const shown = body === undefined ? '' : shownText(body);
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
  const emptiness = body === undefined ? undefined : emptinessOf(body, goal);
  const states: unknown[] = [];
  const state = await stateCandidates(html, shownValues(shown), states);
  const found = await proposalsOf(document, language, goal, pageWords, emptiness, state);
  return {
    title,
    ...found,
    paging: [...pagingOf(html, task.page.url, base), ...statePaging(states, task.page).slice(0, 2)],
    search: searchFormOf(html, base),
    openSearch: openSearchOf(html, base),
    feeds: feedsOf(html, base),
    leads: leadsOf(html, task.page.url, base, goal),
    siblings: siblingsOf(html, task.page.url, base),
    login: html('input[type="password"]').length > 0,
    emptiness: emptiness?.statement,
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
  openSearch: undefined,
  feeds: [],
  leads: [],
  siblings: [],
  login: false,
  emptiness: undefined,
  needsScript: false,
};
