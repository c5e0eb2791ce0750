/** What a caller chose, checked against the candidates of the page. */
import { RE2JS } from 're2js';
import { columnName } from '../../../contract/field-name.ts';
import { shortened } from '../../catalog/short-row.ts';
import { toConcepts, wordsFor } from '../../catalog/synonyms.ts';
import type { BuildChoice } from '../../foundation/ports.ts';
import { collapse, isPresent } from '../../page/elements.ts';
import { toWords } from '../../page/words.ts';
import { toFind } from '../../recipes/pattern.ts';
import type { Candidate, Column, NamedField } from '../candidates/candidate.ts';
import { withMatch } from '../candidates/read-columns.ts';
import type { DateContext } from '../columns/dates.ts';
import { readTexts } from '../columns/value-kind.ts';
import { toSample } from './kept-columns.ts';
import { canBeNamed } from './kind-fit.ts';
import type { CandidateMatch } from './match.ts';

export interface ChosenField extends NamedField {
  readonly kind: Column['kind'];
  readonly fill: number;
  readonly column: Column;
  /** The choice's own pattern for a part of the column's texts. */
  readonly pattern?: string | undefined;
}

export interface Chosen {
  readonly candidate: Candidate;
  readonly fields: readonly ChosenField[];
}

/** What is wrong with the choice, as a sentence for the caller. */
export interface ChoiceProblem {
  readonly problem: string;
  /** What of it is right, so that the caller corrects only the rest. */
  readonly kept?: BuildChoice | undefined;
}

const fieldName = /^[\p{L}_][\p{L}\p{M}\p{N}_]{0,63}$/u;
const maxFields = 60;
const maxPattern = 500;

/** The part of the column's texts that the pattern finds, with the type of those parts. */
function toPart(
  column: Column,
  match: string,
  name: string,
  context: DateContext,
): ChosenField | ChoiceProblem {
  if (column.kind === 'image' || column.kind === 'boolean' || column.source.part !== undefined)
    return { problem: `fields.${name}: "match" works on texts; ${column.id} is of kind ${column.kind}` };
  if (match.length > maxPattern) return { problem: `fields.${name}.match: at most ${maxPattern} characters` };
  try {
    // Patterns outside of RE2's syntax could run forever.
    RE2JS.compile(match);
  } catch {
    return {
      problem: `fields.${name}.match is not a regular expression in RE2 syntax (no lookaround, no backreferences)`,
    };
  }
  const values = column.rawValues.flatMap((value) => [value].flat());
  const find = toFind(match);
  const present = values.flatMap((value) => find(collapse(String(value ?? ''))) || []);
  if (present.length === 0)
    return { problem: `fields.${name}.match matches none of the values of ${column.id}` };
  const { kind, rules } = readTexts(present, context);
  return {
    name,
    source: column.source,
    rules: { ...rules, match: withMatch(column.rules.match, match, rules.match) },
    kind,
    fill: present.length / Math.max(values.length, 1),
    column,
    pattern: match,
  };
}

export function applyChoice(
  candidates: readonly Candidate[],
  choice: BuildChoice,
  context: DateContext,
): Chosen | ChoiceProblem {
  const ids = candidates.map(({ id }) => id).join(', ');
  const candidate = candidates.find(({ id }) => id === choice.candidate);
  if (candidate === undefined)
    return { problem: `The page has no candidate ${choice.candidate}; it has ${ids}.` };
  const entries = Object.entries(choice.fields);
  if (entries.length === 0 || entries.length > maxFields)
    return { problem: `choose.fields needs 1 to ${maxFields} fields.` };
  const checked = entries.map(([name, chosen]) => checkField(name, chosen, candidate, context));
  const fields = checked.filter((field) => 'column' in field);
  const misfits = misfitsAmong(fields, candidate);
  const problems = [
    ...checked.flatMap((field) => ('problem' in field ? [field.problem] : [])),
    ...misfits.values(),
  ];
  if (problems.length === 0) return { candidate, fields };
  const right = new Set(fields.map(({ name }) => name).filter((name) => !misfits.has(name)));
  const kept = { ...choice, fields: Object.fromEntries(entries.filter(([name]) => right.has(name))) };
  return { problem: `${problems.join('; ')}.`, kept: right.size === 0 ? undefined : kept };
}

