/**
 * The resources of the service, field by field (specification: Resources and their fields).
 *
 * The schemas serve both sides: the client reads answers with them, the embedded service describes its own.
 * So they are open where the specification leaves room: unknown fields pass through, and a value outside a
 * documented set is kept as it is (`stringEnum`), because an unknown state must never break a reader.
 */
import * as z from 'zod';

/** A string with documented values, of which a later version of the service may know more. */
const stringEnum = <const Values extends readonly string[]>(values: Values) =>
  z.string().meta({ enum: [...values] });
const uuid = z.string().meta({ format: 'uuid' });
const timestamp = z.string().meta({ format: 'date-time' });
const url = z.string().meta({ format: 'uri' });
const jsonSchema = z.record(z.string(), z.unknown());

export const actionModes = ['async', 'sync'] as const;
export const authModes = ['none', 'optional', 'required'] as const;
export const credentialTypes = ['browser_state', 'credentials', 'api_key', 'token'] as const;
const credentialStatuses = ['active', 'expired'] as const;
const publicationStatuses = ['active', 'pending_review'] as const;
const jobStatuses = ['processing', 'completed', 'failed'] as const;
const buildStatuses = ['pending', 'success', 'failed'] as const;
export const visibilities = ['private', 'public'] as const;

/** One field of a login form, as `GET /catalog/{slug}` describes it for credentials-mode catalogs. */
export const LoginField = z.looseObject({
  name: z.string(),
  type: z.string(),
  required: z.boolean(),
  description: z.string(),
});
export type LoginField = z.infer<typeof LoginField>;

export const CatalogEntry = z.looseObject({
  id: uuid,
  slug: z.string(),
  name: z.string(),
  url,
  domain: z.string(),
  category: z.string(),
  description: z.string(),
  logo_url: z.string(),
  auth_required: z.boolean(),
  auth_type: z.string().nullish(),
  auth_types: z.array(stringEnum(credentialTypes)),
  auth_login_url: url.nullable(),
  status: stringEnum(publicationStatuses),
  created_at: timestamp,
  updated_at: timestamp,
  action_count: z.int(),
});
export type CatalogEntry = z.infer<typeof CatalogEntry>;

/** Not of the specification, which does not say which prices are computed: declared by the embedded service. */
const declaredPrice = {
  credits_computed: z.boolean().nullish().meta({ description: 'The final cost is computed from the result' }),
  credits_max: z.int().nullish().meta({ description: 'What a run costs at most' }),
};

/** Not of the specification: declared by the embedded service. */
export const Returns = z.union([z.array(z.string()), z.record(z.string(), z.array(z.string()))]).meta({
  description: 'The fields of the result: their names, or for a list its name with the fields of each row',
});
export type Returns = z.infer<typeof Returns>;

/** Not of the specification: declared by the embedded service. */
export const FieldKinds = z
  .record(z.string(), z.string())
  .meta({ description: 'What the fields of `returns` hold, in words' });
export type FieldKinds = z.infer<typeof FieldKinds>;

/** Not of the specification: declared by the embedded service. */
export const Usual = z
  .object({
    rows: z.number(),
    fields: z.record(
      z.string(),
      z.object({
        fill: z.number(),
        kinds: z.array(z.string()),
        values: z.number(),
        distinct: z.number().optional(),
      }),
    ),
    known: z.record(z.string(), z.record(z.string(), z.string())).optional(),
  })
  .meta({
    description:
      'What a built action gave without params when it was tested: of each field the share of rows that have it, the kinds of its values, and how many different ones (at most 3), of the first ones the share of different ones. `known` has numbers and hashes of its first rows',
  });
export type Usual = z.infer<typeof Usual>;

export const Action = z.looseObject({
  id: uuid,
  action_id: z.string(),
  catalog_id: uuid,
  name: z.string(),
  description: z.string().nullable(),
  tags: z.array(z.string()),
  type: z.string(),
  mode: stringEnum(actionModes),
  auth_mode: stringEnum(authModes),
  auth_required: z.boolean().meta({ deprecated: true }),
  parameters: jsonSchema,
  credits_per_call: z.int(),
  ...declaredPrice,
  wheel_version: z.string().nullable(),
  status: stringEnum([...publicationStatuses, 'unavailable']),
  /** Not of the specification: declared by the embedded service. */
  unavailable_reason: z
    .string()
    .optional()
    .meta({ description: 'Why an `unavailable` action cannot be run' }),
  owner_user_id: z.string().nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Action = z.infer<typeof Action>;

export const SearchResult = z.looseObject({
  action_id: z.string(),
  catalog_name: z.string(),
  catalog_slug: z.string(),
  name: z.string(),
  description: z.string(),
  mode: stringEnum(actionModes),
  auth_mode: stringEnum(authModes),
  auth_required: z.boolean().meta({ deprecated: true }),
  connected: z.boolean(),
  params: jsonSchema,
  credits: z.int(),
  ...declaredPrice,
  /** Not of the specification: declared by the embedded service. */
  type: z.string().optional().meta({ description: 'As in `GET /catalog/{slug}`' }),
  wheel_version: z.string().nullish().meta({ description: 'As in `GET /catalog/{slug}`' }),
  returns: Returns.optional(),
  field_kinds: FieldKinds.optional(),
  usual: Usual.optional(),
});
export type SearchResult = z.infer<typeof SearchResult>;

export const Credential = z.looseObject({
  id: uuid,
  identity_id: uuid,
  credential_type: stringEnum(credentialTypes),
  status: stringEnum(credentialStatuses),
  last_used_at: timestamp.nullable(),
  created_at: timestamp,
  site_user: z
    .string()
    .optional()
    .meta({ description: 'Who is signed in, as the site shows it (extension)' }),
  signed_in_at: timestamp.optional().meta({ description: 'When that user signed in (extension)' }),
});
export type Credential = z.infer<typeof Credential>;

export const Identity = z.looseObject({
  id: uuid,
  catalog_id: uuid,
  name: z.string(),
  is_default: z.boolean(),
  created_at: timestamp,
  credentials: z.array(Credential),
});
export type Identity = z.infer<typeof Identity>;

export const JobError = z.looseObject({ code: z.string(), message: z.string() });
export type JobError = z.infer<typeof JobError>;

/** A job as polling returns it. `execution_ms` is in milliseconds; `credits_used` is 0 on failure. */
export const Job = z.looseObject({
  status: stringEnum(jobStatuses),
  /** Present when completed. */
  data: z.unknown().optional(),
  credits_used: z.number().optional(),
  execution_ms: z.number().optional(),
  error: JobError.optional(),
});
export type Job = z.infer<typeof Job>;

export const BuildRequest = z.looseObject({
  id: uuid,
  user_id: uuid,
  website_url: url,
  domain: z.string(),
  goal: z.string(),
  visibility: stringEnum(visibilities),
  status: stringEnum(buildStatuses),
  credits_charged: z.int(),
  action_id: z.string().nullish(),
  error: z.string().nullish(),
  error_type: z.string().nullish(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type BuildRequest = z.infer<typeof BuildRequest>;
