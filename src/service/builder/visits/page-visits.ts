/** Fetches a page and analyzes it, in a browser where it needs one. */
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { TaskStoppedError } from '../../../workers/errors.ts';
import type { FetchedPage, Fetcher } from '../../fetch/fetcher.ts';
import type { RenderedPage, Renderer } from '../../fetch/renderer.ts';
import { BuildError, FetchError, ParseError } from '../../foundation/errors.ts';
import type { Obstacle } from '../../page/obstacles.ts';
import type { PagePool } from '../../recipes/page-pool.ts';
import { statusFailure as runFailure } from '../../recipes/run-failures.ts';
import type { Analysis, AnalysisTask } from '../analysis/analyze.ts';
import { feedRoom } from '../analysis/preview.ts';
import { letters } from '../candidates/candidate.ts';

export type AnalysisPool = PagePool<AnalysisTask, Analysis>;

interface VisitedPage {
  readonly page: FetchedPage;
  /** The page shows its data in a browser only. */
  readonly render?: true | undefined;
}

export interface PageVisit extends VisitedPage {
  readonly analysis: Analysis;
}

interface VisitOptions {
  /** Reads a cached page, and caches a fetched one. */
  readonly keep: boolean;
  /** The address that the caller gave. */
  readonly start: string;
  /** Asked before a browser is used; without it one may be. */
  readonly mayRender?: (() => Promise<boolean>) | undefined;
  readonly signal: AbortSignal;
  readonly user?: string | undefined;
}

/** Rejects with a `BuildError`. */
export type VisitPage = (url: string, task: PageTask, options: VisitOptions) => Promise<PageVisit>;

type PageTask = Omit<AnalysisTask, 'page'>;

interface Tools {
  readonly fetcher: Fetcher;
  readonly pool: AnalysisPool;
  /** Undefined: pages that need scripts are not read. */
  readonly renderer?: Renderer | undefined;
  readonly logger?: Logger | undefined;
}

export function createPageVisits(tools: Tools): VisitPage {
  // Further previews show the copy of the first one.
  const kept = new LRUCache<string, VisitedPage>({
    max: 50,
    maxSize: 64 * 1024 * 1024,
    sizeCalculation: ({ page }) => page.body.byteLength + 1,
    ttl: 15 * 60_000,
  });
  // Without data, or without the browser that it needs, a page may show more the next time.
  const isComplete = ({ analysis, render }: PageVisit) =>
    analysis.candidates.length > 0 &&
    (!analysis.needsScript || render === true || tools.renderer === undefined);

  return async (url, task, options) => {
    const { keep, user = '' } = options;
    const key = `${user}\n${url}`;
    // Whoever reads the page anew sees a later one than the copy, and so must those who look at it next.
    if (!keep) kept.delete(key);
    const earlier = kept.get(key);
    const page = earlier?.page ?? (await fetchPage(url, options, tools));
    const analysis = await analyzePage(page, task, options, tools);
    let visit: PageVisit = { page, render: earlier?.render, analysis };
    // A shell of scripts may hold links and a title that look like data.
    if (earlier === undefined && (analysis.candidates.length === 0 || analysis.needsScript))
      visit = (await visitInBrowser(url, task, options, tools)) ?? visit;
    const { obstacle } = visit.analysis;
    // Data beside a form to sign in is data.
    if (obstacle?.isCertain === true && obstacle.kind !== 'sign-in') throw obstacleFailure(obstacle);
    // Another look at a page does not extend its time in the cache.
    if (keep && earlier === undefined && isComplete(visit))
      kept.set(key, { page: visit.page, render: visit.render });
    return (await visitFeed(visit, task, options, tools)) ?? visit;
  };
}

async function fetchPage(
  url: string,
  { start, signal }: VisitOptions,
  { fetcher }: Tools,
): Promise<FetchedPage> {
  let page: FetchedPage;
  try {
    page = await fetcher.fetch({ url, signal, named: [new URL(start).origin] });
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof FetchError ? fetchFailure(error) : error;
  }
  const failure = statusFailure(page.status);
  if (failure !== undefined) throw failure;
  return page;
}

