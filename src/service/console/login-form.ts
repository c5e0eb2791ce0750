/** A catalog's login as a form, and what was typed into it. A field is found again by its place: its name may be anything. */
import { html } from 'hono/html';
import type { LoginField } from '../../contract/resources.ts';
import { cut, type Html } from './html.ts';

/** Typed texts by the form's field names; never of a secret field. */
export type Typed = Readonly<Record<string, string>>;

const fieldId = (index: number): string => `field-${index}`;
const isSecret = ({ type, name }: LoginField): boolean =>
  /pass|secret|token|pin|otp|code|key/i.test(type) ||
  /pass|pwd|secret|token|pin$|^pin|otp|code|api_?key|credential/i.test(name);
const isSwitch = ({ type }: LoginField): boolean => /^bool/i.test(type);
const isNumber = ({ type }: LoginField): boolean => /^(number|integer|int|float)$/i.test(type);

export const loginInputs = (fields: readonly LoginField[], typed: Typed): Html =>
  html`${fields.map((field, index) => loginInput(field, fieldId(index), typed[fieldId(index)] ?? ''))}`;

/** Exactly the login's fields; an empty one is not sent (specification: POST /login, `params`). */
export function readLogin(
  fields: readonly LoginField[],
  form: URLSearchParams,
): { params: Record<string, unknown>; typed: Typed } {
  const params: Record<string, unknown> = {};
  const typed: Record<string, string> = {};
  fields.forEach((field, index) => {
    const text = form.get(fieldId(index)) ?? '';
    if (isSwitch(field)) params[field.name] = text !== '';
    else if (text !== '') {
      params[field.name] = isNumber(field) && Number.isFinite(Number(text)) ? Number(text) : text;
    }
    if (!isSecret(field)) typed[fieldId(index)] = text;
  });
  return { params, typed };
}

function loginInput(field: LoginField, id: string, value: string): Html {
  const name = cut(field.name, 60).replace(/[_-]+/g, ' ');
  const label = name.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
  const hint = cut(field.description, 200);
  const hasHint = hint !== '' && hint.toLowerCase() !== name.toLowerCase();
  const hintText = hasHint ? html`<span class="hint" id="${id}-hint">${hint}</span>` : '';
  const describedBy = hasHint ? html` aria-describedby="${id}-hint"` : '';
  if (isSwitch(field)) {
    return html`<div class="field"><label for="${id}"><input type="checkbox" id="${id}" name="${id}" value="true"${describedBy}${value === '' ? '' : html` checked`}>${label}</label>${hintText}</div>`;
  }
  const optional = field.required ? '' : html` <span class="optional">(optional)</span>`;
  const attributes = isSecret(field)
    ? html` type="password" autocomplete="off"`
    : html` type="${plainType(field)}" value="${value}" autocomplete="off" autocapitalize="none" spellcheck="false"`;
  return html`<div class="field"><label for="${id}">${label}${optional}</label>${hintText}<input id="${id}" name="${id}"${attributes}${field.required ? html` required` : ''}${describedBy}></div>`;
}

const plainType = ({ type }: LoginField): string =>
  ['email', 'tel', 'url', 'number', 'date'].find((inputType) => inputType === type.toLowerCase()) ?? 'text';
