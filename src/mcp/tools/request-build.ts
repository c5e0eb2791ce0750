import * as z from 'zod';
import { BuildChoice } from '../../contract/endpoints.ts';
import { buildCredits } from '../../contract/limits.ts';
import { GatewayError } from '../../gateway/errors.ts';
import { defineTool } from './define-tool.ts';
import { boolean, object, withoutPassword } from './inputs.ts';

export const requestBuild = defineTool({
  name: 'request_build',
  title: 'Request a new action',
  description:
    `Builds, tests and publishes a new action for a website. Costs ${buildCredits} credits, refunded if the build ` +
    'fails. Waits for its end, then names the new tool with its params and sample rows, or fails with CHOICE_NEEDED, ' +
    'the candidates and a best guess to correct; a longer build goes on: list_build_requests. Use it only when search_actions found nothing that fits. ' +
    'ACTION_EXISTS lists similar actions: use one, or set force. Not for running an action.',
  scope: 'builds:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  mayBeTask: true,
  input: z.strictObject({
    website_url: withoutPassword(z.string().min(1).max(2000)).describe('The page that shows the data'),
    goal: z
      .string()
      .min(1)
      .max(4000)
      .describe('What to extract, with the fields: list all jobs with title, company, salary'),
    catalog: z.string().describe('Slug of the catalog to extend').optional(),
    visibility: z.enum(['private', 'public']).describe('Default private: only you see it').optional(),
    force: boolean().describe('Build although similar actions exist').optional(),
    choose: object()
      .describe(
        'Which columns become which fields, with ids of the candidates that CHOICE_NEEDED shows: ' +
          '{candidate: "t1", fields: {price: "c3", code: {column: "c1", match: "No\\. (\\S+)"}}}',
      )
      .optional(),
  }),
  run: (gateway, { catalog, choose, ...input }, context) =>
    gateway.requestBuild(
      { catalog_id: catalog, ...input, ...(choose === undefined ? {} : { choose: parseChoice(choose) }) },
      context,
    ),
});

function parseChoice(value: unknown): BuildChoice {
  const parsed = BuildChoice.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new GatewayError(
    'INVALID_PARAMS',
    'choose is not {candidate, fields: {name: column id or {column, match}}, params?}.',
    'Correct choose and call request_build again; nothing was sent.',
    {
      issues: parsed.error.issues.map(({ path, message }) => ({
        path: ['choose', ...path].join('.'),
        message,
      })),
    },
  );
}
