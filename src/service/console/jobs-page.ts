import { html } from 'hono/html';
import type { Context } from '../operations/context.ts';
import { type JobRecord, listJobs } from '../operations/job-history.ts';
import { type Html, identifier, pageLinks, table, tag, time } from './html.ts';
import { layout, type Visitor } from './layout.ts';

export async function jobsPage(context: Context, visitor: Visitor, page: number): Promise<Html> {
  const jobs = await listJobs(context, visitor.user.id, page);
  const rows = jobs.rows.map(
    (
      job,
    ) => html`<tr><th scope="row"><a href="/console/jobs/${job.id}">${identifier(job.actionId)}</a> <span class="when">${time(job.createdAt)}</span></th>
<td>${jobState(job.status)}</td><td class="number amount">${job.creditsUsed ?? job.price}</td></tr>`,
  );
  return layout(
    { title: 'Jobs', visitor, section: 'Jobs' },
    html`<h1>Jobs</h1>
${
  rows.length === 0
    ? html`<p>${page === 1 ? 'No action has been run yet.' : 'There are no more jobs.'}</p>`
    : table(
        'Jobs, the newest first',
        html`<tr><th scope="col">Action</th><th scope="col">State</th><th scope="col" class="number">Credits</th></tr>`,
        rows,
      )
}
${pageLinks(jobs, '/console/jobs?page=')}`,
  );
}

export const jobState = (status: JobRecord['status']): Html =>
  status === 'completed'
    ? tag('Completed', 'good')
    : status === 'failed'
      ? tag('Failed', 'bad')
      : tag('Processing', 'wait');
