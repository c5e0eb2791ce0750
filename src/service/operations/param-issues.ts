/** Checks a task's params against its action's schema. */
import { Validator } from '@cfworker/json-schema';
import type { ActionDefinition } from '../ports.ts';

export interface ParamIssue {
  /** JSON pointer into the params. */
  readonly path: string;
  readonly message: string;
}

const maxIssues = 20;
const validators = new WeakMap<ActionDefinition, Validator>();

/** What is wrong with the params; empty where they are valid. */
export async function findParamIssues(
  definition: ActionDefinition,
  params: Readonly<Record<string, unknown>>,
): Promise<ParamIssue[]> {
  const known = validators.get(definition);
  const validator = known ?? new Validator({ ...definition.parameters }, '2020-12', false);
  if (known === undefined) validators.set(definition, validator);
  const { valid, errors } = validator.validate(params);
  if (valid) return [];
  return errors
    .map(({ instanceLocation, error }) => ({ path: instanceLocation.replace(/^#/, ''), message: error }))
    .slice(0, maxIssues);
}
