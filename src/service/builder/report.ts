/** What whoever asked for the build is told: what was found, with a sample row each. Bounded in length. */
import type { Row } from '../recipes/document.ts';
import type { Proposal } from './analyze.ts';

const maxLength = 1_000;
const maxValue = 60;

const shortened = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** A row as text, its values cut. */
function rowText(row: Row): string {
  const values = Object.entries(row).map(([name, value]) => {
    const shown = typeof value === 'string' ? value : JSON.stringify(value);
    return `${name}: ${shortened((shown ?? 'null').replace(/\s+/g, ' '), maxValue)}`;
  });
  return shortened(values.join(', '), 260);
}

/** One proposal: "12 repeated records, such as {…}". */
export function proposalText({ kind, many, rows, sample }: Proposal): string {
  const [first = {}] = sample;
  return `${many ? `${rows} rows (${kind})` : `one record (${kind})`}, such as {${rowText(first)}}`;
}

/** A sentence and what else was found, in at most 1,000 characters. */
export function withFindings(sentence: string, proposals: readonly Proposal[], lead = 'Found'): string {
  let text = sentence;
  for (const [index, proposal] of proposals.slice(0, 3).entries()) {
    const more = `${index === 0 ? ` ${lead}: ` : '; or '}${proposalText(proposal)}`;
    if (text.length + more.length > maxLength - 1) break;
    text += more;
  }
  return shortened(text, maxLength);
}
