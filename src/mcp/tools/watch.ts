import * as z from 'zod';
import { GatewayError } from '../../gateway/foundation/errors.ts';
import type { ChangeWatchInput, NewWatchInput } from '../../gateway/interface/gateway.ts';
import { defineTool } from './define-tool.ts';
import { integer, list, object } from './inputs.ts';

const maxIgnored = 40;

const input = z.strictObject({
  action_id: z.string().optional(),
  params: object().optional(),
  identity: z.string().optional(),
  every: z.string().max(100).describe('"15m" to "30d", or five cron fields').optional(),
  time_zone: z.string().max(60).describe('Of cron; default UTC').optional(),
  key: z.string().max(200).describe('Field that tells rows apart').optional(),
  ignore: list(z.string().max(200), maxIgnored, 0).describe('Fields not to compare').optional(),
  when: z
    .string()
    .max(1000)
    .describe(
      'JMESPath over {added, removed, changed: [{key, field, before, after}]}: tell only if it finds something; @: tell all',
    )
    .optional(),
  max_credits: integer(0, 1e9).describe('For all its runs; default: what they cost').optional(),
  until: z.string().max(40).describe('Default: in 30 days').optional(),
  watch_id: z.string().describe('With set, instead of all others').optional(),
  set: z.enum(['pause', 'resume', 'run', 'end']).optional(),
});

export const watch = defineTool({
  name: 'watch',
  title: 'Watch for changes',
  description:
    'Runs an action that reads by a clock, and tells what changed in its rows. Use it to be told of prices or new ' +
    'rows. Each run costs what the action costs. The same call again changes its settings. Not for one reading.',
  scope: 'actions:run',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input,
  run: async (gateway, wanted, context) => gateway.watch(toInput(wanted), context),
});

function toInput({
  watch_id,
  set,
  action_id,
  ...settings
}: z.infer<typeof input>): NewWatchInput | ChangeWatchInput {
  const isNew = action_id !== undefined && watch_id === undefined && set === undefined;
  if (isNew) return { action_id, ...settings };
  const others = [action_id, ...Object.values(settings)].filter((value) => value !== undefined);
  if (watch_id !== undefined && set !== undefined && others.length === 0) return { watch_id, set };
  throw new GatewayError(
    'INVALID_PARAMS',
    'watch takes an action_id and every, or a watch_id and set. Nothing was sent.',
    { kind: 'correct', named: 'issues' },
    {
      issues: [{ path: '', message: 'needs either action_id with its settings, or watch_id and set alone' }],
    },
  );
}
