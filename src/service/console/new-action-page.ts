/** A new action in three steps: the page's address, its candidates, and the columns of one under names of one's own. */
import { html } from 'hono/html';
import type { BuildPreview, PreviewCandidate } from '../../contract/endpoints.ts';
import { fieldName } from '../../contract/field-name.ts';
import { buildCredits } from '../../contract/limits.ts';
import { credits, cut, externalLink, type Html, table } from './html.ts';
import { csrfField, errorSummary, layout, type Visitor } from './layout.ts';

export const newActionPath = '/console/builds/new';

/** What was typed so far. */
export interface NewAction {
  readonly websiteUrl: string;
  readonly goal: string;
  /** The chosen candidate; empty before. */
  readonly candidate: string;
  /** Names of fields by the ids of columns; undefined where they were not asked for yet. */
  readonly names: ReadonlyMap<string, string> | undefined;
  readonly isPublic: boolean;
  /** The same form sent twice is one build. */
  readonly nonce: string;
}

export interface Problem {
  readonly message: string;
  /** Similar actions exist: the form offers to build another one. */
  readonly mayForce?: boolean;
}

type Column = PreviewCandidate['columns'][number];

const frame = (visitor: Visitor, problem: Problem | undefined, content: Html): Html =>
  layout(
    { title: `${problem === undefined ? '' : 'Error: '}New action`, visitor, section: 'Builds' },
    html`<p class="quiet"><a href="/console/builds">Builds</a></p>
<h1>New action</h1>
${problem === undefined ? '' : errorSummary(problem.message)}
${content}`,
  );

/** The first step: which page. */
export const addressPage = (
  visitor: Visitor,
  { websiteUrl, goal }: Pick<NewAction, 'websiteUrl' | 'goal'>,
  problem?: Problem,
): Html =>
  frame(
    visitor,
    problem,
    html`<p>Preview a page first; the preview is free. Then choose which of its data become an action, and pay only for the build.</p>
<form class="card" method="post" action="${newActionPath}">${csrfField(visitor.csrfToken)}
<div class="field"><label for="website-url">Address of the page</label>
<span class="hint" id="website-url-hint">The page that shows the data, such as https://shop.example/offers</span>
<input id="website-url" name="website_url" value="${websiteUrl}" required maxlength="2000" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="website-url-hint"></div>
<div class="field"><label for="goal">What you want from it <span class="optional">(optional)</span></label>
<span class="hint" id="goal-hint">Data that matches is shown first.</span>
<input id="goal" name="goal" value="${goal}" maxlength="4000" autocomplete="off" aria-describedby="goal-hint"></div>
<button name="step" value="look">Look at the page</button></form>`,
  );

/** The second step: what the page offers. */
export const candidatesPage = (
  visitor: Visitor,
  { page, candidates, paging, search }: BuildPreview,
  form: NewAction,
): Html =>
  frame(
    visitor,
    undefined,
    html`${pageFacts(page)}
${paging === undefined ? '' : html`<p class="quiet">It has further pages: ${cut(paging, 120)}.</p>`}
${search === undefined ? '' : html`<p class="quiet">It has a search form: ${cut(search, 120)}.</p>`}
${candidates.map(
  (candidate) => html`<section class="card">${candidateTable(candidate)}
<form method="post" action="${newActionPath}">${csrfField(visitor.csrfToken)}${hidden({ ...form, candidate: candidate.id })}
<input type="hidden" name="goal" value="${form.goal}">
<button name="step" value="columns">Choose ${candidate.id}<span class="visually-hidden">: ${candidate.kind}</span></button></form></section>`,
)}`,
  );

