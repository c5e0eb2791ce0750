/** The interface over HTTP: authentication, limits, reading and answering. The work is done in `operations/`. */

import { Hono, type HonoRequest, type Next } from 'hono';
import { routePath } from 'hono/route';
import type * as z from 'zod';
import {
  ActionEdit,
  BuildPreviewBody,
  BuildRequestBody,
  CatalogQuery,
  type EndpointName,
  endpoints,
  IdentityQuery,
  LoginBody,
  RepairBody,
  SearchQuery,
  TaskBody,
} from '../contract/endpoints.ts';
import { buildErrors, openErrors, taskErrors } from '../contract/errors.ts';
import { extensions, extensionsHeader, idempotencyHeader } from '../contract/extensions.ts';
import { clientAddress, discardRest } from '../http/server.ts';
import { KeyFileError, StoreError } from '../store/errors.ts';
import { failSpan, traced } from '../tracing/tracing.ts';
import { type Environment, requireUser, type ServiceRequest } from './api/authentication.ts';
import { type OperatorOptions, operatorPaths, registerOperatorRoutes } from './api/operator-routes.ts';
import { isLimited } from './api/rate-limits.ts';
import { parseBody, readText } from './api/request-body.ts';
import { createConsole } from './console/console.ts';
import { isOwnRequest } from './console/guard.ts';
import { RequestError } from './foundation/errors.ts';
import { notFound, refuse } from './foundation/request-error.ts';
import { listBuildRequests, requestBuild } from './operations/build-requests.ts';
import { getCatalog, listCatalogs, search } from './operations/catalogs.ts';
import type { Context } from './operations/context.ts';
import {
  editBuiltAction,
  removeBuiltAction,
  requestRepair,
  revertBuiltAction,
} from './operations/edit-actions.ts';
import { parseIdempotencyKey } from './operations/idempotency.ts';
import { getIdentity, listIdentities } from './operations/identities.ts';
import { getJob } from './operations/jobs.ts';
import { login } from './operations/login.ts';
import { submitTask } from './operations/submit-task.ts';
import { readUsage } from './operations/usage.ts';

export interface ApplicationOptions extends OperatorOptions {
  /** Where browsers reach the console if that is another address than the service's own. */
  readonly publicUrl?: string | undefined;
}

type Handler = (userId: string, request: ServiceRequest) => Promise<Response>;

export function createApplication(options: ApplicationOptions): Hono<Environment> {
  const { context } = options;
  const application = new Hono<Environment>();
  application.use((request, next) => logRequest(context, request, next));
  application.use(async (request, next) => {
    await next();
    await discardRest(request.env.incoming, request.env.outgoing);
  });
  registerEndpoints(application, options);
  for (const path of operatorPaths)
    application.use(path, (request, next) => checkOrigin(options, request, next));
  registerOperatorRoutes(application, options);
  application.route('/', createConsole(options));
  application.notFound(() => answerError(notFound('path')));
  application.onError((error, request) => {
    if (error instanceof RequestError) return answerError(error);
    context.logger.error({ err: error, route: routePath(request, -1) }, 'A request failed unexpectedly');
    if (error instanceof StoreError) return answerError(storeFailed(error, request.req));
    if (error instanceof KeyFileError) return answerError(keysUnreadable);
    return answerError(refuse(openErrors, 'INTERNAL_ERROR', 'The service failed; its log says why'));
  });
  return application;
}

async function logRequest(context: Context, request: ServiceRequest, next: Next): Promise<void> {
  const started = performance.now();
  await next();
  if (request.req.path.startsWith(`${context.apiPrefix}/`)) {
    request.res.headers.set(extensionsHeader, extensions.join(', '));
  }
  // Paths hold ids and queries hold what a user looks for: neither is logged.
  const { method } = request.req;
  const ms = Math.round(performance.now() - started);
  context.logger.debug({ method, route: routePath(request, -1), status: request.res.status, ms }, 'Request');
}

/** What needs no key is for no page of another site, also not under a name that this site lets point here. */
async function checkOrigin(options: ApplicationOptions, request: ServiceRequest, next: Next): Promise<void> {
  if (request.req.header('x-api-key') !== undefined) await requireUser(options.context.database, request);
  else if (!isOwnRequest(request, options)) {
    throw new RequestError(
      403,
      'FORBIDDEN',
      'The request came from a page of another site, or named a host that is not ours. Name this machine, or the host of SVC_PUBLIC_URL, or send a key',
    );
  }
  await next();
}