async function analyzePage(
  page: FetchedPage,
  task: PageTask,
  { signal, user }: VisitOptions,
  { pool, logger }: Tools,
): Promise<Analysis> {
  try {
    return await pool.parse({ ...task, page }, signal, user);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ParseError)) throw error;
    logger?.warn({ err: error }, 'A page could not be analyzed');
    const isLate =
      error.cause instanceof TaskStoppedError && ['deadline', 'late'].includes(error.cause.reason);
    const type = isLate ? 'TIMEOUT' : 'NO_DATA_FOUND';
    throw new BuildError(type, `The page could not be read: ${error.message}`, { cause: error });
  }
}

/**
 * The feed that a page names is one more candidate, `f1`. A choice of `f1`, or a goal that only the feed clearly meets,
 * leads to the feed itself.
 */
async function visitFeed(
  visit: PageVisit,
  task: PageTask,
  options: VisitOptions,
  tools: Tools,
): Promise<PageVisit | undefined> {
  const { analysis } = visit;
  const asked = task.choose?.candidate ?? task.candidate;
  const isWanted = asked === undefined ? analysis.selection === undefined : asked.startsWith(letters.feed);
  if (analysis.feed === undefined || !isWanted) return undefined;
  const page = await fetchPage(analysis.feed, options, tools).catch(() => undefined);
  if (page === undefined) return undefined;
  const withRoom = { ...task, room: feedRoom };
  const feed = await analyzePage(page, withRoom, options, tools).catch(() => undefined);
  if (feed?.candidates[0]?.kind !== 'feed') return undefined;
  if (asked !== undefined || feed.selection !== undefined)
    return { page, analysis: { ...feed, title: analysis.title } };
  // At most five in all.
  const candidates = [...analysis.candidates.slice(0, 4), ...feed.candidates];
  const { guess, unmatched } = analysis.guess === undefined ? feed : analysis;
  const shown = [...analysis.shown, ...feed.shown];
  return { ...visit, analysis: { ...analysis, candidates, shown, guess, unmatched } };
}

/** The page as a browser shows it, or the JSON that it fetched if that needs no browser. */
async function visitInBrowser(
  url: string,
  task: PageTask,
  options: VisitOptions,
  tools: Tools,
): Promise<PageVisit | undefined> {
  const { renderer, logger } = tools;
  const { signal, mayRender } = options;
  if (renderer === undefined || (await mayRender?.()) === false) return undefined;
  let rendered: RenderedPage;
  try {
    rendered = await renderer.render({
      url,
      responses: ['*'],
      named: [new URL(options.start).origin],
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    logger?.warn({ err: error }, 'A browser could not show a page');
    return undefined;
  }
  for (const address of dataAddresses(rendered)) {
    const answer = await fetchPage(address, options, tools).catch(() => undefined);
    if (answer === undefined || !/json/i.test(answer.contentType)) continue;
    const analysis = await analyzePage(answer, task, options, tools);
    if (analysis.candidates.some(({ rows }) => rows > 1)) return { page: answer, analysis };
  }
  const { responses: _, ...page } = rendered;
  const analysis = await analyzePage(page, task, options, tools);
  return analysis.candidates.length === 0 ? undefined : { page, analysis, render: true };
}

/** Where the page fetched its JSON from, the three largest first. */
const dataAddresses = ({ responses }: RenderedPage): string[] =>
  [...responses]
    .filter(({ status, body }) => status === 200 && body.length > 20)
    .sort((one, other) => other.body.length - one.body.length)
    .slice(0, 3)
    .map(({ url }) => url);

const failureTypes: Partial<Record<FetchError['problem'], BuildError['errorType']>> = {
  robots: 'ROBOTS_DISALLOWED',
  timeout: 'TIMEOUT',
};

/** The build error for a page that could not be fetched. */
const fetchFailure = (error: FetchError): BuildError =>
  new BuildError(failureTypes[error.problem] ?? 'SITE_UNREACHABLE', error.message, { cause: error });

/** The build error for a page that is shown instead of the content, whatever can be read from it. */
const obstacleFailure = ({ kind, reason }: Obstacle): BuildError =>
  new BuildError(kind === 'person' ? 'SITE_UNREACHABLE' : 'NO_DATA_FOUND', `${reason}.`);

/** The build error for an HTTP status; undefined for a success. */
function statusFailure(status: number): BuildError | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 401 || status === 407)
    return new BuildError('LOGIN_REQUIRED', `The page asks for a sign-in (HTTP status ${status})`);
  return new BuildError('SITE_UNREACHABLE', runFailure(status).message);
}
