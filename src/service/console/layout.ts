/** The frame of all pages of the console. */
import { html } from 'hono/html';
import { credits, type Html } from './html.ts';
import type { ConsoleUser } from './sessions.ts';

export const stylePath = '/console/style.css';

const sections = [
  ['/', 'Catalogs'],
  ['/console/accounts', 'Accounts'],
  ['/console/jobs', 'Jobs'],
  ['/console/ledger', 'Ledger'],
  ['/console/builds', 'Builds'],
] as const;

export type Section = (typeof sections)[number][1];

/** The user who is signed in, and the token that proves that a form was sent from one of their pages. */
export interface Visitor {
  readonly user: ConsoleUser;
  readonly csrfToken: string;
}

export const csrfField = (token: string): Html =>
  html`<input type="hidden" name="csrf_token" value="${token}">`;

export function layout(
  page: {
    readonly title: string;
    /** Absent: nobody is signed in. */
    readonly visitor?: Visitor | undefined;
    readonly section?: Section;
    readonly head?: Html;
  },
  content: Html,
): Html {
  const { title, visitor } = page;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Service console</title>
<link rel="stylesheet" href="${stylePath}">
${page.head ?? ''}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar"><div>
<a class="brand" href="/">Service console</a>
${visitor === undefined ? '' : navigation(visitor, page.section)}
</div></header>
<main id="content" tabindex="-1"${visitor === undefined ? html` class="narrow"` : ''}>
${content}
</main>
</body>
</html>`;
}

function navigation({ user, csrfToken }: Visitor, current: Section | undefined): Html {
  const links = sections.map(
    ([path, name]) =>
      html`<li><a href="${path}"${name === current ? html` aria-current="page"` : ''}>${name}</a></li>`,
  );
  return html`<nav aria-label="Console"><ul>${links}</ul></nav>
<div class="who"><span><span class="wide"><strong>${user.name}</strong> · </span><span class="nowrap">${credits(user.balance)}</span></span>
<form method="post" action="/console/sign-out">${csrfField(csrfToken)}<button class="small">Sign out</button></form></div>`;
}

/** Takes the focus, so that a screen reader says first what is wrong. */
export const errorSummary = (message: string, more?: Html): Html =>
  html`<div class="message bad" role="alert" tabindex="-1" autofocus><h2>There is a problem</h2><p>${message}</p>${more ?? ''}</div>`;

export const successNotice = (content: Html): Html =>
  html`<div class="message good" role="status"><p>${content}</p></div>`;

export const noticePage = (title: string, text: string, visitor?: Visitor): Html =>
  layout({ title, visitor }, html`<h1>${title}</h1><p>${text}</p>`);
