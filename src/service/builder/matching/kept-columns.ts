/**
 * A choice is kept by what its columns are, so that it means the same columns on a page on which they stand elsewhere,
 * and no others on a page that does not have them.
 */
import { createHash } from 'node:crypto';
import { shortened } from '../../catalog/short-row.ts';
import type { BuildChoice, KeptChoice, KeptColumn, ShownCandidate } from '../../foundation/ports.ts';
import { isPresent } from '../../page/elements.ts';
import type { Candidate, Column } from '../candidates/candidate.ts';

const samplesKept = 3;
const maxSample = 60;
/** Samples that another column must have before they count against the column in the same place. */
const enoughSamples = 2;

export const toSample = (value: unknown): string =>
  shortened((typeof value === 'string' ? value : JSON.stringify(value)).replace(/\s+/g, ' '), maxSample);

const samplesOf = ({ values }: Column): string[] => [...new Set(values.filter(isPresent).map(toSample))];

/** Where the column's values stand in a row: the recipe's selector or path, and the pattern of its part. */
const pathOf = ({ source, rules, partOf }: Column): string =>
  JSON.stringify([...Object.entries(source).sort(), ...(partOf === undefined ? [] : [rules.match])]);

const keepColumn = (column: Column): KeptColumn => ({
  label: column.label,
  kind: column.kind,
  path: pathOf(column),
  samples: samplesOf(column).slice(0, samplesKept),
});

/** Equal for two versions of a page in which the rows have the same places; what stands above tables is in none of them. */
function layoutOf({ kind, columns }: Candidate): string {
  const places = columns
    .filter(({ partOf, source }) => partOf === undefined && (kind !== 'table' || source.above === undefined))
    .map(pathOf);
  return createHash('sha256').update(places.join('\n')).digest('hex').slice(0, 12);
}

const keepCandidate = (candidate: Candidate): KeptChoice['candidate'] => ({
  id: candidate.id,
  kind: candidate.kind,
  layout: layoutOf(candidate),
});

export const keepChoice = (
  candidate: Candidate,
  fields: readonly {
    readonly name: string;
    readonly column: Column;
    readonly pattern?: string | undefined;
  }[],
): KeptChoice => ({
  candidate: keepCandidate(candidate),
  fields: Object.fromEntries(
    fields.map(({ name, column, pattern }) => [
      name,
      { ...keepColumn(column), ...(pattern === undefined ? {} : { match: pattern }) },
    ]),
  ),
});

export const isSamePlace = (column: Column, kept: KeptColumn): boolean => pathOf(column) === kept.path;

/** What a caller saw of a candidate, to tell later what its ids mean. */
export const keepShown = (candidate: Candidate): ShownCandidate => ({
  candidate: keepCandidate(candidate),
  columns: Object.fromEntries(candidate.columns.map((column) => [column.id, keepColumn(column)])),
});

const countShared = (column: Column, { samples }: KeptColumn): number => {
  const values = new Set(samplesOf(column));
  return samples.filter((sample) => values.has(sample)).length;
};

/** The one column that holds most of the samples; undefined where two hold as many. */
function holderOf(
  kept: KeptColumn,
  columns: readonly Column[],
): { column: Column; shared: number } | undefined {
  const [first, second] = columns
    .map((column) => ({ column, shared: countShared(column, kept) }))
    .sort((one, other) => other.shared - one.shared);
  if (first === undefined || first.shared === 0 || first.shared === second?.shared) return undefined;
  return first;
}

/** The column in a candidate that is the kept one; undefined where none surely is. */
function findColumn(kept: KeptColumn, columns: readonly Column[], isSameLayout: boolean): Column | undefined {
  const alike = columns.filter(({ kind }) => kind === kept.kind);
  const here = alike.filter((column) => column.label === kept.label && isSamePlace(column, kept));
  const [inPlace] = here;
  const holder = holderOf(kept, alike);
  if (inPlace !== undefined && here.length === 1) {
    const shared = countShared(inPlace, kept);
    const elsewhere = holder !== undefined && holder.column !== inPlace ? holder.shared : 0;
    if (shared > 0 && (kept.label !== '' || shared >= elsewhere)) return inPlace;
    // Rows that are all new prove nothing; the page's own label, or places that are all the same, do.
    const isNamed = kept.label !== '' || isSameLayout;
    if (shared === 0 && elsewhere < enoughSamples && isNamed) return inPlace;
  }
  const isEnough = holder !== undefined && holder.shared >= Math.min(enoughSamples, kept.samples.length);
  return isEnough && holder.column.label === kept.label ? holder.column : undefined;
}

interface Found {
  readonly candidate: Candidate;
  /** Column ids by field. */
  readonly columns: Readonly<Record<string, string>>;
  readonly shared: number;
}

/** The fields that no column surely is, and the columns of the others. */
interface Partly extends Omit<Found, 'shared'> {
  readonly missing: readonly string[];
}

function findIn(candidate: Candidate, kept: KeptChoice): Found | Partly {
  const isSameLayout = layoutOf(candidate) === kept.candidate.layout;
  const columns = new Map<string, Column>();
  const missing: string[] = [];
  for (const [name, field] of Object.entries(kept.fields)) {
    const column = findColumn(field, candidate.columns, isSameLayout);
    if (column === undefined) missing.push(name);
    else columns.set(name, column);
  }
  const ids = Object.fromEntries([...columns].map(([name, { id }]) => [name, id]));
  if (missing.length > 0) return { candidate, columns: ids, missing };
  const places = new Set(Object.values(kept.fields).map(({ path }) => path));
  // Two columns never became one.
  if (new Set(columns.values()).size < places.size)
    return { candidate, columns: {}, missing: Object.keys(kept.fields) };
  const shared = [...columns].reduce((sum, [name, column]) => {
    const field = kept.fields[name];
    return sum + (field === undefined ? 0 : countShared(column, field));
  }, 0);
  return { candidate, columns: ids, shared };
}

const isFound = (result: Found | Partly): result is Found => 'shared' in result;

/** The choice by the ids of this page; or the fields that no column of it surely is, and the choice of the others. */
export function findKept(
  candidates: readonly Candidate[],
  kept: KeptChoice,
): BuildChoice | { readonly missing: readonly string[]; readonly rest?: BuildChoice } {
  const results = candidates
    .filter(({ kind }) => kind === kept.candidate.kind)
    .map((candidate) => findIn(candidate, kept));
  const found = results.filter(isFound).sort((one, other) => other.shared - one.shared);
  const [first, second] = found;
  const all = Object.keys(kept.fields);
  if (first === undefined) {
    const partly = results.flatMap((result) => (isFound(result) ? [] : [result]));
    const [least] = partly.sort((one, other) => one.missing.length - other.missing.length);
    if (least === undefined || least.missing.length === all.length) return { missing: all };
    return { missing: least.missing, rest: toChoice(least, kept) };
  }
  const isTie = second !== undefined && second.shared === first.shared;
  const chosen = isTie ? found.find(({ candidate }) => candidate.id === kept.candidate.id) : first;
  if (chosen === undefined) return { missing: all };
  return toChoice(chosen, kept);
}

function toChoice(
  { candidate, columns }: Pick<Found, 'candidate' | 'columns'>,
  kept: KeptChoice,
): BuildChoice {
  const fields = Object.keys(kept.fields).flatMap((name) => {
    const column = columns[name];
    const match = kept.fields[name]?.match;
    return column === undefined ? [] : [[name, match === undefined ? column : { column, match }] as const];
  });
  return { candidate: candidate.id, fields: Object.fromEntries(fields) };
}