function registerEndpoints(application: Hono<Environment>, options: ApplicationOptions): void {
  const { context, rateLimits } = options;
  const handlers = createHandlers(context);
  const methods = new Map<string, string[]>();
  for (const name of Object.keys(handlers).filter(isEndpoint)) {
    const { method, path } = endpoints[name];
    const route = context.apiPrefix + path.replace(/\{(\w+)\}/, ':$1');
    methods.set(route, [...(methods.get(route) ?? []), method]);
    const answer = async (request: ServiceRequest) => {
      const userId = await requireUser(context.database, request);
      if (isLimited(name)) {
        await rateLimits.count(name, {
          userId,
          address: clientAddress(request.env.incoming, options.trustProxy),
        });
      }
      return handlers[name](userId, request);
    };
    application.on(method, route, (request) => tracedAnswer(route, request, answer));
  }
  for (const [route, allowed] of methods)
    application.all(route, () => {
      throw new RequestError(
        openErrors.METHOD_NOT_ALLOWED.httpStatus,
        'METHOD_NOT_ALLOWED',
        `Use ${allowed.join(' or ')} here`,
        { headers: { allow: allowed.join(', ') } },
      );
    });
}

function createHandlers(context: Context): Readonly<Record<EndpointName, Handler>> {
  return {
    listCatalogs: async (userId, request) =>
      json(await listCatalogs(context, userId, readQuery(CatalogQuery, request))),
    getCatalog: async (userId, request) =>
      json(await getCatalog(context, userId, pathParameter(request, 'slug'))),
    search: async (userId, request) => json(await search(context, userId, readQuery(SearchQuery, request))),
    submitTask: async (userId, request) => {
      const body = parseWith(TaskBody, await readBody(userId, request));
      const key = parseIdempotencyKey(request.req.header(idempotencyHeader), 'task', body);
      const { jobId, finished } = await submitTask(context, userId, body, key);
      const accepted = () =>
        json({ status: 'processing', job_id: jobId, poll_url: `${context.apiPrefix}/jobs/${jobId}` }, 202);
      if (!finished) return accepted();
      // The charge is committed, so a job whose end cannot be read is polled instead.
      return getJob(context, userId, jobId).then((job) => jsonText(withJobId(jobId, job)), accepted);
    },
    getJob: async (userId, request) => jsonText(await getJob(context, userId, pathParameter(request, 'id'))),
    listIdentities: async (userId, request) =>
      json(await listIdentities(context, userId, readQuery(IdentityQuery, request))),
    login: async (userId, request) =>
      json(await login(context, userId, parseWith(LoginBody, await readBody(userId, request))), 201),
    requestBuild: async (userId, request) => {
      const body = parseWith(BuildRequestBody, await readBody(userId, request));
      const key = parseIdempotencyKey(request.req.header(idempotencyHeader), 'build', body);
      return json(await requestBuild(context, userId, body, key), 201);
    },
    previewBuild: async (userId, request) => {
      const body = parseWith(BuildPreviewBody, await readBody(userId, request));
      return json(await context.previewBuild(userId, body, request.req.raw.signal));
    },
    editAction: async (userId, request) => {
      const edit = parseWith(ActionEdit, await readBody(userId, request));
      return json(await editBuiltAction(context, userId, pathParameter(request, 'id'), edit));
    },
    removeAction: async (userId, request) =>
      json(await removeBuiltAction(context, userId, pathParameter(request, 'id'))),
    revertAction: async (userId, request) =>
      json(await revertBuiltAction(context, userId, pathParameter(request, 'id'))),
    repairAction: async (userId, request) => {
      const body = parseWith(RepairBody, await readBody(userId, request));
      const actionId = pathParameter(request, 'id');
      if (body.preview === true)
        return json(await context.previewRepair(userId, actionId, body, request.req.raw.signal));
      const key = parseIdempotencyKey(request.req.header(idempotencyHeader), 'build', { ...body, actionId });
      return json(await requestRepair(context, userId, actionId, body, key), 201);
    },
    listBuildRequests: async (userId) => json(await listBuildRequests(context, userId)),
    getUsage: async (userId) => json(await readUsage(context, userId)),
    getIdentity: async (userId, request) =>
      json(await getIdentity(context, userId, pathParameter(request, 'id'))),
  };
}

