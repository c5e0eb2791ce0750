/** What whoever asked for the build is told: what was found, with a sample row each as data. Bounded in length. */
import type { Alternative } from '../ports.ts';
import type { Row } from '../recipes/document.ts';
import { BuildFailure, type BuildFailureType } from './failures.ts';
import type { Proposal } from './proposals.ts';

const maxLength = 1_000;
const maxValue = 60;
const maxProposal = 300;
const maxAlternatives = 3;

const shortened = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

const valueText = (value: unknown) =>
  shortened(
    ((typeof value === 'string' ? value : JSON.stringify(value)) ?? 'null').replace(/\s+/g, ' '),
    maxValue,
  );

/** A row of bounded size: as it is, but for long values, which become text that is cut. */
function shortRow(row: Row): Row {
  const isShort = (value: unknown) =>
    typeof value === 'object' && value !== null
      ? JSON.stringify(value).length <= maxValue
      : String(value).length <= maxValue;
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, isShort(value) ? value : valueText(value)]),
  );
}

const firstRow = ({ sample }: Proposal) => JSON.stringify(sample[0] ?? {});

/** The best of what competed, as data; the same rows found in another way are no alternative. */
export const alternativesOf = (proposals: readonly Proposal[], chosen?: Proposal): Alternative[] => {
  const seen = new Set(chosen === undefined ? [] : [firstRow(chosen)]);
  const others = proposals.filter((proposal) => {
    const row = firstRow(proposal);
    return !seen.has(row) && seen.add(row);
  });
  return others.slice(0, maxAlternatives).map(({ kind, many, rows, fields, sample: [first = {}] }) => ({
    kind,
    rows: many ? rows : 1,
    fields,
    sample: shortRow(first),
  }));
};

/** One proposal: "12 rows (table) with station, state". */
const proposalText = ({ kind, many, rows, fields }: Proposal): string =>
  shortened(`${many ? `${rows} rows` : 'one record'} (${kind}) with ${fields.join(', ')}`, maxProposal);

/** A sentence and what else was found, in at most 1,000 characters. */
export function withFindings(sentence: string, proposals: readonly Proposal[], lead = 'Found'): string {
  let text = sentence;
  for (const [index, proposal] of proposals.slice(0, maxAlternatives).entries()) {
    const more = `${index === 0 ? ` ${lead}: ` : '; or '}${proposalText(proposal)}`;
    if (text.length + more.length > maxLength - 1) break;
    text += more;
  }
  return shortened(text, maxLength);
}

/** A failure that shows what was found instead, in its sentence and as data. */
export const failureShowing = (
  type: BuildFailureType,
  sentence: string,
  proposals: readonly Proposal[],
  lead?: string,
): BuildFailure =>
  new BuildFailure(type, withFindings(sentence, proposals, lead), {
    alternatives: alternativesOf(proposals),
  });
