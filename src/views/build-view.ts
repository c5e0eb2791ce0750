/** The view of `request_build`: what a page offers, for a person to choose columns from, and what a build came to. */
import { columnName } from '../contract/field-name.ts';
import { creditsText } from '../contract/price.ts';
import { findRows } from '../contract/result-rows.ts';
import { answerCost, body, createProblem, facts, text, toList } from './answer.ts';
import { button, element, visible } from './elements.ts';
import { type AppView, copy, type Host } from './host.ts';
import type { Body } from './host-connection.ts';
import { createTable } from './table.ts';

export const buildView: AppView = { name: 'build', show };

interface Column {
  readonly id: string;
  readonly label: string;
  readonly kind: string;
  readonly samples: readonly string[];
}

interface Candidate {
  readonly id: string;
  readonly kind: string;
  readonly about: string | undefined;
  readonly rows: number;
  readonly columns: readonly Column[];
}

function show(root: HTMLElement, answer: Body, host: Host, input: Body): void {
  const request = body(answer.build_request);
  const isChoice = text(answer.error_type) === 'CHOICE_NEEDED';
  const problem = isChoice ? undefined : createProblem(answer, host.openLink);
  if (problem !== undefined) root.append(problem);
  const page = body(answer.page);
  root.append(
    facts({
      Page: text(page.title) ?? text(input.website_url) ?? text(request.website_url),
      Status: isChoice ? 'a choice is needed; the credits were refunded' : text(answer.status),
      Action: text(answer.action_id),
      Tool: text(answer.tool),
      Cost: answerCost(answer),
      'Price of a run': typeof answer.credits === 'number' ? creditsText(answer.credits) : undefined,
    }),
  );
  const sample = findRows(answer.sample ?? request.sample ?? answer.rows);
  if (sample !== undefined) {
    const table = createTable(sample.rows, { label: 'Sample rows', openLink: host.openLink });
    root.append(element('h2', {}, 'Sample rows'), table);
  }
  const candidates = toList(answer.candidates).map(readCandidate);
  if (candidates.length > 0) root.append(chooser(candidates, { request, input, host }));
}

function readCandidate(value: unknown): Candidate {
  const { id, kind, about, rows, columns } = body(value);
  return {
    id: text(id) ?? '',
    kind: text(kind) ?? '',
    about: text(about),
    rows: typeof rows === 'number' ? rows : 0,
    columns: toList(columns).map((column) => {
      const { id: columnId, label, kind: columnKind, samples } = body(column);
      return {
        id: text(columnId) ?? '',
        label: text(label) ?? '',
        kind: text(columnKind) ?? '',
        samples: toList(samples).flatMap((sample) => text(sample) ?? []),
      };
    }),
  };
}

interface BuildRequestContext {
  readonly request: Body;
  readonly input: Body;
  readonly host: Host;
}

/** Clicking a header names its column; columns are of one candidate. */
function chooser(candidates: readonly Candidate[], context: BuildRequestContext): HTMLElement {
  let chosen: Candidate | undefined;
  const names = new Map<string, string>();
  const status = element('span', { role: 'status' });
  const choice = () => JSON.stringify(toChoice(chosen, names, context));
  const send = button('Send this choice', () => void submit());
  const copyIt = button('Copy the call', () => void copyCall());
  const update = () => {
    send.disabled = names.size === 0;
    copyIt.disabled = names.size === 0;
    status.textContent =
      names.size === 0
        ? 'Click the headers of the columns that you want.'
        : `${names.size} columns: ${[...names.values()].map(visible).join(', ')}`;
  };
  async function submit(): Promise<void> {
    send.disabled = true;
    const isSent =
      (await context.host.say?.(`Build this choice: request_build ${choice()}`).catch(() => false)) ?? false;
    status.textContent = isSent
      ? 'Sent to the conversation.'
      : 'This client did not accept the message: copy the call instead.';
    send.disabled = isSent;
  }
  async function copyCall(): Promise<void> {
    status.textContent = (await copy(`request_build ${choice()}`)) ? 'Copied.' : 'It could not be copied.';
  }
  const cards = candidates.map((candidate) =>
    candidateCard(candidate, (column, name) => {
      if (chosen !== candidate) {
        names.clear();
        for (const card of cards) if (card.candidate !== candidate) card.clear();
      }
      chosen = candidate;
      if (name === undefined) names.delete(column.id);
      else names.set(column.id, name);
      update();
    }),
  );
  update();
  const sending = context.host.say === undefined ? [copyIt] : [send, copyIt];
  return element(
    'section',
    {},
    element('h2', {}, 'What the page offers'),
    element('div', { class: 'candidates' }, ...cards.map(({ card }) => card)),
    element('div', { class: 'sending' }, ...sending, status),
  );
}

/** A complete request, with the goal that the request had. */
function toChoice(
  candidate: Candidate | undefined,
  names: ReadonlyMap<string, string>,
  { input, request }: BuildRequestContext,
): Body {
  const fields = Object.fromEntries([...names].map(([id, name]) => [name, id]));
  return {
    website_url: text(input.website_url) ?? text(request.website_url),
    goal: text(input.goal) ?? text(request.goal) ?? `List ${[...names.values()].join(', ')}`,
    choose: { candidate: candidate?.id, fields },
  };
}

function candidateCard(candidate: Candidate, onName: (column: Column, name: string | undefined) => void) {
  const columns = candidate.columns.map((column) => columnHeader(column, (name) => onName(column, name)));
  const deepest = Math.max(0, ...candidate.columns.map(({ samples }) => samples.length));
  const rows = Array.from({ length: deepest }, (_, index) =>
    element(
      'tr',
      {},
      ...candidate.columns.map(({ samples }) =>
        element('td', {}, element('bdi', {}, visible(samples[index] ?? ''))),
      ),
    ),
  );
  const label = `${candidate.rows} rows: ${candidate.about ?? candidate.kind}`;
  const card = element(
    'article',
    { class: 'card' },
    element('h3', {}, element('bdi', {}, visible(label))),
    element('p', { class: 'quiet' }, visible(candidate.kind)),
    element(
      'div',
      { class: 'scroll', role: 'region', 'aria-label': visible(label), tabindex: '0' },
      element(
        'table',
        {},
        element('thead', {}, element('tr', {}, ...columns.map(({ cell }) => cell))),
        element('tbody', {}, ...rows),
      ),
    ),
  );
  const clear = () => {
    for (const column of columns) column.clear();
  };
  return { candidate, card, clear };
}

function columnHeader(column: Column, onName: (name: string | undefined) => void) {
  const shown = column.label || column.id;
  const input = element('input', {
    'aria-label': `Name of the column ${visible(shown)}`,
    maxlength: '40',
    hidden: true,
  });
  const toggle = button(visible(shown), () => select(toggle.getAttribute('aria-pressed') === 'false'), {
    'aria-pressed': 'false',
  });
  const select = (isSelected: boolean) => {
    input.hidden = !isSelected;
    toggle.setAttribute('aria-pressed', String(isSelected));
    if (isSelected) {
      input.value ||= columnName(column.label, column.id);
      input.focus();
    }
    onName(isSelected ? input.value : undefined);
  };
  input.addEventListener('input', () => onName(columnName(input.value, column.id)));
  const clear = () => {
    input.hidden = true;
    toggle.setAttribute('aria-pressed', 'false');
  };
  return {
    cell: element(
      'th',
      { scope: 'col' },
      toggle,
      input,
      element('span', { class: 'when' }, visible(column.kind)),
    ),
    clear,
  };
}
