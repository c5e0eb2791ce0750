import * as z from 'zod';
import { defineTool } from './define-tool.ts';
import { boolean, integer, object, resultFormat } from './inputs.ts';

export const runAction = defineTool({
  name: 'run_action',
  title: 'Run an action',
  description:
    'Runs any action by its action_id and returns its data. Costs the credits shown by search_actions, refunded ' +
    'when the job fails. Use it for actions that are not listed as tools of their own. A run that outlasts the ' +
    'call answers with status "processing" and a job_id: go on with get_job; do not run it again, that would be ' +
    'paid twice. Not for reading an earlier result: use get_job.',
  scope: 'actions:run',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  mayBeTask: true,
  input: z.strictObject({
    action_id: z.string().min(1).describe('From search_actions or browse_catalogs'),
    params: object().describe("Input, shaped by the action's params schema").optional(),
    identity: z.string().describe('Account to act for: identity name or credential id').optional(),
    select: z.string().max(1000).describe('JMESPath: return only this part; all is kept').optional(),
    format: resultFormat().optional(),
    max_credits: integer(0, 1e9)
      .describe('Refuse, before anything is sent, where the expected cost is above this')
      .optional(),
    max_age_seconds: integer(0, 30 * 86_400)
      .describe('Take a completed result of the same call that is not older, for free; default 0')
      .optional(),
    resubmit: boolean()
      .describe('Only after status "unknown": submit anew, at the risk of paying twice')
      .optional(),
  }),
  run: (gateway, input, context) => gateway.runAction(input, context),
});
