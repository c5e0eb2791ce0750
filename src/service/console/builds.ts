/** What was asked to be built, and what came of it. */
import { html } from 'hono/html';
import { buildCredits } from '../../contract/limits.ts';
import { creditsText } from '../../contract/price.ts';
import type { BuildRequest } from '../../contract/resources.ts';
import { findRows } from '../../contract/result-rows.ts';
import type { Html } from '../../http/page.ts';
import { listBuildRequests } from '../operations/build-requests.ts';
import { slicePage } from '../operations/list-page.ts';
import { listBuiltActions } from '../operations/manage-builds.ts';
import {
  buttonLink,
  cut,
  emptyState,
  externalLink,
  factList,
  relativeTime,
  sentence,
  tag,
  time,
} from './html.ts';
import { reviewSection } from './own-actions.ts';
import { type ActionNames, page } from './pages.ts';
import { buildsPath, getRunPath, newActionPath, withQuery } from './paths.ts';
import { rowsTable } from './result.ts';
import { pageLinks } from './table.ts';

/** Characters. */
const maxText = 1_000;
const maxTitle = 120;
const refreshSeconds = 5;

export const buildsPage = page({
  path: buildsPath,
  section: 'Builds',
  async load(visit) {
    const { build_requests } = await listBuildRequests(visit.context, visit.userId);
    const builds = slicePage(build_requests, visit.pageNumber);
    const built = await listBuiltActions(visit.context.database, { userId: visit.userId });
    return {
      builds,
      states: new Map(built.map(({ actionId, state }) => [actionId, state])),
      names: await visit.readActionNames(builds.rows.map(({ action_id }) => action_id)),
      reviews: await reviewSection(visit),
    };
  },
  again: ({ builds }) =>
    builds.rows.some(({ status }) => status === 'pending') ? refreshSeconds : undefined,
  view({ builds, states, names, reviews }) {
    const newAction = buttonLink(newActionPath, 'Build a new action');
    return html`${builds.rows.length === 0 ? '' : html`<p>${newAction}</p>`}
${reviews}
${builds.rows.length === 0 ? emptyState('No action has been requested.', newAction) : html`<div class="stack">${builds.rows.map((build) => buildCard(build, names, states))}</div>`}
${pageLinks(builds, buildsPath)}`;
  },
});

function buildCard(build: BuildRequest, names: ActionNames, states: ReadonlyMap<string, string>): Html {
  const { id, goal, status, error_type: errorType, visibility } = build;
  const state = states.get(build.action_id ?? '') ?? visibility;
  return html`<article class="card" id="build-${id}"><h2>${cut(goal, maxTitle)}</h2>
<div class="tags">${buildState(status)}${tag(state === 'waiting' ? 'Waits for review' : state === 'public' ? 'Public' : 'Private')}${tag(paid(build))}</div>
${build.error ? html`<p>${failure(build)} ${errorType ? html`<code>${errorType}</code>` : ''}</p>` : ''}
${goal.length > maxTitle ? html`<p>${cut(goal, maxText)}</p>` : ''}
${factList({
  Site: externalLink(build.website_url),
  Requested: html`${relativeTime(build.created_at)}, ${time(build.created_at)}`,
  Action: build.action_id
    ? html`${actionLink(build.action_id, names)}${build.removed === true ? ' It has been removed.' : ''}`
    : undefined,
  'Not found': cut(list(build.unmatched).join(', '), 300),
  'Order not applied': typeof build.unsorted === 'string' ? cut(build.unsorted, 200) : undefined,
  Now: status === 'pending' ? String(list(build.steps).at(-1) ?? 'Waiting for its turn') : undefined,
})}
${sample(build.sample)}
${choiceLink(build)}
</article>`;
}

/** What the builder says is for agents where a choice is needed: a person chooses on the page. */
const failure = ({ error_type, error }: BuildRequest): string =>
  error_type === 'CHOICE_NEEDED'
    ? 'The goal does not say which data of the page is meant. Choose its columns.'
    : sentence(cut(error ?? '', maxText));

/** A deleted action has no page to run it. */
function actionLink(actionId: string, names: ActionNames): Html {
  const name = names.get(actionId);
  return name === undefined
    ? html`<code>${actionId}</code>`
    : html`<a href="${getRunPath(actionId)}">Run ${name}</a> <code>${actionId}</code>`;
}

/** To what the page offers, where a build found no more. */
const choiceLink = ({ candidates, website_url, goal }: BuildRequest): Html | string =>
  list(candidates).length === 0
    ? ''
    : html`<p>${buttonLink(withQuery(newActionPath, { website_url, goal }), 'Choose the columns')}</p>`;

const paid = ({ status, credits_charged }: BuildRequest): string =>
  status === 'failed' ? `${creditsText(buildCredits)} refunded` : creditsText(credits_charged);

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function sample(value: unknown): Html | string {
  const found = findRows(value);
  return found === undefined
    ? ''
    : html`<details><summary>What the test run found</summary>${rowsTable('What the test run found', found.rows)}</details>`;
}

const buildState = (status: string): Html =>
  status === 'success'
    ? tag('Published', 'good')
    : status === 'failed'
      ? tag('Failed', 'bad')
      : tag('Pending', 'wait');
