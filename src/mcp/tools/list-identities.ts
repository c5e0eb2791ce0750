import * as z from 'zod';
import { defineTool, readOnly } from './define-tool.ts';

export const listIdentities = defineTool({
  name: 'list_identities',
  title: 'List signed-in accounts',
  description:
    'Lists the accounts (identities) that actions can act for, with the state of their credentials; never secrets. ' +
    'Use it to choose an identity when several exist, or to see whether a sign-in is still active. ' +
    'Not for signing in: use login.',
  scope: 'actions:read',
  annotations: readOnly,
  input: z.strictObject({
    catalog_slug: z.string().describe('Only accounts of this catalog').optional(),
    id: z.string().describe('Only this identity').optional(),
  }),
  run: (gateway, input, context) => gateway.listIdentities(input, context),
});
