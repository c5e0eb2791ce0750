import * as z from 'zod';
import { defineTool, readOnly } from './define-tool.ts';

export const browseCatalogs = defineTool({
  name: 'browse_catalogs',
  title: 'Browse catalogs',
  description:
    'Lists the websites that have actions; with slug, one website with all its actions and, where it signs in ' +
    'with credentials, the fields of its login (login_input_schema). ' +
    'Use it to see what a site offers or before login. To find an action by what it does, use search_actions.',
  scope: 'actions:read',
  annotations: readOnly,
  input: z.strictObject({
    slug: z.string().describe('Slug of the catalog to show in full').optional(),
    scope: z.enum(['my']).describe('"my": only catalogs with actions of your own').optional(),
  }),
  run: (gateway, input, context) => gateway.browseCatalogs(input, context),
});
