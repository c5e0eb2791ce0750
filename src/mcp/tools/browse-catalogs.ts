import * as z from 'zod';
import { defineTool, readOnly } from './define-tool.ts';

export const browseCatalogs = defineTool({
  name: 'browse_catalogs',
  title: 'Browse catalogs',
  description:
    'Lists the websites that have actions; with catalog, one website with all its actions and the fields of its ' +
    'login; free. Use it to see what a site offers. To find an action by what it does, use search_actions.',
  scope: 'actions:read',
  annotations: readOnly,
  input: z.strictObject({
    catalog: z.string().describe('Slug of the website to show in full').optional(),
    scope: z.enum(['my']).describe('Only websites with actions of your own').optional(),
  }),
  run: (gateway, input, context) => gateway.browseCatalogs(input, context),
});
