/** Every endpoint with its path, query, body, answers, errors and rate limit (specification: Endpoints). */
import * as z from 'zod';
import {
  buildErrors,
  catalogErrors,
  ExistingAction,
  loginErrors,
  openErrors,
  previewErrors,
  repairErrors,
  taskErrors,
} from './errors.ts';
import { rateLimits } from './limits.ts';
import {
  Action,
  BuildRequest,
  CatalogEntry,
  Identity,
  Job,
  LoginField,
  SearchResult,
  visibilities,
} from './resources.ts';

const uuid = z.string().meta({ format: 'uuid' });

/** The prefix of every path; a setting, because `svc` stands for the product's own segment. */
export const defaultApiPrefix = '/v1/svc';
/** May end with a slash, which is left out. */
export const apiPrefixPattern = /^(?:\/[\w.~-]+)*\/?$/;

export const CatalogQuery = z.object({ scope: z.enum(['my', 'all']).optional() });
export type CatalogQuery = z.infer<typeof CatalogQuery>;
export const CatalogList = z.looseObject({
  catalog: z.array(CatalogEntry),
  /** Extension: files that are not used, or not as they stand, for whoever owns them: `file:line:column reason`. */
  catalog_problems: z.array(z.string()).optional(),
});
export type CatalogList = z.infer<typeof CatalogList>;

export const CatalogDetails = z.looseObject({
  catalog: CatalogEntry,
  actions: z.array(Action),
  login_input_schema: z.array(LoginField).optional(),
});
export type CatalogDetails = z.infer<typeof CatalogDetails>;

export const SearchQuery = z.object({
  q: z.string().optional(),
  catalog: z.string().optional(),
  category: z.string().optional(),
  auth: z.enum(['true', 'false']).optional(),
});
export type SearchQuery = z.infer<typeof SearchQuery>;
export const SearchResults = z.looseObject({ results: z.array(SearchResult) });
export type SearchResults = z.infer<typeof SearchResults>;

/** `identity_name` is derived from `params` by the first of these that is present, else it is `default`. */
export const identityNameFields = ['email', 'username', 'user', 'login', 'account_id', 'account'] as const;
export const LoginBody = z.object({
  catalog_slug: z.string(),
  identity_name: z.string().optional(),
  params: z.record(z.string(), z.unknown()),
});
export type LoginBody = z.infer<typeof LoginBody>;
export const LoginVerified = z.looseObject({
  status: z.literal('verified'),
  identity_id: uuid,
  identity_name: z.string(),
  credential_id: uuid,
  catalog_id: uuid,
  catalog_slug: z.string(),
  expires_at: z.string().meta({ format: 'date-time' }),
  site_user: z
    .string()
    .optional()
    .meta({ description: 'Who is signed in, as the site shows it (extension)' }),
  same_account_as: z
    .array(z.string())
    .optional()
    .meta({ description: 'Other identities of this catalog with the same site_user (extension)' }),
});
export type LoginVerified = z.infer<typeof LoginVerified>;

export const TaskBody = z.object({
  action_id: z.string(),
  credential_id: uuid.optional(),
  params: z.record(z.string(), z.unknown()).optional(),
});
export type TaskBody = z.infer<typeof TaskBody>;
export const TaskAccepted = z.looseObject({
  status: z.string().meta({ enum: ['processing'] }),
  job_id: z.string(),
  poll_url: z.string().optional(),
});
export type TaskAccepted = z.infer<typeof TaskAccepted>;

export const IdentityQuery = z.object({ catalog_id: z.string().optional() });
export type IdentityQuery = z.infer<typeof IdentityQuery>;
export const IdentityList = z.looseObject({ status: z.literal('ok'), identities: z.array(Identity) });
export type IdentityList = z.infer<typeof IdentityList>;
export const IdentityDetails = z.looseObject({ status: z.literal('ok'), identity: Identity });
export type IdentityDetails = z.infer<typeof IdentityDetails>;

const columnId = z.string().min(1).max(20);
/** An extension of the interface: which columns of the page, as a preview shows them, become the action's fields. */
export const BuildChoice = z.strictObject({
  candidate: z.string().min(1).max(20),
  fields: z.record(
    z.string().min(1).max(64),
    z.union([columnId, z.strictObject({ column: columnId, match: z.string().min(1).max(500).optional() })], {
      error: 'must be the id of a column, or {column, match}',
    }),
  ),
  params: z.array(z.enum(['query', 'max_pages', 'slug'])).optional(),
});
export type BuildChoice = z.infer<typeof BuildChoice>;

