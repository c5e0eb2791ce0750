/** The form of a login recipe; `docs/recipes.md` teaches it. */
import * as z from 'zod';
import { hasPassword } from '../../contract/web-address.ts';
import { PageTest, selector } from '../recipes/recipe-schema.ts';

/** The failures that a page of the site can tell (specification: POST /login). */
const failureCodes = [
  'BAD_PASSWORD',
  'MFA_REQUIRED',
  'CAPTCHA_REQUIRED',
  'ACCOUNT_LOCKED',
  'LOGIN_PAGE_CHANGED',
  'LOGIN_INFRASTRUCTURE_ERROR',
  'LOGIN_FAILED',
] as const;

export const LoginRecipe = z.strictObject({
  page: z
    .url({ protocol: /^https?$/ })
    .refine((text) => !hasPassword(text), 'must not contain a user name or password')
    .describe('The page with the form'),
  form: z.strictObject({
    select: selector,
    fields: z
      .record(z.string(), z.string())
      .describe("What is typed: form field's name to a text with {fields}"),
  }),
  success: PageTest.describe('Holds on the page after the sign-in'),
  failures: z
    .array(z.strictObject({ code: z.enum(failureCodes), when: PageTest }))
    .default([])
    .describe('The first test that holds is the outcome'),
  user: selector.optional().describe('Where the page after the sign-in shows who is signed in'),
  session_cookies: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('Names of the session cookies; default: any new cookie'),
  timeout_ms: z.int().min(100).max(60_000).default(20_000),
});
export type LoginRecipe = z.infer<typeof LoginRecipe>;