function checkField(
  name: string,
  chosen: BuildChoice['fields'][string],
  { id: candidate, columns }: Candidate,
  context: DateContext,
): ChosenField | ChoiceProblem {
  const { column: id, match } = typeof chosen === 'string' ? { column: chosen, match: undefined } : chosen;
  const column = columns.find((one) => one.id === id);
  if (!fieldName.test(name))
    return {
      problem: `fields: "${name.slice(0, 60)}" is not a field name; use up to 64 letters, digits and _, not starting with a digit`,
    };
  if (column === undefined) return { problem: `fields.${name}: candidate ${candidate} has no column ${id}` };
  return match === undefined ? toField(column, name) : toPart(column, match, name, context);
}

/** Whether the page itself calls the column so. */
const isCalled = ({ label }: Column, name: string) => {
  const words = wordsFor(name.replaceAll('_', ' '));
  return words.length > 0 && words.every((word) => toConcepts(label).includes(word));
};

/** Whether it is all of the row. */
const isRow = ({ source }: Column) => Object.keys(source).length === 0;

/** By name, why a column cannot be a field of that name, and which columns can. */
function misfitsAmong(fields: readonly ChosenField[], { columns }: Candidate): ReadonlyMap<string, string> {
  const used = new Set(fields.map(({ column }) => column.id));
  const misfits = new Map<string, string>();
  for (const { name, column, kind, pattern } of fields) {
    const values = pattern === undefined ? column.values : column.rawValues;
    // Texts such as "free" or "on request" below "Price" are what the page calls prices.
    if (canBeNamed(name, { kind, values }) || isCalled(column, name)) continue;
    const fitting = columns.filter((one) => one.partOf === undefined && canBeNamed(name, one));
    const better = [...fitting.filter((one) => !isRow(one)), ...fitting.filter(isRow)];
    const free = better.filter(({ id }) => !used.has(id));
    const shown = (free.length > 0 ? free : better).slice(0, 2).map((one) => `${one.id} (${one.kind})`);
    const sample = shortened(toSample(values.find(isPresent) ?? ''), 40);
    misfits.set(
      name,
      `fields.${name}: ${column.id} holds values of kind ${kind}, such as "${sample}"; ${shown.length > 0 ? `${shown.join(' or ')} fits better, or give` : 'no column of the candidate fits: give'} the field another name`,
    );
  }
  return misfits;
}

export const toField = (column: Column, name: string): ChosenField => ({
  name,
  source: column.source,
  rules: column.unit === undefined ? column.rules : { ...column.rules, unit_field: `${name}_${column.unit}` },
  kind: column.kind,
  fill: column.fill,
  column,
});

/** The choice that a match means, where every field of it is clear. */
export function toChosen({ candidate, fields }: CandidateMatch): Chosen {
  const currency = fields.find(({ isCurrency }) => isCurrency === true);
  return {
    candidate,
    fields: fields.flatMap(({ field, column, isCurrency }) => {
      if (column === undefined || isCurrency === true) return [];
      const chosen = toField(column, field.name);
      if (column !== currency?.column) return [chosen];
      return [{ ...chosen, rules: { ...chosen.rules, unit_field: currency.field.name } }];
    }),
  };
}

/** Of a page read as one record, which always has a heading, the least share of fields that a guess must have. */
const enoughOfRecord = 0.6;

/**
 * The fields of the goal that have one clear column, as a choice; where the goal names none, the first columns of a list.
 * Undefined for a page that does not seem to have what is asked for: no guess is better than a wrong one.
 */
export function toGuess({ candidate, fields, clear }: CandidateMatch): BuildChoice | undefined {
  if (fields.length > 0) {
    if (clear === 0 || (candidate.kind === 'record' && clear < enoughOfRecord)) return undefined;
    const guessed = fields.flatMap(({ field, column, isClear, isCurrency }) =>
      column === undefined || !isClear || isCurrency === true ? [] : [[field.name, column.id] as const],
    );
    return { candidate: candidate.id, fields: Object.fromEntries(guessed) };
  }
  if (!candidate.many && candidate.kind !== 'structured data') return undefined;
  const own = candidate.columns
    .filter(({ partOf, isSame }) => partOf === undefined && isSame !== true)
    .slice(0, 6);
  const named = new Map<string, string>();
  for (const { label, names, source, id } of own) {
    const called = label || names[0] || source.header || '';
    // Without accents, as the fields of a goal are.
    const name = columnName(toWords(called).join(' ') || called, id);
    let free = name;
    for (let count = 2; named.has(free); count++) free = `${name}_${count}`;
    named.set(free, id);
  }
  return { candidate: candidate.id, fields: Object.fromEntries(named) };
}
