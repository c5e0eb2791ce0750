import * as z from 'zod';
import { defineTool, readOnly } from './define-tool.ts';
import { boolean, integer } from './inputs.ts';

export const searchActions = defineTool({
  name: 'search_actions',
  title: 'Search actions',
  description:
    'Finds actions of all websites, also those not listed as tools; free. ' +
    'Use it first when no listed tool fits. Each hit has its tool, action_id, params, credits and sign-in need; ' +
    'run it by its tool or with run_action. Not for searching the web or a site: run an action for that.',
  scope: 'actions:read',
  annotations: readOnly,
  input: z.strictObject({
    q: z.string().max(500).describe('Words for what the action does or returns').optional(),
    catalog: z.string().describe('Slug of one website').optional(),
    category: z.string().describe('Of a website, such as commerce').optional(),
    auth: boolean().describe('false: only those that need no sign-in').optional(),
    limit: integer(1, 50).describe('Default 10').optional(),
    cursor: z.string().describe('next_cursor of the last page').optional(),
  }),
  run: (gateway, { auth, ...input }, context) =>
    gateway.searchActions({ ...input, auth: auth === false ? false : undefined }, context),
});
