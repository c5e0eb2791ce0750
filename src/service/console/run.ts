/** One run: why it failed or what it found, what it was given, what it cost, and how to do it again. */
import { html } from 'hono/html';
import type { Drift } from '../../compare/drift.ts';
import { errorTitles } from '../../contract/error-titles.ts';
import { creditsText } from '../../contract/price.ts';
import { Job } from '../../contract/resources.ts';
import type { Html } from '../../http/page.ts';
import { RequestError } from '../foundation/errors.ts';
import { findJobDrift } from '../operations/job-drift.ts';
import { getJobRecord, type JobRecord } from '../operations/job-history.ts';
import { getJob } from '../operations/jobs.ts';
import { listBuiltActions } from '../operations/manage-builds.ts';
import {
  buttonLink,
  copyable,
  count,
  cut,
  factList,
  notice,
  relativeTime,
  sentence,
  spoken,
  time,
} from './html.ts';
import { file, page, type Visit } from './pages.ts';
import { getJobPath, getRepairPath, getRunPath, runsPath } from './paths.ts';
import { resultParts, resultSection, toCsv } from './result.ts';
import { jobState, tookText } from './runs.ts';

/** Characters of JSON; larger answers are shown unparsed, a part at a time. */
const maxParsed = 1024 * 1024;
const maxParams = 10_000;
/** Between page refreshes while a job runs. */
const refreshSeconds = 3;

interface RunData {
  readonly record: JobRecord;
  /** Undefined where the user does not see the action any more. */
  readonly name: string | undefined;
  /** JSON; undefined where it has been deleted. */
  readonly text: string | undefined;
  readonly drift: Drift | undefined;
  /** The user built the action, and may have it repaired. */
  readonly isOwn: boolean;
}

async function load(visit: Visit): Promise<RunData> {
  const { context, userId } = visit;
  const id = visit.part('id');
  const record = await getJobRecord(context, userId, id);
  const text = await getJob(context, userId, id).catch((error: unknown) => {
    if (error instanceof RequestError && error.code === 'RESULT_EXPIRED') return undefined;
    throw error;
  });
  const { actionId } = record;
  const [names, drift, built] = await Promise.all([
    visit.readActionNames([actionId]),
    findJobDrift(context, userId, id),
    listBuiltActions(context.database, { userId, actionId }),
  ]);
  return { record, text, drift, name: names.get(actionId), isOwn: built.length > 0 };
}

/** Refuses with `NOT_FOUND`. */
export const runPage = page<RunData>({
  path: `${runsPath}/:id`,
  section: 'Runs',
  title: ({ record, name }) => name ?? record.actionId,
  again: ({ record }) => (record.status === 'processing' ? refreshSeconds : undefined),
  load,
  view: (data, visit) => html`${failure(data)}${doubt(data)}
${summary(data.record)}
${nextSteps(data)}
${outcome(data, visit.pageNumber)}
<div class="columns">
<section><h2>Input</h2><pre tabindex="0">${cut(indented(data.record.params), maxParams)}</pre></section>
<section><h2>Cost and steps</h2>${costs(data.record)}</section>
</div>
${copies(data, visit)}`,
});

const indented = (text: string): string => JSON.stringify(JSON.parse(text), undefined, 2);

/** Before all else on the page. */
function failure({ record, isOwn }: RunData): Html | string {
  const { errorCode, errorMessage, actionId } = record;
  if (errorCode === null) return '';
  return notice(
    'bad',
    errorTitles[errorCode] ?? 'The run failed',
    html`${sentence(errorMessage ?? '')} Its credits were refunded.${isOwn ? repairLink(actionId) : ''} <code>${errorCode}</code>`,
  );
}

const doubt = ({ drift, isOwn, record }: RunData): Html | string =>
  drift === undefined
    ? ''
    : notice(
        'wait',
        'Not as usual',
        html`${drift.doubt}${drift.since === undefined ? '' : html` So it has been since ${time(new Date(drift.since))}.`}${isOwn ? repairLink(record.actionId) : ''}`,
      );

const repairLink = (actionId: string): Html =>
  html` <a href="${getRepairPath(actionId)}">See what a repair would change</a>.`;

const summary = (record: JobRecord): Html =>
  factList({
    State: jobState(record.status),
    Site: record.site,
    Account: record.account ?? undefined,
    Cost: record.creditsUsed === null ? `${creditsText(record.price)} held` : creditsText(record.creditsUsed),
    Took: tookText(record),
    Submitted: html`${relativeTime(record.createdAt)}, ${time(record.createdAt)}`,
  });

