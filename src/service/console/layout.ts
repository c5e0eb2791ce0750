/** The frame of all pages of the console. */
import { html, raw } from 'hono/html';
import manifest from '../../../package.json' with { type: 'json' };
import { creditsText } from '../../contract/price.ts';
import { frame, type Html, refreshAfter } from '../../http/page.ts';
import { csrfField } from './form.ts';
import { buttonLink } from './html.ts';
import {
  accountsPath,
  actionsPath,
  buildsPath,
  healthPath,
  iconPath,
  keysPath,
  runsPath,
  scriptPath,
  stylePath,
  usagePath,
  usersPath,
} from './paths.ts';
import type { Visitor } from './sessions.ts';

/** The pages of the navigation; those of the operator last. */
const sections = [
  { name: 'Overview', path: '/' },
  { name: 'Runs', path: runsPath },
  { name: 'Actions', path: actionsPath },
  { name: 'Builds', path: buildsPath },
  { name: 'Accounts', path: accountsPath },
  { name: 'Usage', path: usagePath },
  { name: 'Keys', path: keysPath },
  { name: 'Users', path: usersPath, isOperators: true },
  { name: 'Health', path: healthPath, isOperators: true },
] as const;

export type Section = (typeof sections)[number]['name'];

export interface PageLink {
  readonly path: string;
  readonly name: string;
}

/** The section's own page, for those below it. */
export const findParent = (section: Section, path: string): PageLink | undefined =>
  sections.find((one) => one.name === section && one.path !== path);

/** What is wrong with what was sent. */
export interface Problem {
  readonly message: string;
  /** The id of the form or field that it is about. */
  readonly at?: string;
  readonly more?: Html;
}

interface PageParts {
  /** Also the heading. */
  readonly title: string;
  /** Absent: nobody is signed in. */
  readonly visitor?: Visitor | undefined;
  readonly section?: Section;
  readonly parent?: PageLink | undefined;
  /** In so many seconds it is loaded again: where scripts run, not while something is open to be read. */
  readonly again?: number | undefined;
  /** Where to go at once. */
  readonly target?: string;
  readonly problem?: Problem | undefined;
}

export function layout(
  { title, visitor, section, parent, again, target, problem }: PageParts,
  content: Html,
): Html {
  return frame({
    title: `${problem === undefined ? '' : 'Error: '}${title} · svc-mcp`,
    style: stylePath,
    icon: iconPath,
    head:
      target === undefined
        ? html`<script src="${scriptPath}"${again === undefined ? '' : html` data-again="${again}"`} defer></script>${again === undefined ? '' : html`<noscript>${refreshAfter(again)}</noscript>`}`
        : refreshAfter(0, target),
    body: html`
<a class="skip" href="#content">Skip to the content</a>
<header class="bar"><div>
<a class="brand" href="/">${logo}svc-mcp</a>
${visitor === undefined ? '' : navigation(visitor, section)}
</div></header>
<main id="content" tabindex="-1"${visitor === undefined ? html` class="narrow"` : ''}>
${parent === undefined ? '' : html`<p class="parent"><a href="${parent.path}">${parent.name}</a></p>`}
<h1>${title}</h1>
${problem === undefined ? '' : errorSummary(problem)}
${content}
</main>
<footer><p class="quiet">svc-mcp ${manifest.version}</p></footer>`,
  });
}

const drawing = `<rect width="24" height="24" rx="6" fill="#0b5cad"/><path d="M7 8h10M7 12h6M7 16h8" stroke="#fff" stroke-width="2" stroke-linecap="round"/>`;
const logo = html`<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">${raw(drawing)}</svg>`;
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">${drawing}</svg>`;

function navigation(visitor: Visitor, current: Section | undefined): Html {
  const { name, balance } = visitor.user;
  const shown = sections.filter((section) => visitor.isOperator || !('isOperators' in section));
  const links = shown.map(
    (section) =>
      html`<li><a href="${section.path}"${section.name === current ? html` aria-current="page"` : ''}>${section.name}</a></li>`,
  );
  return html`<div class="who"><span><strong>${name}</strong> · <span class="nowrap">${creditsText(balance)}</span></span>
<form method="post" action="/console/sign-out">${csrfField(visitor)}<button class="small">Sign out</button></form></div>
<nav aria-label="Console"><ul>${links}</ul></nav>`;
}

/** Takes the focus, so that a screen reader reads the error first. */
const errorSummary = ({ message, at, more }: Problem): Html =>
  html`<div class="message bad" role="alert" tabindex="-1" autofocus><h2>There is a problem</h2><p>${message}</p>${at === undefined ? '' : html`<p><a href="#${at}">Go to the form</a></p>`}${more ?? ''}</div>`;

/** A page that only says something; a signed-in user can go on from there. */
export const noticePage = (title: string, text: string, visitor?: Visitor): Html =>
  layout(
    { title, visitor },
    html`<p>${text}</p>${visitor === undefined ? '' : html`<p>${buttonLink('/', 'Go to the overview')}</p>`}`,
  );
