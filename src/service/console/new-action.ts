/**
 * A new action in three steps on one page: the address; the columns, taken and named in the page's own tables; the first rows,
 * and the build.
 */
import { createHash, randomUUID } from 'node:crypto';
import { html } from 'hono/html';
import * as z from 'zod';
import { BuildChoice, type BuildPreview, type PreviewCandidate } from '../../contract/endpoints.ts';
import { columnName, fieldName } from '../../contract/field-name.ts';
import { buildCredits } from '../../contract/limits.ts';
import { creditsText } from '../../contract/price.ts';
import { type FormField, formField, type Html } from '../../http/page.ts';
import { RequestError } from '../foundation/errors.ts';
import { requestBuild } from '../operations/build-requests.ts';
import { parseIdempotencyKey } from '../operations/idempotency.ts';
import { candidateTable, candidateTitle } from './candidates.ts';
import { postForm, textField } from './form.ts';
import { cut, externalLink, spoken, tooExpensive } from './html.ts';
import { form, page, type Visit } from './pages.ts';
import { buildsPath, newActionPath } from './paths.ts';
import { rowsTable } from './result.ts';
import type { Visitor } from './sessions.ts';

type PageColumn = PreviewCandidate['columns'][number];

/** What a column would be called, and whether it is taken. */
interface Pick {
  readonly name: string;
  readonly isTaken: boolean;
}

/** The entries so far, and the page's preview. */
interface NewAction {
  readonly websiteUrl: string;
  readonly goal: string;
  /** The chosen candidate; empty before. */
  readonly candidate: string;
  /** By column id; undefined until they are asked for. */
  readonly columns: ReadonlyMap<string, Pick> | undefined;
  readonly isPublic: boolean;
  /** Makes the same form sent twice one build. */
  readonly nonce: string;
  /** Absent: the address is asked for. */
  readonly preview?: BuildPreview;
  /** Actions for this page exist: the form offers to build another one. */
  readonly mayForce?: boolean;
}

export const newActionPage = page<NewAction>({
  path: newActionPath,
  section: 'Builds',
  title: 'New action',
  load: (visit) => ({
    websiteUrl: visit.query('website_url'),
    goal: visit.query('goal'),
    candidate: '',
    columns: undefined,
    isPublic: false,
    nonce: '',
  }),
  view: (data, { visitor }) => html`<h2>1 The page</h2>
${data.preview === undefined ? addressStep(data, visitor) : pageFacts(data.preview)}
${data.preview === undefined ? '' : html`<h2>2 The columns</h2>${columnsStep(data, data.preview, visitor)}`}`,
});

const addressStep = ({ websiteUrl, goal }: NewAction, visitor: Visitor): Html =>
  postForm({
    action: newActionPath,
    visitor,
    kind: 'card',
    fields: [
      textField({
        id: 'website-url',
        name: 'website_url',
        label: 'Address of the page',
        value: websiteUrl,
        maxLength: 2_000,
        required: true,
        focus: true,
        hint: 'The page that shows the data, such as https://shop.example/offers',
      }),
      textField({
        id: 'goal',
        label: 'What you want from it',
        value: goal,
        maxLength: 4_000,
        hint: 'Data that matches is shown first.',
      }),
    ],
    content: html`<div class="buttons"><button name="step" value="look">Look at the page</button>
<span class="quiet">Looking is free; only the build costs ${creditsText(buildCredits)}.</span></div>`,
  });

const pageFacts = ({ page: { title, url }, paging, search, unmatched = [], unsorted }: BuildPreview): Html =>
  html`<p>${cut(title, 200)} <span class="quiet">${externalLink(url)}</span></p>
${paging === undefined ? '' : html`<p class="quiet">It has further pages: ${cut(paging, 120)}.</p>`}
${search === undefined ? '' : html`<p class="quiet">It has a search form: ${cut(search, 120)}.</p>`}
${unmatched.length === 0 ? '' : html`<p>No column is clearly meant by: ${cut(unmatched.join(', '), 300)}.</p>`}
${unsorted === undefined ? '' : html`<p>The rows will be all of the page, in its order: “${cut(unsorted, 200)}” is not applied.</p>`}
<p><a href="${newActionPath}">Another page</a></p>`;

/** Each table of the page is a form: its columns are ticked and named in its head. */
const columnsStep = (data: NewAction, preview: BuildPreview, visitor: Visitor): Html =>
  html`<p>Tick the columns that you want, and name them: up to 64 letters, digits and _, not starting with a digit.</p>
${preview.candidates.map((candidate) => candidateForm(data, preview, candidate, visitor))}`;

