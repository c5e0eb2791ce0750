import * as z from 'zod';
import { defineTool, readOnly } from './define-tool.ts';

export const getUsage = defineTool({
  name: 'get_usage',
  title: 'Show spending and balance',
  description:
    'Shows credits spent today and on the last days by action, the budget left, what the last runs cost, and the ' +
    'balance if known; free. Use it before expensive work, or when the user asks about costs. ' +
    'Not for prices of actions that have not run: use search_actions.',
  scope: 'actions:read',
  annotations: readOnly,
  input: z.strictObject({}),
  run: (gateway, _input, context) => gateway.getUsage(context),
});
