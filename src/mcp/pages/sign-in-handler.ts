/**
 * The sign-in pages over HTTP, for any listener of Hono's Node adapter. It checks each request:
 * host, origin, CSRF token, size. Nothing of a request is logged, because addresses and bodies are secrets.
 */
import { randomBytes } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { generateCookie, getCookie } from 'hono/cookie';
import type { SignInPage, SignInPages } from '../../gateway/accounts/sign-in-pages.ts';
import { readBodyText } from '../../http/bodies.ts';
import { comesFrom, type Html, pageHeaders, readLoginForm, type TypedTexts } from '../../http/page.ts';
import { discardRest } from '../../http/server.ts';
import { busyPage, formPage, signInNotice, signInStyle, verifiedPage } from './sign-in-view.ts';

/** Below this path the sign-in pages are served. */
export const signInPath = '/sign-in';

const maxBodyBytes = 64 * 1024;

export interface SignInHandlerOptions {
  readonly pages: SignInPages;
  /** The origins at which browsers reach the pages, such as `http://127.0.0.1:8931`. */
  readonly origins: () => readonly string[];
  /** Who may use a page beside having its address. Absent: on loopback nobody else has it. */
  readonly visitors?: Visitors;
}

export interface Visitors {
  /**
   * The principal of a request that brings credentials of its own, `refused` if they are wrong; undefined where it
   * brings none, as browsers do: those belong to the first of them that opens the page.
   */
  readonly getPrincipalId: (headers: Headers) => Promise<string | undefined>;
  /** Whether the public address is https. */
  readonly secure: boolean;
}

const headers = pageHeaders({ scripts: false });

const notices = {
  unknown: signInNotice(
    'This link does not work',
    'This server does not have it, or another browser opened it first. Ask your assistant for a new link.',
  ),
  cookies: signInNotice(
    'This page needs a cookie',
    'It keeps the link to this browser. Allow cookies for this address, then open the link again.',
  ),
  used: signInNotice(
    'This link has been used',
    'Somebody signed in with it already. Ask your assistant for a new link to sign in again.',
  ),
  expired: signInNotice(
    'This link has expired',
    'A sign-in page works for ten minutes. Ask your assistant for a new link.',
  ),
  foreign: signInNotice(
    'Not from here',
    'This request did not come from the sign-in page. Open the link again.',
  ),
  tooLarge: signInNotice('Too much', 'The form is too large.'),
};

export type SignInHandler = Hono<{ Bindings: HttpBindings }>['fetch'];

export function createSignInHandler(options: SignInHandlerOptions): SignInHandler {
  const { pages, visitors } = options;
  /** The values typed into fields that are not secret, shown again at the next attempt. */
  const typed = new WeakMap<SignInPage, TypedTexts>();

  /** The page that is asked for, where this visitor may use it; else what to answer. */
  const pageFor = async (context: Context, id: string): Promise<SignInPage | Response> => {
    if (visitors === undefined) return (await pages.find(id)) ?? respond(notices.unknown, 404);
    const principal = await visitors.getPrincipalId(context.req.raw.headers);
    const browser = principal === undefined ? readBrowserId(context) : undefined;
    if (principal === undefined && browser === undefined) return setBrowserCookie(context, id, visitors);
    const page = await pages.find(id);
    const isTheirs = browser === undefined ? page?.principal === principal : await page?.belongsTo(browser);
    return page !== undefined && isTheirs ? page : respond(notices.unknown, 404);
  };

  const application = new Hono<{ Bindings: HttpBindings }>().basePath(signInPath);
  application.use(async ({ env: { incoming, outgoing } }, next) => {
    await next();
    await discardRest(incoming, outgoing);
  });
  application.use(async ({ req }, next) => {
    const hosts = options.origins().map((origin) => new URL(origin).host);
    if (!hosts.includes(req.header('host') ?? new URL(req.url).host)) return respond(notices.foreign, 403);
    return next();
  });
  application.get('/style.css', () => respond(signInStyle, 200, 'text/css; charset=utf-8'));
  application.get('/:id', async (context) => {
    const page = await pageFor(context, context.req.param('id'));
    if (page instanceof Response) return page;
    // Restores the original link in the address bar, because a person may copy it.
    if (context.req.query(browserId) !== undefined) return seeOther(page.id);
    return context.req.method === 'HEAD' ? respond('') : show(page, typed.get(page));
  });
  application.post('/:id', async (context) => {
    const { req } = context;
    if (!isOwnForm(req.raw, options.origins())) return respond(notices.foreign, 403);
    const page = await pageFor(context, req.param('id'));
    if (page instanceof Response) return page;
    const body = await readBodyText(context.env.incoming, maxBodyBytes);
    if (body === undefined) return respond(notices.tooLarge, 413);
    const form = new URLSearchParams(body);
    if (form.get('csrf_token') !== page.csrfToken) return respond(notices.foreign, 403);
    if (!page.pending) return show(page, typed.get(page));
    const login = readLoginForm(page.fields, form);
    typed.set(page, login.typed);
    await page.submit(login.params);
    return seeOther(page.id);
  });
  application.notFound(() => respond(notices.unknown, 404));
  application.onError(() => respond(signInNotice('Something went wrong', 'Open the link again.'), 500));
  return application.fetch;
}

async function show(page: SignInPage, typed: TypedTexts | undefined): Promise<Response> {
  switch (page.state) {
    case 'open':
      return respond(formPage(page, typed ?? {}));
    case 'signing-in':
      return respond(busyPage(page));
    case 'expired':
      return respond(notices.expired, 410);
    case 'verified':
      if (page.seen) return respond(notices.used, 410);
      await page.markSeen();
      return respond(verifiedPage(page));
  }
}

const cookieName = 'svc_mcp_browser';
/** In the address, once a cookie was set. */
const browserId = 'opened';

/** The id that this browser got at its first visit. */
function readBrowserId(context: Context): string | undefined {
  const value = getCookie(context, cookieName);
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
}

/**
 * A first visit gets a cookie and is sent back here. Only what comes back with it gets the page: programs that look at
 * links in messages before people open them keep none, and must not become the browser that the page belongs to.
 *
 * `Lax`, because a link that is opened from a web page must bring it; a form from elsewhere never does. Without a path
 * it goes to the sign-in pages alone, behind whatever prefix a proxy puts before them.
 */
async function setBrowserCookie(context: Context, id: string, { secure }: Visitors): Promise<Response> {
  const { req } = context;
  if (req.method !== 'GET' || req.query(browserId) !== undefined) return respond(notices.cookies, 403);
  const value = randomBytes(32).toString('base64url');
  const cookie = generateCookie(cookieName, value, { path: '', httpOnly: true, sameSite: 'Lax', secure });
  return seeOther(`${encodeURIComponent(id)}?${browserId}`, { 'Set-Cookie': cookie });
}

async function respond(
  body: Html | string,
  status = 200,
  type = 'text/html; charset=utf-8',
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return new Response(String(await body), { status, headers: { ...headers, 'Content-Type': type, ...more } });
}

/** Relative, so that it holds behind any path of a proxy. */
const seeOther = (location: string, more: Readonly<Record<string, string>> = {}) =>
  respond('', 303, undefined, { Location: location, ...more });

/** The CSRF token stands behind this. */
const isOwnForm = ({ headers }: Request, origins: readonly string[]): boolean =>
  headers.get('content-type')?.startsWith('application/x-www-form-urlencoded') === true &&
  comesFrom(headers, (origin) => origins.includes(origin));
