/** A user's jobs, and one job with its result. */
import { html } from 'hono/html';
import type { Drift } from '../../compare/drift.ts';
import { creditsText } from '../../contract/price.ts';
import { Job } from '../../contract/resources.ts';
import type { Html } from '../../http/page.ts';
import { RequestError } from '../foundation/errors.ts';
import { findJobDrift } from '../operations/job-drift.ts';
import { getJobRecord, type JobRecord, listJobs } from '../operations/job-history.ts';
import { getJob } from '../operations/jobs.ts';
import {
  buttonLink,
  cut,
  dataTable,
  emptyState,
  identifier,
  lookAgainAfter,
  pageLinks,
  sentence,
  spoken,
  tag,
  time,
} from './html.ts';
import { file, page, type Visit } from './pages.ts';
import { getJobPath, getRunPath, jobsPath, scriptPath } from './paths.ts';
import { resultParts, resultSection, toCsv } from './result.ts';

export const jobsPage = page({
  path: jobsPath,
  section: 'Jobs',
  title: 'Jobs',
  async load(visit) {
    const jobs = await listJobs(visit.context, visit.userId, visit.pageNumber);
    return { jobs, names: await visit.readActionNames(jobs.rows.map(({ actionId }) => actionId)) };
  },
  view({ jobs, names }) {
    if (jobs.rows.length === 0)
      return jobs.page === 1
        ? emptyState('No action has been run yet.', buttonLink('/', 'Choose an action'))
        : emptyState('There are no more jobs.', buttonLink(jobsPath, 'Show the newest'));
    const rows = jobs.rows.map(
      ({ id, actionId, createdAt, status, creditsUsed, price }) =>
        html`<tr><th scope="row"><a href="${getJobPath(id)}">${names.get(actionId) ?? identifier(actionId)}</a> <span class="when">${time(createdAt)}</span></th>
<td>${jobState(status)}</td><td class="number amount">${creditsUsed ?? price}</td></tr>`,
    );
    return html`${dataTable('Jobs, the newest first', [['Action'], ['State'], ['Credits', 'number']], rows)}
${pageLinks(jobs, `${jobsPath}?page=`)}`;
  },
});

const jobState = (status: JobRecord['status']): Html =>
  status === 'completed'
    ? tag('Completed', 'good')
    : status === 'failed'
      ? tag('Failed', 'bad')
      : tag('Processing', 'wait');

/** Characters of JSON; larger answers are shown unparsed, a part at a time. */
const maxParsed = 1024 * 1024;
const maxParams = 10_000;
/** Seconds between page refreshes while a job runs: at first, and after some minutes. */
const refreshSeconds = { first: 3, later: 15 };
const laterAfterMs = 3 * 60_000;

interface JobData {
  readonly record: JobRecord;
  /** Undefined where the user does not see the action any more. */
  readonly name: string | undefined;
  /** JSON; undefined where it has been deleted. */
  readonly text: string | undefined;
  readonly drift: Drift | undefined;
}

async function load(visit: Visit): Promise<JobData> {
  const { context, userId } = visit;
  const id = visit.part('id');
  const record = await getJobRecord(context, userId, id);
  const text = await getJob(context, userId, id).catch((error: unknown) => {
    if (error instanceof RequestError && error.code === 'RESULT_EXPIRED') return undefined;
    throw error;
  });
  const [names, drift] = await Promise.all([
    visit.readActionNames([record.actionId]),
    findJobDrift(context, userId, id),
  ]);
  return { record, text, drift, name: names.get(record.actionId) };
}

