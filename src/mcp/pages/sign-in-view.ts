/** What a person sees on a sign-in page. Plain HTML without scripts; every text from upstream is escaped. */
import { html } from 'hono/html';
import type { SignInPage } from '../../gateway/accounts/sign-in-page.ts';
import { cleanText } from '../../gateway/foundation/text.ts';
import { loginInputs, type TypedTexts } from '../../http/login-form.ts';
import { frame, type Html, refreshAfter } from '../../http/page.ts';

/** Seconds after which the page of a sign-in under way reloads itself. */
const refreshSeconds = 1;

const layout = (title: string, content: Html, head?: Html): Html =>
  frame({ title, style: 'style.css', head, body: html`<main>${content}</main>` });

/** `typed` is from the last attempt. */
export function formPage(page: SignInPage, typed: TypedTexts): Html {
  const { catalog, fields, failure } = page;
  const minutes = Math.max(1, Math.ceil(page.remainingMs / 60_000));
  return layout(
    `${failure === undefined ? '' : 'Not signed in: '}Sign in to ${catalog.name}`,
    html`<h1>Sign in to ${catalog.name}</h1>
${siteLine(page)}
${
  failure === undefined
    ? html`<p>Your assistant needs this account to go on. It never sees what you type here. If you did not ask it for anything
just now, close this page.</p>`
    : html`<div class="failure" role="alert"><strong>${failure.message}</strong> ${failure.advice}</div>`
}
<form method="post" action="">
<input type="hidden" name="csrf_token" value="${page.csrfToken}">
${loginInputs(fields, typed, cleanText)}
<button>Sign in</button>
</form>
<p class="quiet">What you type goes to the service that signs in to ${catalog.domain} for you; it discards the password
after signing in. This page works for ${minutes} more ${minutes === 1 ? 'minute' : 'minutes'}.</p>`,
  );
}

export const busyPage = (page: SignInPage): Html =>
  layout(
    `Signing in to ${page.catalog.name}`,
    html`<h1>Signing in to ${page.catalog.name}</h1>
${siteLine(page)}
<div class="busy" aria-hidden="true"></div>
<p role="status">This can take up to a minute. The page goes on by itself.</p>`,
    refreshAfter(refreshSeconds),
  );

export const verifiedPage = (page: SignInPage): Html =>
  layout(
    `Signed in to ${page.catalog.name}`,
    html`<h1 class="good">You are signed in to ${page.catalog.name}</h1>
${siteLine(page)}
<p role="status">Your assistant can go on now. You can close this page; the link cannot be used again.</p>`,
  );

export const signInNotice = (title: string, text: string): Html =>
  layout(title, html`<h1>${title}</h1><p>${text}</p>`);

function siteLine({ catalog, identityName }: SignInPage): Html {
  const account =
    identityName === undefined ? '' : html`, account <strong>${cleanText(identityName, 100)}</strong>`;
  return html`<p class="site">${catalog.domain}${account}</p>`;
}
