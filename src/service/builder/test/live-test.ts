/** The test before publishing: runs the recipe as a caller would, on freshly fetched pages, and checks its values. */
import * as z from 'zod';
import { RunError } from '../../foundation/errors.ts';
import type { ActionRunner, RunLimits } from '../../foundation/ports.ts';
import type { Row } from '../../page/document.ts';
import { isPresent } from '../../page/elements.ts';
import { isObject } from '../../page/json.ts';
import type { Selection } from '../analysis/analyze.ts';
import { isNumberedName } from '../columns/value-kind.ts';

export interface TestRun {
  readonly rows: readonly Row[];
  /** What the run says that it could not read, or does not know. */
  readonly missing: readonly string[];
}

const Told = z.array(z.string());

/** The least share of rows with a value, relative to the share at the choice. */
const enoughFilled = 0.8;
/** The least share of a field's values that must be of its kind. */
const enoughOfKind = 0.9;
/** Words in the place of numbers are none of another kind where as many are numbers: "sold out". */
const isWord = (value: unknown) => typeof value === 'string' && !/\p{Nd}/u.test(value);
/** Below this share some rows lack a field; so may each of a few. */
const enoughOfRows = 0.9;
const fewRows = 5;
/** The least share of the rows that were chosen. */
const enoughRows = 0.5;

/** Runs a recipe; `failure` says why a run failed. */
export async function tryRecipe(
  runner: ActionRunner,
  task: { readonly recipe: unknown; readonly params: Readonly<Record<string, unknown>> },
  limits: RunLimits,
): Promise<TestRun | { readonly failure: string }> {
  try {
    const { data } = await runner.run(task, limits);
    const { source_url: _, ...answer } = data;
    const { missing: told, ...record } = answer;
    const missing = Told.safeParse(told).data;
    if (Array.isArray(answer.items)) return { rows: answer.items.filter(isObject), missing: missing ?? [] };
    // A field may have this name.
    return missing === undefined ? { rows: [answer], missing: [] } : { rows: [record], missing };
  } catch (error) {
    limits.signal.throwIfAborted();
    if (error instanceof RunError) return { failure: error.message };
    throw error;
  }
}

const isAddress = (value: unknown) => typeof value === 'string' && /^https?:\/\//.test(value);

const checks: Readonly<Record<string, (value: unknown) => boolean>> = {
  date: (value) => typeof value === 'string' && /^\d{4}-\d\d/.test(value),
  number: Number.isFinite,
  url: isAddress,
  image: isAddress,
  boolean: (value) => typeof value === 'boolean',
  list: (value) => Array.isArray(value) && !value.every(isNumberedName),
};

/** Why the values fail the test, as the end of a sentence; undefined if they pass. */
export function shortfall(
  rows: readonly Row[],
  { fields, rows: promised }: Pick<Selection, 'fields' | 'rows'>,
  leastRows = enoughRows,
): string | undefined {
  if (rows.length === 0) return 'gave no rows';
  if (rows.length < Math.floor(promised * leastRows))
    return `gave ${rows.length} rows instead of ${promised}`;
  for (const { name, kind, fill } of fields) {
    const values = rows.map((row) => row[name]).filter(isPresent);
    const least = Math.min(fill, 1) * enoughFilled * rows.length;
    // A field that few rows have may be missing on another page, and one that some lack in a few rows.
    const mayLack = fill < enoughOfRows && rows.length < fewRows;
    if (!mayLack && values.length < Math.floor(least))
      return `filled ${name} in ${values.length} of ${rows.length} rows`;
    const right = values.filter(checks[kind] ?? (() => true)).length;
    const words = kind === 'number' ? values.filter(isWord).length : 0;
    if (right + Math.min(right, words) < values.length * enoughOfKind)
      return `gave values for ${name} that are not of kind ${kind}`;
  }
  return undefined;
}
