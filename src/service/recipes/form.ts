/** Finding a form in a page, with the values it would send by itself (hidden fields, CSRF tokens, defaults). */
import type { Document } from './document.ts';

export interface Form {
  /** The absolute address it is sent to. */
  readonly action: string;
  /** What a browser would send without a person typing. */
  readonly values: readonly (readonly [name: string, value: string])[];
  /** Every field's name, also of those that send nothing by themselves. */
  readonly names: readonly string[];
}

export function findForm(document: Document, selector: string): { form?: Form; otherPasswordForm: boolean } {
  const { html, base } = document;
  const form = html(selector).filter('form').first();
  const passwords = html('input[type=password]');
  const otherPasswordForm = passwords.toArray().some((input) => !html(input).closest('form').is(form));
  if (form.length === 0) return { otherPasswordForm };
  const action = form.attr('action') || document.page.url;
  if (!URL.canParse(action, base)) return { otherPasswordForm };
  const fields = form.find('input[name], select[name], textarea[name], button[name]');
  return {
    form: {
      action: new URL(action, base).href,
      values: form.serializeArray().map(({ name, value }) => [name, value]),
      names: fields.toArray().map((field) => html(field).attr('name') ?? ''),
    },
    otherPasswordForm,
  };
}
