/**
 * The web console: server-rendered pages at the service's root that work without scripts, and the page that `connect_url`
 * leads to. What is shown and done is the operations' work; what lets a browser in is in `guard.ts` and `session-guard.ts`.
 */
import { Hono } from 'hono';
import { routePath } from 'hono/route';
import { RequestError } from '../foundation/errors.ts';
import type { Environment, Request } from '../http/authentication.ts';
import type { Context } from '../operations/context.ts';
import { getJob } from '../operations/jobs.ts';
import { accountsPage } from './accounts-page.ts';
import { buildsPage } from './builds-page.ts';
import { catalogPage } from './catalog-page.ts';
import { catalogsPage } from './catalogs-page.ts';
import { registerConnect } from './connect.ts';
import type { ConsoleOptions } from './console-options.ts';
import { isOwnHost, isOwnOrigin, securityHeaders } from './guard.ts';
import { jobPage } from './job-page.ts';
import { jobsPage } from './jobs-page.ts';
import { noticePage, stylePath } from './layout.ts';
import { ledgerPage } from './ledger-page.ts';
import { registerNewAction } from './new-action.ts';
import { registerOwnActions } from './own-actions.ts';
import { registerRunAction } from './run-action.ts';
import { SessionGuard } from './session-guard.ts';
import { registerSignIn } from './sign-in.ts';
import { style } from './style.ts';
import { tableScript, tableScriptPath } from './table-script.ts';

/** Paths of the console. */
const paths = ['/', '/console/*', '/connect/*'];

export function createConsole(options: ConsoleOptions): Hono<Environment> {
  const { context } = options;
  const console = new Hono<Environment>();
  const sessionGuard = new SessionGuard(context.database, options);
  for (const path of paths) {
    console.use(path, async (request, next) => {
      await next();
      for (const [name, value] of Object.entries(securityHeaders)) request.res.headers.set(name, value);
    });
    console.use(path, async (request, next) => {
      if (isOwnHost(request, options) && isOwnOrigin(request, options)) return next();
      return request.html(
        noticePage('Not from here', 'This request came from another site, or under a name that is not ours.'),
        403,
      );
    });
  }
  console.get(stylePath, (request) =>
    request.body(style, 200, { 'Content-Type': 'text/css; charset=utf-8' }),
  );
  console.get(tableScriptPath, async (request) =>
    request.body(await tableScript(), 200, { 'Content-Type': 'text/javascript; charset=utf-8' }),
  );
  registerSignIn(console, sessionGuard, options);
  registerConnect(console, sessionGuard, options);
  registerOwnActions(console, sessionGuard, options);
  registerRunAction(console, sessionGuard, context);
  registerNewAction(console, sessionGuard, options);
  registerPages(console, sessionGuard, context);
  console.all('/console/*', sessionGuard.unknown);
  console.all('/connect/*', sessionGuard.unknown);
  console.onError((error, request) => {
    if (error instanceof RequestError) {
      for (const [name, value] of Object.entries(error.headers)) request.header(name, value);
      if (error.httpStatus === 413)
        return request.html(noticePage('Too much', 'What was sent is larger than the console takes.'), 413);
      return request.html(noticePage('This cannot be done', `${error.message}.`), 400);
    }
    context.logger.error({ err: error, route: routePath(request) }, 'The console failed unexpectedly');
    return request.html(noticePage('Something went wrong', 'The service’s log says why. Try again.'), 500);
  });
  return console;
}

function registerPages(console: Hono<Environment>, sessionGuard: SessionGuard, context: Context): void {
  const page: SessionGuard['page'] = (show) => sessionGuard.page(show);
  const pages = {
    '/': (visitor, request) => catalogsPage(context, visitor, pageNumber(request)),
    '/console/catalogs/:slug': (visitor, request) =>
      catalogPage(context, visitor, parameter(request, 'slug'), pageNumber(request)),
    '/console/accounts': (visitor, request) => accountsPage(context, visitor, pageNumber(request)),
    '/console/jobs': (visitor, request) => jobsPage(context, visitor, pageNumber(request)),
    '/console/jobs/:id': (visitor, request) =>
      jobPage(context, visitor, parameter(request, 'id'), pageNumber(request)),
    '/console/ledger': (visitor, request) => ledgerPage(context, visitor, pageNumber(request)),
    '/console/builds': (visitor, request) => buildsPage(context, visitor, pageNumber(request)),
  } satisfies Record<string, Parameters<typeof page>[0]>;
  for (const [path, show] of Object.entries(pages)) console.get(path, page(show));

  console.get(
    '/console/jobs/:id/result.json',
    page(async ({ user }, request) =>
      request.body(await getJob(context, user.id, parameter(request, 'id')), 200, {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Disposition': 'attachment; filename="result.json"',
      }),
    ),
  );
}

/** Nothing is called by a text with NUL, and databases do not take it. */
function parameter(request: Request, name: string): string {
  const value = request.req.param(name) ?? '';
  return value.includes('\0') ? '' : value;
}

/** From 1; 1 for whatever is no page number. */
function pageNumber(request: Request): number {
  const text = request.req.query('page') ?? '';
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1;
}
