/** A catalog's login as a form: the sign-in pages of the gateway and of the console share it. */
import { html } from 'hono/html';
import { isSecretField, isSwitchField, typedValue } from '../contract/login-fields.ts';
import type { LoginField } from '../contract/resources.ts';
import type { Html } from './page.ts';

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
