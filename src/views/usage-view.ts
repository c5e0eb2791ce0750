/** The view of `get_usage`: credits by day and by action, what is left of the budget, and the balance. */
import { creditsText } from '../contract/price.ts';
import { body, createProblem, facts, text, toList } from './answer.ts';
import { barChart } from './chart.ts';
import { element, visible } from './elements.ts';
import type { AppView, Host } from './host.ts';
import type { Body } from './host-connection.ts';
import { createTable } from './table.ts';

const days = 30;
const dayMs = 24 * 60 * 60_000;

export const usageView: AppView = { name: 'usage', show };

function show(root: HTMLElement, answer: Body, host: Host): void {
  const problem = createProblem(answer, host.openLink);
  if (problem !== undefined) {
    root.append(problem);
    return;
  }
  const { spent, budget_left: budgetLeft, resets_at: resetsAt } = body(answer.today);
  const { balance, balance_at: balanceAt, note } = answer;
  root.append(
    facts({
      'Spent today': typeof spent === 'number' ? creditsText(spent) : undefined,
      'Budget left': typeof budgetLeft === 'number' ? creditsText(budgetLeft) : 'no limit',
      'Budget resets': typeof resetsAt === 'string' ? host.formatTime(resetsAt) : undefined,
      Balance: typeof balance === 'number' ? creditsText(balance) : 'not known',
      'Balance as of': typeof balanceAt === 'string' ? host.formatTime(balanceAt) : undefined,
    }),
  );
  if (typeof spent === 'number' && typeof budgetLeft === 'number') root.append(budgetBar(spent, budgetLeft));
  if (typeof note === 'string') root.append(element('p', { class: 'quiet' }, visible(note)));
  root.append(
    element('h2', {}, `Credits by day`),
    element('figure', {}, barChart(lastDays(answer), 'Credits of each of the last 30 days')),
  );
  const byAction = toList(answer.by_action).map((entry) => toRow(body(entry)));
  root.append(element('h2', {}, 'Credits by action'));
  root.append(
    byAction.length === 0
      ? element('p', { class: 'quiet' }, `Nothing was spent in the last ${days} days.`)
      : createTable(byAction, { label: 'Credits by action', openLink: host.openLink }),
  );
}

function budgetBar(spent: number, budgetLeft: number): HTMLElement {
  const bar = element('progress', {
    max: String(Math.max(1, spent + budgetLeft)),
    value: String(spent),
    'aria-label': 'Part of the budget that is spent',
  });
  return element('p', { class: 'budget' }, bar);
}

const toRow = ({ action_id, build_for, runs, spent, spent_today, last_costs }: Body) => ({
  Action: text(action_id) ?? `Build for ${text(build_for) ?? ''}`,
  Runs: runs,
  Credits: spent,
  Today: spent_today,
  'Last costs': toList(last_costs).join(', '),
});

/** The answer omits days without runs. */
function lastDays(answer: Body): { label: string; value: number }[] {
  const creditsByDay = new Map(
    toList(answer.by_day).map((entry) => {
      const { day, spent } = body(entry);
      return [text(day) ?? '', typeof spent === 'number' ? spent : 0];
    }),
  );
  const today = Math.floor(Date.now() / dayMs);
  return Array.from({ length: days }, (_, index) => {
    const label = new Date((today - days + 1 + index) * dayMs).toISOString().slice(0, 10);
    return { label, value: creditsByDay.get(label) ?? 0 };
  });
}