function candidateForm(
  data: NewAction,
  { sample }: BuildPreview,
  candidate: PreviewCandidate,
  visitor: Visitor,
): Html {
  const { columns, more_columns = 0, id } = candidate;
  const isChosen = data.candidate === id;
  const named = suggestColumns(columns, isChosen ? data.columns : undefined);
  const rest = html`<button name="step" value="columns" class="small">Show all columns</button>`;
  return html`<section><h3>${candidateTitle(candidate)}</h3>${postForm({
    action: newActionPath,
    visitor,
    hidden: {
      website_url: data.websiteUrl,
      candidate: id,
      nonce: data.nonce,
      ...(isChosen && sample !== undefined ? {} : { goal: data.goal }),
    },
    content: html`${candidateTable(candidate, (column) => columnPick(id, column, named.get(column.id)))}
<div class="buttons"><button name="step" value="rows"${sample === undefined ? '' : html` class="small"`}>Show the first rows${spoken(` of ${candidateTitle(candidate)}`)}</button>${more_columns === 0 ? '' : rest}</div>
${isChosen && sample !== undefined ? publishStep(data, sample, visitor) : ''}`,
  })}</section>`;
}

/** In a column's head: whether it is taken, and its name. A script ticks what is named. */
function columnPick(candidate: string, { id, label }: PageColumn, pick: Pick | undefined): Html {
  const field = `${candidate}-${id}`;
  const name = `${label || id}`;
  return html`<span class="pick"><input type="checkbox" id="pick-${field}" name="pick-${id}" value="true"${pick?.isTaken === true ? html` checked` : ''} aria-label="Take ${name}">
<input id="name-${field}" name="name-${id}" value="${pick?.name ?? ''}" size="${Math.max(10, pick?.name.length ?? 0)}" maxlength="64" autocomplete="off" autocapitalize="none" spellcheck="false" aria-label="Name of ${name}" data-ticks="pick-${field}"></span>`;
}

const publishStep = (
  data: NewAction,
  sample: NonNullable<BuildPreview['sample']>,
  visitor: Visitor,
): Html => {
  const isAffordable = visitor.user.balance >= buildCredits;
  return html`<h2>3 The first rows, and the build</h2>
${rowsTable('The first rows', sample)}
<div class="card">${[
    textField({
      id: 'goal',
      label: 'What the action does',
      value: data.goal,
      maxLength: 4_000,
      placeholder: 'List all offers with title and price',
    }),
    checkbox('public', 'All users may run it', data.isPublic),
    ...(data.mayForce === true
      ? [checkbox('force', 'Build another action although similar ones exist', false)]
      : []),
  ].map(formField)}
<div class="buttons">${isAffordable ? html`<button name="step" value="build">Build for ${creditsText(buildCredits)}</button>` : ''}
<span class="quiet">${isAffordable ? 'The credits are refunded if the build fails.' : tooExpensive(buildCredits)}</span></div></div>`;
};

const checkbox = (id: string, label: string, isChecked: boolean): FormField => ({
  id,
  label,
  type: 'checkbox',
  value: isChecked ? 'true' : '',
});

/** Names are suggested for so many columns. */
const maxSuggested = 6;

/** Every column has a name to take it by; the first ones that the page labels are taken, until the person has chosen. */
function suggestColumns(columns: readonly PageColumn[], posted?: NewAction['columns']): Map<string, Pick> {
  const picks = new Map(posted);
  const names = new Set([...picks.values()].map(({ name }) => name));
  let taken = 0;
  for (const { id, label, part_of } of columns) {
    if (picks.has(id)) continue;
    const named = fieldName(label);
    const isFree = named !== '' && !names.has(named);
    const name = (isFree ? [named] : [columnName('', id), id]).find((one) => !names.has(one)) ?? id;
    const isTaken = posted === undefined && isFree && part_of === undefined && taken < maxSuggested;
    if (isTaken) taken += 1;
    names.add(name);
    picks.set(id, { name, isTaken });
  }
  return picks;
}

