import { html } from 'hono/html';
import * as z from 'zod';
import { PreviewCandidate } from '../../contract/endpoints.ts';
import { buildCredits } from '../../contract/limits.ts';
import type { BuildRequest } from '../../contract/resources.ts';
import { listBuildRequests } from '../operations/build-requests.ts';
import type { Context } from '../operations/context.ts';
import { slicePage } from '../operations/page.ts';
import { credits, cut, externalLink, type Html, pageLinks, tag, time } from './html.ts';
import { layout, type Visitor } from './layout.ts';
import { candidateTable, newActionPath } from './new-action-page.ts';
import { reviewSection } from './own-actions.ts';

/** Characters. */
const maxText = 1_000;

export async function buildsPage(context: Context, visitor: Visitor, page: number): Promise<Html> {
  const { build_requests } = await listBuildRequests(context, visitor.user.id);
  const builds = slicePage(build_requests, page);
  return layout(
    { title: 'Builds', visitor, section: 'Builds' },
    html`<h1>Build requests</h1>
<p><a href="${newActionPath}">Build a new action</a></p>
${await reviewSection(context, visitor)}
${builds.rows.length === 0 ? html`<p>No action has been requested.</p>` : builds.rows.map(buildCard)}
${pageLinks(builds, '/console/builds?page=')}`,
  );
}

function buildCard(build: BuildRequest): Html {
  return html`<article class="card"><h2>${build.domain}</h2>
<div class="tags">${buildState(build.status)}${tag(build.visibility === 'public' ? 'Public' : 'Private')}${tag(paid(build))}</div>
<p>${cut(build.goal, maxText)}</p>
<dl>
<dt>Site</dt><dd>${externalLink(build.website_url, cut(build.website_url, 200))}</dd>
<dt>Requested</dt><dd>${time(build.created_at)}</dd>
${build.action_id ? html`<dt>Action</dt><dd><code>${build.action_id}</code></dd>` : ''}
${build.status === 'pending' ? html`<dt>Now</dt><dd>${list(build.steps).at(-1) ?? 'Waiting for its turn'}</dd>` : ''}
${build.error ? html`<dt>Failure</dt><dd>${cut(build.error, maxText)} <code>${build.error_type ?? ''}</code></dd>` : ''}
</dl>
${rows('What the test run found', build.sample)}
${choiceForm(build)}
</article>`;
}

/** What the page offers to a build that needs a choice, and the way to choose. */
function choiceForm({ candidates, error_type, website_url, goal }: BuildRequest): Html | string {
  const parsed = z.array(PreviewCandidate).safeParse(candidates);
  if (!parsed.success || parsed.data.length === 0) return '';
  const address = `${newActionPath}?${new URLSearchParams({ website_url, goal })}`;
  return html`${error_type === 'CHOICE_NEEDED' ? html`<p><a href="${address}">Choose the columns of ${cut(website_url, 80)}</a></p>` : ''}
<details><summary>Data on the page</summary>${parsed.data.map((candidate) => candidateTable(candidate))}</details>`;
}

const paid = ({ status, credits_charged }: BuildRequest): string =>
  status === 'failed' ? `${credits(buildCredits)} refunded` : credits(credits_charged);

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
