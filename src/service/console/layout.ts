/** The frame of all pages of the console. */
import { html } from 'hono/html';
import { creditsText } from '../../contract/price.ts';
import { frame, type Html } from '../../http/page.ts';
import { buttonLink, hiddenField } from './html.ts';
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

/** The signed-in user, and the token that proves that a form was sent from one of their pages. */
export interface Visitor {
  readonly user: ConsoleUser;
  readonly csrfToken: string;
}

/** What is wrong with what was sent. */
export interface Problem {
  readonly message: string;
  readonly more?: Html;
}

export const csrfField = ({ csrfToken }: Pick<Visitor, 'csrfToken'>): Html =>
  hiddenField('csrf_token', csrfToken);

interface PageParts {
  /** Also the heading. */
  readonly title: string;
  /** Absent: nobody is signed in. */
  readonly visitor?: Visitor | undefined;
  readonly section?: Section;
  readonly parent?: { readonly path: string; readonly name: string } | undefined;
  readonly head?: Html | undefined;
  readonly problem?: Problem | undefined;
}

export function layout({ title, visitor, section, parent, head, problem }: PageParts, content: Html): Html {
  return frame({
    title: `${problem === undefined ? '' : 'Error: '}${title} · Service console`,
    style: stylePath,
    head,
    body: html`
<a class="skip" href="#content">Skip to the content</a>
<header class="bar"><div>
<a class="brand" href="/">Service console</a>
${visitor === undefined ? '' : navigation(visitor, section)}
</div></header>
<main id="content" tabindex="-1"${visitor === undefined ? html` class="narrow"` : ''}>
${parent === undefined ? '' : html`<p class="quiet"><a href="${parent.path}">${parent.name}</a></p>`}
<h1>${title}</h1>
${problem === undefined ? '' : errorSummary(problem)}
${content}
</main>`,
  });
}

function navigation(visitor: Visitor, current: Section | undefined): Html {
  const { name, balance } = visitor.user;
  const links = sections.map(
    ([path, section]) =>
      html`<li><a href="${path}"${section === current ? html` aria-current="page"` : ''}>${section}</a></li>`,
  );
  return html`<nav aria-label="Console"><ul>${links}</ul></nav>
<div class="who"><span><span class="wide"><strong>${name}</strong> · </span><span class="nowrap">${creditsText(balance)}</span></span>
<form method="post" action="/console/sign-out">${csrfField(visitor)}<button class="small">Sign out</button></form></div>`;
}

/** Takes the focus, so that a screen reader reads the error first. */
const errorSummary = ({ message, more }: Problem): Html =>
  html`<div class="message bad" role="alert" tabindex="-1" autofocus><h2>There is a problem</h2><p>${message}</p>${more ?? ''}</div>`;

/** A page that only says something; a signed-in user can go on from there. */
export const noticePage = (title: string, text: string, visitor?: Visitor): Html =>
  layout(
    { title, visitor },
    html`<p>${text}</p>${visitor === undefined ? '' : html`<p>${buttonLink('/', 'Go to the catalogs')}</p>`}`,
  );
