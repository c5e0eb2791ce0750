/** Params as they will be sent: within bounds, repaired where a client sent JSON as text, valid where that can be told. */
import type { SearchResult } from '../../contract/resources.ts';
import { GatewayError } from '../foundation/errors.ts';
import { cleanText } from '../foundation/text.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import { explainIssue } from '../schemas/explain-issue.ts';
import { argumentIssue, type Issue, toVisiblePath } from '../schemas/limits.ts';
import { repairParams } from '../schemas/repair.ts';
import type { ParamsValidator } from '../schemas/validator.ts';

/** What the params are for. `toolArguments`: names that the caller may also give, beside the params. */
interface Target {
  readonly action: SearchResult;
  readonly toolArguments: readonly string[];
}

/** Rejects with `INVALID_PARAMS` and what is wrong; nothing was sent then. */
export async function checkRunParams(
  validator: ParamsValidator,
  target: Target,
  params: JsonObject,
): Promise<JsonObject> {
  const { action } = target;
  const issue = argumentIssue(params);
  if (issue !== undefined) throw invalidParams([issue], target, {});
  const { params: repaired, issues } = repairParams(params, action.params);
  const repairedIssue = issues[0] ?? argumentIssue(repaired);
  if (repairedIssue !== undefined) throw invalidParams([repairedIssue], target, {});
  const verdict = await validator.check(action.params, repaired);
  if (verdict.kind === 'invalid') throw invalidParams(verdict.issues, target, repaired);
  return repaired;
}

function invalidParams(
  issues: readonly Issue[],
  { action, toolArguments }: Target,
  params: JsonObject,
): GatewayError {
  const checked = { schema: action.params, params, otherNames: toolArguments };
  const explained = issues.map((issue) => explainIssue(issue, checked));
  const visibleIssues = explained.map((issue) => ({ ...issue, path: toVisiblePath(issue.path) }));
  const paths = [
    ...new Set(issues.map(({ path }) => toVisiblePath(path)).filter((path) => path !== '')),
  ].slice(0, 5);
  const where = paths.length === 0 ? '' : ` (${paths.join(', ')})`;
  return new GatewayError(
    'INVALID_PARAMS',
    `The params do not match the schema of ${cleanText(action.action_id, 120)}${where}; see issues. Nothing was sent.`,
    'Correct the params listed in issues and call again.',
    { issues: visibleIssues },
  );
}
