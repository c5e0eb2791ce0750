/** Signing in to the console with an API key, and out. Every address asks visitors to sign in first. */
import type { Hono } from 'hono';
import { html } from 'hono/html';
import { formField, type Html } from '../../http/page.ts';
import { clientAddress } from '../../http/server.ts';
import { isDirect } from '../../http/this-machine.ts';
import type { Environment, ServiceRequest } from '../api/authentication.ts';
import { readText } from '../api/request-body.ts';
import { RequestError } from '../foundation/errors.ts';
import { operatorName } from '../money/users.ts';
import {
  endSession,
  findSessionUser,
  generateToken,
  sessionSeconds,
  startSession,
} from '../operations/console-sessions.ts';
import { hiddenField } from './form.ts';
import { readCookie, writeCookie } from './guard.ts';
import { layout, noticePage } from './layout.ts';
import { type ConsoleOptions, type ConsoleRoute, describeRefusal, type Visit } from './pages.ts';
import { getCsrfToken, isCsrfToken, type Visitor } from './sessions.ts';

const foreignForm =
  'This form is too old, or it was not sent from a page of the console in this browser. Nothing was done.';

/** Lets signed-in users in. A form must bring the CSRF token of its visitor's session. */
export class Entrance {
  readonly #options: ConsoleOptions;
  readonly #visit: (visitor: Visitor, request: ServiceRequest) => Visit;

  constructor(options: ConsoleOptions, visit: (visitor: Visitor, request: ServiceRequest) => Visit) {
    this.#options = options;
    this.#visit = visit;
  }

