/**
 * A new action in three steps: the page's address, its candidates, and the columns of one under names of one's own.
 * Then its first rows can be seen, and it is built.
 */
import { createHash, randomUUID } from 'node:crypto';
import { html } from 'hono/html';
import * as z from 'zod';
import { BuildChoice, type BuildPreview } from '../../contract/endpoints.ts';
import { fieldName } from '../../contract/field-name.ts';
import { buildCredits } from '../../contract/limits.ts';
import { creditsText } from '../../contract/price.ts';
import type { Html } from '../../http/page.ts';
import { RequestError } from '../foundation/errors.ts';
import { requestBuild } from '../operations/build-requests.ts';
import { parseIdempotencyKey } from '../operations/idempotency.ts';
import { candidateHeading, candidateTable, namesTable, sampleTable } from './candidates.ts';
import { checkbox, cut, externalLink, hiddenField, spoken, textField, tooExpensive } from './html.ts';
import { csrfField, type Visitor } from './layout.ts';
import { form, page, type Visit } from './pages.ts';
import { buildsPath, newActionPath } from './paths.ts';

/** The entries so far, and the page's preview. */
interface NewAction {
  readonly websiteUrl: string;
  readonly goal: string;
  /** The chosen candidate; empty before. */
  readonly candidate: string;
  /** Field names by column id; undefined until they are asked for. */
  readonly names: ReadonlyMap<string, string> | undefined;
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
  parent: () => ({ path: buildsPath, name: 'Builds' }),
  load: (visit) => ({
    websiteUrl: visit.query('website_url'),
    goal: visit.query('goal'),
    candidate: '',
    names: undefined,
    isPublic: false,
    nonce: '',
  }),
  view(data, { visitor }) {
    if (data.preview === undefined) return addressStep(data, visitor);
    return data.candidate === ''
      ? candidatesStep(data, data.preview, visitor)
      : columnsStep(data, data.preview, visitor);
  },
});

/** The first step: which page. */
const addressStep = ({ websiteUrl, goal }: NewAction, visitor: Visitor): Html =>
  html`<p>Preview a page first; the preview is free. Then choose which of its data become an action, and pay only for the build.</p>
<form class="card" method="post" action="${newActionPath}">${csrfField(visitor)}
${textField({
  id: 'website-url',
  name: 'website_url',
  label: 'Address of the page',
  value: websiteUrl,
  hint: 'The page that shows the data, such as https://shop.example/offers',
  maxLength: 2_000,
  required: true,
})}
${textField({
  id: 'goal',
  name: 'goal',
  label: 'What you want from it',
  value: goal,
  hint: 'Data that matches is shown first.',
  maxLength: 4_000,
})}
<button name="step" value="look">Look at the page</button></form>`;

/** The second step: what the page offers. */
const candidatesStep = (
  data: NewAction,
  { page, candidates, paging, search }: BuildPreview,
  visitor: Visitor,
): Html => html`${pageFacts(page)}
${paging === undefined ? '' : html`<p class="quiet">It has further pages: ${cut(paging, 120)}.</p>`}
${search === undefined ? '' : html`<p class="quiet">It has a search form: ${cut(search, 120)}.</p>`}
${candidates.map(
  (candidate) => html`<section class="card">${candidateTable(candidate)}
<form method="post" action="${newActionPath}">${csrfField(visitor)}${typedBefore({ ...data, candidate: candidate.id })}
${hiddenField('goal', data.goal)}
<button name="step" value="columns">Choose columns${spoken(` of ${candidate.id}: ${candidate.kind}`)}</button></form></section>`,
)}`;

