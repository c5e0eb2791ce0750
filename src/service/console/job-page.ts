import { html } from 'hono/html';
import { Job } from '../../contract/resources.ts';
import type { Context } from '../operations/context.ts';
import { getJobRecord, type JobRecord } from '../operations/job-history.ts';
import { getJob } from '../operations/jobs.ts';
import { credits, cut, type Html, time } from './html.ts';
import { jobState } from './jobs-page.ts';
import { layout, type Visitor } from './layout.ts';
import { largeResult, result } from './result.ts';
import { tableScriptPath } from './table-script.ts';

/** Characters of JSON; a larger answer is shown as it is, a part at a time. */
const maxParsed = 1024 * 1024;
const maxParams = 10_000;

/** A task and what came of it. Refuses with `NOT_FOUND`. */
export async function jobPage(context: Context, visitor: Visitor, id: string, page: number): Promise<Html> {
  const record = await getJobRecord(context, visitor.user.id, id);
  const text = await getJob(context, visitor.user.id, id);
  return layout(
    {
      title: `Job: ${record.actionId}`,
      visitor,
      section: 'Jobs',
      head: html`<script src="${tableScriptPath}" defer></script>`,
    },
    html`<p class="quiet"><a href="/console/jobs">Jobs</a></p>
<h1>${record.actionId}</h1>
<p>${jobState(record.status)}</p>
${facts(record)}
<details><summary>Parameters</summary><pre tabindex="0">${cut(record.params, maxParams)}</pre></details>
${text.length > maxParsed ? largeResult(id, text, page) : outcome(record, Job.parse(JSON.parse(text)), page)}`,
  );
}

function facts({ id, createdAt, finishedAt, creditsUsed, price }: JobRecord): Html {
  return html`<dl>
<dt>Job</dt><dd><code>${id}</code></dd>
<dt>Submitted</dt><dd>${time(createdAt)}</dd>
${finishedAt === undefined ? '' : html`<dt>Ended</dt><dd>${time(finishedAt)}</dd>`}
<dt>Cost</dt><dd>${creditsUsed === null ? `${credits(price)} held` : credits(creditsUsed)}</dd>
</dl>`;
}

function outcome(record: JobRecord, job: Job, page: number): Html {
  if (job.status === 'processing') {
    return html`<p>It is queued or running. <a href="/console/jobs/${record.id}">Refresh</a></p>`;
  }
  if (job.error !== undefined) {
    return html`<div class="message bad"><h2>${job.error.code}</h2><p>${job.error.message}. Its credits were refunded.</p></div>`;
  }
  return result(record.id, job.data, page);
}
