import * as z from 'zod';
import { defineTool, readOnly } from './define-tool.ts';
import { integer } from './inputs.ts';

export const searchActions = defineTool({
  name: 'search_actions',
  title: 'Search actions',
  description:
    'Finds pre-built actions across all websites of the catalog, including those not listed as tools. ' +
    'Use it first when no listed tool fits the task. Each result has its tool name, action_id, params schema, ' +
    'cost in credits and whether it needs a sign-in; run one by its tool or by run_action. ' +
    'Not for searching the web or the content of a site: for that, run an action.',
  scope: 'actions:read',
  annotations: readOnly,
  input: z.strictObject({
    q: z.string().max(500).describe('Words matched against name, description and tags').optional(),
    catalog: z.string().describe('Slug of one catalog').optional(),
    category: z.string().describe('Catalog category, such as travel').optional(),
    auth: z
      .preprocess(
        (value) => (value === true || value === 'true' ? undefined : value === false ? 'false' : value),
        z.enum(['false']).optional(),
      )
      .describe('"false": only actions that need no sign-in')
      .optional(),
    limit: integer(1, 50).describe('Results per page, default 10').optional(),
    cursor: z.string().describe('next_cursor of the page before').optional(),
  }),
  run: (gateway, { auth, ...input }, context) =>
    gateway.searchActions({ ...input, auth: auth === 'false' ? false : undefined }, context),
});