export const BuildRequestBody = z.object({
  website_url: z.string(),
  goal: z.string(),
  choose: BuildChoice.optional().meta({
    description: 'Extension `build-choice`: columns of a preview that become the fields',
  }),
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,39}$/, 'must be 1 to 40 small letters, digits and _, a letter first')
    .optional()
    .meta({ description: "Extension `build-name`: the end of the action's id, after the catalog's slug" }),
  catalog_id: uuid.optional(),
  visibility: z.enum(visibilities).default('private').optional(),
  force: z.boolean().default(false).optional(),
});
export type BuildRequestBody = z.infer<typeof BuildRequestBody>;
export const BuildRequestCreated = z.looseObject({ status: z.literal('ok'), build_request: BuildRequest });
export type BuildRequestCreated = z.infer<typeof BuildRequestCreated>;
/** POST /build-request/preview is the extension `build-preview`: not of the specification. */
export const BuildPreviewBody = z.object({
  website_url: z.string(),
  /** Candidates that fit it come first. */
  goal: z.string().optional(),
  candidate: columnId.optional().meta({ description: 'Shows all columns of this candidate' }),
  choose: BuildChoice.optional().meta({ description: 'Shows the first rows of this choice' }),
});
export type BuildPreviewBody = z.infer<typeof BuildPreviewBody>;

/** Rows, or one record, that a page offers. Labels and samples are data of the site. */
export const PreviewCandidate = z.looseObject({
  id: z.string(),
  kind: z.string(),
  about: z.string().optional(),
  rows: z.number(),
  columns: z.array(
    z.looseObject({
      id: z.string(),
      label: z.string(),
      kind: z.string(),
      samples: z.array(z.string()),
      part_of: z.string().optional().meta({ description: 'The column whose text it is a part of' }),
      match: z.string().optional().meta({ description: 'The pattern that finds the part' }),
    }),
  ),
  more_columns: z.number().optional().meta({ description: 'Columns that are left out' }),
});
export type PreviewCandidate = z.infer<typeof PreviewCandidate>;
export const BuildPreview = z.looseObject({
  status: z.literal('ok'),
  page: z.looseObject({ title: z.string(), url: z.string() }),
  candidates: z.array(PreviewCandidate).meta({ description: 'The best first' }),
  sample: z
    .array(z.record(z.string(), z.unknown()))
    .optional()
    .meta({ description: 'With `choose`: the first rows' }),
  paging: z.string().optional().meta({ description: 'How the page leads to further ones' }),
  search: z.string().optional().meta({ description: 'What its search form asks for' }),
  guess: BuildChoice.optional().catch(undefined).meta({ description: 'With `goal`: what it seems to mean' }),
  unmatched: z.array(z.string()).optional().catch(undefined).meta({
    description: 'With `goal`: its fields for which no column is clearly meant',
  }),
  unsorted: z.string().optional().catch(undefined).meta({
    description: 'With `goal`: its words that ask for an order or for some of the rows, which no action does',
  }),
  existing_actions: z.array(ExistingAction).optional().catch(undefined).meta({
    description: 'Visible actions that read the page already',
  }),
});
export type BuildPreview = z.infer<typeof BuildPreview>;

/** The extension `action-edit`: what an owner changes of an action that was built. */
export const ActionEdit = z.object({
  name: z.string().optional().meta({ description: 'The name that is shown; the id stays' }),
  description: z.string().optional(),
});
export type ActionEdit = z.infer<typeof ActionEdit>;
export const ActionChanged = z.looseObject({
  status: z.literal('ok'),
  action_id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  version: z.string().meta({ description: 'The current version; after a removal, the last one' }),
});
export type ActionChanged = z.infer<typeof ActionChanged>;
export const RepairBody = z.object({
  good_job_id: z.string().optional().meta({
    description:
      'The newest run whose result was right; empty: none was; default: the newest that returned rows',
  }),
  preview: z.boolean().optional().meta({ description: 'Only shows what a repair would change. Free' }),
});
export type RepairBody = z.infer<typeof RepairBody>;
const columnMeaning = z.looseObject({ label: z.string(), kind: z.string(), samples: z.array(z.string()) });
/** A repair is a build request; its preview shows both versions. */
export const RepairAnswer = z.looseObject({
  status: z.literal('ok'),
  build_request: BuildRequest.optional(),
  reason: z.string().optional().meta({ description: 'Of a preview: why nothing would be repaired' }),
  candidates: z.array(PreviewCandidate).optional(),
  proof: z.record(z.string(), z.unknown()).optional(),
  rows_before: z.array(z.record(z.string(), z.unknown())).optional(),
  rows_after: z.array(z.record(z.string(), z.unknown())).optional(),
  fields: z.record(z.string(), z.object({ before: columnMeaning, after: columnMeaning })).optional(),
});
export type RepairAnswer = z.infer<typeof RepairAnswer>;

/** The specification does not show this answer; ours has the newest first. */
export const BuildRequestList = z.looseObject({
  status: z.literal('ok'),
  build_requests: z.array(BuildRequest),
});
export type BuildRequestList = z.infer<typeof BuildRequestList>;

/** GET /usage is the extension `usage`: not of the specification. */
export const UsageAnswer = z.looseObject({
  status: z.literal('ok'),
  balance: z.number().meta({ description: 'Credits left' }),
  spent_today: z.number().meta({ description: 'Credits spent since 00:00 UTC, refunds given back' }),
});
export type UsageAnswer = z.infer<typeof UsageAnswer>;

