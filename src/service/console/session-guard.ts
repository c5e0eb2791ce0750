/** Admits signed-in users to pages, accepts posted forms only from the console's own pages, and sends all others to the sign-in. */

import type { ServiceDatabase } from '../database/schema.ts';
import { RequestError } from '../foundation/errors.ts';
import type { Request } from '../http/authentication.ts';
import { readText } from '../http/body.ts';
import { readCookie, writeCookie } from './cookies.ts';
import type { GuardOptions } from './guard.ts';
import type { Html } from './html.ts';
import { noticePage, type Visitor } from './layout.ts';
import { findSessionUser, generateToken, getCsrfToken, isCsrfToken } from './sessions.ts';
import { redirectPage, signInPage } from './sign-in-page.ts';

type Handler = (request: Request) => Promise<Response>;
type Answer = Html | Response;

export const foreignForm =
  'This form is too old, or it was not sent from a page of the console in this browser. Nothing was done.';

export class SessionGuard {
  readonly #database: ServiceDatabase;
  readonly #options: GuardOptions;
  /** For addresses where nothing is. */
  readonly unknown: Handler;

  constructor(database: ServiceDatabase, options: GuardOptions) {
    this.#database = database;
    this.#options = options;
    this.unknown = this.page((visitor, request) => request.html(notFoundAnswer(visitor), 404));
  }

  /** A page for a signed-in user. Anybody else is asked to sign in, on every address. */
  page(show: (visitor: Visitor, request: Request) => Answer | Promise<Answer>): Handler {
    return async (request) => {
      const visitor = await this.#readVisitor(request);
      if (visitor !== undefined) return answer(request, visitor, () => show(visitor, request));
      if (isCrossSiteNavigation(request)) return request.html(redirectPage(addRedirectMark(request)));
      return this.askToSignIn(request, { target: readPath(request) });
    };
  }

  /** A posted form with the CSRF token of the visitor's session. */
  form(
    accept: (visitor: Visitor, form: URLSearchParams, request: Request) => Answer | Promise<Answer>,
  ): Handler {
    return async (request) => {
      const visitor = await this.#readVisitor(request);
      if (visitor === undefined) {
        // The page that the form was on.
        const target = /^\/connect\/[^/]+/.exec(request.req.path)?.[0] ?? '/';
        return this.askToSignIn(
          request,
          { target, problem: 'Your session has ended. Nothing was done; sign in again.' },
          403,
        );
      }
      const posted = await readForm(request);
      const token = readCookie(request, 'svc_console', this.#options) ?? '';
      if (!isCsrfToken(token, posted.get('csrf_token') ?? '')) {
        return request.html(noticePage('Not accepted', foreignForm, visitor), 403);
      }
      return answer(request, visitor, () => accept(visitor, posted, request));
    };
  }

  /** The sign-in, bound to this browser; `target` is where to go afterwards. */
  async askToSignIn(
    request: Request,
    form: { target: string; problem?: string },
    status: 200 | 403 | 429 = 200,
  ): Promise<Response> {
    const formToken = readCookie(request, 'svc_console_form', this.#options);
    const token = formToken ?? generateToken();
    if (formToken === undefined) writeCookie(request, 'svc_console_form', token, this.#options);
    return request.html(signInPage({ ...form, csrfToken: getCsrfToken(token) }), status);
  }

  async #readVisitor(request: Request): Promise<Visitor | undefined> {
    const token = readCookie(request, 'svc_console', this.#options);
    const user = token === undefined ? undefined : await findSessionUser(this.#database, token);
    return token === undefined || user === undefined ? undefined : { user, csrfToken: getCsrfToken(token) };
  }
}

async function answer(
  request: Request,
  visitor: Visitor,
  work: () => Answer | Promise<Answer>,
): Promise<Response> {
  try {
    const result = await work();
    return result instanceof Response ? result : await request.html(result);
  } catch (error) {
    if (error instanceof RequestError && error.httpStatus === 404) {
      return request.html(notFoundAnswer(visitor), 404);
    }
    throw error;
  }
}

/** The fields of a plain HTML form; none for any other body. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  return new URLSearchParams(type === 'application/x-www-form-urlencoded' ? await readText(request) : '');
}

/** The same for what does not exist and for what is another user's. */
const notFoundAnswer = (visitor: Visitor): Html =>
  noticePage('Not found', 'This page does not exist, or it belongs to another user.', visitor);

const readPath = (request: Request): string => {
  const { pathname, search } = new URL(request.req.url);
  return pathname + search;
};

/** Marks the second step, so that it is taken once. */
const redirectMark = 'arrived';
const isCrossSiteNavigation = (request: Request): boolean =>
  request.req.header('sec-fetch-site') === 'cross-site' && request.req.query(redirectMark) === undefined;

function addRedirectMark(request: Request): string {
  const address = new URL(request.req.url);
  address.searchParams.set(redirectMark, '1');
  return address.pathname + address.search;
}