/** Handles the posted step and shows the next one. */
export const newActionForm = form({
  path: newActionPath,
  async accept(visit, posted) {
    const data = readForm(posted);
    const show = async (step: NewAction, choose?: BuildChoice) =>
      visit.show(await newActionPage.render(visit, await look(visit, step, choose)));
    switch (posted.get('step')) {
      case 'columns':
        return show(data);
      case 'rows':
        return show(data, toBuildChoice(data));
      case 'build':
        await build(visit, data, posted.get('force') === 'true');
        return visit.goTo(buildsPath);
      default:
        return show({ ...data, candidate: '', columns: undefined });
    }
  },
  async again(visit, posted, problem, error) {
    const data = readForm(posted);
    // The interface's name of the field means nothing to a person.
    const plain = { message: problem.message.replace(/^website_url\b/, 'The address') };
    if (error.code !== 'ACTION_EXISTS')
      return newActionPage.render(visit, await lookAgain(visit, data), plain);
    const names = Existing.parse(error.extra.existing_actions).map(({ name }) => cut(name, 100));
    const message = `${error.message}: ${names.slice(0, 5).join('; ')}. Use one, or build another.`;
    return newActionPage.render(visit, { ...(await lookAgain(visit, data)), mayForce: true }, { message });
  },
});

const Existing = z.array(z.object({ name: z.string() })).catch([]);

/** Counts like a preview over the interface. */
async function look(visit: Visit, data: NewAction, choose?: BuildChoice): Promise<NewAction> {
  const { websiteUrl, goal, candidate } = data;
  await visit.count('previewBuild');
  const body = {
    website_url: websiteUrl,
    ...(goal === '' ? {} : { goal }),
    ...(candidate === '' ? {} : { candidate }),
    ...(choose === undefined ? {} : { choose }),
  };
  const { signal } = visit.request.req.raw;
  return { ...data, preview: await visit.context.previewBuild(visit.userId, body, signal) };
}

/** The columns again, with their rows where they can be read; the address where there are none yet. */
async function lookAgain(visit: Visit, data: NewAction): Promise<NewAction> {
  if (data.columns === undefined) return data;
  const choice = readChoice(data);
  for (const choose of new Set([typeof choice === 'string' ? undefined : choice, undefined]))
    try {
      return await look(visit, data, choose);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
    }
  return data;
}

async function build(visit: Visit, data: NewAction, force: boolean): Promise<void> {
  const choose = toBuildChoice(data);
  const body = {
    website_url: data.websiteUrl,
    goal: data.goal || `List ${Object.keys(choose.fields).join(', ')}`,
    choose,
    visibility: data.isPublic ? 'public' : 'private',
    force,
  } as const;
  await visit.count('requestBuild');
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 32);
  const key = parseIdempotencyKey(`console-${data.nonce}-${digest}`, 'build', body);
  await requestBuild(visit.context, visit.userId, body, key);
}

/** People write example.com. */
const withScheme = (address: string): string =>
  address === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`;

function readForm(posted: URLSearchParams): NewAction {
  const text = (name: string) => (posted.get(name) ?? '').trim();
  const ids = [...posted.keys()].filter((name) => name.startsWith('name-')).map((name) => name.slice(5));
  return {
    websiteUrl: withScheme(text('website_url')),
    goal: text('goal'),
    candidate: text('candidate'),
    columns:
      ids.length === 0
        ? undefined
        : new Map(ids.map((id) => [id, { name: text(`name-${id}`), isTaken: posted.has(`pick-${id}`) }])),
    isPublic: posted.get('public') === 'true',
    nonce: /^[\w-]{1,64}$/.test(text('nonce')) ? text('nonce') : randomUUID(),
  };
}

/** What is wrong with the names is a `RequestError`. */
function toBuildChoice(data: NewAction): BuildChoice {
  const choice = readChoice(data);
  if (typeof choice === 'string') throw new RequestError(400, 'INVALID_INPUT', choice);
  return choice;
}

/** Or what is wrong with it. */
function readChoice({ candidate, columns }: NewAction): BuildChoice | string {
  const chosenColumns = [...(columns ?? [])].filter(([, { isTaken }]) => isTaken);
  if (chosenColumns.length === 0) return 'Tick at least one column';
  const fields = new Map<string, string>();
  for (const [column, { name }] of chosenColumns) {
    if (name === '') return 'Give each ticked column a name';
    if (fields.has(name)) return `Two columns are named ${name}; give each column its own name`;
    fields.set(name, column);
  }
  const { data, error } = BuildChoice.safeParse({ candidate, fields: Object.fromEntries(fields) });
  return data ?? `A name is not usable: ${error?.issues[0]?.message ?? ''}`;
}