/**
 * All endpoints as data. `success` is the HTTP status of the documented answer and `answer` its schema.
 * Paths are relative to the prefix; `{name}` is a path parameter.
 */
export const endpoints = {
  listCatalogs: {
    method: 'GET',
    path: '/catalog',
    summary: 'Lists catalogs that have at least one visible action',
    query: CatalogQuery,
    success: 200,
    answer: CatalogList,
    errors: {},
    rateLimit: rateLimits.listCatalogs,
  },
  getCatalog: {
    method: 'GET',
    path: '/catalog/{slug}',
    summary: 'Returns one catalog and every visible action in it',
    success: 200,
    answer: CatalogDetails,
    errors: catalogErrors,
    rateLimit: rateLimits.getCatalog,
  },
  search: {
    method: 'GET',
    path: '/search',
    summary: 'Searches actions across all catalogs',
    query: SearchQuery,
    success: 200,
    answer: SearchResults,
    errors: {},
    rateLimit: rateLimits.search,
  },
  login: {
    method: 'POST',
    path: '/login',
    summary: 'Signs in to a credentials-mode catalog and stores a cookies-only credential',
    body: LoginBody,
    success: 201,
    answer: LoginVerified,
    errors: loginErrors,
    rateLimit: rateLimits.login,
  },
  submitTask: {
    method: 'POST',
    path: '/task',
    summary: 'Submits a task for an action; credits are deducted at submission',
    body: TaskBody,
    success: 202,
    answer: TaskAccepted,
    errors: taskErrors,
    idempotent: true,
  },
  getJob: {
    method: 'GET',
    path: '/jobs/{id}',
    summary: 'Polls a job; always 200 for a known job',
    success: 200,
    answer: Job,
    errors: { NOT_FOUND: openErrors.NOT_FOUND, RESULT_EXPIRED: openErrors.RESULT_EXPIRED },
  },
  listIdentities: {
    method: 'GET',
    path: '/identities',
    summary: "Lists the requester's identities with their credentials",
    query: IdentityQuery,
    success: 200,
    answer: IdentityList,
    errors: {},
  },
  getIdentity: {
    method: 'GET',
    path: '/identities/{id}',
    summary: "Returns one of the requester's identities",
    success: 200,
    answer: IdentityDetails,
    errors: { NOT_FOUND: openErrors.NOT_FOUND },
  },
  requestBuild: {
    method: 'POST',
    path: '/build-request',
    summary: 'Requests a new action for a site; it is built asynchronously',
    body: BuildRequestBody,
    success: 201,
    answer: BuildRequestCreated,
    errors: buildErrors,
    idempotent: true,
    rateLimit: rateLimits.requestBuild,
  },
  previewBuild: {
    method: 'POST',
    path: '/build-request/preview',
    summary: 'Extension `build-preview`: what a page offers to an action. Free',
    body: BuildPreviewBody,
    success: 200,
    answer: BuildPreview,
    errors: previewErrors,
    rateLimit: rateLimits.previewBuild,
  },
  editAction: {
    method: 'PATCH',
    path: '/actions/{id}',
    summary: 'Extension `action-edit`: changes the name or the description of an own action',
    body: ActionEdit,
    success: 200,
    answer: ActionChanged,
    errors: { NOT_FOUND: openErrors.NOT_FOUND },
  },
  removeAction: {
    method: 'DELETE',
    path: '/actions/{id}',
    summary: 'Extension `action-edit`: retires an own action; its results stay, and a revert brings it back',
    success: 200,
    answer: ActionChanged,
    errors: { NOT_FOUND: openErrors.NOT_FOUND },
  },
  revertAction: {
    method: 'POST',
    path: '/actions/{id}/revert',
    summary: 'Extension `action-edit`: makes the version before the current one',
    success: 200,
    answer: ActionChanged,
    errors: { NOT_FOUND: openErrors.NOT_FOUND },
  },
  repairAction: {
    method: 'POST',
    path: '/actions/{id}/repair',
    summary: 'Extension `action-edit`: reads the page again, and publishes a new version only with proof',
    body: RepairBody,
    success: 201,
    answer: RepairAnswer,
    errors: { NOT_FOUND: openErrors.NOT_FOUND, ...repairErrors },
    idempotent: true,
    rateLimit: rateLimits.requestBuild,
  },
  listBuildRequests: {
    method: 'GET',
    path: '/build-requests',
    summary: "Lists the requester's build requests",
    success: 200,
    answer: BuildRequestList,
    errors: {},
  },
  getUsage: {
    method: 'GET',
    path: '/usage',
    summary: 'Extension `usage`: the balance, and the credits spent today',
    success: 200,
    answer: UsageAnswer,
    errors: {},
  },
} as const;

export type EndpointName = keyof typeof endpoints;

/** An endpoint as the specification names it, such as `GET /search`. */
export const endpointText = (name: EndpointName): string =>
  `${endpoints[name].method} ${endpoints[name].path}`;
export type HttpMethod = (typeof endpoints)[EndpointName]['method'];
