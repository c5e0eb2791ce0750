/** What was asked to be built, and what came of it. */
import { html } from 'hono/html';
import * as z from 'zod';
import { PreviewCandidate } from '../../contract/endpoints.ts';
import { buildCredits } from '../../contract/limits.ts';
import { creditsText } from '../../contract/price.ts';
import type { BuildRequest } from '../../contract/resources.ts';
import type { Html } from '../../http/page.ts';
import { listBuildRequests } from '../operations/build-requests.ts';
import { slicePage } from '../operations/list-page.ts';
import { candidateTable } from './candidates.ts';
import { buttonLink, cut, emptyState, externalLink, lookAgainAfter, pageLinks, tag, time } from './html.ts';
import { reviewSection } from './own-actions.ts';
import { type ActionNames, page } from './pages.ts';
import { buildsPath, getRunPath, newActionPath } from './paths.ts';

/** Characters. */
const maxText = 1_000;
const maxTitle = 120;
const refreshSeconds = 5;

export const buildsPage = page({
  path: buildsPath,
  section: 'Builds',
  title: 'Build requests',
  async load(visit) {
    const { build_requests } = await listBuildRequests(visit.context, visit.userId);
    const builds = slicePage(build_requests, visit.pageNumber);
    return {
      builds,
      names: await visit.readActionNames(builds.rows.map(({ action_id }) => action_id)),
      reviews: await reviewSection(visit),
    };
  },
  head: ({ builds }) =>
    builds.rows.some(({ status }) => status === 'pending') ? lookAgainAfter(refreshSeconds) : undefined,
  view({ builds, names, reviews }) {
    const newAction = buttonLink(newActionPath, 'Build a new action');
    return html`${builds.rows.length === 0 ? '' : html`<p>${newAction}</p>`}
${reviews}
${builds.rows.length === 0 ? emptyState('No action has been requested.', newAction) : builds.rows.map((build) => buildCard(build, names))}
${pageLinks(builds, `${buildsPath}?page=`)}`;
  },
});

function buildCard(build: BuildRequest, names: ActionNames): Html {
  const isLong = build.goal.length > maxTitle;
  return html`<article class="card" id="build-${build.id}"><h2>${cut(build.goal, maxTitle)}</h2>
<div class="tags">${buildState(build.status)}${tag(build.visibility === 'public' ? 'Public' : 'Private')}${tag(paid(build))}</div>
${isLong ? html`<p>${cut(build.goal, maxText)}</p>` : ''}
<dl>
<dt>Site</dt><dd>${externalLink(build.website_url)}</dd>
<dt>Requested</dt><dd>${time(build.created_at)}</dd>
${build.action_id ? html`<dt>Action</dt><dd>${actionLink(build.action_id, names)}</dd>` : ''}
${build.status === 'pending' ? html`<dt>Now</dt><dd>${list(build.steps).at(-1) ?? 'Waiting for its turn'}</dd>` : ''}
${build.error ? html`<dt>Failure</dt><dd>${cut(build.error, maxText)} <code>${build.error_type ?? ''}</code></dd>` : ''}
</dl>
${rows('What the test run found', build.sample)}
${choiceForm(build)}
</article>`;
}

/** A deleted action has no page to run it. */
function actionLink(actionId: string, names: ActionNames): Html {
  const name = names.get(actionId);
  return name === undefined
    ? html`<code>${actionId}</code>`
    : html`<a href="${getRunPath(actionId)}">Run ${name}</a> <code>${actionId}</code>`;
}

/** The candidates of a build that needs a choice, and a link to choose from them. */
function choiceForm({ candidates, error_type, website_url, goal }: BuildRequest): Html | string {
  const parsed = z.array(PreviewCandidate).safeParse(candidates);
  if (!parsed.success || parsed.data.length === 0) return '';
  const address = `${newActionPath}?${new URLSearchParams({ website_url, goal })}`;
  return html`${error_type === 'CHOICE_NEEDED' ? html`<p><a href="${address}">Choose the columns of ${cut(website_url, 80)}</a></p>` : ''}
<details><summary>Data on the page</summary>${parsed.data.map((candidate) => candidateTable(candidate))}</details>`;
}

const paid = ({ status, credits_charged }: BuildRequest): string =>
  status === 'failed' ? `${creditsText(buildCredits)} refunded` : creditsText(credits_charged);

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const rows = (summary: string, value: unknown): Html | string =>
  list(value).length === 0
    ? ''
    : html`<details><summary>${summary}</summary><pre tabindex="0">${cut(JSON.stringify(value, undefined, 2), 5_000)}</pre></details>`;

const buildState = (status: string): Html =>
  status === 'success'
    ? tag('Published', 'good')
    : status === 'failed'
      ? tag('Failed', 'bad')
      : tag('Pending', 'wait');
