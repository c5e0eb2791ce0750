/** Everything read from one page. Runs in a worker process, because a hostile page can keep it busy forever. */

import { type Goal, readGoal } from '../../catalog/read-goal.ts';
import type {
  BuildChoice,
  KeptChoice,
  PreviewCandidate,
  RepairProof,
  ShownCandidate,
} from '../../foundation/ports.ts';
import { Document, findFeedAddress, type PageContent, type Row } from '../../page/document.ts';
import { collapse, shownText } from '../../page/elements.ts';
import { findFurtherPage } from '../../page/further-page.ts';
import { jsonPaging } from '../../page/json-paging.ts';
import { findObstacle, type Obstacle } from '../../page/obstacles.ts';
import { findPagings } from '../../page/paging.ts';
import { withBuilt } from '../../recipes/built-layout.ts';
import { extract } from '../../recipes/parse.ts';
import type { Extract, Paging } from '../../recipes/recipe-schema.ts';
import { findPlaces } from '../../recipes/row-places.ts';
import { type Candidate, type Group, groupOf } from '../candidates/candidate.ts';
import { findCandidates } from '../candidates/find-candidates.ts';
import { createDateContext, type DateContext } from '../columns/dates.ts';
import {
  applyChoice,
  type ChoiceProblem,
  type Chosen,
  type ChosenField,
  toChosen,
  toGuess,
} from '../matching/choice.ts';
import { findKept, keepChoice, keepShown } from '../matching/kept-columns.ts';
import { clearMatch, matchGoal, withSubject } from '../matching/match.ts';
import { findRepair } from '../matching/prove-repair.ts';
import { findSearchForm, type SearchForm } from '../page/site-search.ts';
import { findSlug, type Slug } from '../page/slug.ts';
import { createDetail, createOverview, feedRoom, maxOverview } from './preview.ts';

export interface AnalysisTask {
  readonly page: PageContent;
  readonly goal?: string | undefined;
  readonly choose?: BuildChoice | undefined;
  /** What the choice means, whatever its ids are on this page. */
  readonly kept?: KeptChoice | undefined;
  /** An action whose columns are looked for, by the rows that it gave. */
  readonly repair?: { readonly kept: KeptChoice; readonly rows: readonly Row[] } | undefined;
  /** All columns of this candidate are shown. */
  readonly candidate?: string | undefined;
  /** Characters for the candidates. */
  readonly room?: number | undefined;
  /** The first rows of what was chosen are read. */
  readonly withSample?: boolean | undefined;
}

/** The fields of the action, and what the page has of them. */
export interface Selection {
  readonly many: boolean;
  readonly rows: number;
  readonly group?: Group | undefined;
  /** The field that tells the tables or lists of the group apart. */
  readonly section?: string | undefined;
  readonly extract: Extract;
  readonly fields: readonly Pick<ChosenField, 'name' | 'kind' | 'fill'>[];
  readonly columns: KeptChoice;
}

export interface Analysis {
  readonly title: string;
  readonly candidates: readonly PreviewCandidate[];
  /** What the ids of these candidates mean. */
  readonly shown: readonly ShownCandidate[];
  /** The columns of the choice, or those that the goal names clearly. */
  readonly selection: Selection | undefined;
  /** Of a repair that is proved. */
  readonly proof: RepairProof | undefined;
  /** What is wrong with the choice; why a repair is not proved. */
  readonly problem: string | undefined;
  readonly guess: BuildChoice | undefined;
  /** The fields of the goal that the guess leaves out: no column is clearly meant. */
  readonly unmatched: readonly string[];
  /** Empty without `withSample`. */
  readonly sample: readonly Row[];
  readonly paging: readonly Paging[];
  /** Something on the page says that its list goes on. */
  readonly goesOn: boolean;
  readonly search: SearchForm | undefined;
  readonly slug: Slug | undefined;
  /** The address of the feed that the page names. */
  readonly feed: string | undefined;
  /** The page asks for a password and shows little else. */
  readonly login: boolean;
  /** The page shows almost nothing without its scripts. */
  readonly needsScript: boolean;
  /** What the page is, or may be, instead of content. */
  readonly obstacle: Obstacle | undefined;
}

/** Characters of text below which a page shows almost nothing. */
const littleText = 400;

/** Rows of a sample. */
const sampleRows = 3;

const nothing: Omit<
  Analysis,
  'candidates' | 'shown' | 'selection' | 'proof' | 'problem' | 'guess' | 'unmatched' | 'sample'
> = {
  title: '',
  paging: [],
  goesOn: false,
  search: undefined,
  slug: undefined,
  feed: undefined,
  login: false,
  needsScript: false,
  obstacle: undefined,
};

function toSelection({ candidate, fields }: Chosen): Selection {
  return {
    many: candidate.many,
    rows: candidate.rows,
    group: groupOf(candidate),
    section: fields.find(({ column }) => column.isSection === true)?.name,
    extract: candidate.toExtract(fields),
    fields: fields.map(({ name, kind, fill }) => ({ name, kind, fill })),
    columns: keepChoice(candidate, fields),
  };
}

/** The proved columns; else why there are none, and as a guess those that say that they are the same. */
function repairBy(
  { kept, rows }: NonNullable<AnalysisTask['repair']>,
  offered: readonly Candidate[],
): Pick<Analysis, 'selection' | 'proof' | 'problem' | 'guess'> {
  const repair = findRepair(offered, kept, rows);
  if ('chosen' in repair)
    return {
      selection: toSelection(repair.chosen),
      proof: repair.proof,
      problem: undefined,
      guess: undefined,
    };
  const likely = findKept(offered, kept);
  return {
    selection: undefined,
    proof: undefined,
    problem: repair.reason,
    guess: 'candidate' in likely ? likely : undefined,
  };
}

