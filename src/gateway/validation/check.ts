/** Checks params against an action's original schema by interpreting it: no code is generated, nothing is fetched. */
import { format, type OutputUnit, type SchemaDraft, Validator } from '@cfworker/json-schema';
import { cleanText } from '../foundation/text.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import type { Issue } from './limits.ts';

export type Verdict =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly issues: readonly Issue[] }
  /** The schema cannot be used for a check; the service decides. */
  | { readonly kind: 'unchecked'; readonly reason: string };

// Formats are looked up by name: without a prototype, `format: "toString"` is unknown, and ignored, like any other.
Object.setPrototypeOf(format, null);

const maxIssues = 10;
/** These only say that something below them failed, which is reported by itself. */
const wrappers = new Set([
  'properties',
  'items',
  'prefixItems',
  'allOf',
  '$ref',
  'patternProperties',
  'false',
]);

/** Prepared ones of the schemas that are in use. */
const validators = new WeakMap<JsonObject, Validator>();

function getValidator(schema: JsonObject): Validator {
  const validator = validators.get(schema) ?? new Validator(schema, toDraft(schema.$schema), false);
  validators.set(schema, validator);
  return validator;
}

/** May take as long as the schema's author made it take: slow ones run in a worker process. */
export function checkParams(schema: JsonObject, params: JsonObject): Verdict {
  try {
    const result = getValidator(schema).validate(params);
    return result.valid ? { kind: 'valid' } : { kind: 'invalid', issues: toIssues(result.errors) };
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

function toIssues(errors: readonly OutputUnit[]): Issue[] {
  const precise = errors.filter((error) => !wrappers.has(error.keyword));
  return (precise.length > 0 ? precise : errors).slice(0, maxIssues).map((error) => ({
    path: toPath(error.instanceLocation),
    message: cleanText(error.error, 300),
  }));
}

/** `#/items/3/name` as `items[3].name`. */
function toPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`),
      '',
    );
}