/** A task and its result. Refuses with `NOT_FOUND`. */
export const jobPage = page<JobData>({
  path: `${jobsPath}/:id`,
  section: 'Jobs',
  title: ({ record, name }) => name ?? record.actionId,
  parent: () => ({ path: jobsPath, name: 'Jobs' }),
  head({ record }) {
    if (record.status !== 'processing') return html`<script src="${scriptPath}" defer></script>`;
    const isLate = Date.now() - record.createdAt.getTime() > laterAfterMs;
    return lookAgainAfter(isLate ? refreshSeconds.later : refreshSeconds.first);
  },
  load,
  view: (data, { pageNumber }) => html`<p>${jobState(data.record.status)}</p>
${facts(data.record)}
<details><summary>Parameters</summary><pre tabindex="0">${cut(data.record.params, maxParams)}</pre></details>
${data.record.status === 'processing' ? '' : nextSteps(data)}
${doubt(data.drift)}
${outcome(data, pageNumber)}`,
});

const doubt = (drift: Drift | undefined): Html | string =>
  drift === undefined
    ? ''
    : html`<div class="message wait"><h2>Not as usual</h2><p>${drift.doubt}${drift.since === undefined ? '' : html` So it has been since ${time(new Date(drift.since))}.`}</p></div>`;

const facts = ({ id, actionId, createdAt, finishedAt, creditsUsed, price }: JobRecord): Html =>
  html`<dl>
<dt>Action</dt><dd><code>${actionId}</code></dd>
<dt>Job</dt><dd><code>${id}</code></dd>
<dt>Submitted</dt><dd>${time(createdAt)}</dd>
${finishedAt === undefined ? '' : html`<dt>Ended</dt><dd>${time(finishedAt)}</dd>`}
<dt>Cost</dt><dd>${creditsUsed === null ? `${creditsText(price)} held` : creditsText(creditsUsed)}</dd>
</dl>`;

function nextSteps({ record: { id, actionId, params }, name }: JobData): Html | string {
  if (name === undefined) return html`<p class="quiet">This action is no longer available.</p>`;
  const runAgain = buttonLink(`${getRunPath(actionId)}?job=${encodeURIComponent(id)}`, 'Run again');
  const call = { name: 'run_action', arguments: { action_id: actionId, params: JSON.parse(params) } };
  return html`<div class="buttons">${runAgain}</div>
${params.length > maxParams ? '' : mcpCall(JSON.stringify(call, undefined, 2))}`;
}

const mcpCall = (text: string): Html =>
  html`<details><summary>Copy as MCP call</summary>
<p class="quiet">The same run as a tool call of an MCP client.</p>
<pre id="mcp-call" tabindex="0">${text}</pre>
<button class="small" data-copy="mcp-call" hidden>Copy</button> <span role="status" data-copied></span></details>`;

function outcome({ record, text }: JobData, pageNumber: number): Html {
  if (text === undefined)
    return html`<p>The result of this job has been deleted. Run the action again for a new one.</p>`;
  if (text.length > maxParsed)
    return html`${downloads(record, true)}${resultParts(getJobPath(record.id), text, pageNumber)}`;
  const job = Job.parse(JSON.parse(text));
  if (job.status === 'processing')
    return html`<p role="status">It is queued or running. This page shows the result as soon as it is there.</p>`;
  if (job.error !== undefined)
    return html`<div class="message bad"><h2>${job.error.code}</h2><p>${sentence(job.error.message)} Its credits were refunded.</p></div>`;
  const { content, hasRows } = resultSection(getJobPath(record.id), job.data, pageNumber);
  return html`${downloads(record, hasRows)}${content}`;
}

const downloads = ({ id }: JobRecord, hasRows: boolean): Html =>
  html`<h2>Result</h2><p>Download${spoken(' the result')}: <a href="${getJobPath(id)}/result.json" download>JSON</a>${hasRows ? html` · <a href="${getJobPath(id)}/result.csv" download>CSV</a>` : ''}</p>`;

export const jsonFile = file(`${jobsPath}/:id/result.json`, 'application/json', async (visit) => ({
  name: 'result.json',
  text: await getJob(visit.context, visit.userId, visit.part('id')),
}));

export const csvFile = file(`${jobsPath}/:id/result.csv`, 'text/csv', async (visit) => {
  const job = Job.parse(JSON.parse(await getJob(visit.context, visit.userId, visit.part('id'))));
  return { name: 'result.csv', text: toCsv(job.data) };
});
