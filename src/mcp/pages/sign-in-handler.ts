/**
 * The sign-in pages over HTTP, for any listener: `(request) => Promise<Response>`. What it lets in is checked here:
 * host, origin, CSRF token, size. Nothing of a request is logged, because addresses and bodies are secrets.
 */
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { isSecretField, typedValue } from '../../gateway/accounts/login-fields.ts';
import type { SignInPage, SignInPages } from '../../gateway/accounts/sign-in-pages.ts';
import type { JsonObject } from '../../gateway/outcomes.ts';
import { signInPath } from './sign-in-path.ts';
import { busyPage, formPage, type Html, noticePage, verifiedPage } from './sign-in-view.ts';
import { style } from './style.ts';

const maxBodyBytes = 64 * 1024;

export interface SignInHandlerOptions {
  readonly pages: SignInPages;
  /** The origins at which browsers reach the pages, such as `http://127.0.0.1:8931`. */
  readonly origins: () => readonly string[];
  /** Whether this browser may use a page of that principal. Absent: who has the address may. */
  readonly admits?: ((request: Request, principal: string) => boolean | Promise<boolean>) | undefined;
}

const headers = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

const notices = {
  unknown: noticePage('This link does not work', 'It is not known here. Ask your assistant for a new one.'),
  used: noticePage(
    'This link has been used',
    'The sign-in that it was made for has worked. Ask your assistant for a new link to sign in again.',
  ),
  expired: noticePage(
    'This link has expired',
    'A sign-in page works for ten minutes. Ask your assistant for a new link.',
  ),
  foreign: noticePage(
    'Not from here',
    'This request did not come from the sign-in page. Open the link again.',
  ),
  tooLarge: noticePage('Too much', 'What was sent is larger than a sign-in can be.'),
};

export function createSignInHandler(options: SignInHandlerOptions): (request: Request) => Promise<Response> {
  const { pages, admits = () => true } = options;
  /** What was typed into fields that are not secret, so that a second try need not type it again. */
  const typed = new WeakMap<SignInPage, Readonly<Record<string, string>>>();
  /** Pages whose good end was seen; opened again, they only say that they were used. */
  const seen = new WeakSet<SignInPage>();

  const pageOf = async (request: Request, id: string): Promise<SignInPage | undefined> => {
    const page = pages.find(id);
    return page !== undefined && (await admits(request, page.request.principal)) ? page : undefined;
  };

  const show = (page: SignInPage): Promise<Response> => {
    switch (page.state) {
      case 'open':
        return respond(formPage(page, typed.get(page) ?? {}));
      case 'signing-in':
        return respond(busyPage(page));
      case 'expired':
        return respond(notices.expired, 410);
      case 'verified':
        if (seen.has(page)) return respond(notices.used, 410);
        seen.add(page);
        return respond(verifiedPage(page));
    }
  };

  const application = new Hono().basePath(signInPath);
  application.use(async ({ req }, next) => {
    const hosts = options.origins().map((origin) => new URL(origin).host);
    if (!hosts.includes(req.header('host') ?? new URL(req.url).host)) return respond(notices.foreign, 403);
    return next();
  });
  application.get('/style.css', () => respond(style, 200, 'text/css; charset=utf-8'));
  application.get('/:id', async ({ req }) => {
    const page = await pageOf(req.raw, req.param('id'));
    if (page === undefined) return respond(notices.unknown, 404);
    return req.method === 'HEAD' ? respond('') : show(page);
  });
  application.post(
    '/:id',
    bodyLimit({ maxSize: maxBodyBytes, onError: () => respond(notices.tooLarge, 413) }),
    async ({ req }) => {
      if (!isOwnForm(req.raw, options.origins())) return respond(notices.foreign, 403);
      const page = await pageOf(req.raw, req.param('id'));
      if (page === undefined) return respond(notices.unknown, 404);
      const form = new URLSearchParams(await req.text());
      if (form.get('csrf_token') !== page.csrfToken) return respond(notices.foreign, 403);
      if (!page.pending) return show(page);
      const { params, shown } = readForm(page, form);
      typed.set(page, shown);
      page.submit(params);
      // Relative, so that it holds behind any path of a proxy.
      return respond('', 303, undefined, { Location: page.id });
    },
  );
  application.notFound(() => respond(notices.unknown, 404));
  application.onError(() => respond(noticePage('Something went wrong', 'Open the link again.'), 500));
  return async (request) => application.fetch(request);
}

async function respond(
  body: Html | string,
  status = 200,
  type = 'text/html; charset=utf-8',
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return new Response(String(await body), { status, headers: { ...headers, 'Content-Type': type, ...more } });
}

/**
 * A form of ours: a page with `no-referrer` posts with the origin `null`, so there the browser's own word on where
 * the request came from is asked; the CSRF token stands behind both.
 */
function isOwnForm({ headers: sent }: Request, origins: readonly string[]): boolean {
  if (!sent.get('content-type')?.startsWith('application/x-www-form-urlencoded')) return false;
  const origin = sent.get('origin');
  if (origin !== null && origin !== 'null') return origins.includes(origin);
  return ['same-origin', null].includes(sent.get('sec-fetch-site'));
}

/** Exactly the fields of the login; an empty one is not sent. */
function readForm(page: SignInPage, form: URLSearchParams) {
  const params: JsonObject = {};
  const shown: Record<string, string> = {};
  page.request.fields.forEach((field, index) => {
    const isSwitch = /^bool/i.test(field.type);
    const text = form.get(`field-${index}`) ?? (isSwitch ? 'false' : '');
    if (text === '') return;
    params[field.name] = typedValue(field, text);
    if (!isSecretField(field)) shown[field.name] = text;
  });
  return { params, shown };
}
