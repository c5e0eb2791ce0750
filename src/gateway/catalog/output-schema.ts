/**
 * What a tool's result looks like, for clients that write code against tools. Only for actions whose catalog declares
 * their fields, and without a `type` below `data`: a client that finds a violation throws the paid result away, and
 * `data` is also what `select` picked, CSV, a preview or null. What a field holds stands in its description.
 */
import type { SearchResult } from '../../contract/resources.ts';
import { cleanText } from '../foundation/text.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import { isPortableName } from '../schemas/portable-schema.ts';

export interface OutputSchema {
  readonly type: 'object';
  readonly [keyword: string]: unknown;
}

const maxFields = 60;
const maxKind = 60;

/** Undefined where the catalog does not declare the fields. */
export function outputSchema({ returns, field_kinds = {} }: SearchResult): OutputSchema | undefined {
  if (returns === undefined) return undefined;
  const describe = (names: readonly string[]): JsonObject =>
    Object.fromEntries(
      names
        .filter(isPortableName)
        .slice(0, maxFields)
        .map((name) => [name, toFieldSchema(name)]),
    );
  const toFieldSchema = (name: string): JsonObject => {
    const kind = Object.hasOwn(field_kinds, name) ? cleanText(field_kinds[name] ?? '', maxKind) : '';
    return kind === '' ? {} : { description: kind };
  };
  const fields = Array.isArray(returns)
    ? describe(returns)
    : Object.fromEntries(
        Object.entries(returns)
          .filter(([name]) => isPortableName(name))
          .slice(0, maxFields)
          .map(([name, rows]) => [name, { description: 'list', items: { properties: describe(rows) } }]),
      );
  return {
    type: 'object',
    properties: {
      status: { type: 'string', description: 'completed: data has the result; processing: follow next' },
      job_id: { type: 'string' },
      next: { type: 'string', description: 'The one next step' },
      data: { description: 'null or another shape with select, csv or truncated', properties: fields },
    },
    required: ['status'],
  };
}
