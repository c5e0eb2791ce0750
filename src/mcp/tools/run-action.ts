import * as z from 'zod';
import { GatewayError } from '../../gateway/foundation/errors.ts';
import { defineTool } from './define-tool.ts';
import { boolean, integer, list, object, resultFormat } from './inputs.ts';

const maxBatch = 100;

const notTogether = () =>
  new GatewayError(
    'INVALID_PARAMS',
    'batch takes the place of params and cannot be used with resubmit. Nothing was sent.',
    { kind: 'correct-argument', argument: 'batch' },
    { issues: [{ path: 'batch', message: 'not together with params or resubmit' }] },
  );

export const runAction = defineTool({
  name: 'run_action',
  title: 'Run an action',
  description:
    'Runs any action by its action_id and returns its data. Costs the credits shown by search_actions, refunded ' +
    'when the job fails. Use it for actions that are not listed as tools, and for listed ones with batch, ' +
    'max_credits or max_age_seconds. A run that outlasts the call answers "processing" and a job_id: ' +
    'go on with get_job; a second run would be paid too. Not for reading an earlier result: use get_job.',
  scope: 'actions:run',
  // It runs whatever the catalogs offer.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  mayBeTask: true,
  input: z.strictObject({
    action_id: z.string().min(1).describe('From search_actions or browse_catalogs'),
    params: object().describe("Input, shaped by the action's params schema").optional(),
    batch: list(object(), maxBatch)
      .describe('Instead of params: up to 100 of them, each paid; the answer has a row for each')
      .optional(),
    identity: z.string().describe('Account to act for: identity name or credential id').optional(),
    select: z.string().max(1000).describe('JMESPath: return only this part; all is kept').optional(),
    format: resultFormat().optional(),
    max_credits: integer(0, 1e9)
      .describe('Refuse, before anything is sent, what may cost more; for a batch, in all')
      .optional(),
    max_age_seconds: integer(0, 30 * 86_400)
      .describe('Take a completed result of the same call that is not older, for free; default 0')
      .optional(),
    resubmit: boolean()
      .describe('Only after status "unknown": submit anew, at the risk of paying twice')
      .optional(),
  }),
  run: async (gateway, { batch, ...input }, context) => {
    if (batch === undefined) return gateway.runAction(input, context);
    const { params, resubmit, ...rest } = input;
    if (params !== undefined || resubmit !== undefined) throw notTogether();
    return gateway.runBatch({ ...rest, batch }, context);
  },
});
