/** The view of `list_watches`: the watches, or what one of them told. */
import { creditsText } from '../contract/price.ts';
import { findRows } from '../contract/result-rows.ts';
import { body, createProblem, facts, text, toList } from './answer.ts';
import { button, element, visible } from './elements.ts';
import type { AppView, Host } from './host.ts';
import type { Body } from './host-connection.ts';
import { createTable } from './table.ts';

export const watchesView: AppView = { name: 'watches', show };

function show(root: HTMLElement, answer: Body, host: Host): void {
  const problem = createProblem(answer, host.openLink);
  if (problem !== undefined) root.append(problem);
  if (Array.isArray(answer.watches)) root.append(...list(root, answer, host));
  else if (Array.isArray(answer.changes)) root.append(...one(answer, host));
}

function list(root: HTMLElement, answer: Body, host: Host): HTMLElement[] {
  const watches = toList(answer.watches).map(body);
  if (watches.length === 0) return [element('p', { class: 'quiet' }, 'There are no watches.')];
  const rows = watches.map((watch) => ({
    Action: nameOf(watch),
    State: state(watch.state),
    Every: watch.every,
    Next: time(watch.next_run_at, host),
    Changes: watch.changes,
    Unread: watch.unread ?? 0,
    Credits: watch.credits_used,
  }));
  return [
    createTable(rows, { label: 'Watches', openLink: host.openLink }),
    ...watches.flatMap((watch) => describeProblem(watch, host)),
    ...openers(root, watches, host),
  ];
}

/** Opens what a watch told, which then counts as read. */
function openers(root: HTMLElement, watches: readonly Body[], host: Host): HTMLElement[] {
  const { callTool } = host;
  if (callTool === undefined) return [];
  const status = element('span', { class: 'quiet', role: 'status' });
  const buttons = watches.flatMap((watch) => {
    const id = text(watch.watch_id);
    if (id === undefined) return [];
    const open = async () => {
      status.textContent = 'Loading … ';
      try {
        const told = await callTool('list_watches', { watch_id: id });
        root.replaceChildren();
        show(root, told, host);
      } catch {
        status.textContent = 'It could not be loaded.';
      }
    };
    return [button(`What ${visible(nameOf(watch))} told`, () => void open())];
  });
  return [element('div', { class: 'downloads' }, ...buttons, status)];
}

function one(answer: Body, host: Host): HTMLElement[] {
  const { credits_used: credits, missed } = answer;
  const entries = toList(answer.changes).map(body).reverse();
  return [
    facts({
      State: state(answer.state),
      Next: time(answer.next_run_at, host),
      Cost: typeof credits === 'number' ? creditsText(credits) : undefined,
      'Due times without a run': typeof missed === 'number' && missed > 0 ? String(missed) : undefined,
    }),
    ...lastRun(answer, host).map((said) => element('p', { class: 'notice' }, visible(said))),
    ...(entries.length === 0 && answer.last_run === undefined
      ? [element('p', { class: 'quiet' }, 'Nothing has changed yet.')]
      : []),
    ...entries.flatMap((entry) => describeEntry(entry, host)),
  ];
}

function describeEntry(entry: Body, host: Host): HTMLElement[] {
  const kind = text(entry.kind) ?? '';
  const heading = kind === 'changed' ? (text(entry.summary) ?? 'Changed') : state(kind);
  const about = kind === 'changed' ? undefined : text(entry.summary);
  const changed = toList(entry.changed).map((change) => {
    const { key, field, before, after } = body(change);
    return { ...(key !== null && { Row: key }), Field: field, Before: before, After: after };
  });
  return [
    element('h2', {}, visible(heading)),
    element(
      'p',
      { class: 'quiet' },
      [time(entry.at, host), about].filter(Boolean).map(String).map(visible).join(' · '),
    ),
    ...table('Changed', changed, host),
    ...table('Came', toList(entry.added), host),
    ...table('Went', toList(entry.removed), host),
    ...(typeof entry.more === 'number'
      ? [element('p', { class: 'quiet' }, `${entry.more} more are not shown.`)]
      : []),
  ];
}

function table(label: string, values: readonly unknown[], host: Host): HTMLElement[] {
  const rows = findRows(values)?.rows ?? [];
  if (rows.length === 0) return [];
  return [element('h3', {}, label), createTable(rows, { label, openLink: host.openLink })];
}

/** What stands between a watch and its next version: a quiet watch has nothing of it. */
function describeProblem(watch: Body, host: Host): HTMLElement[] {
  const error = text(body(watch.error).message);
  const run = lastRun(watch, host);
  const said = [...(run.length === 0 && error !== undefined ? [error] : run), text(watch.next)].filter(
    Boolean,
  );
  if (said.length === 0) return [];
  return [element('p', { class: 'notice' }, visible([`${nameOf(watch)}:`, ...said].join(' ')))];
}

/** Why the last run brought no version; empty where it brought one. */
function lastRun({ last_run: run }: Body, host: Host): string[] {
  const { outcome, at, message } = body(run);
  if (typeof outcome !== 'string') return [];
  return [`Its last run (${time(at, host) ?? ''}) brought no version, ${outcome}: ${text(message) ?? ''}`];
}

/** Several may run one action, with other params. */
function nameOf({ action_id: action, params }: Body): string {
  const given = JSON.stringify(params ?? {});
  const shown = given === '{}' ? '' : ` ${given.length > 60 ? `${given.slice(0, 59)}…` : given}`;
  return `${text(action) ?? ''}${shown}`;
}

const state = (value: unknown): string => (text(value) ?? '').replaceAll('_', ' ');
const time = (value: unknown, host: Host): string | undefined =>
  typeof value === 'string' ? host.formatTime(value) : undefined;
