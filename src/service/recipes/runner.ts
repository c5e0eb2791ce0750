/** Runs recipes: fetches pages, has them parsed in a worker process, follows paging and details. */
import type { CookieJar } from 'tough-cookie';
import type * as z from 'zod';
import type { Fetcher } from '../fetch/fetcher.ts';
import type { Renderer } from '../fetch/renderer.ts';
import { type StorageState, toStorageState } from '../fetch/session-state.ts';
import { RunError, siteChanged } from '../foundation/errors.ts';
import type { ActionRunner, RunLimits } from '../foundation/ports.ts';
import type { Row } from '../page/document.ts';
import { isObject } from '../page/json.ts';
import { forFurtherPages, forOtherPages } from './built-layout.ts';
import type { ParsePool } from './page-pool.ts';
import { findRecipeProblem } from './recipe-problem.ts';
import { type Details, type Extract, type PageTest, Recipe, type Render } from './recipe-schema.ts';
import { renderPage } from './render-page.ts';
import { obstacleFailure, statusFailure, toRunFailure } from './run-failures.ts';
import { type FilledRequest, fillUrl, type Values } from './template.ts';
import { getExtracted, hasAnswered, type ListPage, type Walk, walkPages } from './walk-pages.ts';

export interface RunnerOptions {
  readonly fetcher: Pick<Fetcher, 'fetch'>;
  /** Undefined: recipes with `render` fail. */
  readonly renderer?: Renderer;
  readonly parsePool: ParsePool;
}

/** Characters of JSON over all pages of a run. */
const maxResultLength = 15 * 1024 * 1024;

/** The parts of a run that every page needs. */
interface Run {
  readonly jar: CookieJar | undefined;
  readonly render: Render | undefined;
  /** The signed-in session, for pages in a browser. */
  readonly storage: StorageState | undefined;
  readonly signal: AbortSignal;
  readonly user: string | undefined;
  readonly notLoggedIn: readonly PageTest[];
  /** Origins that the recipe itself names. */
  readonly named: readonly string[];
  /** Characters of JSON so far. */
  readonly size: { characters: number };
}

export class RecipeRunner implements ActionRunner {
  readonly #fetcher: RunnerOptions['fetcher'];
  readonly #renderer: Renderer | undefined;
  readonly #pool: ParsePool;

  constructor({ fetcher, renderer, parsePool }: RunnerOptions) {
    this.#fetcher = fetcher;
    this.#renderer = renderer;
    this.#pool = parsePool;
  }