/** The third step: a name for each wanted column; with `preview.sample` the rows that they give. */
function columnsStep(data: NewAction, { page, candidates, sample }: BuildPreview, visitor: Visitor): Html {
  const [candidate] = candidates;
  const columns = candidate?.columns ?? [];
  const isAffordable = visitor.user.balance >= buildCredits;
  return html`${pageFacts(page)}
<form method="post" action="${newActionPath}">${csrfField(visitor)}${typedBefore(data)}
<h2>${candidate === undefined ? data.candidate : candidateHeading(candidate)}</h2>
<p>Give each column that you want a name: up to 64 letters, digits and _, not starting with a digit. Columns without a name are left out.</p>
${namesTable(columns, data.names ?? suggestNames(columns))}
${sample === undefined ? '' : sampleTable(sample)}
<div class="card">
<div class="field"><label for="goal">What the action does</label>
<input id="goal" name="goal" value="${data.goal}" maxlength="4000" autocomplete="off" placeholder="List all offers with title and price"></div>
${checkbox('public', 'All users may run it', data.isPublic)}
${data.mayForce === true ? checkbox('force', 'Build another action although similar ones exist', false) : ''}
<div class="buttons"><button name="step" value="rows">Show the first rows</button>
${isAffordable ? html`<button name="step" value="build">Build for ${creditsText(buildCredits)}</button>` : ''}</div>
<p class="quiet">${isAffordable ? 'The credits are refunded if the build fails. Previews are free.' : tooExpensive(buildCredits)}</p></div></form>`;
}

const pageFacts = ({ title, url }: BuildPreview['page']): Html =>
  html`<p>${cut(title, 200)} <span class="quiet">${externalLink(url)}</span></p>`;

const typedBefore = ({ websiteUrl, candidate, nonce }: NewAction): Html =>
  html`${hiddenField('website_url', websiteUrl)}${hiddenField('candidate', candidate)}${hiddenField('nonce', nonce)}`;

/** Names are suggested for so many columns. */
const maxSuggested = 6;

/** Labels that the page gives, as names. */
function suggestNames(columns: BuildPreview['candidates'][number]['columns']): Map<string, string> {
  const names = new Map<string, string>();
  for (const { id, label, part_of } of columns) {
    const name = fieldName(label);
    const isFree = name !== '' && ![...names.values()].includes(name);
    if (part_of === undefined && isFree && names.size < maxSuggested) names.set(id, name);
  }
  return names;
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
        return show({ ...data, candidate: '', names: undefined });
    }
  },
  async again(visit, posted, problem, error) {
    const data = readForm(posted);
    if (error.code !== 'ACTION_EXISTS')
      return newActionPage.render(visit, await lookAgain(visit, data), problem);
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

/** The columns again; the address where there are none yet, or the page cannot be read. */
async function lookAgain(visit: Visit, data: NewAction): Promise<NewAction> {
  if (data.names === undefined) return data;
  try {
    return await look(visit, data);
  } catch (error) {
    if (error instanceof RequestError) return data;
    throw error;
  }
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
  const text = (name: string) => (posted.get(name) ?? '').replaceAll('\0', '').trim();
  const named = [...posted.keys()].filter((name) => name.startsWith('name-'));
  return {
    websiteUrl: withScheme(text('website_url')),
    goal: text('goal'),
    candidate: text('candidate'),
    names:
      named.length === 0 ? undefined : new Map(named.map((name) => [name.slice('name-'.length), text(name)])),
    isPublic: posted.get('public') === 'true',
    nonce: /^[\w-]{1,64}$/.test(text('nonce')) ? text('nonce') : randomUUID(),
  };
}

/** Throws a `RequestError` that says what is wrong with the names. */
function toBuildChoice({ candidate, names }: NewAction): BuildChoice {
  const chosenColumns = [...(names ?? [])].filter(([, name]) => name !== '');
  const refuse = (message: string) => new RequestError(400, 'INVALID_INPUT', message);
  if (chosenColumns.length === 0) throw refuse('Name at least one column');
  const fields = new Map<string, string>();
  for (const [column, name] of chosenColumns) {
    if (fields.has(name)) throw refuse(`Two columns are named ${name}; give each column its own name`);
    fields.set(name, column);
  }
  const { data, error } = BuildChoice.safeParse({ candidate, fields: Object.fromEntries(fields) });
  if (data === undefined) throw refuse(`A name is not usable: ${error.issues[0]?.message ?? ''}`);
  return data;
}
