/**
 * Generous readers for the lists that a service answers with. One element of the wrong shape must not take
 * the others down: whatever has its identifier is read, with documented defaults for what is missing or odd;
 * an element that cannot be used is reported beside the list, so that a person can see it.
 */
import * as z from 'zod';
import { ListedCredits, ReportedCredits } from './credits.ts';
import { readJobId } from './job-id.ts';
import {
  type Action,
  type CatalogEntry,
  type Credential,
  FieldKinds,
  type Identity,
  Job,
  JobError,
  type LoginField,
  Returns,
  type SearchResult,
  Usual,
} from './resources.ts';

/** An element that could not be read: its identifier where it has one, and why. */
export interface Unreadable {
  readonly id: string;
  readonly reason: string;
}

const text = z.string().catch('');
const textOrNull = z.string().nullable().catch(null);
const flag = z.boolean().catch(false);
const texts = z.array(z.string()).catch([]);
/** A schema that is no object (null, boolean, text) restricts nothing that could be checked here. */
const schema = z.record(z.string(), z.unknown()).catch({});
/** Odd declarations say nothing about a price. */
const declaredPrice = {
  credits_computed: z.boolean().nullish().catch(undefined),
  credits_max: z.number().nullish().catch(undefined),
};
const identifier = z.string().min(1);

/** `auth_mode` leads; its deprecated mirror speaks only where the mode is missing (specification: Versioning 3). */
const withAuthMode = <Value extends { auth_mode: string; auth_required: boolean }>(value: Value): Value => ({
  ...value,
  auth_mode: value.auth_mode === '' ? (value.auth_required ? 'required' : 'none') : value.auth_mode,
});
const withName = <Value extends { action_id: string; name: string }>(value: Value): Value => ({
  ...value,
  name: value.name === '' ? value.action_id : value.name,
});

const searchResult: z.ZodType<SearchResult> = z
  .looseObject({
    action_id: identifier,
    catalog_name: text,
    catalog_slug: text,
    name: text,
    description: text,
    mode: z.string().catch('async'),
    auth_mode: text,
    auth_required: flag,
    connected: flag,
    params: schema,
    credits: ListedCredits,
    ...declaredPrice,
    type: z.string().optional().catch(undefined),
    wheel_version: z.string().nullish().catch(undefined),
    returns: Returns.optional().catch(undefined),
    field_kinds: FieldKinds.optional().catch(undefined),
    usual: Usual.optional().catch(undefined),
  })
  .transform((value) => withName(withAuthMode(value)));

const action: z.ZodType<Action> = z
  .looseObject({
    id: text,
    action_id: identifier,
    catalog_id: text,
    name: text,
    description: textOrNull,
    tags: texts,
    type: text,
    mode: z.string().catch('async'),
    auth_mode: text,
    auth_required: flag,
    parameters: schema,
    credits_per_call: ListedCredits,
    ...declaredPrice,
    wheel_version: textOrNull,
    status: z.string().catch('active'),
    owner_user_id: textOrNull,
    created_at: text,
    updated_at: text,
  })
  .transform((value) => withName(withAuthMode(value)));

const catalogEntry: z.ZodType<CatalogEntry> = z
  .looseObject({
    id: text,
    slug: identifier,
    name: text,
    url: text,
    domain: text,
    category: text,
    description: text,
    logo_url: text,
    auth_required: flag,
    auth_types: texts,
    auth_login_url: textOrNull,
    status: z.string().catch('active'),
    created_at: text,
    updated_at: text,
    action_count: z.number().catch(0),
  })
  .transform((value) => (value.name === '' ? { ...value, name: value.slug } : value));

const credential: z.ZodType<Credential> = z.looseObject({
  id: identifier,
  identity_id: text,
  credential_type: text,
  status: text,
  last_used_at: textOrNull,
  created_at: text,
});

const identity: z.ZodType<Identity> = z.looseObject({
  id: identifier,
  catalog_id: text,
  name: text,
  is_default: flag,
  created_at: text,
  credentials: z
    .array(z.unknown())
    .catch([])
    .transform((values) => readList(credential, values).items),
});

const buildRequest = z.looseObject({
  id: z.unknown().transform((id, context) => {
    const jobId = readJobId(id);
    if (jobId !== undefined) return jobId;
    context.addIssue('an unusable id');
    return z.NEVER;
  }),
  user_id: text,
  website_url: text,
  domain: text,
  goal: text,
  visibility: z.string().catch('private'),
  status: text,
  credits_charged: ReportedCredits,
  action_id: z.string().nullish().catch(null),
  error: z.string().nullish().catch(null),
  error_type: z.string().nullish().catch(null),
  created_at: text,
  updated_at: text,
});

/** A build request as a service lists it; `credits_charged` is undefined where it is not readable. */
export type ListedBuild = z.infer<typeof buildRequest>;

/** An odd number in a job must not lose its result; `data` is not inspected. */
const job = Job.extend({
  credits_used: ReportedCredits,
  execution_ms: z.number().optional().catch(undefined),
  error: z
    .union([JobError, z.null().transform(() => undefined)])
    .optional()
    .catch(({ value }) => ({
      code: 'EXECUTION_FAILED',
      message: typeof value === 'string' ? value : 'The job failed without a readable error',
    })),
});

/** The readers by resource. */
export const readers = {
  searchResult,
  action,
  catalogEntry,
  identity,
  job,
  buildRequest,
  loginField: z.looseObject({
    name: identifier,
    type: z.string().catch('string'),
    required: flag,
    description: text,
  }) satisfies z.ZodType<LoginField>,
};

/** Reads every element that can be read, in order, and reports the others. `first`: the place of the first of the values. */
export function readList<Item>(
  reader: z.ZodType<Item>,
  values: readonly unknown[],
  first = 0,
): { items: Item[]; unreadable: Unreadable[] } {
  const items: Item[] = [];
  const unreadable: Unreadable[] = [];
  for (const [index, value] of values.entries()) {
    const result = reader.safeParse(value);
    if (result.success) {
      items.push(result.data);
      continue;
    }
    const issue = result.error.issues[0];
    unreadable.push({
      id: readIdentifier(value) ?? `#${first + index}`,
      reason: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unreadable'}`.replace(/^: /, ''),
    });
  }
  return { items, unreadable };
}

function readIdentifier(value: unknown): string | undefined {
  const named = z
    .looseObject({ action_id: z.string().optional(), id: z.string().optional() })
    .safeParse(value);
  return named.success ? (named.data.action_id ?? named.data.id) : undefined;
}
