/** What a person sees on a sign-in page. Plain HTML without scripts; every text from upstream is escaped. */
import { html } from 'hono/html';
import type { LoginField } from '../../contract/resources.ts';
import { isSecretField } from '../../gateway/accounts/login-fields.ts';
import type { SignInPage } from '../../gateway/accounts/sign-in-page.ts';
import { cleanText } from '../../gateway/foundation/text.ts';

export type Html = ReturnType<typeof html>;

/** Seconds after which the page of a sign-in under way reloads itself. */
const refreshSeconds = 1;

function layout(title: string, content: Html, { refresh = false } = {}): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${refresh ? html`<meta http-equiv="refresh" content="${refreshSeconds}">` : ''}
<title>${title}</title>
<link rel="stylesheet" href="style.css">
</head>
<body><main>${content}</main></body>
</html>`;
}

/** `typed` is what the last attempt typed into fields that are not secret. */
export function formPage(page: SignInPage, typed: Readonly<Record<string, string>>): Html {
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
${fields.map((field, index) => fieldInput(field, index, typed[field.name] ?? ''))}
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
    { refresh: true },
  );

export const verifiedPage = (page: SignInPage): Html =>
  layout(
    `Signed in to ${page.catalog.name}`,
    html`<h1 class="good">You are signed in to ${page.catalog.name}</h1>
${siteLine(page)}
<p role="status">Your assistant can go on now. You can close this page; the link cannot be used again.</p>`,
  );

export const noticePage = (title: string, text: string): Html =>
  layout(title, html`<h1>${title}</h1><p>${text}</p>`);

function siteLine({ catalog, identityName }: SignInPage): Html {
  const account =
    identityName === undefined ? '' : html`, account <strong>${cleanText(identityName, 100)}</strong>`;
  return html`<p class="site">${catalog.domain}${account}</p>`;
}

function fieldInput(field: LoginField, index: number, value: string): Html {
  const id = `field-${index}`;
  const name = cleanText(field.name, 60);
  const label = name.replace(/[_-]+/g, ' ').replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
  const description = cleanText(field.description, 200);
  const hasHint = description !== '' && description.toLowerCase() !== label.toLowerCase();
  const hint = hasHint ? html`<span class="hint" id="${id}-hint">${description}</span>` : '';
  const describedBy = hasHint ? html` aria-describedby="${id}-hint"` : '';
  // A form's field is found again by its place: its name may be anything.
  const required = field.required ? html` required` : '';
  if (/^bool/i.test(field.type)) {
    return html`<div class="field"><label for="${id}"><input type="checkbox" id="${id}" name="${id}" value="true"${describedBy}${value === 'true' ? html` checked` : ''}>${label}</label>${hint}</div>`;
  }
  const optional = field.required ? '' : html` <span class="optional">(optional)</span>`;
  const attributes = isSecretField(field)
    ? html` type="password" autocomplete="${/otp|code/i.test(field.name) ? 'one-time-code' : 'current-password'}"`
    : html` type="${plainType(field)}" value="${value}" autocomplete="${toAutocomplete(field)}" autocapitalize="none" spellcheck="false"`;
  return html`<div class="field"><label for="${id}">${label}${optional}</label>${hint}<input id="${id}" name="${id}"${attributes}${required}${describedBy}></div>`;
}

function plainType({ type }: LoginField): string {
  return (
    ['email', 'tel', 'url', 'number', 'date'].find((inputType) => inputType === type.toLowerCase()) ?? 'text'
  );
}

function toAutocomplete({ type, name }: LoginField): string {
  if (/mail/i.test(type) || /mail/i.test(name)) return 'email';
  return /user|login|account|member|customer/i.test(name) ? 'username' : 'on';
}
