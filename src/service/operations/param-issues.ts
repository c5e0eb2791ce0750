/** Checks a task's params against its action's schema. */
import { createContext, Script } from 'node:vm';
import { type ValidationResult, Validator } from '@cfworker/json-schema';
import { openErrors } from '../../contract/errors.ts';
import { describeSchemaErrors, type ParamProblem } from '../../contract/param-problems.ts';
import { withLargeIntegers } from '../../contract/schema-types.ts';
import type { ActionDefinition } from '../foundation/ports.ts';
import { refuse } from '../foundation/request-error.ts';

const maxIssues = 20;
/** Milliseconds. An author's pattern may run forever on some texts, and would block the process. */
const timeLimit = 250;

type Check = (params: Readonly<Record<string, unknown>>) => ValidationResult;
const checks = new WeakMap<ActionDefinition, Check>();

/** The problems of the params; empty if they are valid. Throws `INVALID_PARAMS` if the check takes too long. */
export function findParamIssues(
  definition: ActionDefinition,
  params: Readonly<Record<string, unknown>>,
): Pick<ParamProblem, 'path' | 'message'>[] {
  const check = checks.get(definition) ?? createCheck(definition.parameters);
  checks.set(definition, check);
  // A large integer is kept as its digits; a check needs a number.
  const { valid, errors } = check(withLargeIntegers(params, definition.parameters, Number));
  if (valid) return [];
  return describeSchemaErrors(definition.parameters, errors)
    .slice(0, maxIssues)
    .map(({ path, message }) => ({ path, message }));
}

function createCheck(schema: Readonly<Record<string, unknown>>): Check {
  const validator = new Validator({ ...schema }, '2020-12', false);
  if (!/"pattern(Properties)?":/.test(JSON.stringify(schema))) return (params) => validator.validate(params);
  // Only a separate script can be interrupted within a regular expression.
  const script = new Script('check()');
  return (params) => {
    let result: ValidationResult | undefined;
    const check = () => {
      result = validator.validate(params);
    };
    try {
      script.runInContext(createContext({ check }), { timeout: timeLimit });
    } catch (error) {
      if (!isTimeout(error)) throw error;
    }
    if (result !== undefined) return result;
    throw refuse(
      openErrors,
      'INVALID_PARAMS',
      "Checking the params against the action's patterns took too long",
      {
        issues: [],
      },
    );
  };
}

/** The error comes from the script's context, so it is no instance of this context's `Error`. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
