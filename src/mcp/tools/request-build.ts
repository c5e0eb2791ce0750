import * as z from 'zod';
import { buildCredits } from '../../contract/limits.ts';
import { defineTool } from './define-tool.ts';
import { boolean, withoutPassword } from './inputs.ts';

export const requestBuild = defineTool({
  name: 'request_build',
  title: 'Request a new action',
  description:
    `Builds, tests and publishes a new action for a website. Costs ${buildCredits} credits, refunded if the build ` +
    'fails. Waits for its end, then names the new tool with its params and sample rows, or says what the site has ' +
    'instead; a longer build goes on: list_build_requests. Use it only when search_actions found nothing that fits. ' +
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
  }),
  run: (gateway, { catalog, ...input }, context) =>
    gateway.requestBuild({ catalog_id: catalog, ...input }, context),
});
