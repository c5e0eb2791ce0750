/** What the connect page's forms do: sign in, take a browser's cookies, choose the default. */
import type { Hono } from 'hono';
import { loginErrors } from '../../contract/errors.ts';
import { RequestError } from '../foundation/errors.ts';
import { clientAddress, type Environment, type Request } from '../http/authentication.ts';
import { connectBrowser } from '../operations/browser-state.ts';
import { getCatalog } from '../operations/catalogs.ts';
import { setDefaultIdentity } from '../operations/default-identity.ts';
import { disconnectIdentity } from '../operations/disconnect.ts';
import { login } from '../operations/login.ts';
import { BrowserWindows } from './browser-window.ts';
import { type ConnectFailure, connectPage } from './connect-page.ts';
import type { ConsoleOptions } from './console-options.ts';
import type { Visitor } from './layout.ts';
import { loginAdvice } from './login-advice.ts';
import { readLogin } from './login-form.ts';
import type { SessionGuard } from './session-guard.ts';

export function registerConnect(
  console: Hono<Environment>,
  sessionGuard: SessionGuard,
  options: ConsoleOptions,
): void {
  const { context, rateLimits } = options;

  /** Shows the form again with what is wrong; what is not found stays not found. */
  const again = async (
    request: Request,
    visitor: Visitor,
    error: unknown,
    failure: Omit<ConnectFailure, 'message'>,
  ) => {
    if (!(error instanceof RequestError) || error.httpStatus === 404) throw error;
    for (const [name, value] of Object.entries(error.headers)) request.header(name, value);
    const message = error.httpStatus === 429 ? `Too many attempts. ${error.message}.` : adviceFor(error);
    const page = await connectPage(context, visitor, readSlug(request), { failure: { ...failure, message } });
    return request.html(page, error.httpStatus === 429 ? 429 : 422);
  };

  const windows = new BrowserWindows(context, options.trustProxy);
  console.get(
    '/connect/:slug',
    sessionGuard.page((visitor, request) => {
      const window = windows.take(visitor.user.id, readSlug(request));
      return connectPage(context, visitor, readSlug(request), {
        refresh: request.req.query('refresh'),
        connected: window?.kind === 'connected' ? window.identityId : request.req.query('connected'),
        offersWindow: windows.isOffered(request),
        windowIsOpen: window?.kind === 'open',
        failure:
          window?.kind === 'failed'
            ? { form: 'window', message: window.message, identityName: '', typed: {} }
            : undefined,
      });
    }),
  );

  console.post(
    '/connect/:slug/window',
    sessionGuard.form(async (visitor, form, request) => {
      // Refuses with NOT_FOUND before a window is opened.
      await getCatalog(context, visitor.user.id, readSlug(request));
      const name = (form.get('identity_name') ?? '').trim();
      if (windows.isOffered(request)) windows.open(visitor.user.id, readSlug(request), name);
      return request.redirect(getPagePath(request), 303);
    }),
  );

  console.post(
    '/connect/:slug/login',
    sessionGuard.form(async (visitor, form, request) => {
      const { user } = visitor;
      const slug = readSlug(request);
      const { login_input_schema: fields = [] } = await getCatalog(context, user.id, slug);
      const { params, typed } = readLogin(fields, form);
      const identityName = (form.get('identity_name') ?? '').trim();
      try {
        await rateLimits.count('login', {
          userId: user.id,
          address: clientAddress(request, options.trustProxy),
        });
        const verified = await login(context, user.id, {
          catalog_slug: slug,
          identity_name: identityName || undefined,
          params,
        });
        return connected(request, verified.identity_id);
      } catch (error) {
        return again(request, visitor, error, { form: 'login', identityName, typed });
      }
    }),
  );

  console.post(
    '/connect/:slug/cookies',
    sessionGuard.form(async (visitor, form, request) => {
      const identityName = (form.get('identity_name') ?? '').trim();
      try {
        const { identityId } = await connectBrowser(context, visitor.user.id, {
          catalogSlug: readSlug(request),
          identityName,
          cookieFile: form.get('cookie_file') ?? '',
        });
        return connected(request, identityId);
      } catch (error) {
        return again(request, visitor, error, { form: 'cookies', identityName, typed: {} });
      }
    }),
  );

  console.post(
    '/connect/:slug/default',
    sessionGuard.form(async ({ user }, form, request) => {
      const id = form.get('identity_id') ?? '';
      await setDefaultIdentity(context, user.id, id.includes('\0') ? '' : id);
      return request.redirect(getPagePath(request), 303);
    }),
  );

  console.post(
    '/connect/:slug/disconnect',
    sessionGuard.form(async ({ user }, form, request) => {
      const id = form.get('identity_id') ?? '';
      await disconnectIdentity(context.database, user.id, id.includes('\0') ? '' : id);
      return request.redirect(getPagePath(request), 303);
    }),
  );
}

const readSlug = (request: Request): string => request.req.param('slug') ?? '';
const getPagePath = (request: Request): string => `/connect/${encodeURIComponent(readSlug(request))}`;
const connected = (request: Request, identityId: string): Response =>
  request.redirect(`${getPagePath(request)}?connected=${identityId}`, 303);

const isLoginCode = (code: string): code is keyof typeof loginErrors => code in loginErrors;

/** A refusal of the login table in words for people; ours of the cookie file says itself what is wrong. */
const adviceFor = ({ code, message }: RequestError): string =>
  isLoginCode(code) && code !== 'INVALID_INPUT' ? loginAdvice[code] : message;
