/**
 * Runs login recipes: the form's page for its hidden fields, the form sent with the params, and then what the
 * page says. The password is in the request's body and nowhere else: no error, log or result holds it.
 */

import type { Cookie, CookieJar } from 'tough-cookie';
import type { LoginErrorCode } from '../../contract/errors.ts';
import type { Fetcher } from '../fetch/fetcher.ts';
import { FetchError, LoginError } from '../foundation/errors.ts';
import type { RunLimits } from '../foundation/ports.ts';
import { startDeadline } from '../foundation/time-limit.ts';
import type { ParsePool } from '../recipes/page-pool.ts';
import type { ParseResult } from '../recipes/parse.ts';
import { fillForm, type Values } from '../recipes/template.ts';
import { LoginRecipe } from './login-recipe.ts';

export interface LoginRunnerOptions {
  readonly fetcher: Fetcher;
  readonly parsePool: ParsePool;
}

export type LoginOutcome =
  | {
      readonly verified: true;
      readonly cookies: string;
      /** The earliest end of a session cookie, if one names its end. */
      readonly expiresAt: Date | undefined;
      /** The user's name as the site shows it, where it does. */
      readonly siteUser?: string | undefined;
    }
  | { readonly verified: false; readonly code: LoginErrorCode };

interface LoginTask {
  readonly recipe: unknown;
  readonly params: Readonly<Record<string, unknown>>;
}

interface Answer extends ParseResult {
  readonly status: number;
}

export class LoginRunner {
  readonly #fetcher: Fetcher;
  readonly #pool: ParsePool;

  constructor({ fetcher, parsePool }: LoginRunnerOptions) {
    this.#fetcher = fetcher;
    this.#pool = parsePool;
  }

  /** Runs a login recipe. Never rejects: every failure is a code of the login table. */
  async login(task: LoginTask, { signal, user }: RunLimits): Promise<LoginOutcome> {
    const recipe = LoginRecipe.safeParse(task.recipe);
    if (!recipe.success) return { verified: false, code: 'LOGIN_FAILED' };
    const deadline = startDeadline(recipe.data.timeout_ms, signal);
    try {
      return await this.#signIn(recipe.data, task.params, { signal: deadline.signal, user });
    } catch (error) {
      return { verified: false, code: deadline.isOver() ? 'LOGIN_TIMEOUT' : toLoginErrorCode(error) };
    } finally {
      deadline.clear();
    }
  }

  /** One exchange. The first test is for success, the others for failures, in order. */
  async #exchange(
    request: { url: string; method?: 'GET' | 'POST'; body?: string; headers?: Record<string, string> },
    recipe: LoginRecipe,
    jar: CookieJar,
    { signal, user }: RunLimits,
  ): Promise<Answer> {
    const named = [new URL(recipe.page).origin];
    const page = await this.#fetcher.fetch({ ...request, jar, signal, named });
    const tests = [recipe.success, ...recipe.failures.map(({ when }) => when)];
    return {
      ...(await this.#pool.parse({ page, form: recipe.form.select, tests, text: recipe.user }, signal, user)),
      status: page.status,
    };
  }

  async #signIn(recipe: LoginRecipe, params: Values, limits: RunLimits): Promise<LoginOutcome> {
    const { CookieJar } = await import('tough-cookie');
    const jar = new CookieJar();
    const opened = await this.#exchange({ url: recipe.page }, recipe, jar, limits);
    refuse(recipe, opened);
    const { form } = opened;
    const typed = fillForm(recipe.form.fields, params);
    // The password goes to the site that the recipe names, wherever its page or form may lead by now.
    const isKnown = form !== undefined && new URL(form.action).origin === new URL(recipe.page).origin;
    if (!isKnown || [...typed.keys()].some((name) => !form.names.includes(name)))
      throw new LoginError('LOGIN_PAGE_CHANGED');

    const before = new Set((await jar.store.getAllCookies()).map((cookie) => cookie.cookieString()));
    const body = new URLSearchParams();
    for (const [name, value] of form.values) body.append(name, value);
    for (const [name, value] of typed) body.set(name, value);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await this.#exchange(
      { url: form.action, method: 'POST', body: body.toString(), headers },
      recipe,
      jar,
      limits,
    );
    refuse(recipe, answer);
    if (answer.tests[0] !== true)
      throw new LoginError(answer.otherPasswordForm ? 'LOGIN_PAGE_CHANGED' : 'LOGIN_FAILED');

    const session = (await jar.store.getAllCookies()).filter((cookie) =>
      recipe.session_cookies === undefined
        ? !before.has(cookie.cookieString())
        : recipe.session_cookies.includes(cookie.key),
    );
    if (session.length === 0) throw new LoginError('LOGIN_NO_COOKIES');
    return {
      verified: true,
      cookies: JSON.stringify(await jar.serialize()),
      expiresAt: soonestEnd(session),
      siteUser: readSiteUser(answer.text),
    };
  }
}

const maxSiteUser = 100;

/** Longer texts are not user names. */
function readSiteUser(text = ''): string | undefined {
  const name = text.replace(/\s+/g, ' ').trim();
  return name === '' || name.length > maxSiteUser ? undefined : name;
}

/** Throws what the page says is wrong. */
function refuse(recipe: LoginRecipe, answer: Answer): void {
  const failure = recipe.failures.find((_, index) => answer.tests[index + 1] === true);
  if (failure !== undefined) throw new LoginError(failure.code);
  if (answer.status >= 500 || answer.status === 429) throw new LoginError('LOGIN_INFRASTRUCTURE_ERROR');
}

/** The earliest end of these cookies; cookies that end with the browser do not count. */
function soonestEnd(cookies: readonly Cookie[]): Date | undefined {
  const ends = cookies.map((cookie) => cookie.expiryTime()).filter((end) => end !== undefined);
  const soonest = Math.min(...ends.filter(Number.isFinite));
  return Number.isFinite(soonest) ? new Date(soonest) : undefined;
}

function toLoginErrorCode(error: unknown): LoginErrorCode {
  if (error instanceof LoginError) return error.code;
  if (!(error instanceof FetchError)) return 'LOGIN_FAILED';
  switch (error.problem) {
    case 'timeout':
      return 'LOGIN_TIMEOUT';
    case 'unreachable':
    case 'name':
    case 'refused':
    case 'reset':
    case 'proxy':
    case 'cancelled':
      return 'LOGIN_INFRASTRUCTURE_ERROR';
    default:
      return 'LOGIN_FAILED';
  }
}
