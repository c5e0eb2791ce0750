/** Pieces that several pages are made of. Every text goes through `html`, which escapes it. */
import { html } from 'hono/html';
import type { Action } from '../../contract/resources.ts';
import type { Html } from '../../http/page.ts';
import type { Page } from '../operations/page.ts';

export const credits = (amount: number): string =>
  `${amount} ${Math.abs(amount) === 1 ? 'credit' : 'credits'}`;

/** For somebody whose balance is smaller. */
export const tooExpensive = (amount: number): string =>
  `You have too few credits: this costs ${amount}. The operator of this service can add some.`;

/** `3 credits`, `3 credits, at most 15`, or `3 credits or more` where nothing bounds it. */
export function price(action: Pick<Action, 'credits_per_call' | 'credits_computed' | 'credits_max'>): string {
  const { credits_per_call: base, credits_computed, credits_max: maximum } = action;
  if (credits_computed !== true) return credits(base);
  if (maximum === undefined || maximum === null) return `${credits(base)} or more`;
  return maximum > base ? `${credits(base)}, at most ${maximum}` : credits(base);
}

const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const timeFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' });

/** Broken, where it must be, between date and time. */
export function time(date: Date | string): Html {
  const moment = new Date(date);
  return html`<time datetime="${moment.toISOString()}"><span class="nowrap">${dateFormat.format(moment)},</span> <span class="nowrap">${timeFormat.format(moment)} UTC</span></time>`;
}

export const tag = (text: string, tone: 'good' | 'bad' | 'wait' | '' = ''): Html =>
  html`<span class="tag ${tone}">${text}</span>`;

export const count = (amount: number, noun: string): string => `${amount} ${noun}${amount === 1 ? '' : 's'}`;

/** Ends in one full stop, or in what already ends it. */
export const sentence = (text: string): string => text.trim().replace(/(?<![.!?:…])$/, '.');

/** An id that may be broken where its words end. */
export const identifier = (id: string): Html =>
  html`${id.split(/(?<=[_.:/-])/).map((part) => html`${part}<wbr>`)}`;

/** A link to an address that somebody else wrote: to the web or nowhere. */
export function externalLink(address: string, text = cut(address, 200)): Html {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) return html`${text}`;
  return html`<a href="${address}" rel="noreferrer noopener">${text}</a>`;
}

export const buttonLink = (path: string, text: string | Html): Html =>
  html`<a class="button" href="${path}">${text}</a>`;

/** Says why a list is empty, and leads to where it is filled. */
export const emptyState = (text: string, ...links: readonly Html[]): Html =>
  html`<div class="empty"><p>${text}</p><div class="buttons">${[...links]}</div></div>`;

/** A table's head: the names of its columns, and how they are set. */
export type Columns = readonly (readonly [name: string | Html, kind?: 'number' | 'wide'])[];

/** Scrolls by itself where it is wider than the screen, also by keyboard. */
export const table = (label: string, columns: Columns, rows: readonly Html[], kind = ''): Html =>
  html`<div class="scroll ${kind}" role="region" aria-label="${label}" tabindex="0">
<table><thead><tr>${columns.map(([name, kind = '']) => html`<th scope="col" class="${kind}">${name}</th>`)}</tr></thead><tbody>${[...rows]}</tbody></table></div>`;

/** Links to the pages before and after; `address` ends where the number goes. */
export function pageLinks({ page, hasNext }: Page<unknown>, address: string): Html | string {
  if (page === 1 && !hasNext) return '';
  return html`<nav class="pages" aria-label="Pages">
${page > 1 ? html`<a href="${address}${page - 1}" rel="prev">Previous page</a>` : ''}
<span class="quiet">Page ${page}</span>
${hasNext ? html`<a href="${address}${page + 1}" rel="next">Next page</a>` : ''}
</nav>`;
}

interface TextField {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly hint?: string;
  readonly maxLength: number;
  readonly required?: boolean;
}

/** A line of text that somebody types for the console itself. */
export function textField({ id, name, label, value, hint, maxLength, required = false }: TextField): Html {
  const optional = required ? '' : html` <span class="optional">(optional)</span>`;
  const hintText = hint === undefined ? '' : html`<span class="hint" id="${id}-hint">${hint}</span>`;
  const describedBy = hint === undefined ? '' : html` aria-describedby="${id}-hint"`;
  return html`<div class="field"><label for="${id}">${label}${optional}</label>${hintText}
<input id="${id}" name="${name}" value="${value}" maxlength="${maxLength}"${required ? html` required` : ''} autocomplete="off" autocapitalize="none" spellcheck="false"${describedBy}></div>`;
}

export const checkbox = (name: string, label: string, isChecked: boolean): Html =>
  html`<div class="field"><label for="${name}"><input type="checkbox" id="${name}" name="${name}" value="true"${isChecked ? html` checked` : ''}>${label}</label></div>`;

export const hiddenField = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`;

/** Read aloud, not seen. */
export const spoken = (text: string | Html): Html => html`<span class="visually-hidden">${text}</span>`;

/** At most so many characters, and never half of one. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