type ChoiceOutcome = Pick<
  Analysis,
  'candidates' | 'shown' | 'selection' | 'proof' | 'problem' | 'guess' | 'unmatched'
>;

/** The columns of the choice, by what they are where that is known; else by the ids of this page. */
function chosenBy(
  { choose, kept }: AnalysisTask,
  offered: readonly Candidate[],
  context: DateContext,
): Chosen | ChoiceProblem | undefined {
  if (choose === undefined) return undefined;
  if (kept === undefined) return applyChoice(offered, choose, context);
  const found = findKept(offered, kept);
  if ('candidate' in found) return applyChoice(offered, found, context);
  return {
    problem: `The page is not what it was when its columns were chosen (no column is surely ${found.missing.join(', ')}).`,
    kept: found.rest,
  };
}

function choose(offered: readonly Candidate[], task: AnalysisTask, context: DateContext): ChoiceOutcome {
  const goal = wantedBy(task, offered);
  const matches = matchGoal(offered, goal);
  const candidates =
    task.candidate === undefined
      ? createOverview(matches, task.page.url, task.room)
      : offered.filter(({ id }) => id === task.candidate).map(createDetail);
  const [first] = matches;
  const guess = first && toGuess(withSubject(first) ?? first);
  const given = new Set(first?.fields.flatMap(({ field, isCurrency }) => (isCurrency ? field.name : [])));
  const unmatched = goal.fields
    .map(({ name }) => name)
    .filter((name) => guess?.fields[name] === undefined && !(guess !== undefined && given.has(name)));
  const ids = new Set(candidates.map(({ id }) => id));
  const shown = offered.filter(({ id }) => ids.has(id)).map(keepShown);
  const offer = { candidates, shown, guess, unmatched, proof: undefined };
  if (task.repair !== undefined) return { ...offer, ...repairBy(task.repair, offered) };
  const clear = clearMatch(matches, goal);
  const chosen = chosenBy(task, offered, context) ?? (clear && toChosen(clear));
  if (chosen === undefined || !('problem' in chosen))
    return { ...offer, selection: chosen && toSelection(chosen), problem: undefined };
  const { problem, kept = guess } = chosen;
  return { ...offer, selection: undefined, problem, guess: kept && { ...kept, ...paramsOf(task) } };
}

/** What the goal asks for. A choice of a candidate that the page does not have says it too: by the names of its fields. */
function wantedBy({ goal, choose }: AnalysisTask, offered: readonly Candidate[]): Goal {
  const wanted = readGoal(goal ?? '');
  if (choose === undefined || offered.some(({ id }) => id === choose.candidate)) return wanted;
  const fields = Object.keys(choose.fields).map((name) => ({ name, phrase: name.replaceAll('_', ' ') }));
  return { ...wanted, fields };
}

const paramsOf = ({ choose }: AnalysisTask): Pick<BuildChoice, 'params'> =>
  choose?.params === undefined ? {} : { params: choose.params };

/** What surrounds the data in a page for people. */
function readSurroundings(document: Document, hasData: boolean): typeof nothing {
  const { html, base, page } = document;
  const body = html('body').get(0);
  const shown = body === undefined ? '' : shownText(body);
  const noscript = html('noscript').text();
  const app = '#root, #app, #__next, #__nuxt, [data-reactroot], [ng-app], app-root';
  return {
    title: collapse(html('title').first().text()).slice(0, 200),
    paging: findPagings(html, page.url, base),
    goesOn: findFurtherPage(document) !== undefined,
    search: findSearchForm(html, base),
    slug: findSlug(html, page.url, base),
    feed: findFeedAddress(document),
    login: html('input[type="password"]').length > 0 && shown.length < littleText * 2,
    needsScript:
      shown.length < littleText &&
      html('script').length > 0 &&
      (!hasData || html(app).length > 0 || /javascript/i.test(`${noscript} ${shown}`)),
    obstacle: findObstacle(html),
  };
}

/** Rejects with a `ParseError` for a page that cannot be read. */
export async function analyze(task: AnalysisTask): Promise<Analysis> {
  const document = new Document(task.page);
  const isPage = !document.isData && !document.isFeed;
  const context = createDateContext(document);
  const candidates = await findCandidates(document, context);
  const around = isPage
    ? readSurroundings(document, candidates.length > 0)
    : {
        ...nothing,
        paging: document.isData ? jsonPaging(document.json, task.page) : [],
        goesOn: findFurtherPage(document) !== undefined,
      };
  const room = task.room ?? (around.feed === undefined ? maxOverview : maxOverview - feedRoom);
  const chosen = choose(candidates, { ...task, room }, context);
  const places = chosen.selection && findPlaces(document, chosen.selection.extract);
  const selection = chosen.selection &&
    places && { ...chosen.selection, extract: withBuilt(document, chosen.selection.extract, places) };
  const { total = 0, last = selection?.rows ?? total } = places?.count ?? {};
  const analysis = { ...around, goesOn: around.goesOn || last < total, ...chosen, selection };
  if (task.withSample !== true || selection === undefined) return { ...analysis, sample: [] };
  const extracted = await extract(document, selection.extract, sampleRows);
  const sample = extracted.kind === 'rows' ? extracted.rows.slice(0, sampleRows) : [extracted.record];
  return { ...analysis, sample };
}
