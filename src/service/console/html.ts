/** Pieces that several pages are made of. Every text goes through `html`, which escapes it. */
import { html } from 'hono/html';
import { priceText } from '../../contract/price.ts';
import type { Action, CatalogEntry } from '../../contract/resources.ts';
import { type Html, refreshAfter } from '../../http/page.ts';
import { noSite } from '../foundation/ports.ts';
import type { Page } from '../operations/list-page.ts';
import { scriptPath } from './paths.ts';

/** For users whose balance is too small. */
export const tooExpensive = (amount: number): string =>
  `You have too few credits: this costs ${amount}. The operator of this service can add some.`;

/** The price of an action, in words. */
export const price = ({
  credits_per_call: base,
  credits_computed,
  credits_max,
}: Pick<Action, 'credits_per_call' | 'credits_computed' | 'credits_max'>): string =>
  priceText({ base, computed: credits_computed === true, maximum: credits_max ?? undefined });

const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const timeFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' });

/** A narrow column breaks it between date and time. */
export function time(date: Date | string): Html {
  const moment = new Date(date);
  return html`<time datetime="${moment.toISOString()}"><span class="nowrap">${dateFormat.format(moment)},</span> <span class="nowrap">${timeFormat.format(moment)} UTC</span></time>`;
}

export const tag = (text: string, tone: 'good' | 'bad' | 'wait' | '' = ''): Html =>
  html`<span class="tag ${tone}">${text}</span>`;

export const count = (amount: number, noun: string): string => `${amount} ${noun}${amount === 1 ? '' : 's'}`;

/** Adds a full stop unless the text ends with punctuation. */
export const sentence = (text: string): string => text.trim().replace(/(?<![.!?:…])$/, '.');

/** An id with break opportunities at the ends of its words. */
export const identifier = (id: string): Html =>
  html`${id.split(/(?<=[_.:/-])/).map((part) => html`${part}<wbr>`)}`;

/** A link to an untrusted address: to the web or nowhere. */
export function externalLink(address: string, text = cut(address, 200)): Html {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) return html`${text}`;
  return html`<a href="${address}" rel="noreferrer noopener">${text}</a>`;
}

/** What a catalog reads, in words or as a link to it. */
export const siteName = ({ url, domain }: Pick<CatalogEntry, 'url' | 'domain'>): string =>
  url === noSite ? 'any website' : domain;
export const siteLink = (catalog: Pick<CatalogEntry, 'url' | 'domain'>): Html =>
  catalog.url === noSite ? html`${siteName(catalog)}` : externalLink(catalog.url, catalog.domain);

export const buttonLink = (path: string, text: string | Html): Html =>
  html`<a class="button" href="${path}">${text}</a>`;

/** Says why a list is empty, and links to where it is filled. */
export const emptyState = (text: string, ...links: readonly Html[]): Html =>
  html`<div class="empty"><p>${text}</p><div class="buttons">${[...links]}</div></div>`;

/** For the head: loads the page again by itself. Where scripts run, not while something is open to be read. */
export const lookAgainAfter = (seconds: number): Html =>
  html`<noscript>${refreshAfter(seconds)}</noscript><script src="${scriptPath}" data-again="${seconds}" defer></script>`;

/** A table's head: the names of its columns, and how they are set. */
export type Columns = readonly (readonly [name: string | Html, kind?: 'number' | 'wide'])[];

/** Scrolls within the page if it is wider than the screen, also by keyboard. */
export const dataTable = (label: string, columns: Columns, rows: readonly Html[], kind = ''): Html =>
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

/** A line of text that a person types for the console itself. */
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

/** For screen readers only. */
export const spoken = (text: string | Html): Html => html`<span class="visually-hidden">${text}</span>`;

/** At most so many characters, and never half of one. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
