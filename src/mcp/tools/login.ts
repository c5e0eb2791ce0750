import * as z from 'zod';
import { defineTool } from './define-tool.ts';
import { object, waitSeconds } from './inputs.ts';

export const login = defineTool({
  name: 'login',
  title: 'Sign in to a website',
  description:
    'Signs the user in to a website, for actions that need an account; free. ' +
    'Use it after AUTH_REQUIRED or AUTH_EXPIRED, without params: the user signs in on a page, and no password ' +
    'enters this conversation. The same identity_name renews the same account. ' +
    'Not needed for actions without sign-in; list_identities shows who is signed in.',
  scope: 'accounts:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    catalog: z.string().min(1).describe('Slug of the website'),
    identity_name: z.string().describe('Label of the account, such as work').optional(),
    wait_seconds: waitSeconds().describe('How long to wait for the user on the page').optional(),
    params: object().describe('Discouraged. The fields of login_input_schema').optional(),
  }),
  run: (gateway, input, context) => gateway.login(input, context),
});
