/** Pieces that several pages are made of. Every text goes through `html`, which escapes it. */
import { html } from 'hono/html';
import type { Page } from '../operations/page.ts';

export type Html = ReturnType<typeof html>;

export const credits = (amount: number): string =>
  `${amount} ${Math.abs(amount) === 1 ? 'credit' : 'credits'}`;

const timeFormat = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});

export function time(date: Date | string): Html {
  const moment = new Date(date);
  return html`<time datetime="${moment.toISOString()}">${timeFormat.format(moment)} UTC</time>`;
}

export const tag = (text: string, tone: 'good' | 'bad' | 'wait' | '' = ''): Html =>
  html`<span class="tag ${tone}">${text}</span>`;

/** An id that may be broken where its words end. */
export const identifier = (id: string): Html =>
  html`${id.split(/(?<=[_.:/-])/).map((part) => html`${part}<wbr>`)}`;

/** A link to an address that somebody else wrote: to the web or nowhere. */
export function externalLink(address: string, text: string): Html {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) return html`${text}`;
  return html`<a href="${address}" rel="noreferrer noopener">${text}</a>`;
}

/** Scrolls by itself where it is wider than the screen, also by keyboard. */
export const table = (label: string, head: Html, rows: readonly Html[], kind = ''): Html =>
  html`<div class="scroll ${kind}" role="region" aria-label="${label}" tabindex="0">
<table><thead>${head}</thead><tbody>${[...rows]}</tbody></table></div>`;

/** Links to the pages before and after; `address` ends where the number goes. */
export function pageLinks({ page, hasNext }: Page<unknown>, address: string): Html | string {
  if (page === 1 && !hasNext) return '';
  return html`<nav class="pages" aria-label="Pages">
${page > 1 ? html`<a href="${address}${page - 1}" rel="prev">Previous page</a>` : ''}
<span class="quiet">Page ${page}</span>
${hasNext ? html`<a href="${address}${page + 1}" rel="next">Next page</a>` : ''}
</nav>`;
}

/** At most so many characters, and never half of one. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
