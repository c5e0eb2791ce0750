import * as z from 'zod';
import { defineTool, readOnly } from './define-tool.ts';

export const listIdentities = defineTool({
  name: 'list_identities',
  title: 'List signed-in accounts',
  description:
    'Lists the accounts (identities) that actions can act for, with the state of their sign-in; free. ' +
    'Use it to choose an identity, or to see whether a sign-in is still active. Not for signing in: use login.',
  scope: 'actions:read',
  annotations: readOnly,
  input: z.strictObject({
    catalog: z.string().describe('Slug of one website').optional(),
    id: z.string().describe('Only this identity').optional(),
  }),
  run: (gateway, input, context) => gateway.listIdentities(input, context),
});
