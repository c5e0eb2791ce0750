/** The one form of the console: a field is data, and each form that acts brings the token of its visitor's session. */
import { html } from 'hono/html';
import { control, type FormField, formField, type Html } from '../../http/page.ts';
import { cut, spoken } from './html.ts';
import type { Visitor } from './sessions.ts';

export const hiddenField = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`;

export const csrfField = ({ csrfToken }: Pick<Visitor, 'csrfToken'>): Html =>
  hiddenField('csrf_token', csrfToken);

interface PostForm {
  readonly action: string;
  readonly visitor: Visitor;
  readonly hidden?: Readonly<Record<string, string>>;
  readonly fields?: readonly FormField[];
  /** What follows the fields: its buttons, and what they do. */
  readonly content: Html;
  readonly kind?: 'card' | 'plain';
}

export const postForm = ({
  action,
  visitor,
  hidden = {},
  fields = [],
  content,
  kind = 'plain',
}: PostForm): Html =>
  html`<form class="${kind}" method="post" action="${action}">${csrfField(visitor)}${Object.entries(
    hidden,
  ).map(([name, value]) => hiddenField(name, value))}
${fields.map(formField)}${content}</form>`;

/** A line of text that a person types for the console itself. */
export const textField = (
  field: Omit<FormField, 'type' | 'attributes'> & {
    readonly maxLength: number;
    readonly placeholder?: string;
  },
): FormField => ({
  ...field,
  attributes: { maxlength: field.maxLength, placeholder: field.placeholder, autocomplete: 'off' },
});

interface TwiceForm extends Omit<PostForm, 'content' | 'kind'> {
  readonly title: string;
  readonly about: string;
  readonly button: string;
  /** What it is done to, for screen readers. */
  readonly name?: string;
}

/** What must be pressed twice: the second button is shown by the first. */
export const twiceForm = ({ title, about, button, name = '', ...form }: TwiceForm): Html =>
  html`<details class="twice"><summary>${title}${spoken(name)}</summary><p>${about}</p>${postForm({ ...form, content: html`<button class="small">${button}</button>` })}</details>`;

export interface Filter {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  /** Undefined: a text to search for. */
  readonly choices?: readonly (readonly [value: string, text: string])[];
  readonly type?: 'date';
}

/** Narrows a list by its address, so that it can be kept as a bookmark. */
export const filterForm = (path: string, filters: readonly Filter[]): Html =>
  html`<form class="filters" role="search" action="${path}">${filters.map(
    ({ name, label, value, choices, type = 'search' }) => {
      const id = `filter-${name}`;
      const field: FormField =
        choices === undefined
          ? { id, name, label, value, type, attributes: { maxlength: 200 } }
          : { id, name, label, value, type: 'select', options: [['', 'All'], ...withValue(choices, value)] };
      return html`<div class="filter"><label for="${id}">${label}</label>${control(field)}</div>`;
    },
  )}<button class="small">Show</button>${
    filters.some(({ value }) => value !== '') ? html`<a href="${path}">Show all</a>` : ''
  }</form>`;

/** The chosen value is offered, also where nothing of the list has it any more. */
const withValue = (
  choices: NonNullable<Filter['choices']>,
  value: string,
): readonly (readonly [string, string])[] =>
  value === '' || choices.some(([choice]) => choice === value)
    ? choices
    : [[value, cut(value, 60)], ...choices];
