/** Texts and small pieces that several pages are made of. Every text goes through `html`, which escapes it. */
import { html } from 'hono/html';
import { priceText } from '../../contract/price.ts';
import type { Action, CatalogEntry } from '../../contract/resources.ts';
import type { Html } from '../../http/page.ts';
import { noSite } from '../foundation/ports.ts';

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

const exactFormat = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'medium',
  timeZone: 'UTC',
});

/** To the second. */
export function time(date: Date | string): Html {
  const moment = new Date(date);
  return html`<time datetime="${moment.toISOString()}">${exactFormat.format(moment)} UTC</time>`;
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** How long ago, or in how long; the exact time is behind it. */
export function relativeTime(date: Date | string): Html {
  const moment = new Date(date);
  const distance = moment.getTime() - Date.now();
  const [unit, length] = units.find(([, length]) => Math.abs(distance) >= length) ?? [];
  const amount = Math.floor(Math.abs(distance) / (length ?? 1));
  const words = unit === undefined ? '' : count(amount, unit);
  const text = unit === undefined ? 'just now' : distance < 0 ? `${words} ago` : `in ${words}`;
  return html`<time class="nowrap" datetime="${moment.toISOString()}" title="${exactFormat.format(moment)} UTC">${text}</time>`;
}

/** `40 ms`, `0.3 s`, `12 s`, `3 min 20 s`. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1_000;
  if (seconds < 0.1) return `${Math.round(seconds * 1_000)} ms`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

export type Tone = 'good' | 'bad' | 'wait' | '';

export const tag = (text: string, tone: Tone = ''): Html => html`<span class="tag ${tone}">${text}</span>`;

export const count = (amount: number, noun: string): string => `${amount} ${noun}${amount === 1 ? '' : 's'}`;

/** With a true minus sign, which differs from a hyphen and is read aloud. */
export const signed = (amount: number): string =>
  amount < 0 ? `−${-amount}` : amount > 0 ? `+${amount}` : '0';

/** Adds a full stop unless the text ends with punctuation. */
export const sentence = (text: string): string => text.trim().replace(/(?<![.!?:…])$/, '.');

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

/** Something to know before all else on the page. */
export const notice = (tone: Tone, title: string | Html, content: string | Html): Html =>
  html`<div class="message ${tone}"><h2>${title}</h2><p>${content}</p></div>`;

/** Terms with their values; those without a value are left out. */
export const factList = (entries: Readonly<Record<string, Html | string | undefined>>): Html =>
  html`<dl>${Object.entries(entries).map(([name, value]) =>
    value === undefined || value === '' ? '' : html`<dt>${name}</dt><dd>${value}</dd>`,
  )}</dl>`;

/** A text to take along; the button is there where scripts run. */
export const copyable = (id: string, title: string, text: string, about = ''): Html =>
  html`<details><summary>${title}</summary>${about === '' ? '' : html`<p class="quiet">${about}</p>`}
<pre id="${id}" tabindex="0">${text}</pre>
<button class="small" type="button" data-copy="${id}" hidden>Copy</button> <span role="status"></span></details>`;

/** For screen readers only. */
export const spoken = (text: string | Html): Html => html`<span class="visually-hidden">${text}</span>`;

/** At most so many characters, and never half of one. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
