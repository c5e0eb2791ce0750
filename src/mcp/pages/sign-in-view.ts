/** What a person sees on a sign-in page. Plain HTML without scripts; every text from upstream is escaped. */
import { html } from 'hono/html';
import type { SignInPage } from '../../gateway/accounts/sign-in-pages.ts';
import { cleanText } from '../../gateway/foundation/text.ts';
import { baseStyle, frame, type Html, loginInputs, refreshAfter, type TypedTexts } from '../../http/page.ts';

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
${failure === undefined ? '' : html`<div class="failure" role="alert"><strong>${failure.message}</strong> ${failure.advice}</div>`}
<p>Your assistant needs this account to go on. It never sees what you type here. If you did not ask it for anything
just now, close this page.</p>
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

export const signInStyle = `${baseStyle}
body { min-height: 100vh; display: grid; place-items: center; padding: 1rem; }
main {
  width: 100%; max-width: 27rem; padding: 1.75rem 1.5rem; background: var(--card);
  border: 1px solid color-mix(in srgb, var(--line) 45%, transparent); border-radius: 0.75rem;
  overflow-wrap: anywhere;
}
h1 { margin: 0 0 0.5rem; font-size: 1.375rem; line-height: 1.25; }
p { margin: 0 0 1rem; }
.site { margin-bottom: 1rem; color: var(--quiet); }
.quiet { margin: 1.25rem 0 0; }
.failure {
  margin: 0 0 1.25rem; padding: 0.75rem 1rem; border-left: 0.25rem solid var(--bad);
  border-radius: 0.25rem; background: var(--bad-ground);
}
.failure strong { display: block; color: var(--bad); }
button { width: 100%; padding: 0.75rem; border: 0; }
.good { color: var(--good); }
.busy {
  width: 2rem; height: 2rem; margin: 1.25rem 0; border: 0.25rem solid var(--line);
  border-top-color: var(--accent); border-radius: 50%; animation: turn 1s linear infinite;
}
@keyframes turn { to { transform: rotate(1turn); } }
@media (prefers-reduced-motion: reduce) { .busy { animation-duration: 6s; } }
`;
