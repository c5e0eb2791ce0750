/** What every page for a person has: its frame, its headers and its look. Plain HTML; `html` escapes every text. */
import { html } from 'hono/html';
import { isSecretField, isSwitchField, typedValue } from '../contract/login-fields.ts';
import type { LoginField } from '../contract/resources.ts';

export type Html = ReturnType<typeof html>;

/** Nothing is stored, framed or loaded from elsewhere; scripts run where `scripts` says so. */
export const pageHeaders = ({ scripts }: { scripts: boolean }): Readonly<Record<string, string>> => ({
  'Cache-Control': 'no-store',
  'Content-Security-Policy': `default-src 'none'; style-src 'self'; ${scripts ? "script-src 'self'; connect-src 'self'; " : ''}form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
});

interface PageFrame {
  readonly title: string;
  /** The address of the style sheet. */
  readonly style: string;
  readonly head?: Html | undefined;
  readonly body: Html;
}

export const frame = ({ title, style, head, body }: PageFrame): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="${style}">
${head ?? ''}
</head>
<body>${body}</body>
</html>`;

/** Loads the page again by itself, or another one, without a script. */
export const refreshAfter = (seconds: number, address?: string): Html =>
  html`<meta http-equiv="refresh" content="${address === undefined ? seconds : `${seconds}; url=${address}`}">`;

/** Where the browser says that the request came from: a page with `no-referrer` posts with the origin `null`. */
export function comesFrom(headers: Headers, isOwnOrigin: (origin: string) => boolean): boolean {
  const origin = headers.get('origin');
  if (origin !== null && origin !== 'null') return isOwnOrigin(origin);
  return ['same-origin', null].includes(headers.get('sec-fetch-site'));
}

/** Colours, text, fields and buttons, light and dark as the person's system is. */
export const baseStyle = `
:root {
  color-scheme: light dark;
  --ground: #f4f5f7; --card: #ffffff; --text: #1b1f24; --quiet: #59636e; --line: #8b949e;
  --faint: #d9dde2; --accent: #0b5cad; --on-accent: #ffffff; --bad: #9f1d20; --bad-ground: #fdecec;
  --good: #116329; --good-ground: #e6f4ea; --wait: #7a4b00; --wait-ground: #fdf3dc;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1318; --card: #191f26; --text: #e8ebee; --quiet: #a3adb8; --line: #6e7883;
    --faint: #2d353e; --accent: #6cb2ff; --on-accent: #06203c; --bad: #ffb3ae; --bad-ground: #3b1a1c;
    --good: #6fd58a; --good-ground: #14301d; --wait: #f2c46d; --wait-ground: #352a12;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.quiet { color: var(--quiet); font-size: 0.875rem; }
.field { margin-bottom: 1.125rem; }
label { display: block; font-weight: 600; }
.optional { color: var(--quiet); font-weight: 400; }
.hint { display: block; margin-bottom: 0.25rem; color: var(--quiet); font-size: 0.875rem; }
input:not([type='checkbox']), textarea, select {
  width: 100%; margin-top: 0.25rem; padding: 0.625rem 0.75rem; font: inherit; color: inherit;
  background: var(--card); border: 1px solid var(--line); border-radius: 0.375rem;
}
input[type='checkbox'] { width: 1.25rem; height: 1.25rem; margin: 0 0.5rem 0 0; vertical-align: -0.25rem; }
button, a.button {
  display: inline-block; padding: 0.625rem 1.25rem; font: inherit; font-weight: 600; color: var(--on-accent);
  background: var(--accent); border: 1px solid var(--accent); border-radius: 0.375rem; cursor: pointer;
}
`;

/** Typed texts by the form's field names; never of a secret field. */
export type TypedTexts = Readonly<Record<string, string>>;

/** Makes foreign text fit to be shown, with at most `maxLength` characters. */
type ShowText = (text: string, maxLength: number) => string;

/** A field is found by its position, because its name may be anything. */
const fieldId = (index: number): string => `field-${index}`;

export const loginInputs = (fields: readonly LoginField[], typed: TypedTexts, show: ShowText): Html =>
  html`${fields.map((field, index) => loginInput(field, fieldId(index), typed[fieldId(index)] ?? '', show))}`;

/** Exactly the login's fields; an empty one is not sent (specification: POST /login, `params`). */
export function readLoginForm(
  fields: readonly LoginField[],
  form: URLSearchParams,
): { params: Record<string, unknown>; typed: TypedTexts } {
  const params: Record<string, unknown> = {};
  const typed: Record<string, string> = {};
  fields.forEach((field, index) => {
    const text = form.get(fieldId(index)) ?? '';
    if (text !== '' && !isSecretField(field)) typed[fieldId(index)] = text;
    if (text !== '' || isSwitchField(field)) params[field.name] = typedValue(field, text);
  });
  return { params, typed };
}

function loginInput(field: LoginField, id: string, value: string, show: ShowText): Html {
  const name = show(field.name, 60).replace(/[_-]+/g, ' ');
  const label = name.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
  const description = show(field.description, 200);
  const hasHint = description !== '' && description.toLowerCase() !== name.toLowerCase();
  const hint = hasHint ? html`<span class="hint" id="${id}-hint">${description}</span>` : '';
  const describedBy = hasHint ? html` aria-describedby="${id}-hint"` : '';
  if (isSwitchField(field)) {
    return html`<div class="field"><label for="${id}"><input type="checkbox" id="${id}" name="${id}" value="true"${describedBy}${value === '' ? '' : html` checked`}>${label}</label>${hint}</div>`;
  }
  const required = field.required ? html` required` : '';
  const optional = field.required ? '' : html` <span class="optional">(optional)</span>`;
  const attributes = isSecretField(field)
    ? html` type="password" autocomplete="${/otp|code/i.test(field.name) ? 'one-time-code' : 'current-password'}"`
    : html` type="${plainType(field)}" value="${value}" autocomplete="${toAutocomplete(field)}" autocapitalize="none" spellcheck="false"`;
  return html`<div class="field"><label for="${id}">${label}${optional}</label>${hint}<input id="${id}" name="${id}"${attributes}${required}${describedBy}></div>`;
}

const plainType = ({ type }: LoginField): string =>
  ['email', 'tel', 'url', 'number', 'date'].find((inputType) => inputType === type.toLowerCase()) ?? 'text';

function toAutocomplete({ type, name }: LoginField): string {
  if (/mail/i.test(type) || /mail/i.test(name)) return 'email';
  return /user|login|account|member|customer/i.test(name) ? 'username' : 'on';
}