const costs = (record: JobRecord): Html => {
  const { id, actionId, price, creditsUsed, creditsExcess, finishedAt, attempts } = record;
  const back = creditsUsed === null ? 0 : price - creditsUsed;
  return factList({
    'Taken first': creditsText(price),
    'Given back': back > 0 ? creditsText(back) : undefined,
    'Taken at the end': back < 0 ? creditsText(-back) : undefined,
    'Nobody paid': creditsExcess > 0 ? creditsText(creditsExcess) : undefined,
    Started: attempts === 0 ? 'not yet' : count(attempts, 'time'),
    Ended: finishedAt === undefined ? undefined : time(finishedAt),
    Action: html`<code>${actionId}</code>`,
    Run: html`<code>${id}</code>`,
  });
};

function nextSteps({ record: { id, actionId, status }, name }: RunData): Html | string {
  if (name === undefined) return html`<p class="quiet">This action is no longer available.</p>`;
  if (status === 'processing') return '';
  return html`<div class="buttons">${buttonLink(`${getRunPath(actionId)}?job=${encodeURIComponent(id)}`, 'Run again')}</div>`;
}

/** The same run from elsewhere. */
function copies({ record, name }: RunData, { address, context }: Visit): Html | string {
  const { actionId, params, credentialId } = record;
  if (name === undefined || params.length > maxParams) return '';
  const call = { action_id: actionId, params: JSON.parse(params) };
  const asAccount = (member: string) => (credentialId === null ? call : { ...call, [member]: credentialId });
  const mcp = JSON.stringify({ name: 'run_action', arguments: asAccount('identity') }, undefined, 2);
  const quote = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", "'\\''")}'`;
  const curl = `curl -X POST ${address}${context.apiPrefix}/task -H "X-API-Key: $SVC_API_KEY" -H 'Content-Type: application/json' -d ${quote(asAccount('credential_id'))}`;
  return html`<h2>The same from elsewhere</h2><div class="stack">
${copyable('mcp-call', 'Copy as MCP call', mcp, 'A tool call of an MCP client.')}
${copyable('command-line', 'Copy as command line', `svc-mcp call run_action ${quote(asAccount('identity'))}`)}
${copyable('curl', 'Copy as curl', curl, 'With a key in the variable SVC_API_KEY.')}</div>`;
}

function outcome({ record, text }: RunData, pageNumber: number): Html | string {
  if (record.errorCode !== null) return '';
  if (text === undefined)
    return html`<p>The result of this run has been deleted. Run the action again for a new one.</p>`;
  if (text.length > maxParsed)
    return html`${downloads(record, { hasCsv: true })}<p class="quiet">This result is large. It is a CSV file only if it is one list of rows; <code>has_more</code> and <code>missing</code> in the JSON say whether rows are missing.</p>${resultParts(getJobPath(record.id), text, pageNumber)}`;
  const job = Job.parse(JSON.parse(text));
  if (job.status === 'processing')
    return html`<p role="status">It is queued or running. This page shows the result as soon as it is there.</p>`;
  const { content, ...rows } = resultSection(getJobPath(record.id), job.data, pageNumber);
  return html`${downloads(record, rows)}${content}`;
}

const downloads = (
  { id }: JobRecord,
  { hasCsv, isPart = false }: { hasCsv: boolean; isPart?: boolean },
): Html =>
  html`<h2>Result</h2><p class="pages"><span>Download${spoken(' the result')}</span> <a href="${getJobPath(id)}/result.json" download>JSON</a>${hasCsv ? html` <a href="${getJobPath(id)}/result.csv" download>CSV</a>` : ''}${isPart ? html` <span>This result does not hold all rows.</span>` : ''}</p>`;

export const jsonFile = file(`${runsPath}/:id/result.json`, 'application/json', async (visit) => ({
  name: 'result.json',
  text: await getJob(visit.context, visit.userId, visit.part('id')),
}));

export const csvFile = file(`${runsPath}/:id/result.csv`, 'text/csv', async (visit) => {
  const job = Job.parse(JSON.parse(await getJob(visit.context, visit.userId, visit.part('id'))));
  return { name: 'result.csv', text: toCsv(job.data) };
});
