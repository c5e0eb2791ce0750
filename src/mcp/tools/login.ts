import * as z from 'zod';
import { defineTool } from './define-tool.ts';
import { object } from './inputs.ts';

export const login = defineTool({
  name: 'login',
  title: 'Sign in to a website',
  description:
    "Signs the user in to a catalog's website, so that actions which need an account can run; free. " +
    'Use it after AUTH_REQUIRED or AUTH_EXPIRED, without params: the user then signs in on a page, and no password ' +
    'passes through this conversation. The same identity_name renews the same account. ' +
    'Not needed for actions without sign-in; see list_identities for accounts that are signed in already.',
  scope: 'accounts:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    catalog_slug: z.string().min(1),
    identity_name: z.string().describe('Label of the account, such as work').optional(),
    params: object()
      .describe('Discouraged. Exactly the fields of login_input_schema from browse_catalogs')
      .optional(),
  }),
  run: (gateway, input, context) => gateway.login(input, context),
});
