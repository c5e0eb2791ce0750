/** Chooses the columns of a new action with a person at a terminal. Asks on stderr; nothing is paid here. */

import type { BuildChoice, PreviewCandidate } from '../../contract/endpoints.ts';
import { fieldName } from '../../contract/field-name.ts';
import { buildCredits } from '../../contract/limits.ts';
import { exampleChoice } from '../../gateway/paid/read-candidates.ts';
import { PromptAbortedError } from '../config/errors.ts';
import { candidateText, type Preview, pageText } from './candidate-text.ts';
import { openPrompt } from './prompt.ts';
import { rowTable } from './row-table.ts';

/** What is to be built. */
export interface Order {
  readonly goal: string;
  readonly choose?: BuildChoice | undefined;
}

/** Looks at the page; a text says why that is not possible. Free. */
export type Look = (options: { candidate?: string; choose?: BuildChoice }) => Promise<Preview | string>;

const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

/** A prompt for each question, so that Ctrl-C ends the program while it waits for something else. */
async function ask(question: string): Promise<string> {
  const prompt = openPrompt();
  try {
    return (await prompt.ask(question, { secret: false })).trim();
  } finally {
    prompt.close();
  }
}

/** Enter means no. */
export async function confirm(question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await ask(`${question} [y/N] `));
}

const priceQuestion = `Build it for ${buildCredits} credits, refunded if the build fails?`;

/** Rejects with `PromptAbortedError` unless the person agrees to the price. */
export async function confirmPrice(): Promise<void> {
  if (await confirm(priceQuestion)) return;
  throw new PromptAbortedError();
}

/**
 * Shows the candidates, asks which columns are wanted and what to call them, shows the rows that they give, and asks
 * before anything is paid. `guess` is offered to be accepted or corrected. Rejects with `PromptAbortedError`.
 */
export async function orderColumns(
  look: Look,
  preview: Preview,
  start: { readonly goal?: string | undefined; readonly guess?: BuildChoice | undefined },
): Promise<Order> {
  say(pageText(preview, process.stderr));
  const mayMatch = start.goal !== undefined && start.guess === undefined;
  let { goal = '', guess } = start;
  for (;;) {
    const candidate = await askCandidate(look, preview, { mayMatch, guess });
    if (candidate === 'match the goal') {
      await confirmPrice();
      return { goal };
    }
    const choose = await askColumns(look, candidate, guess);
    if (choose === undefined) continue;
    guess = choose;
    if (goal === '') goal = await askGoal(choose);
    if (await confirm(priceQuestion)) return { goal, choose };
    if (!(await confirm('Choose other columns?'))) throw new PromptAbortedError();
  }
}

async function askCandidate(
  look: Look,
  { candidates }: Preview,
  { mayMatch, guess }: { readonly mayMatch: boolean; readonly guess: BuildChoice | undefined },
): Promise<PreviewCandidate | 'match the goal'> {
  const preset = guess?.candidate ?? candidates[0]?.id ?? '';
  const question = mayMatch
    ? `\nWhich candidate? (such as ${preset}; Enter: let the service match the goal) `
    : `\nWhich candidate? [${preset}] `;
  for (;;) {
    const typed = await ask(question);
    if (typed === '' && mayMatch) return 'match the goal';
    const id = typed === '' ? preset : typed;
    const candidate = candidates.find((entry) => entry.id === id);
    if (candidate === undefined) {
      say(`There is no candidate ${id}. Candidates: ${candidates.map((entry) => entry.id).join(', ')}.`);
      continue;
    }
    if ((candidate.more_columns ?? 0) === 0) return candidate;
    const detail = await look({ candidate: id });
    if (typeof detail === 'string') say(detail);
    const record = typeof detail === 'string' ? undefined : detail.candidates[0];
    if (record !== undefined) say(`\n${candidateText(record, process.stderr)}`);
    return record ?? candidate;
  }
}

/** The choice that gave rows; undefined where the person wants another candidate. */
async function askColumns(
  look: Look,
  candidate: PreviewCandidate,
  guess: BuildChoice | undefined,
): Promise<BuildChoice | undefined> {
  let preset = guess?.candidate === candidate.id ? guess : exampleChoice(candidate);
  say('\nName the columns you want, such as: title=c1 price=c3');
  for (;;) {
    const typed = await ask(`Columns (b: back to the candidates) [${fieldsText(preset)}] `);
    if (typed === 'b') return undefined;
    const fields = typed === '' ? preset.fields : parseFields(typed, candidate);
    if (typeof fields === 'string') {
      say(fields);
      continue;
    }
    const choose = { ...(typed === '' ? preset : {}), candidate: candidate.id, fields };
    const preview = await look({ choose });
    if (typeof preview === 'string') {
      say(preview);
      continue;
    }
    preset = choose;
    // A service may have previews without rows.
    if (preview.sample !== undefined) say(`\n${rowTable(preview.sample)}\n`);
    return choose;
  }
}

async function askGoal({ fields }: BuildChoice): Promise<string> {
  const preset = `List ${Object.keys(fields).join(', ')}`;
  return (await ask(`What does the action do? [${preset}] `)) || preset;
}

const fieldsText = ({ fields }: BuildChoice): string =>
  Object.entries(fields)
    .map(([name, column]) => `${name}=${typeof column === 'string' ? column : column.column}`)
    .join(' ');

/** `title=c1`, `c1=title` or `c1` alone, which takes its label; or the sentence that says what is wrong. */
function parseFields(
  text: string,
  { id, columns }: Pick<PreviewCandidate, 'id' | 'columns'>,
): BuildChoice['fields'] | string {
  const fields = new Map<string, string>();
  for (const word of text.split(/[\s,]+/).filter((item) => item !== '')) {
    const [left = '', right] = word.split('=');
    const column = columns.find(({ id }) => id === right) ?? columns.find(({ id }) => id === left);
    if (column === undefined) return `${word}: candidate ${id} has no such column.`;
    const name =
      right === undefined ? fieldName(column.label) || column.id : column.id === right ? left : right;
    if (name === '') return `${word}: the name is missing.`;
    if (fields.has(name)) return `The name ${name} is used twice. Give each column its own name.`;
    fields.set(name, column.id);
  }
  return fields.size === 0 ? 'Name at least one column.' : Object.fromEntries(fields);
}
