/**
 * The web console: server-rendered pages at the service's root that work without scripts, and the page that `connect_url`
 * leads to. What is shown and done is the operations' work.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Hono } from 'hono';
import { routePath } from 'hono/route';
import { baseStyle, pageHeaders } from '../../http/page.ts';
import type { Environment } from '../api/authentication.ts';
import { RequestError } from '../foundation/errors.ts';
import { SignInWindows } from '../operations/sign-in-windows.ts';
import { accountsPage } from './accounts.ts';
import { actionPage, runForm } from './action.ts';
import { actionsPage } from './actions.ts';
import { buildsPage } from './builds.ts';
import { connectForms, connectPage } from './connect.ts';
import { isOwnRequest } from './guard.ts';
import { healthPage } from './health.ts';
import { keyForms, keysPage, usersPage } from './keys.ts';
import { icon, noticePage } from './layout.ts';
import { newActionForm, newActionPage } from './new-action.ts';
import { overviewPage } from './overview.ts';
import { catalogFile, ownActionForms, repairPage } from './own-actions.ts';
import { type ConsoleOptions, type ConsoleRoute, Visit } from './pages.ts';
import { iconPath, scriptPath, stylePath } from './paths.ts';
import { csvFile, jsonFile, runPage } from './run.ts';
import { runsPage } from './runs.ts';
import { Entrance, showNotFound } from './sign-in.ts';
import { ledgerFile, usagePage } from './usage.ts';

const routes: readonly ConsoleRoute[] = [
  overviewPage,
  ...[runsPage, runPage, jsonFile, csvFile],
  ...[actionsPage, actionPage, runForm, repairPage, catalogFile, ...ownActionForms],
  ...[newActionPage, newActionForm, buildsPage],
  ...[accountsPage, connectPage, ...connectForms],
  ...[usagePage, ledgerFile],
  ...[keysPage, usersPage, ...keyForms],
  healthPage,
];

/** Built from `src/views`, for browsers. */
const files = [
  { path: stylePath, type: 'text/css', start: baseStyle, built: '#view/console.css' },
  { path: scriptPath, type: 'text/javascript', start: '', built: '#view/console-page.js' },
] as const;

/** Paths of the console. */
const paths = ['/', '/console/*', '/connect/*'];

export function createConsole(options: ConsoleOptions): Hono<Environment> {
  const { context } = options;
  const console = new Hono<Environment>();
  const windows = new SignInWindows(context);
  const entrance = new Entrance(options, (visitor, request) => new Visit(options, windows, visitor, request));
  const headers = Object.entries(pageHeaders({ scripts: true }));
  for (const path of paths) {
    console.use(path, async (request, next) => {
      await next();
      for (const [name, value] of headers) request.res.headers.set(name, value);
    });
    console.use(path, async (request, next) => {
      if (isOwnRequest(request, options)) return next();
      return request.html(
        noticePage('Not from here', 'This request came from another site, or under a name that is not ours.'),
        403,
      );
    });
  }
  console.get(iconPath, (request) => request.body(icon, 200, { 'Content-Type': 'image/svg+xml' }));
  for (const { path, type, start, built } of files)
    console.get(path, async (request) =>
      request.body(start + (await readFile(fileURLToPath(import.meta.resolve(built)), 'utf8')), 200, {
        'Content-Type': `${type}; charset=utf-8`,
      }),
    );
  entrance.register(console);
  for (const route of routes) console[route.method](route.path, (request) => entrance.open(request, route));
  for (const path of paths.slice(1)) console.all(path, (request) => entrance.open(request, notFound));
  console.onError((error, request) => {
    if (error instanceof RequestError && error.httpStatus === 413)
      return request.html(noticePage('Too much', 'What was sent is larger than the console takes.'), 413);
    context.logger.error({ err: error, route: routePath(request) }, 'The console failed unexpectedly');
    return request.html(noticePage('Something went wrong', 'The service’s log says why. Try again.'), 500);
  });
  return console;
}

const notFound: Pick<ConsoleRoute, 'method' | 'answer'> = {
  method: 'get',
  answer: async ({ request, visitor }) => showNotFound(request, visitor),
};