/** A refusal is an answer: only a failure of the service fails its span. */
function tracedAnswer(
  route: string,
  request: ServiceRequest,
  answer: (request: ServiceRequest) => Promise<Response>,
): Promise<Response> {
  const { method } = request.req;
  const header = (name: string) => request.req.header(name);
  const parent = { traceparent: header('traceparent'), tracestate: header('tracestate') };
  const attributes = { 'http.request.method': method, 'http.route': route };
  return traced(`${method} ${route}`, { kind: 'SERVER', parent, attributes }, async (span) => {
    const response = await answer(request).catch((error: unknown) => {
      if (!(error instanceof RequestError)) throw error;
      if (error.httpStatus >= 500) failSpan(span, error.code);
      else span.setAttributes({ 'svc_mcp.error.code': error.code });
      return answerError(error);
    });
    span.setAttributes({ 'http.response.status_code': response.status });
    return response;
  });
}

/**
 * The database does not work. POST /task and POST /build-request throw this only before their commit, so the answer may
 * use the code that promises that nothing was deducted. The promise holds for this request only: an earlier one with
 * the same idempotency key may have been accepted.
 */
function storeFailed({ kind }: StoreError, request: HonoRequest): RequestError {
  const { method, path } = request;
  const isKeyed = request.header(idempotencyHeader) !== undefined;
  const earlier = `what became of an earlier request with this ${idempotencyHeader} is not known: repeat it with the same key; `;
  const next = `${isKeyed ? earlier : ''}${storeAdvice[kind] ?? 'try again later'}`;
  if (method === 'POST' && path.endsWith(endpoints.submitTask.path)) {
    const message = `The database does not work, so this task was not enqueued and no credits were deducted for it; ${next}`;
    return refuse(taskErrors, 'EXECUTION_FAILED', message);
  }
  if (method === 'POST' && path.endsWith(endpoints.requestBuild.path)) {
    const message = `The database does not work, so this build was not requested and no credits were deducted for it; ${next}`;
    return refuse(buildErrors, 'INTERNAL_ERROR', message);
  }
  return refuse(openErrors, 'STORE_UNAVAILABLE', `The database of the service does not work; ${next}`);
}

const keysUnreadable = refuse(
  openErrors,
  'STORE_UNAVAILABLE',
  'Sessions cannot be stored: a key file of the service is damaged. Its log says which, and what to do',
);

/** Advice for failures that a retry does not fix. */
const storeAdvice: Partial<Record<StoreError['kind'], string>> = {
  corrupt: 'its file is damaged and must be restored from a backup',
  full: 'its disk is full',
  'not-writable': 'its file is not writable',
  'broken-disk': 'its disk is broken and a restart is needed',
};

const isEndpoint = (name: string): name is EndpointName => name in endpoints;

const jsonType = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
const jsonText = (text: string, status = 200): Response => new Response(text, { status, headers: jsonType });
const json = (body: unknown, status = 200): Response => jsonText(JSON.stringify(body), status);
const answerError = (error: RequestError): Response =>
  new Response(JSON.stringify(error.body()), {
    status: error.httpStatus,
    headers: { ...jsonType, ...error.headers },
  });

/** Adds the id, so that the answer of a `sync` action can be read again, without parsing the job's text. */
const withJobId = (jobId: string, job: string): string =>
  `{"job_id":${JSON.stringify(jobId)},${job.slice(job.indexOf('{') + 1)}`;

/** No id contains NUL, and databases refuse it. */
function pathParameter(request: ServiceRequest, name: string): string {
  const value = request.req.param(name) ?? '';
  return value.includes('\0') ? '' : value;
}

/** Members that are `null` count as absent; what is inside of `params` belongs to the action. */
async function readBody(userId: string, request: ServiceRequest): Promise<unknown> {
  const body = parseBody(request.req.header('content-type'), await readText(request, userId));
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

/** An empty parameter counts as absent. */
function readQuery<Schema extends z.ZodType>(schema: Schema, request: ServiceRequest): z.infer<Schema> {
  const queryEntries = Object.entries(request.req.query()).filter(([, value]) => value !== '');
  return parseWith(schema, Object.fromEntries(queryEntries));
}

function parseWith<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) {
    const withNul = Object.entries(parsed.data ?? {}).find(
      ([, text]) => typeof text === 'string' && text.includes('\0'),
    );
    if (withNul === undefined) return parsed.data;
    throw refuse(openErrors, 'INVALID_INPUT', `${withNul[0]}: must not contain NUL`);
  }
  const issue = parsed.error.issues[0];
  throw refuse(
    openErrors,
    'INVALID_INPUT',
    `${issue?.path.join('.') || 'The body'}: ${issue?.message ?? 'has the wrong form'}`,
  );
}
