/** What a user's credits went to. */
import { html } from 'hono/html';
import { creditsText } from '../../contract/price.ts';
import type { Html } from '../../http/page.ts';
import { type LedgerEntry, readLedger } from '../operations/ledger-entries.ts';
import { buttonLink, cut, dataTable, emptyState, identifier, pageLinks, time } from './html.ts';
import { type ActionNames, page } from './pages.ts';
import { buildsPath, getJobPath } from './paths.ts';

export const ledgerPage = page({
  path: '/console/ledger',
  section: 'Ledger',
  title: 'Ledger',
  async load(visit) {
    const ledger = await readLedger(visit.context, visit.userId, visit.pageNumber);
    const actionIds = ledger.rows.map(({ job }) => job?.actionId);
    return { ledger, names: await visit.readActionNames(actionIds) };
  },
  view({ ledger, names }, { visitor }) {
    const rows = ledger.rows.map(
      (entry) =>
        html`<tr><td>${getKindName(entry)} <span class="when">${time(entry.createdAt)}</span></td><td>${purpose(entry, names)}</td>
<td class="number amount">${signed(entry.amount)}</td></tr>`,
    );
    return html`<p class="quiet">Balance</p>
<p class="balance">${creditsText(visitor.user.balance)}</p>
${
  rows.length === 0
    ? emptyState(
        ledger.page === 1 ? 'There are no entries yet.' : 'There are no more entries.',
        buttonLink('/', 'Choose an action'),
      )
    : dataTable('Ledger, the newest first', [['Entry'], ['For'], ['Credits', 'number']], rows)
}
${pageLinks(ledger, '/console/ledger?page=')}`;
  },
});

const kinds: Readonly<Record<Exclude<LedgerEntry['kind'], 'grant'>, string>> = {
  charge: 'Charge',
  refund: 'Refund',
  settlement: 'Settlement of the final cost',
};

function getKindName({ kind, amount }: LedgerEntry): string {
  if (kind === 'grant') return amount < 0 ? 'Taken by the operator' : 'Added by the operator';
  return kinds[kind];
}

/** With a true minus sign, which differs from a hyphen and is read aloud. */
const signed = (amount: number): string => (amount < 0 ? `−${-amount}` : `+${amount}`);

function purpose({ job }: LedgerEntry, names: ActionNames): Html | string {
  if (job === undefined) return '';
  const { kind, id, actionId, build } = job;
  if (kind === 'build')
    return html`Build: <a href="${buildsPath}${build === null ? '' : `#build-${build.id}`}">${cut(build?.goal ?? 'unknown', 120)}</a>`;
  return html`<a href="${getJobPath(id)}">${names.get(actionId ?? '') ?? identifier(actionId ?? 'Job')}</a>`;
}
