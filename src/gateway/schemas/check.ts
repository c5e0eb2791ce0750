/** Checks params against an action's original schema by interpreting it: no code is generated, nothing is fetched. */
import { format, type OutputUnit, type SchemaDraft, Validator } from '@cfworker/json-schema';
import { describeSchemaErrors } from '../../contract/param-problems.ts';
import { cleanText } from '../foundation/text.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import type { Issue } from './argument-bounds.ts';

export type Verdict =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly issues: readonly Issue[] }
  /** The schema cannot be used for a check; the service decides. */
  | { readonly kind: 'unchecked'; readonly reason: string };

// Formats are looked up by name: without a prototype, `format: "toString"` is unknown, and ignored, like any other.
Object.setPrototypeOf(format, null);

const maxIssues = 10;
/** Prepared validators of the schemas in use. */
const validators = new WeakMap<JsonObject, Validator>();

function getValidator(schema: JsonObject): Validator {
  const validator = validators.get(schema) ?? new Validator(schema, toDraft(schema.$schema), false);
  validators.set(schema, validator);
  return validator;
}

/** A hostile schema may make this slow: such schemas are checked in a worker process. */
export function checkParams(schema: JsonObject, params: JsonObject): Verdict {
  try {
    const result = getValidator(schema).validate(params);
    return result.valid ? { kind: 'valid' } : { kind: 'invalid', issues: toIssues(schema, result.errors) };
  } catch (error) {
    return {
      kind: 'unchecked',
      reason: cleanText(error instanceof Error ? error.message : 'unusable schema', 200),
    };
  }
}

function toDraft(dialect: unknown): SchemaDraft {
  if (typeof dialect !== 'string') return '2020-12';
  if (dialect.includes('draft-04')) return '4';
  if (dialect.includes('draft-06') || dialect.includes('draft-07')) return '7';
  return dialect.includes('2019-09') ? '2019-09' : '2020-12';
}

function toIssues(schema: JsonObject, errors: readonly OutputUnit[]): Issue[] {
  return describeSchemaErrors(schema, errors)
    .slice(0, maxIssues)
    .map(({ path, message, keyword }) => ({
      path: cleanText(path, 200),
      message: cleanText(message, 300),
      keyword,
    }));
}