  async #visit(
    request: FilledRequest,
    extract: Extract,
    { paging: next, total, isFurther }: Pick<Recipe, 'paging' | 'total'> & { readonly isFurther?: boolean },
    run: Run,
  ): Promise<ListPage> {
    const page =
      run.render === undefined
        ? await this.#fetcher.fetch({ ...request, jar: run.jar, signal: run.signal, named: run.named })
        : await renderPage(this.#renderer, request.url, {
            extract,
            render: run.render,
            session: run.storage,
            named: run.named,
            signal: run.signal,
          });
    const answered = hasAnswered(page.status);
    const result = await this.#pool.parse(
      {
        page,
        tests: run.notLoggedIn,
        extract: answered ? extract : undefined,
        next: answered && (next?.kind === 'next' || next?.kind === 'cursor') ? next : undefined,
        total: answered ? total : undefined,
        isFurther: isFurther === true,
      },
      run.signal,
      run.user,
    );
    if (result.tests.includes(true))
      throw new RunError('The session has expired: sign in again', { code: 'AUTH_EXPIRED' });
    run.size.characters += result.content.length;
    if (run.size.characters > maxResultLength)
      throw new RunError('The pages have more than 15 MiB of data: read fewer pages', {
        reason: 'too_large',
      });
    return { url: page.url, status: page.status, result };
  }

  async #addDetails(data: Row, recipe: Recipe, details: Details, run: Run): Promise<void> {
    const anonymous: Run = { ...run, jar: undefined, storage: undefined, notLoggedIn: [] };
    const rows = Array.isArray(data.items) ? data.items.filter(isObject) : [data];
    for (const row of rows.slice(0, details.most)) {
      const parameterName = /^\{([\w-]+)\}$/.exec(details.url)?.[1];
      const address = parameterName === undefined ? fillUrl(details.url, row) : row[parameterName];
      if (typeof address !== 'string') continue;
      const request: FilledRequest = { url: address, method: 'GET', headers: {}, body: undefined };
      const visitor = takesSession(address, recipe, details) ? run : anonymous;
      const { status, result } = await this.#visit(request, details.extract, {}, visitor);
      if (!hasAnswered(status)) throw statusFailure(status);
      if (result.obstacle?.isCertain === true) throw obstacleFailure(result.obstacle, siteChanged);
      const extracted = getExtracted(result);
      if (extracted.kind === 'record') Object.assign(row, extracted.record);
      else row.details = extracted.rows;
    }
  }

  findProblem(recipe: unknown): string | undefined {
    return findRecipeProblem(recipe);
  }

  async run(task: Parameters<ActionRunner['run']>[0], { signal, user }: RunLimits): Promise<Walk> {
    const parsed = Recipe.safeParse(task.recipe);
    if (!parsed.success) throw unreadable(parsed.error);
    const recipe = parsed.data;
    try {
      const context: Run = {
        jar: task.cookies === undefined ? undefined : await readJar(task.cookies),
        render: recipe.render,
        storage:
          task.cookies === undefined || recipe.render === undefined
            ? undefined
            : toStorageState(task.cookies),
        signal,
        user,
        named: originsIn(recipe),
        size: { characters: 0 },
        notLoggedIn: task.cookies === undefined ? [] : (recipe.not_logged_in ?? []),
      };
      const values = { ...recipe.defaults, ...withoutAbsent(task.params) };
      const { extract, paging, total } = recipe;
      const first = isBuiltPage(recipe, values) ? extract : forOtherPages(extract);
      const further = forFurtherPages(first);
      const result = await walkPages(recipe, values, {
        visitPage: (request, isFirst) =>
          isFirst
            ? this.#visit(request, first, { paging, total }, context)
            : this.#visit(request, further, { paging, isFurther: true }, context),
        signal,
      });
      if (recipe.details !== undefined) await this.#addDetails(result.data, recipe, recipe.details, context);
      return result;
    } catch (error) {
      throw toRunFailure(error);
    }
  }
}

/** Whether the params lead to the page that the action was built on, whatever number of pages they ask for. */
const isBuiltPage = ({ defaults = {} }: Recipe, { max_pages: _, ...values }: Values): boolean =>
  Object.entries(values).every(([name, value]) => defaults[name] === value);

/** Hosts in a recipe's addresses hold no placeholders; an address that comes from a row names no origin. */
function originsIn({ request, details }: Pick<Recipe, 'request' | 'details'>): string[] {
  return [request.url, details?.url ?? ''].flatMap((address) => {
    const [origin] = /^https?:\/\/[^/{}?#\s]+(?=\/)/.exec(address) ?? [];
    return origin !== undefined && URL.canParse(origin) ? [new URL(origin).origin] : [];
  });
}

/**
 * The site decides where a row's address leads, so the session goes only to the recipe's own origin, and only to a path
 * that the recipe spells out.
 */
function takesSession(address: string, { request }: Recipe, { url }: Details): boolean {
  const [origin] = originsIn({ request, details: undefined });
  if (!URL.canParse(address) || new URL(address).origin !== origin) return false;
  return /^https?:\/\/[^/{}]+\/[^{}]/.test(url);
}

/** A stored recipe may use an option of an earlier version. */
function unreadable(cause: z.ZodError): RunError {
  const [issue] = cause.issues;
  const problem =
    issue === undefined
      ? ''
      : ` (${issue.path.length > 0 ? `${issue.path.join('.')}: ` : ''}${issue.message})`;
  return new RunError(
    `This version cannot read the recipe of this action${problem}. Build the action again, or change its file`,
    { cause },
  );
}

async function readJar(cookies: string): Promise<CookieJar> {
  const { CookieJar } = await import('tough-cookie');
  try {
    return CookieJar.deserializeSync(cookies);
  } catch {
    // Without the cause, which quotes the cookies.
    throw new RunError('The stored session cannot be read: sign in again', { code: 'AUTH_EXPIRED' });
  }
}

function withoutAbsent(params: Values): Values {
  return Object.fromEntries(
    Object.entries(params).filter(([, value]) => value !== undefined && value !== null),
  );
}
