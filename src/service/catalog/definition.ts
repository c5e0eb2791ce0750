/** The form of a catalog file, checked when it is loaded; `docs/recipes.md` teaches it. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { actionModes, authModes, credentialTypes } from '../../contract/resources.ts';
import { hasPassword } from '../../contract/web-address.ts';
import { LoginRecipe } from '../accounts/login-recipe.ts';
import type { CatalogDefinition } from '../foundation/ports.ts';
import { PageTest, Recipe } from '../recipes/recipe-schema.ts';
import { placeholdersIn } from '../recipes/template.ts';

const address = z
  .url({ protocol: /^https?$/ })
  .refine((text) => !hasPassword(text), 'must not contain a user name or password');
const name = z.string().trim().min(1).max(200);

const LoginField = z.strictObject({
  name: z.string().regex(/^[A-Za-z_]\w*$/, 'must be letters, digits and _'),
  type: z.string().default('string'),
  required: z.boolean().default(true),
  description: z.string().default(''),
});

const Parameters = z.looseObject({
  type: z.literal('object'),
  properties: z.record(z.string(), z.looseObject({})),
  required: z.array(z.string()).optional(),
});

const Action = z
  .strictObject({
    action_id: z.string().regex(/^[\w.-]{1,100}$/, 'must be letters, digits, _, . and -'),
    name,
    description: z.string().max(2_000).nullable().default(null),
    tags: z.array(z.string()).default([]),
    type: z.string().default('scrape'),
    mode: z.enum(actionModes).default('async'),
    auth_mode: z.enum(authModes).default('none'),
    parameters: Parameters,
    credits_per_call: z.int().min(0).optional().describe('1 if not given, 2 with a browser'),
    credits_expression: z.string().min(1).optional(),
    credits_max: z.int().min(0).optional(),
    recipe: Recipe,
  })
  .superRefine((action, context) => {
    const { credits_expression, credits_max, credits_per_call } = action;
    if (
      credits_max !== undefined &&
      (credits_expression === undefined || credits_max < (credits_per_call ?? 1))
    )
      context.addIssue({
        code: 'custom',
        path: ['credits_max'],
        message: 'needs a credits_expression and must be at least credits_per_call',
      });
    const { properties, required = [] } = action.parameters;
    for (const missingParam of required.filter((param) => !Object.hasOwn(properties, param)))
      context.addIssue({
        code: 'custom',
        path: ['parameters', 'required'],
        message: `${missingParam} is not a property`,
      });
    for (const param of placeholdersIn(action.recipe.request)) {
      if (!Object.hasOwn(properties, param))
        context.addIssue({
          code: 'custom',
          path: ['recipe', 'request'],
          message: `{${param}} is not a parameter`,
        });
    }
  });

export const CatalogFile = z
  .strictObject({
    slug: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be small letters, digits and -'),
    name,
    url: address,
    category: name,
    description: z.string().max(2_000),
    logo_url: address.optional(),
    auth_types: z.array(z.enum(credentialTypes)).default([]),
    auth_login_url: address.nullable().default(null),
    signed_in: PageTest.optional().describe('Holds on a page of the site when a person is signed in'),
    login: z.strictObject({ fields: z.array(LoginField).min(1), recipe: LoginRecipe }).optional(),
    actions: z.array(Action).min(1),
  })
  .superRefine((catalog, context) => {
    const fields = catalog.login?.fields.map((field) => field.name) ?? [];
    for (const field of placeholdersIn(catalog.login?.recipe.form)) {
      if (!fields.includes(field))
        context.addIssue({
          code: 'custom',
          path: ['login', 'recipe', 'form'],
          message: `{${field}} is not a field`,
        });
    }
    if ((catalog.login !== undefined) !== catalog.auth_types.includes('credentials'))
      context.addIssue({
        code: 'custom',
        path: ['auth_types'],
        message: 'must contain "credentials" if, and only if, the catalog has a "login"',
      });
    if (catalog.auth_types.length === 0 && catalog.actions.some((action) => action.auth_mode === 'required'))
      context.addIssue({
        code: 'custom',
        path: ['auth_types'],
        message: 'is empty, but an action requires a sign-in',
      });
  });
export type CatalogFile = z.infer<typeof CatalogFile>;

/** Short, and different for different content. */
export function hashVersion(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 12);
}

/** What a page in a browser costs where the catalog file names no price: a browser takes seconds and much memory. */
export const renderedCredits = 2;

/** Adds that an action uses a browser, if its author did not say so. */
function describe({ description, recipe }: CatalogFile['actions'][number]): string | null {
  if (recipe.render === undefined || /browser/i.test(description ?? '')) return description;
  return `${description === null ? '' : `${description.replace(/[.\s]*$/, '')}. `}Uses a browser.`;
}

/** The definition of a checked file. */
export function toDefinition(file: CatalogFile): CatalogDefinition {
  return {
    ...file,
    logo_url: file.logo_url ?? new URL('/favicon.ico', file.url).href,
    actions: file.actions.map((action) => ({
      ...action,
      credits_per_call: action.credits_per_call ?? (action.recipe.render === undefined ? 1 : renderedCredits),
      description: describe(action),
      wheel_version: hashVersion(action),
    })),
  };
}
