/** Signing in to the console with an API key, and out. */
import type { Hono } from 'hono';
import { RequestError } from '../foundation/errors.ts';
import { clientAddress, type Environment } from '../http/authentication.ts';
import type { ConsoleOptions } from './console-options.ts';
import { readCookie, writeCookie } from './cookies.ts';
import { foreignForm, readForm, type SessionGuard } from './session-guard.ts';
import { endSession, isCsrfToken, startSession } from './sessions.ts';

export function registerSignIn(
  console: Hono<Environment>,
  sessionGuard: SessionGuard,
  options: ConsoleOptions,
): void {
  const { context, rateLimits } = options;

  console.post('/console/sign-in', async (request) => {
    const form = await readForm(request);
    const target = ownPath(form.get('target') ?? '/');
    const again = (problem: string, status: 403 | 429 = 403) =>
      sessionGuard.askToSignIn(request, { target, problem }, status);
    const formToken = readCookie(request, 'svc_console_form', options);
    if (formToken === undefined || !isCsrfToken(formToken, form.get('csrf_token') ?? '')) {
      return again(foreignForm);
    }
    try {
      const address = clientAddress(request, options.trustProxy);
      await rateLimits.count('consoleSignIn', { userId: '', address });
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      for (const [name, value] of Object.entries(error.headers)) request.header(name, value);
      return again(`Too many attempts. ${error.message}.`, 429);
    }
    const token = await startSession(context.database, (form.get('api_key') ?? '').trim());
    if (token === undefined) return again('This API key is not valid. Check that you copied all of it.');
    const before = readCookie(request, 'svc_console', options);
    if (before !== undefined) await endSession(context.database, before);
    writeCookie(request, 'svc_console', token, options);
    writeCookie(request, 'svc_console_form', undefined, options);
    return request.redirect(target, 303);
  });

  console.post(
    '/console/sign-out',
    sessionGuard.form(async (_visitor, _form, request) => {
      const token = readCookie(request, 'svc_console', options);
      if (token !== undefined) await endSession(context.database, token);
      writeCookie(request, 'svc_console', undefined, options);
      return request.redirect('/', 303);
    }),
  );
}

/** A path of the console; its first page for anything that leads elsewhere. */
function ownPath(text: string): string {
  const base = 'http://console.invalid';
  if (!URL.canParse(text, base)) return '/';
  const { origin, pathname, search } = new URL(text, base);
  const isOwn = origin === base && /^\/(console\/(?!sign-)|connect\/|$)/.test(pathname);
  return isOwn ? pathname + search : '/';
}
