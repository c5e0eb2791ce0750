/** The live test: the recipe is run as any caller would run it, on pages fetched anew. */
import { type ActionRunner, RunFailure } from '../ports.ts';
import type { Row } from '../recipes/document.ts';

/** The least share of the chosen fields that must be filled. */
const enough = 0.8;

export interface TestRun {
  readonly rows: readonly Row[];
}

const isPresent = (value: unknown) =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);
const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null;

/** Runs a recipe. A failure of the run is an answer as well: the sentence that says why. */
export async function tryRecipe(
  runner: ActionRunner,
  task: { readonly recipe: unknown; readonly params: Readonly<Record<string, unknown>> },
  limits: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<TestRun | { readonly failure: string }> {
  try {
    const { data } = await runner.run(task, limits);
    if (Array.isArray(data.items)) return { rows: data.items.filter(isRow) };
    const { source_url: _, ...record } = data;
    return { rows: [record] };
  } catch (error) {
    limits.signal.throwIfAborted();
    if (error instanceof RunFailure) return { failure: error.message };
    throw error;
  }
}

/** Rows in which a field is expected that so few rows have that a page may well be without it. */
const few = 3;

/** A field counts as filled where half of the rows have it, or as many as when it was chosen. */
export function filledFields(
  rows: readonly Row[],
  fields: readonly string[],
  promised: readonly number[],
): string[] {
  return fields.filter((name, index) => {
    const share = rows.filter((row) => isPresent(row[name])).length / Math.max(rows.length, 1);
    const promise = promised[index] ?? 1;
    if (promise < 0.5 && promise * rows.length < few) return rows.length > 0;
    return share > 0 && share >= Math.min(0.5, promise * enough);
  });
}

/** Undefined where the rows pass, and else the sentence that says what is missing. */
export function shortfall(
  rows: readonly Row[],
  fields: readonly string[],
  promised: readonly number[],
): string | undefined {
  if (rows.length === 0) return 'gave no rows';
  const filled = filledFields(rows, fields, promised);
  if (filled.length >= fields.length * enough) return undefined;
  const empty = fields.filter((name) => !filled.includes(name));
  return `filled ${filled.length} of ${fields.length} fields, without ${empty.slice(0, 6).join(', ')}`;
}
