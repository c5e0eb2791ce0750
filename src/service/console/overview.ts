/** The console's first page: what is left, what runs, and what needs somebody. */
import { html } from 'hono/html';
import { creditsText } from '../../contract/price.ts';
import type { Html } from '../../http/page.ts';
import { findCatalogProblems, toProblemText } from '../operations/catalog-problems.ts';
import { type ExpiringAccount, listExpiringAccounts } from '../operations/expiring-accounts.ts';
import { type JobRecord, listJobs } from '../operations/job-history.ts';
import { readSpending, spendingByDay, sumCredits } from '../operations/spending.ts';
import { spendingChart } from './chart.ts';
import { buttonLink, copyable, notice, relativeTime, tag } from './html.ts';
import { connectCommand } from './keys.ts';
import { type ActionNames, page } from './pages.ts';
import { accountsPath, actionsPath, getConnectPath, runsPath, usagePath, withQuery } from './paths.ts';
import { runColumns } from './runs.ts';
import type { Visitor } from './sessions.ts';
import { dataTable, type TableColumn } from './table.ts';

const shownRuns = 5;
const all = { action: '', site: '', account: '', day: '', q: '' };

export const overviewPage = page({
  path: '/',
  section: 'Overview',
  async load(visit) {
    const { context, userId } = visit;
    const [spending, running, failed, expiring, problems] = await Promise.all([
      readSpending(context, userId),
      listJobs(context, userId, { ...all, state: 'processing' }, 1),
      listJobs(context, userId, { ...all, state: 'failed' }, 1),
      listExpiringAccounts(context, userId),
      findCatalogProblems(context, userId),
    ]);
    const names = await visit.readActionNames([...running.rows, ...failed.rows].map((job) => job.actionId));
    const days = spendingByDay(spending);
    return { days, running, failed, expiring, problems: problems.map(toProblemText), names };
  },
  view: ({ days, running, failed, expiring, problems, names }, { address, visitor }) => html`${
    problems.length === 0
      ? ''
      : notice(
          'bad',
          'Catalog files that are not used as they stand',
          html`${problems.map((problem) => html`<span class="line">${problem}</span><br>`)}`,
        )
  }
<div class="tiles">
<div class="card"><p class="quiet">Balance</p><p class="balance">${creditsText(visitor.user.balance)}</p></div>
<div class="card"><p class="quiet">Spent today</p><p class="balance">${creditsText(days.at(-1)?.credits ?? 0)}</p></div>
<div class="card"><p class="quiet">Spent in 30 days</p><p class="balance">${creditsText(sumCredits(days))}</p></div>
<div class="card"><p class="quiet">Running now</p><p class="balance">${running.rows.length}${running.hasNext ? ' or more' : ''}</p></div>
</div>
<h2>Credits by day</h2>
${spendingChart(days)}
<p class="buttons">${running.rows.length === 0 ? buttonLink(actionsPath, 'Run an action') : ''}<a href="${usagePath}">Usage by day and action</a></p>
${jobSection('Running', 'processing', running.rows, names)}
${jobSection('Last failures', 'failed', failed.rows, names)}
${expiring.length === 0 ? '' : html`<h2>Accounts that need a sign-in soon</h2>${dataTable('Accounts that need a sign-in soon', accountColumns, expiring)}`}
${connectSection(address, visitor)}`,
});

function jobSection(
  title: string,
  state: string,
  jobs: readonly JobRecord[],
  names: ActionNames,
): Html | string {
  if (jobs.length === 0) return '';
  return html`<h2>${title}</h2>
${dataTable(title, runColumns(names), jobs.slice(0, shownRuns))}
${jobs.length > shownRuns ? html`<p class="pages"><a href="${withQuery(runsPath, { state })}">All of them</a></p>` : ''}`;
}

const accountColumns: readonly TableColumn<ExpiringAccount>[] = [
  {
    name: 'Account',
    kind: 'head',
    cell: ({ name, slug }) => html`<a href="${getConnectPath(slug)}">${name}</a>`,
  },
  { name: 'Site', cell: ({ site }) => site },
  {
    name: 'State',
    cell: ({ expiresAt }) =>
      expiresAt.getTime() <= Date.now()
        ? tag('Expired', 'bad')
        : html`${tag('Expires', 'wait')} ${relativeTime(expiresAt)}`,
  },
];

/** Commands to take along: a client is set up where it runs. Without the address it gets a service of its own. */
const connectSection = (address: string, { isOperator }: Visitor): Html => html`<h2>Connect a client</h2>
<p>One command writes the entry into a client’s settings; svc-mcp must be installed where the client runs. Then ask your agent for
what you need. Other clients than Cursor: claude-code, claude-desktop, vscode and more; <code>svc-mcp config --help</code> lists them.</p>
<div class="stack">
${isOperator ? copyable('config-command', 'A client of yours on this machine', 'svc-mcp config cursor --write') : ''}
${copyable('remote-command', isOperator ? 'Any other client' : 'The command', connectCommand(address, 'svc_…'), 'With one of your keys in place of svc_…; the page Keys makes one.')}
</div>
<p class="quiet">Accounts at sites are connected on the page <a href="${accountsPath}">Accounts</a>.</p>`;
