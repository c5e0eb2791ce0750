/** What every page for a person has: its frame, its headers and its look. Plain HTML; `html` escapes every text. */
import { html } from 'hono/html';
import { fieldLabel, isSecretField, isSwitchField, typedValue } from '../contract/login-fields.ts';
import type { LoginField } from '../contract/resources.ts';

export type Html = ReturnType<typeof html>;

/** Nothing is stored, framed or loaded from elsewhere; scripts and pictures are those of this server, where `scripts` says so. */
export const pageHeaders = ({ scripts }: { scripts: boolean }): Readonly<Record<string, string>> => ({
  'Cache-Control': 'no-store',
  'Content-Security-Policy': `default-src 'none'; style-src 'self'; ${scripts ? "script-src 'self'; connect-src 'self'; img-src 'self'; " : ''}form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
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
  /** The address of the icon. */
  readonly icon?: string | undefined;
  readonly head?: Html | undefined;
  readonly body: Html;
}

export const frame = ({ title, style, icon, head, body }: PageFrame): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="${style}">
${icon === undefined ? '' : html`<link rel="icon" type="image/svg+xml" href="${icon}">`}
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

/** One field of a form: every form of the program is made of these. */
export interface FormField {
  readonly id: string;
  /** Default: the id. */
  readonly name?: string;
  readonly label: string | Html;
  readonly hint?: string | undefined;
  readonly value?: string;
  readonly required?: boolean;
  /** Default: a line of text. A `checkbox` is ticked where its value is `true`. */
  readonly type?: string;
  /** Of a `select`: values and what they are called. */
  readonly options?: readonly (readonly [value: string, text: string])[];
  /** The cursor is here when the page opens. */
  readonly focus?: boolean;
  readonly attributes?: Readonly<Record<string, string | number | undefined>>;
}

/** Its label, its hint and its control. */
export function formField(field: FormField): Html {
  const { id, label, hint = '', required = false, type = 'text' } = field;
  const hintText = hint === '' ? '' : html`<span class="hint" id="${id}-hint">${hint}</span>`;
  if (type === 'checkbox')
    return html`<div class="field"><label for="${id}">${control(field)}${label}</label>${hintText}</div>`;
  const optional = required || type === 'select' ? '' : html` <span class="optional">(optional)</span>`;
  return html`<div class="field"><label for="${id}">${label}${optional}</label>${hintText}${control(field)}</div>`;
}

/** The control alone, for a place that has its own label. */
export function control(field: FormField): Html {
  const { id, name = id, value = '', type = 'text', options = [], attributes = {} } = field;
  const describedBy = field.hint ? html` aria-describedby="${id}-hint"` : '';
  const more = Object.entries(attributes).map(([attribute, text]) =>
    text === undefined ? '' : html` ${attribute}="${String(text)}"`,
  );
  const start = html` id="${id}" name="${name}"${field.required === true ? html` required` : ''}${field.focus === true ? html` autofocus` : ''}${describedBy}${more}`;
  switch (type) {
    case 'select':
      return html`<select${start}>${options.map(
        ([option, text]) =>
          html`<option value="${option}"${option === value ? html` selected` : ''}>${text}</option>`,
      )}</select>`;
    case 'textarea':
      return html`<textarea${start} spellcheck="false">${value}</textarea>`;
    case 'checkbox':
      return html`<input type="checkbox"${start} value="true"${value === 'true' ? html` checked` : ''}>`;
    case 'password':
      return html`<input type="password"${start}>`;
    default:
      return html`<input type="${type}"${start} value="${value}" autocapitalize="none" spellcheck="false">`;
  }
}

/** A field is found by its position, because its name may be anything. */
const fieldId = (index: number): string => `field-${index}`;

/** The first empty field has the cursor. */
export function loginInputs(fields: readonly LoginField[], typed: TypedTexts, show: ShowText): Html {
  const first = fields.findIndex((field, index) => !isSwitchField(field) && !typed[fieldId(index)]);
  return html`${fields.map((field, index) =>
    formField({
      ...toFormField(field, fieldId(index), typed[fieldId(index)] ?? '', show),
      focus: index === first,
    }),
  )}`;
}

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

function toFormField(field: LoginField, id: string, value: string, show: ShowText): FormField {
  const { label, hint } = fieldLabel(show(field.name, 60), show(field.description, 200));
  const shown = { id, label, hint, required: field.required };
  if (isSwitchField(field))
    return { ...shown, required: false, type: 'checkbox', value: value === '' ? '' : 'true' };
  const autocomplete = isSecretField(field)
    ? /otp|code/i.test(field.name)
      ? 'one-time-code'
      : 'current-password'
    : toAutocomplete(field);
  const type = isSecretField(field) ? 'password' : plainType(field);
  return { ...shown, type, value, attributes: { autocomplete } };
}

const plainType = ({ type }: LoginField): string =>
  ['email', 'tel', 'url', 'number', 'date'].find((inputType) => inputType === type.toLowerCase()) ?? 'text';

function toAutocomplete({ type, name }: LoginField): string {
  if (/mail/i.test(type) || /mail/i.test(name)) return 'email';
  return /user|login|account|member|customer/i.test(name) ? 'username' : 'on';
}