  async open(
    request: ServiceRequest,
    { method, answer }: Pick<ConsoleRoute, 'method' | 'answer'>,
  ): Promise<Response> {
    const visitor = await this.#readVisitor(request);
    if (visitor === undefined) return this.#turnAway(request, method);
    const posted = method === 'get' ? new URLSearchParams() : await readForm(request);
    const token = readCookie(request, 'svc_console', this.#options) ?? '';
    if (method === 'post' && !isCsrfToken(token, posted.get('csrf_token') ?? ''))
      return request.html(noticePage('Not accepted', foreignForm, visitor), 403);
    try {
      return await answer(this.#visit(visitor, request), posted);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (error.httpStatus === 404) return showNotFound(request, visitor);
      for (const [name, value] of Object.entries(error.headers)) request.header(name, value);
      return request.html(noticePage('This cannot be done', describeRefusal(error), visitor), 400);
    }
  }

  register(console: Hono<Environment>): void {
    console.post('/console/sign-in', (request) => this.#signIn(request));
    const answer = async ({ request }: Visit) => {
      await this.#endSession(request);
      writeCookie(request, 'svc_console', undefined, this.#options);
      return request.redirect('/', 303);
    };
    console.post('/console/sign-out', (request) => this.open(request, { method: 'post', answer }));
  }

  async #readVisitor(request: ServiceRequest): Promise<Visitor | undefined> {
    const token = readCookie(request, 'svc_console', this.#options);
    if (token === undefined) return undefined;
    const user = await findSessionUser(this.#options.context.database, token);
    if (user === undefined) return undefined;
    const isHere = !this.#options.trustProxy && isDirect(request.env.incoming);
    return { user, csrfToken: getCsrfToken(token), isOperator: isHere && user.name === operatorName };
  }

  #turnAway(request: ServiceRequest, method: ConsoleRoute['method']): Promise<Response> | Response {
    if (method === 'get' && isCrossSiteNavigation(request))
      return request.html(redirectPage(addRedirectMark(request)));
    const { pathname, search } = new URL(request.req.url);
    if (method === 'get') return this.#askToSignIn(request, { target: pathname + search });
    // The page with the form.
    const target = /^\/connect\/[^/]+/.exec(pathname)?.[0] ?? '/';
    const problem = 'Your session has ended. Nothing was done; sign in again.';
    return this.#askToSignIn(request, { target, problem }, 403);
  }

  /** The sign-in form, bound to this browser; `target` is the page to open afterwards. */
  async #askToSignIn(
    request: ServiceRequest,
    form: { target: string; problem?: string },
    status: 200 | 403 | 429 = 200,
  ): Promise<Response> {
    const formToken = readCookie(request, 'svc_console_form', this.#options);
    const token = formToken ?? generateToken();
    if (formToken === undefined) writeCookie(request, 'svc_console_form', token, this.#options);
    return request.html(signInPage({ ...form, csrfToken: getCsrfToken(token) }), status);
  }

  async #signIn(request: ServiceRequest): Promise<Response> {
    const { context, rateLimits, trustProxy } = this.#options;
    const form = await readForm(request);
    const target = toOwnPath(form.get('target') ?? '/');
    const again = (problem: string, status: 403 | 429 = 403) =>
      this.#askToSignIn(request, { target, problem }, status);
    const formToken = readCookie(request, 'svc_console_form', this.#options);
    if (formToken === undefined || !isCsrfToken(formToken, form.get('csrf_token') ?? ''))
      return again(foreignForm);
    try {
      const address = clientAddress(request.env.incoming, trustProxy);
      await rateLimits.count('consoleSignIn', { userId: '', address });
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      for (const [name, value] of Object.entries(error.headers)) request.header(name, value);
      return again(describeRefusal(error), 429);
    }
    const token = await startSession(context.database, (form.get('api_key') ?? '').trim());
    if (token === undefined) return again('This API key is not valid. Check that you copied all of it.');
    await this.#endSession(request);
    writeCookie(request, 'svc_console', token, this.#options);
    writeCookie(request, 'svc_console_form', undefined, this.#options);
    return request.redirect(target, 303);
  }

  async #endSession(request: ServiceRequest): Promise<void> {
    const token = readCookie(request, 'svc_console', this.#options);
    if (token !== undefined) await endSession(this.#options.context.database, token);
  }
}

/** The same page whether it does not exist or belongs to another user. */
export const showNotFound = (request: ServiceRequest, visitor: Visitor): Response | Promise<Response> =>
  request.html(
    noticePage('Not found', 'This page does not exist, or it belongs to another user.', visitor),
    404,
  );

/** Shown wherever somebody comes who is not signed in. */
function signInPage(form: { csrfToken: string; target: string; problem?: string | undefined }): Html {
  const { problem } = form;
  return layout(
    {
      title: 'Sign in',
      problem: problem === undefined ? undefined : { message: problem, at: 'api-key' },
    },
    html`<form class="card" method="post" action="/console/sign-in">
${hiddenField('csrf_token', form.csrfToken)}${hiddenField('target', form.target)}
${formField({
  id: 'api-key',
  name: 'api_key',
  label: 'API key',
  type: 'password',
  required: true,
  focus: true,
  hint: 'It begins with svc_. The operator of this service gave it to you.',
  attributes: { autocomplete: 'current-password' },
})}
<button>Sign in</button>
<p class="quiet">You stay signed in for ${sessionSeconds / 3_600} hours in this browser, or until the key is revoked.</p>
<details><summary>I am the operator</summary><p>The key of the user “default” is in the file <code>api-key</code> in the
service’s data folder; <code>svc-mcp service keys add</code> makes keys for others.</p></details>
</form>`,
  );
}

/**
 * A browser that follows another site's link does not send the session's cookie (SameSite=Strict). A redirect by a page
 * of this site does.
 */
const redirectPage = (address: string): Html =>
  layout(
    { title: 'One moment', target: address },
    html`<p><a href="${address}">Continue to the console</a></p>`,
  );

/** Marks the second request, so that the browser is redirected once. */
const redirectMark = 'arrived';
const isCrossSiteNavigation = (request: ServiceRequest): boolean =>
  request.req.header('sec-fetch-site') === 'cross-site' && request.req.query(redirectMark) === undefined;

function addRedirectMark(request: ServiceRequest): string {
  const address = new URL(request.req.url);
  address.searchParams.set(redirectMark, '1');
  return address.pathname + address.search;
}

/** The fields of a plain HTML form; none for any other body. Without NUL, which nobody types and databases refuse. */
async function readForm(request: ServiceRequest): Promise<URLSearchParams> {
  const type = request.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  const text = type === 'application/x-www-form-urlencoded' ? await readText(request) : '';
  return new URLSearchParams(text.replaceAll(/%00|\0/g, ''));
}

/** A path of the console; its first page for anything that leads elsewhere. */
function toOwnPath(text: string): string {
  const base = 'http://console.invalid';
  if (!URL.canParse(text, base)) return '/';
  const { origin, pathname, search } = new URL(text, base);
  const isOwn = origin === base && /^\/(console\/(?!sign-)|connect\/|$)/.test(pathname);
  return isOwn ? pathname + search : '/';
}
