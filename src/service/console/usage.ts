/** What a user's credits went to: by day, by action, for the operator by user, and entry by entry. */
import { html } from 'hono/html';
import { csvText } from '../../contract/csv.ts';
import { creditsText } from '../../contract/price.ts';
import type { Html } from '../../http/page.ts';
import { RequestError } from '../foundation/errors.ts';
import {
  type LedgerEntry,
  listLedger,
  readLedger,
  readSpending,
  type SpentCredits,
  spendingByDay,
} from '../operations/spending.ts';
import { spendingChart } from './chart.ts';
import { filterForm } from './form.ts';
import { cut, emptyState, relativeTime, signed } from './html.ts';
import { type ActionNames, file, page } from './pages.ts';
import { buildsPath, getJobPath, usagePath, withQuery } from './paths.ts';
import { dataTable, pageLinks, type TableColumn } from './table.ts';

export const usagePage = page({
  path: usagePath,
  section: 'Usage',
  async load(visit) {
    const { context, userId, visitor, pageNumber } = visit;
    const { day } = visit.queries('day');
    const [ledger, spending, everybody] = await Promise.all([
      listLedger(context, userId, day, pageNumber),
      readSpending(context, userId),
      visitor.isOperator ? readSpending(context, undefined) : [],
    ]);
    const ids = [...ledger.rows.map(({ job }) => job?.actionId), ...spending.map(({ actionId }) => actionId)];
    return { day, ledger, spending, everybody, names: await visit.readActionNames(ids) };
  },
  view: ({ day, ledger, spending, everybody, names }, { visitor }) => html`<p class="quiet">Balance</p>
<p class="balance">${creditsText(visitor.user.balance)}</p>
<h2>Credits by day</h2>
${spendingChart(spendingByDay(spending))}
<div class="columns"><section><h2>By action</h2>${sumTable(
    'Credits by action',
    'Action',
    totals(spending, ({ actionId }) => [actionId, nameOf(actionId, names)]),
  )}</section>
${
  visitor.isOperator
    ? html`<section><h2>By user</h2>${sumTable(
        'Credits by user',
        'User',
        totals(everybody, ({ user }) => [user, user]),
      )}</section>`
    : ''
}</div>
<h2>Ledger</h2>
${filterForm(usagePath, [{ name: 'day', label: 'Day (UTC)', value: day, type: 'date' }])}
${
  ledger.rows.length === 0
    ? emptyState('There are no entries.')
    : dataTable('Ledger, the newest first', ledgerColumns(names), ledger.rows)
}
${pageLinks(ledger, usagePath, { day })}
<p class="pages"><a href="${withQuery(`${usagePath}/ledger.csv`, { day })}" download>Download as CSV</a></p>`,
});

const nameOf = (actionId: string | undefined, names: ActionNames): string =>
  actionId === undefined ? 'Builds' : (names.get(actionId) ?? actionId);

interface Total {
  readonly name: string;
  readonly runs: number;
  readonly credits: number;
}

/** By key, because names are not unique; the most expensive first. */
function totals(
  spending: readonly SpentCredits[],
  keyAndName: (one: SpentCredits) => readonly [key: string | undefined, name: string],
): Total[] {
  const byKey = new Map<string | undefined, Total>();
  for (const one of spending) {
    const [key, name] = keyAndName(one);
    const { runs, credits } = byKey.get(key) ?? { runs: 0, credits: 0 };
    byKey.set(key, { name, runs: runs + one.runs, credits: credits + one.credits });
  }
  return [...byKey.values()].sort((a, b) => b.credits - a.credits);
}

const sumTable = (label: string, of: string, rows: readonly Total[]): Html =>
  rows.length === 0
    ? html`<p class="quiet">Nothing was spent in the last 30 days.</p>`
    : dataTable(
        label,
        [
          { name: of, kind: 'head', cell: ({ name }) => cut(name, 200) },
          { name: 'Runs', kind: 'number', cell: ({ runs }) => runs },
          { name: 'Credits', kind: 'number', cell: ({ credits }) => credits },
        ],
        rows,
      );

const sumOf = ({ grant, charge, refund, settlement }: LedgerEntry): number =>
  grant + charge + refund + settlement;

/** The charge of a run or build with what came back of it. */
const ledgerColumns = (names: ActionNames): readonly TableColumn<LedgerEntry>[] => [
  { name: 'For', kind: 'head', cell: (entry) => purpose(entry, names) },
  { name: 'When', cell: ({ createdAt }) => relativeTime(createdAt) },
  { name: 'Taken', kind: 'number', cell: ({ charge }) => (charge === 0 ? '' : signed(charge)) },
  { name: 'Given back', kind: 'number', cell: ({ refund }) => (refund === 0 ? '' : signed(refund)) },
  {
    name: 'Final cost',
    kind: 'number',
    cell: ({ settlement }) => (settlement === 0 ? '' : signed(settlement)),
  },
  { name: 'Credits', kind: 'number', cell: (entry) => signed(sumOf(entry)) },
];

function purpose({ job, grant }: LedgerEntry, names: ActionNames): Html | string {
  if (job === undefined) return grant < 0 ? 'Taken by the operator' : 'Added by the operator';
  const { kind, id, actionId, build } = job;
  if (kind === 'build')
    return html`Build: <a href="${buildsPath}${build === null ? '' : `#build-${build.id}`}">${cut(build?.goal ?? 'unknown', 120)}</a>`;
  return html`<a href="${getJobPath(id)}">${names.get(actionId ?? '') ?? actionId ?? 'Run'}</a>`;
}

/** A file is made in one go, which holds up the process. */
const maxCsvRows = 10_000;

export const ledgerFile = file(`${usagePath}/ledger.csv`, 'text/csv', async (visit) => {
  const entries = await readLedger(visit.context, visit.userId, visit.queries('day').day, maxCsvRows);
  if (entries === undefined)
    throw new RequestError(400, 'INVALID_INPUT', `There are more than ${maxCsvRows} entries. Choose a day`);
  const rows = entries.map((entry) => ({
    at: entry.createdAt.toISOString(),
    for: entry.job?.build?.goal ?? entry.job?.actionId ?? '',
    run: entry.job?.id ?? '',
    added: entry.grant,
    taken: entry.charge,
    given_back: entry.refund,
    final_cost: entry.settlement,
    credits: sumOf(entry),
  }));
  return { name: 'ledger.csv', text: csvText(rows) ?? '' };
});
