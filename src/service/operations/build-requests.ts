/** POST /build-request and GET /build-requests. */

import { randomUUID } from 'node:crypto';
import type { ExpressionBuilder } from 'kysely';
import * as z from 'zod';
import type { BuildRequestBody, BuildRequestCreated, BuildRequestList } from '../../contract/endpoints.ts';
import { buildErrors, openErrors } from '../../contract/errors.ts';
import { buildCredits, maxGoal, maxPendingBuilds } from '../../contract/limits.ts';
import type { BuildRequest } from '../../contract/resources.ts';
import { chooseCatalog } from '../catalog/catalogs-of-builds.ts';
import { freeActionId, ownActionId } from '../catalog/publish-build.ts';
import { absentFields, readGoal } from '../catalog/read-goal.ts';
import { getDomain } from '../catalog/resources.ts';
import { refuse } from '../foundation/request-error.ts';
import type { ServiceQuery, ServiceSchema } from '../store/schema.ts';
import type { Context } from './context.ts';
import { enqueue } from './enqueue.ts';
import { findOwnAction, refuseExistingActions } from './existing-actions.ts';
import { findEarlierJob, type IdempotencyKey } from './idempotency.ts';

/** Charges and enqueues a build in one transaction (specification: POST /build-request). */
export async function requestBuild(
  context: Context,
  userId: string,
  body: BuildRequestBody,
  idempotency: IdempotencyKey | undefined,
): Promise<BuildRequestCreated> {
  const { database } = context;
  const earlierJob = await findEarlierJob(database.query, userId, idempotency);
  if (earlierJob !== undefined) return created(await readBuild(database.query, earlierJob.id));
  const request = await checkRequest(context, userId, body);
  const { url, price, ...build } = request;
  const jobId = await enqueueBuild(context, 'build', {
    id: randomUUID(),
    userId,
    price,
    site: url.host,
    idempotency,
    build: { ...build, website_url: url.href, domain: getDomain(url.href) },
  });
  return created(await readAccepted(context, jobId));
}

/** Charges and enqueues; resolves to the job's id. Throws a `RequestError` where there is none. `what`: for the sentences. */
export async function enqueueBuild(
  context: Context,
  what: 'build' | 'repair',
  submission: Parameters<typeof enqueue>[1],
): Promise<string> {
  const result = await enqueue(context, submission);
  switch (result.kind) {
    case 'created':
    case 'earlier':
      context.jobs.wake();
      return result.job.id;
    case 'too-many-builds':
      throw refuse(
        buildErrors,
        'BUILD_LIMIT_REACHED',
        `${maxPendingBuilds} build requests are pending; wait until one ends`,
      );
    case 'too-expensive':
      throw refuse(
        buildErrors,
        'INSUFFICIENT_CREDITS',
        `A ${what} costs ${buildCredits} credits, the balance is ${result.balance}`,
        { balance: result.balance, required: buildCredits },
      );
    default:
      throw refuse(
        buildErrors,
        'INTERNAL_ERROR',
        `The ${what} request could not be created; no credits were deducted. Try again later`,
      );
  }
}

/** A build request with its charge. */
export type BuildRow = ServiceSchema['build_requests'] & { readonly price: number | null };

export const created = (row: BuildRow): BuildRequestCreated => ({
  status: 'ok',
  build_request: toResource(row),
});

export const readBuild = (query: ServiceQuery, jobId: string): Promise<BuildRow> =>
  query
    .selectFrom('build_requests')
    .selectAll()
    .select(readPrice)
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow();

const readPrice = (build: ExpressionBuilder<ServiceSchema, 'build_requests'>) =>
  build.selectFrom('jobs').select('price').whereRef('jobs.id', '=', 'build_requests.job_id').as('price');

/** The charge is committed, so failures from here on must not claim that nothing was deducted. */
const readAccepted = ({ database }: Context, jobId: string): Promise<BuildRow> =>
  readBuild(database.query, jobId).catch(() => {
    throw refuse(
      openErrors,
      'OUTCOME_UNKNOWN',
      'The build request was accepted and charged, but it cannot be read now. Check your build requests later',
    );
  });

interface CheckedRequest {
  readonly url: URL;
  readonly goal: string;
  readonly catalog_id: string | null;
  readonly visibility: string;
  /** The requester's own action that is rebuilt in place. */
  readonly replaces: string | null;
  /** JSON. */
  readonly choose: string | null;
  readonly name: string | null;
  readonly repair_by: null;
  readonly price: number;
}

