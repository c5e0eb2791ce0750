/** What the connect page's forms do: sign in, take a browser's cookies, choose the default. */
import type { Hono } from 'hono';
import { loginErrors } from '../../contract/errors.ts';
import { readLoginForm } from '../../http/login-form.ts';
import { RequestError } from '../foundation/errors.ts';
import { clientAddress, type Environment, type Request } from '../http/authentication.ts';
import { connectBrowser } from '../operations/browser-state.ts';
import { getCatalog } from '../operations/catalogs.ts';
import type { Context } from '../operations/context.ts';
import { setDefaultIdentity } from '../operations/default-identity.ts';
import { disconnectIdentity } from '../operations/disconnect.ts';
import { login } from '../operations/login.ts';
import { BrowserWindows } from './browser-window.ts';
import { type ConnectFailure, connectPage } from './connect-page.ts';
import type { ConsoleOptions } from './console-options.ts';
import type { Html } from './html.ts';
import type { Visitor } from './layout.ts';
import { loginAdvice } from './login-advice.ts';
import type { SessionGuard } from './session-guard.ts';

export function registerConnect(
  console: Hono<Environment>,
  sessionGuard: SessionGuard,
  options: ConsoleOptions,
): void {
  const forms = new ConnectForms(options);
  console.get(
    '/connect/:slug',
    sessionGuard.page((visitor, request) => forms.show(visitor, request)),
  );
  console.post(
    '/connect/:slug/window',
    sessionGuard.form((visitor, form, request) => forms.openWindow(visitor, form, request)),
  );
  console.post(
    '/connect/:slug/login',
    sessionGuard.form((visitor, form, request) => forms.login(visitor, form, request)),
  );
  console.post(
    '/connect/:slug/cookies',
    sessionGuard.form((visitor, form, request) => forms.takeCookies(visitor, form, request)),
  );
  console.post(
    '/connect/:slug/default',
    sessionGuard.form((visitor, form, request) => forms.setDefault(visitor, form, request)),
  );
  console.post(
    '/connect/:slug/disconnect',
    sessionGuard.form((visitor, form, request) => forms.disconnect(visitor, form, request)),
  );
}

class ConnectForms {
  readonly #options: ConsoleOptions;
  readonly #context: Context;
  readonly #windows: BrowserWindows;

  constructor(options: ConsoleOptions) {
    this.#options = options;
    this.#context = options.context;
    this.#windows = new BrowserWindows(options.context, options.trustProxy);
  }

  show(visitor: Visitor, request: Request): Promise<Html> {
    const window = this.#windows.take(visitor.user.id, readSlug(request));
    return connectPage(this.#context, visitor, readSlug(request), {
      refresh: request.req.query('refresh'),
      connected: window?.kind === 'connected' ? window.identityId : request.req.query('connected'),
      offersWindow: this.#windows.isOffered(request),
      windowIsOpen: window?.kind === 'open',
      failure:
        window?.kind === 'failed'
          ? { form: 'window', message: window.message, identityName: '', typed: {} }
          : undefined,
    });
  }

  async openWindow(visitor: Visitor, form: URLSearchParams, request: Request): Promise<Response> {
    // Refuses with NOT_FOUND before a window is opened.
    await getCatalog(this.#context, visitor.user.id, readSlug(request));
    const name = readIdentityName(form);
    if (this.#windows.isOffered(request)) this.#windows.open(visitor.user.id, readSlug(request), name);
    return request.redirect(getPagePath(request), 303);
  }

  async login(visitor: Visitor, form: URLSearchParams, request: Request): Promise<Response> {
    const { rateLimits, trustProxy } = this.#options;
    const { user } = visitor;
    const slug = readSlug(request);
    const { login_input_schema: fields = [] } = await getCatalog(this.#context, user.id, slug);
    const { params, typed } = readLoginForm(fields, form);
    const identityName = readIdentityName(form);
    try {
      await rateLimits.count('login', { userId: user.id, address: clientAddress(request, trustProxy) });
      const verified = await login(this.#context, user.id, {
        catalog_slug: slug,
        identity_name: identityName || undefined,
        params,
      });
      return connected(request, verified.identity_id);
    } catch (error) {
      return this.#again(request, visitor, error, { form: 'login', identityName, typed });
    }
  }

  async takeCookies(visitor: Visitor, form: URLSearchParams, request: Request): Promise<Response> {
    const identityName = readIdentityName(form);
    try {
      const { identityId } = await connectBrowser(this.#context, visitor.user.id, {
        catalogSlug: readSlug(request),
        identityName,
        cookieFile: form.get('cookie_file') ?? '',
      });
      return connected(request, identityId);
    } catch (error) {
      return this.#again(request, visitor, error, { form: 'cookies', identityName, typed: {} });
    }
  }

  async setDefault({ user }: Visitor, form: URLSearchParams, request: Request): Promise<Response> {
    await setDefaultIdentity(this.#context, user.id, readIdentityId(form));
    return request.redirect(getPagePath(request), 303);
  }

  async disconnect({ user }: Visitor, form: URLSearchParams, request: Request): Promise<Response> {
    await disconnectIdentity(this.#context.database, user.id, readIdentityId(form));
    return request.redirect(getPagePath(request), 303);
  }

  /** Shows the form again with what is wrong; what is not found stays not found. */
  async #again(
    request: Request,
    visitor: Visitor,
    error: unknown,
    failure: Omit<ConnectFailure, 'message'>,
  ): Promise<Response> {
    if (!(error instanceof RequestError) || error.httpStatus === 404) throw error;
    for (const [name, value] of Object.entries(error.headers)) request.header(name, value);
    const message = error.httpStatus === 429 ? `Too many attempts. ${error.message}.` : adviceFor(error);
    const page = await connectPage(this.#context, visitor, readSlug(request), {
      failure: { ...failure, message },
    });
    return request.html(page, error.httpStatus === 429 ? 429 : 422);
  }
}

const readIdentityName = (form: URLSearchParams): string => (form.get('identity_name') ?? '').trim();

/** Nothing is called by a text with NUL, and databases do not take it. */
function readIdentityId(form: URLSearchParams): string {
  const id = form.get('identity_id') ?? '';
  return id.includes('\0') ? '' : id;
}

const readSlug = (request: Request): string => request.req.param('slug') ?? '';
const getPagePath = (request: Request): string => `/connect/${encodeURIComponent(readSlug(request))}`;
const connected = (request: Request, identityId: string): Response =>
  request.redirect(`${getPagePath(request)}?connected=${identityId}`, 303);

const isLoginCode = (code: string): code is keyof typeof loginErrors => code in loginErrors;

/** A refusal of the login table in words for people; ours of the cookie file says itself what is wrong. */
const adviceFor = ({ code, message }: RequestError): string =>
  isLoginCode(code) && code !== 'INVALID_INPUT' ? loginAdvice[code] : message;