/** The third step: a name for each wanted column; with `preview.sample` the rows that they give. */
export function columnsPage(
  visitor: Visitor,
  { page, candidates, sample }: BuildPreview,
  form: NewAction,
  problem?: Problem,
): Html {
  const [candidate] = candidates;
  const columns = candidate?.columns ?? [];
  const names = form.names ?? suggestedNames(columns);
  return frame(
    visitor,
    problem,
    html`${pageFacts(page)}
<form method="post" action="${newActionPath}">${csrfField(visitor.csrfToken)}
${hidden(form)}
<h2>${candidate === undefined ? form.candidate : heading(candidate)}</h2>
<p>Give each column that you want a name: up to 64 letters, digits and _, not starting with a digit. Columns without a name are left out.</p>
${table(
  'Columns',
  html`<tr><th scope="col">Name</th><th scope="col">Column</th><th scope="col">Kind</th><th scope="col">Samples</th></tr>`,
  columns.map((column) => columnRow(column, names.get(column.id) ?? '')),
  'records',
)}
${sample === undefined ? '' : sampleTable(sample)}
<div class="card">
<div class="field"><label for="goal">What the action does</label>
<input id="goal" name="goal" value="${form.goal}" maxlength="4000" autocomplete="off" placeholder="List all offers with title and price"></div>
${checkbox('public', 'All users may run it', form.isPublic)}
${problem?.mayForce === true ? checkbox('force', 'Build another action although similar ones exist', false) : ''}
<div class="buttons"><button name="step" value="rows">Show the first rows</button>
<button name="step" value="build">Build for ${credits(buildCredits)}</button></div>
<p class="quiet">The credits are refunded if the build fails. Previews are free.</p></div></form>`,
  );
}

const pageFacts = ({ title, url }: BuildPreview['page']): Html =>
  html`<p>${cut(title, 200)} <span class="quiet">${externalLink(url, cut(url, 200))}</span></p>`;

const heading = ({ id, kind, about, rows }: PreviewCandidate): Html =>
  html`${id}: ${kind}${about === undefined ? '' : html` “${about}”`}, ${rows} ${rows === 1 ? 'row' : 'rows'}`;

/** A candidate with its columns and samples. */
export function candidateTable(candidate: PreviewCandidate): Html {
  const { id, columns, more_columns = 0 } = candidate;
  const rows = columns.map(
    (column) => html`<tr><td>${columnLabel(column)}</td><td>${column.kind}</td>${samplesCell(column)}</tr>`,
  );
  return html`<h2>${heading(candidate)}</h2>
${table(`Columns of ${id}`, html`<tr><th scope="col">Column</th><th scope="col">Kind</th><th scope="col">Samples</th></tr>`, rows, 'records')}
${more_columns === 0 ? '' : html`<p class="quiet">and ${more_columns} more ${more_columns === 1 ? 'column' : 'columns'}</p>`}`;
}

const columnLabel = ({ id, label, part_of }: Column): Html =>
  html`<code>${id}</code> ${label}${part_of === undefined ? '' : html` <span class="quiet">part of ${part_of}</span>`}`;

const samplesCell = ({ samples }: Column): Html =>
  html`<td class="long">${samples.map((sampleText) => cut(sampleText, 120)).join(' | ')}</td>`;

const columnRow = (column: Column, name: string): Html =>
  html`<tr><td><label class="visually-hidden" for="name-${column.id}">Name of column ${column.id} ${column.label}</label>
<input id="name-${column.id}" name="name-${column.id}" value="${name}" maxlength="64" autocomplete="off" autocapitalize="none" spellcheck="false"></td>
<td>${columnLabel(column)}</td><td>${column.kind}</td>${samplesCell(column)}</tr>`;

function sampleTable(rows: NonNullable<BuildPreview['sample']>): Html {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const text = (value: unknown) =>
    value === null || value === undefined
      ? ''
      : cut(typeof value === 'string' ? value : JSON.stringify(value), 300);
  return html`<h2>The first rows</h2>
${table(
  'The first rows',
  html`<tr>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr>`,
  rows.map((row) => html`<tr>${names.map((name) => html`<td>${text(row[name])}</td>`)}</tr>`),
  'records',
)}`;
}

const checkbox = (name: string, label: string, isChecked: boolean): Html =>
  html`<div class="field"><label for="${name}"><input type="checkbox" id="${name}" name="${name}" value="true"${isChecked ? html` checked` : ''}>${label}</label></div>`;

/** What the earlier steps asked for. */
const hidden = ({ websiteUrl, candidate, nonce }: NewAction): Html =>
  html`<input type="hidden" name="website_url" value="${websiteUrl}"><input type="hidden" name="candidate" value="${candidate}">
<input type="hidden" name="nonce" value="${nonce}">`;

/** Names are suggested for so many columns. */
const maxSuggested = 6;

/** Labels that the page gives, as names. */
function suggestedNames(columns: readonly Column[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { id, label, part_of } of columns) {
    const name = fieldName(label);
    const isFree = name !== '' && ![...names.values()].includes(name);
    if (part_of === undefined && isFree && names.size < maxSuggested) names.set(id, name);
  }
  return names;
}
