/** The view of a run's result: what it cost, its rows as a table, other data as a tree, and downloads. */

import { findRows, type ResultRows } from '../contract/result-rows.ts';
import { answerCost, body, createProblem, facts, text } from './answer.ts';
import { createChart } from './chart.ts';
import { button, element, visible } from './elements.ts';
import { type AppView, type Host, parseResult } from './host.ts';
import type { Body } from './host-connection.ts';
import { toCsv } from './row-order.ts';
import { createTable } from './table.ts';
import { showMembers, showValue } from './values.ts';

export const resultView: AppView = { name: 'result', show };

function show(root: HTMLElement, answer: Body, host: Host, input: Body = {}): void {
  const problem = createProblem(answer, host.openLink);
  if (problem !== undefined) root.append(problem);
  if (text(answer.status) === 'processing') root.append(stillRunning(root, answer, host, input));
  const data = getData(answer);
  const isRun = answer.status === 'completed' || answer.credits_used !== undefined;
  if (isRun) root.append(createFacts(answer, host, input));
  if (data === undefined) {
    if (problem === undefined && !isRun && answer.status !== 'processing')
      root.append(showMembers(answer, host.openLink));
    return;
  }
  const content = element('div');
  root.append(content);
  showData(content, data, answer, host);
}

/** The data of a run, the runs of a batch, or the list of jobs. */
function getData(answer: Body): unknown {
  if (answer.data !== undefined) return answer.data;
  if (Array.isArray(answer.rows)) return answer.rows;
  return Array.isArray(answer.jobs) ? answer.jobs : undefined;
}

/** The action that ran; undefined where a tool showed a run of before. */
const getAction = ({ toolName }: Host, input: Body): string | undefined =>
  text(input.action_id) ?? (toolName === 'get_job' ? undefined : toolName);

function createFacts(answer: Body, host: Host, input: Body): HTMLElement {
  const { execution_ms: ms, account, completed_at: at } = answer;
  return facts({
    Action: getAction(host, input),
    Cost: answerCost(answer),
    Account: text(account),
    Completed: typeof at === 'string' ? host.formatTime(at) : undefined,
    Took: typeof ms === 'number' ? `${(ms / 1000).toFixed(1)} s` : undefined,
    From:
      answer.cached === true
        ? 'an earlier run, free'
        : answer.attached === true
          ? 'the run under way'
          : undefined,
  });
}

function showData(content: HTMLElement, data: unknown, answer: Body, host: Host): void {
  const list = findRows(data);
  const truncated = body(answer.truncated);
  const parts: Node[] = [];
  const rest = createRest(truncated, content, host);
  if (rest !== undefined) parts.push(rest);
  if (list === undefined) {
    parts.push(
      typeof data === 'object' && data !== null
        ? showMembers(data, host.openLink)
        : showValue(data, host.openLink),
    );
  } else {
    const chart = createChart(list.rows);
    if (chart !== undefined) parts.push(chart);
    parts.push(createTable(list.rows, { label: 'Rows of the result', openLink: host.openLink }));
    if (Object.keys(list.others).length > 0) parts.push(showMembers(list.others, host.openLink));
  }
  parts.push(downloads(data, list, host));
  content.replaceChildren(...parts);
}

/** A button that loads the whole result, where the answer has a part of it. */
function createRest(truncated: Body, content: HTMLElement, host: Host): HTMLElement | undefined {
  const { rows_shown: shown, rows_total: total } = truncated;
  if (truncated.total_chars === undefined) return undefined;
  const part =
    typeof shown === 'number' && typeof total === 'number'
      ? `${shown} of ${total} rows`
      : 'A part of the result';
  const status = element('span', { role: 'status' }, `${part} ${shown === 1 ? 'is' : 'are'} here. `);
  const notice = element('p', { class: 'notice' }, status);
  const uri = text(truncated.resource);
  const { readResource } = host;
  if (uri === undefined || readResource === undefined) return notice;
  const load = async () => {
    loading.disabled = true;
    status.textContent = 'Loading … ';
    try {
      const whole = parseResult(await readResource(uri));
      if (whole.data === undefined) throw new Error('The resource has no data');
      showData(content, whole.data, { ...whole, truncated: body(whole.truncated) }, host);
    } catch {
      status.textContent = 'The rest could not be loaded. ';
      loading.disabled = false;
    }
  };
  const loading = button('Load all', () => void load());
  notice.append(loading);
  return notice;
}

function downloads(data: unknown, rows: ResultRows | undefined, host: Host): HTMLElement {
  const status = element('span', { class: 'quiet', role: 'status' });
  const said = {
    saved: 'Saved.',
    copied: 'Copied to the clipboard.',
    failed: 'This host allows no downloads.',
  };
  const save = async (name: string, mimeType: string, make: () => string) => {
    status.textContent = said[await host.save({ name, mimeType, text: make() })];
  };
  const json = button(
    'JSON',
    () => void save('result.json', 'application/json', () => JSON.stringify(data, null, 2)),
  );
  const csv = button('CSV', () => void save('result.csv', 'text/csv', () => toCsv(rows?.rows ?? [])));
  return element(
    'div',
    { class: 'downloads' },
    element('span', { class: 'quiet' }, 'Download'),
    ...(rows === undefined ? [] : [csv]),
    json,
    status,
  );
}

function stillRunning(root: HTMLElement, answer: Body, host: Host, input: Body): HTMLElement {
  const jobId = text(answer.job_id);
  const { callTool } = host;
  const since = text(answer.submitted_at);
  const status = element(
    'span',
    { role: 'status' },
    `The job is still running${jobId === undefined ? '' : ` (${visible(jobId)})`}${since === undefined ? '' : `, since ${host.formatTime(since)}`}. `,
  );
  const notice = element('p', { class: 'notice' }, status);
  if (jobId === undefined || callTool === undefined) return notice;
  const look = async () => {
    again.disabled = true;
    status.textContent = 'Waiting … ';
    const later = await callTool('get_job', { job_id: jobId, wait_seconds: 20 }).catch(() => answer);
    root.replaceChildren();
    show(root, later, host, input);
  };
  const again = button('Look again', () => void look());
  notice.append(again);
  return notice;
}