async function checkRequest(
  context: Context,
  userId: string,
  body: BuildRequestBody,
): Promise<CheckedRequest> {
  const website = await context.checkWebsite(body.website_url);
  if ('refusal' in website) throw website.refusal;
  const { url } = website;
  const goal = body.goal.trim();
  if (goal === '' || goal.length > maxGoal) {
    throw refuse(buildErrors, 'INVALID_INPUT', `goal must have 1 to ${maxGoal} characters`);
  }
  const domain = getDomain(url.href);
  await checkCatalog(context, userId, body.catalog_id, domain);
  const visibility = body.visibility ?? 'private';
  if (body.force !== true) await refuseExistingActions(context, userId, { url, domain, choose: body.choose });
  const ownId = await findOwnAction(context.database.query, { userId, domain, goal, visibility });
  // The action was paid for, but a later version of this program cannot read it.
  const isUnavailable =
    ownId !== undefined &&
    (await context.publication.current()).action(ownId, userId)?.action.problem !== undefined;
  if (body.name !== undefined) await checkName(context, userId, body.name, { url, domain, ...body });
  // A name of its own makes another action.
  const replaces = body.name === undefined && (body.force === true || isUnavailable) ? ownId : undefined;
  return {
    url,
    goal,
    catalog_id: body.catalog_id ?? null,
    visibility,
    replaces: replaces ?? null,
    choose: body.choose === undefined ? null : JSON.stringify(body.choose),
    name: body.name ?? null,
    repair_by: null,
    price: isUnavailable ? 0 : buildCredits,
  };
}

/** Refuses a name whose id is taken, with a free one. */
async function checkName(
  { database, publication }: Context,
  userId: string,
  name: string,
  place: { url: URL; domain: string; catalog_id?: string | undefined; visibility?: string | undefined },
): Promise<void> {
  const { url, domain, catalog_id, visibility } = place;
  const target = { domain, websiteUrl: url.href, userId, isPublic: visibility === 'public' };
  const named = (await publication.current())
    .visibleTo(userId)
    .find(({ catalog }) => catalog.id === catalog_id)?.catalog.definition.slug;
  const slug = named ?? (await chooseCatalog(database.query, target)).head.slug;
  const wanted = `${slug}_${name}`;
  const id = await freeActionId(database.query, wanted, userId);
  if (id === (await ownActionId(database.query, wanted, userId))) return;
  const free = id.slice(wanted.length + 1);
  throw refuse(openErrors, 'INVALID_PARAMS', `An action ${wanted} exists; ${name}_${free} is free`, {
    issues: [{ path: 'name', message: `is taken; ${name}_${free} is free` }],
  });
}

/** An action in another domain's catalog would run with the cookies of that domain's accounts. */
async function checkCatalog(
  { publication }: Context,
  userId: string,
  catalogId: string | undefined,
  domain: string,
): Promise<void> {
  if (catalogId === undefined) return;
  const visible = (await publication.current()).visibleTo(userId);
  const named = visible.find(({ catalog }) => catalog.id === catalogId)?.catalog;
  if (named === undefined) throw refuse(buildErrors, 'INVALID_INPUT', 'catalog_id: no such catalog');
  const itsDomain = getDomain(named.definition.url);
  if (itsDomain !== domain) {
    throw refuse(
      buildErrors,
      'INVALID_INPUT',
      `catalog_id: this catalog is for ${itsDomain}, not for ${domain}; leave catalog_id out`,
    );
  }
}

/** The newest requests first, up to a limit; only the newest of them show steps and rows. See docs/interface.md. */
export async function listBuildRequests({ database }: Context, userId: string): Promise<BuildRequestList> {
  const newest = database.query
    .selectFrom('build_requests')
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id');
  const rows = await newest
    .select([...plainColumns])
    .select(readPrice)
    .limit(maxListed)
    .execute();
  const details = await newest
    .select(['id', 'steps', 'sample', 'missing', 'candidates', 'guess', 'proof', 'choose'])
    .limit(maxDetailed)
    .execute();
  const removed = await findRemoved(
    database.query,
    rows.flatMap(({ action_id }) => action_id ?? []),
  );
  const detailsById = new Map(details.map((row) => [row.id, row]));
  const nothing = {
    steps: null,
    sample: null,
    missing: null,
    candidates: null,
    guess: null,
    proof: null,
    choose: null,
  };
  return {
    status: 'ok',
    build_requests: rows.map((row) => ({
      ...toResource({ ...row, ...(detailsById.get(row.id) ?? nothing) }),
      ...(removed.has(row.action_id ?? '') ? { removed: true } : {}),
    })),
  };
}

