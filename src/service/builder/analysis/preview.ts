/** Candidates as callers see them, within a bound on the characters. */

import { saysMoney } from '../../../compare/money.ts';
import { shortened } from '../../catalog/short-row.ts';
import type { PreviewCandidate } from '../../foundation/ports.ts';
import { isPresent } from '../../page/elements.ts';
import { type Candidate, type Column, groupOf } from '../candidates/candidate.ts';
import { toSample } from '../matching/kept-columns.ts';
import type { CandidateMatch } from '../matching/match.ts';

/** Characters of a preview's candidates as JSON. */
export const maxOverview = 3_400;
export const feedRoom = 700;
/** Characters reserved for the page's address. */
const usualUrl = 150;
const maxDetailed = 12_000;
const maxCandidates = 5;
const maxAbout = 100;
const maxLabel = 40;
const samplesShown = 2;

type PreviewColumn = PreviewCandidate['columns'][number];

function toPreviewColumn(column: Column, samples: number, withPattern: boolean): PreviewColumn {
  // Words beside an amount of money are seen before anything is paid.
  const hasWords = column.unit === 'unit' && saysMoney(String(column.rawValues.find(isPresent)));
  const shown = hasWords ? column.rawValues : column.values;
  const values = [...new Set(shown.filter(isPresent).map(toSample))];
  const { match } = column.rules;
  const label = column.label || column.names[0] || '';
  return {
    id: column.id,
    label: shortened(label, maxLabel),
    kind: column.unit === undefined ? column.kind : `${column.kind} (${column.unit})`,
    samples: values.slice(0, samples),
    ...(column.partOf === undefined ? {} : { part_of: column.partOf }),
    ...(withPattern && match !== undefined ? { match: [match].flat().join(' then ') } : {}),
  };
}

/** Properties that describe the structured data itself. */
const aside = /(?:width|height|inLanguage|Id|uuid|sameAs|logo|Type)$|^id$/;
const getDepth = (label: string) => (label.match(/[.\s](?=[a-z])/g) ?? []).length;

/**
 * How much a column says: labelled and filled columns most, whole texts before parts, shallow paths before deep ones.
 */
function rateColumn(column: Column): number {
  const { label, names, isTitle, isStated, isSame, source, partOf, fill, kind, isCode } = column;
  const isTelling = kind === 'list' || kind === 'date' || isCode || isStated === true;
  const part = kind === 'date' || isCode ? 0.2 : 0.7;
  return (
    (isTitle === true ? 3 : 0) +
    (label === '' ? 0 : 1) +
    (names.length > 0 ? 0.5 : 0) +
    (isTelling ? 0.5 : 0) +
    fill -
    (partOf === undefined ? 0 : part) -
    (kind === 'boolean' || isSame === true || aside.test(label) ? 1 : 0) -
    (source.path === undefined ? 0 : Math.min(getDepth(label), 3) * 0.3)
  );
}

function toPreviewCandidate(
  candidate: Candidate,
  budget: number,
  samples: number,
  withPatterns: boolean,
  fitting: ReadonlySet<string> = new Set(),
): PreviewCandidate {
  const { id, kind, rows } = candidate;
  const about = groupOf(candidate)?.text ?? candidate.about;
  const head = { id, kind, ...(about === '' ? {} : { about: shortened(about, maxAbout) }), rows };
  let left = budget - JSON.stringify(head).length - 40;
  const shown = new Map<Column, PreviewColumn>();
  // The columns that say most first; before them those that fit the goal.
  const worth = (column: Column) => rateColumn(column) + (fitting.has(column.id) ? 5 : 0);
  for (const column of [...candidate.columns].sort((one, other) => worth(other) - worth(one))) {
    const entry = toPreviewColumn(column, samples, withPatterns);
    left -= JSON.stringify(entry).length + 1;
    if (left < 0) break;
    shown.set(column, entry);
  }
  const columns = candidate.columns.flatMap((column) => shown.get(column) ?? []);
  const more = candidate.columns.length - columns.length;
  return { ...head, columns, ...(more > 0 ? { more_columns: more } : {}) };
}

/** Up to five, the first with most room and what fits the goal first; `url` is the page's, shown beside them. */
export function createOverview(
  matches: readonly CandidateMatch[],
  url: string,
  characters = maxOverview,
): PreviewCandidate[] {
  const shares = [0.5, 0.22, 0.14, 0.08, 0.06];
  const some = matches.slice(0, maxCandidates);
  const room = characters - Math.max(url.length - usualUrl, 0);
  const sum = shares.slice(0, some.length).reduce((all, share) => all + share, 0);
  return some.map(({ candidate, fields }, index) => {
    const budget = (room * (shares[index] ?? 0)) / sum;
    const fitting = new Set(fields.flatMap(({ column }) => column?.id ?? []));
    return toPreviewCandidate(candidate, budget, index === 0 ? samplesShown : 1, false, fitting);
  });
}

/** All columns of one, with their patterns. */
export const createDetail = (candidate: Candidate): PreviewCandidate =>
  toPreviewCandidate(candidate, maxDetailed, samplesShown, true);
