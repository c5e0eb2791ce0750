/** Params as they will be sent: within bounds, repaired where a client sent JSON as text, valid where that can be told. */
import type { SearchResult } from '../../contract/resources.ts';
import { GatewayError } from '../errors.ts';
import type { JsonObject } from '../outcomes.ts';
import { cleanText } from '../text.ts';
import { argumentIssue, type Issue } from '../validation/limits.ts';
import { repairParams } from '../validation/repair.ts';
import type { ParamsValidator } from '../validation/validator.ts';

/** Rejects with `INVALID_PARAMS` and what is wrong; nothing was sent then. */
export async function checkedParams(
  validator: ParamsValidator,
  action: SearchResult,
  params: JsonObject,
): Promise<JsonObject> {
  const issue = argumentIssue(params);
  if (issue !== undefined) throw invalidParams([issue], action);
  const repaired = repairParams(params, action.params);
  const verdict = await validator.check(action.params, repaired);
  if (verdict.kind === 'invalid') throw invalidParams(verdict.issues, action);
  return repaired;
}

function invalidParams(issues: readonly Issue[], action: SearchResult): GatewayError {
  const first = issues[0];
  const where = first === undefined || first.path === '' ? 'The params are' : `The param ${first.path} is`;
  return new GatewayError(
    'INVALID_PARAMS',
    `${where} not what ${cleanText(action.action_id, 120)} takes: ${first?.message ?? 'invalid'} Nothing was sent.`,
    'Correct the params named in issues and call again; search_actions shows the schema.',
    { issues },
  );
}