/** Of these actions those that have left the lists. */
async function findRemoved(query: ServiceQuery, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const there = await query
    .selectFrom('actions')
    .select('action_id')
    .where('action_id', 'in', [...new Set(ids), ''])
    .where('retired_at', 'is', null)
    .execute();
  const current = new Set(there.map(({ action_id }) => action_id));
  return new Set(ids.filter((id) => !current.has(id)));
}

const maxListed = 1_000;
const maxDetailed = 50;
const plainColumns = [
  ...(['id', 'user_id', 'job_id', 'website_url', 'domain', 'goal', 'catalog_id', 'visibility'] as const),
  ...([
    'status',
    'replaces',
    'repair_by',
    'action_id',
    'error',
    'error_type',
    'created_at',
    'updated_at',
  ] as const),
] as const;

function toResource(row: Omit<BuildRow, 'name'>): BuildRequest {
  return {
    id: row.id,
    user_id: row.user_id,
    website_url: row.website_url,
    domain: row.domain,
    goal: row.goal,
    visibility: row.visibility,
    status: row.status,
    // A failed build was refunded.
    credits_charged: row.status === 'failed' ? 0 : (row.price ?? buildCredits),
    ...(row.action_id === null ? {} : { action_id: row.action_id }),
    ...(row.error === null ? {} : { error: row.error }),
    ...(row.error_type === null ? {} : { error_type: row.error_type }),
    ...parseMember('steps', row.steps),
    ...parseMember('sample', row.sample),
    ...parseMember('missing', row.missing),
    ...parseMember('candidates', row.candidates),
    ...parseMember('choose', row.guess),
    ...describeAbsent(row),
    ...describeOrder(row),
    ...(row.repair_by === null ? {} : { repairs: row.replaces }),
    ...(row.proof === null ? {} : Object(JSON.parse(row.proof))),
    ...(row.repair_by === null && row.replaces !== null && row.replaces === row.action_id
      ? { replaces: row.replaces }
      : {}),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}

type Ended = Pick<ServiceSchema['build_requests'], 'goal' | 'guess' | 'sample' | 'error_type' | 'choose'>;

/** Fields of the goal, or of a choice that does not fit, which the guess, or the built action, does not have. */
function describeAbsent({ goal, guess, sample, error_type, choose }: Ended): { unmatched?: string[] } {
  const isOpen = error_type === 'CHOICE_NEEDED';
  const fields = readFields(guess) ?? readFields(sample) ?? (isOpen ? [] : undefined);
  const chosen = isOpen ? readFields(choose) : undefined;
  if (chosen !== undefined) {
    const left = chosen.filter((name) => !fields?.includes(name));
    return left.length === 0 ? {} : { unmatched: left };
  }
  const unmatched = fields === undefined ? [] : absentFields(readGoal(goal), fields);
  return unmatched.length === 0 ? {} : { unmatched };
}

/** What the goal asks for and no action does: rows come in the order of the page. */
function describeOrder({ goal, sample }: Ended): { unsorted?: string } {
  const rows = SampleRows.safeParse(JSON.parse(sample ?? 'null')).data ?? [];
  const order = rows.length > 1 ? readGoal(goal).order : undefined;
  return order === undefined ? {} : { unsorted: order };
}

const Guess = z.object({ fields: z.record(z.string(), z.unknown()) });
const SampleRows = z.array(z.record(z.string(), z.unknown())).min(1);

function readFields(json: string | null): string[] | undefined {
  const value: unknown = JSON.parse(json ?? 'null');
  const [row] = SampleRows.safeParse(value).data ?? [];
  const fields = row ?? Guess.safeParse(value).data?.fields;
  return fields === undefined ? undefined : Object.keys(fields);
}

/** An optional member beyond the specification. The JSON was written by this program. */
function parseMember(name: 'steps' | 'sample' | 'missing' | 'candidates' | 'choose', json: string | null) {
  const value: unknown = JSON.parse(json ?? '[]');
  return Array.isArray(value) && value.length === 0 ? {} : { [name]: value };
}
