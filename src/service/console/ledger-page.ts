import { html } from 'hono/html';
import type { Context } from '../operations/context.ts';
import { type LedgerEntry, readLedger } from '../operations/ledger.ts';
import { credits, type Html, identifier, pageLinks, table, time } from './html.ts';
import { layout, type Visitor } from './layout.ts';

export async function ledgerPage(context: Context, visitor: Visitor, page: number): Promise<Html> {
  const ledger = await readLedger(context, visitor.user.id, page);
  const rows = ledger.rows.map(
    (
      entry,
    ) => html`<tr><td>${getKindName(entry)} <span class="when">${time(entry.createdAt)}</span></td><td>${purpose(entry)}</td>
<td class="number amount">${signed(entry.amount)}</td></tr>`,
  );
  return layout(
    { title: 'Ledger', visitor, section: 'Ledger' },
    html`<h1>Ledger</h1>
<p class="quiet">Balance</p>
<p class="balance">${credits(visitor.user.balance)}</p>
${
  rows.length === 0
    ? html`<p>There are no entries${page === 1 ? ' yet' : ' on this page'}.</p>`
    : table(
        'Ledger, the newest first',
        html`<tr><th scope="col">Entry</th><th scope="col">For</th><th scope="col" class="number">Credits</th></tr>`,
        rows,
      )
}
${pageLinks(ledger, '/console/ledger?page=')}`,
  );
}

const kinds: Readonly<Record<Exclude<LedgerEntry['kind'], 'grant'>, string>> = {
  charge: 'Charge',
  refund: 'Refund',
  settlement: 'Settlement of the final cost',
};

function getKindName({ kind, amount }: LedgerEntry): string {
  if (kind === 'grant') return amount < 0 ? 'Taken by the operator' : 'Added by the operator';
  return kinds[kind];
}

/** With a true minus sign, so that it can be told from a hyphen and is read aloud. */
const signed = (amount: number): string => (amount < 0 ? `−${-amount}` : `+${amount}`);

function purpose({ job }: LedgerEntry): Html | string {
  if (job === undefined) return '';
  if (job.kind === 'build') return html`<a href="/console/builds">Build</a>`;
  return html`<a href="/console/jobs/${job.id}">${identifier(job.actionId ?? 'Job')}</a>`;
}
