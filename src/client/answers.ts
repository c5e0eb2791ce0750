/**
 * Reads answers. The body outranks the HTTP status: `status: 'error'` in it is a failure whatever the status says
 * (specification: Errors). An answer of another form is a `ContractError`; nothing in here throws anything else.
 */
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual, promisify } from 'node:util';
import { gzip } from 'node:zlib';
import * as z from 'zod';
import type {
  Answer,
  JobAnswer,
  ReadCatalogDetails,
  ReadCatalogs,
  ReadList,
  TaskAnswer,
} from '../contract/api.ts';
import {
  ActionChanged,
  BuildPreview,
  type EndpointName,
  endpointText,
  LoginVerified,
  RepairAnswer,
  UsageAnswer,
} from '../contract/endpoints.ts';
import { toErrorCode } from '../contract/errors.ts';
import { parseJson } from '../contract/exact-json.ts';
import { readJobId } from '../contract/job-id.ts';
import { exceededLimit, maxJsonDepth } from '../contract/json-limits.ts';
import { type ListedBuild, readers, readList } from '../contract/reading.ts';
import type { Identity, Job } from '../contract/resources.ts';
import { type ApiError, ContractError, RateLimitError, ServiceError } from './errors.ts';
import { largeBytes } from './large-body.ts';
import { readRetryAfter } from './retry.ts';
import { serviceMembers, serviceText, withoutKey } from './service-text.ts';
import type { HttpAnswer } from './transport.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** A 2xx answer whose body is JSON and no error envelope. */
export interface JsonAnswer {
  readonly endpoint: EndpointName;
  readonly status: number;
  readonly text: string;
  readonly value: unknown;
  /** Taken out of every text that is read as the service's own words. */
  readonly apiKey: string;
}

/** Elements read before other work gets a turn: a few milliseconds. */
const readAtOnce = 500;

/** How long to wait after a 429 without `Retry-After`. */
const defaultRetryAfterMs = 1_000;

/**
 * Tells success from failure.
 *
 * @param apiKey is taken out of the service's own words if it repeats the key there
 */
export function readSuccess(endpoint: EndpointName, answer: HttpAnswer, apiKey: string): JsonAnswer {
  const { status, bytes, contentType } = answer;
  // Without a byte order mark.
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (exceededLimit(text, { depth: maxJsonDepth }) !== undefined)
    throw contractError({ endpoint, status }, `JSON nested more than ${maxJsonDepth} levels deep`);
  const value = parse(text);
  const retryAfterMs = readRetryAfter(answer.retryAfter, Date.now());
  if (isObject(value) && value.status === 'error')
    throw serviceError({ endpoint, status, apiKey }, value, 'UNKNOWN_ERROR', retryAfterMs);
  if (status === 429) throw new RateLimitError(endpoint, 'maybe', retryAfterMs ?? defaultRetryAfterMs);
  if (status >= 300) throw contractError({ endpoint, status }, 'an error without its documented envelope');
  if (value === undefined) {
    const form = /^[\w./+-]{1,80}/.exec(contentType ?? '')?.[0];
    const problem = text.trim() === '' ? 'an empty body' : 'a body that is not JSON';
    throw contractError({ endpoint, status }, form === undefined ? problem : `${problem} (${form})`);
  }
  return {
    endpoint,
    status,
    text,
    value: holdsData(endpoint) ? value : withoutKey(value, text, apiKey),
    apiKey,
  };
}

/** Whether the answer holds a job's data, which nobody changes; the rest of it is cleaned where the job is read. */
const holdsData = (endpoint: EndpointName) => endpoint === 'getJob' || endpoint === 'submitTask';

export function readItems<Item>(answer: JsonAnswer, member: string, reader: z.ZodType<Item>): ReadList<Item> {
  return readList(reader, parseArray(answer, member));
}

/** Like `readItems`, for lists of tens of thousands of elements: other work gets turns in between. */
export async function readManyItems<Item>(
  answer: JsonAnswer,
  member: string,
  reader: z.ZodType<Item>,
): Promise<ReadList<Item>> {
  const values = parseArray(answer, member);
  const list: ReadList<Item> = { items: [], unreadable: [] };
  for (let start = 0; start < values.length; start += readAtOnce) {
    if (start > 0) await setImmediate();
    const { items, unreadable } = readList(reader, values.slice(start, start + readAtOnce), start);
    list.items.push(...items);
    list.unreadable.push(...unreadable);
  }
  return list;
}

const Problems = z.object({ catalog_problems: z.array(z.string()).catch([]).default([]) });

export function readCatalogs(answer: JsonAnswer): ReadCatalogs {
  const { catalog_problems: problems } = Problems.parse(parseObject(answer));
  const list = readItems(answer, 'catalog', readers.catalogEntry);
  return problems.length === 0 ? list : { ...list, problems };
}

export function readCatalogDetails(answer: JsonAnswer): ReadCatalogDetails {
  const body = parseObject(answer);
  const catalog = check(answer, readers.catalogEntry, body.catalog, 'catalog');
  const actions = readItems(answer, 'actions', readers.action);
  const fields = Array.isArray(body.login_input_schema)
    ? readList(readers.loginField, body.login_input_schema)
    : undefined;
  return {
    catalog,
    actions: actions.items,
    unreadable: [...actions.unreadable, ...(fields?.unreadable ?? [])],
    loginInputSchema: fields?.items,
  };
}

/** `status` other than `verified` is a failed sign-in whatever the HTTP status (specification: POST /login, rule 2). */
export function readLogin(answer: JsonAnswer): LoginVerified {
  const body = parseObject(answer);
  if (body.status !== 'verified') throw serviceError(answer, body, 'LOGIN_FAILED');
  return check(answer, LoginVerified, body, 'sign-in');
}

export function readUsageAnswer(answer: JsonAnswer): UsageAnswer {
  const parsed = UsageAnswer.safeParse(answer.value);
  if (!parsed.success) throw contractError(answer, 'not the answer of the extension usage');
  return parsed.data;
}

export function readBuildPreview(answer: JsonAnswer): BuildPreview {
  return check(answer, BuildPreview, answer.value, 'preview');
}

export const readActionChanged = (answer: JsonAnswer): ActionChanged =>
  check(answer, ActionChanged, answer.value, 'action');

export const readRepairAnswer = (answer: JsonAnswer): RepairAnswer =>
  check(answer, RepairAnswer, answer.value, 'repair');

/**
 * The answer to POST /task: a job to poll or, for a `sync` action, its result. The specification does not show the
 * latter, so every form is taken: the body of a completed job, an object with `data`, or the bare data.
 */
export function readTask(answer: JsonAnswer): TaskAnswer {
  const { value, text, status } = answer;
  const body = isObject(value) ? value : {};
  const ended = body.status === 'completed' || body.status === 'failed';
  const hasData = body.data !== undefined && body.data !== null;
  // 202 means accepted, whatever word the service has for it and whatever data it has by now.
  const isAccepted = body.status === 'processing' || status === 202 || !hasData;
  if ('job_id' in body && !ended && isAccepted) {
    const jobId = readJobId(body.job_id);
    if (jobId !== undefined) return { kind: 'accepted', jobId };
    throw contractError(answer, 'an unusable job_id');
  }
  if (ended) return { kind: 'finished', answer: readJob(answer), bare: false, httpStatus: answer.status };
  if (body.status === 'processing') throw contractError(answer, 'a task without a job_id');
  if ('data' in body) {
    // Of two members with the same name the later one counts, so members are appended without encoding the data again.
    const closed = `${text.trimEnd().slice(0, -1)},"status":"completed"}`;
    const job = readJob({ ...answer, value: { ...body, status: 'completed' }, text: closed });
    return { kind: 'finished', answer: job, bare: false, httpStatus: answer.status };
  }
  return {
    kind: 'finished',
    answer: { body: { status: 'completed', data: value }, text: `{"status":"completed","data":${text}}` },
    bare: true,
    httpStatus: answer.status,
  };
}

/** A large success is only compressed and read elsewhere, unless the key stands in it. */
export function readJobAnswer(
  endpoint: EndpointName,
  answer: HttpAnswer,
  apiKey: string,
): JobAnswer | Promise<JobAnswer> {
  const { status, bytes } = answer;
  if (status !== 200 || bytes.length < largeBytes || bytes.includes(apiKey))
    return readJob(readSuccess(endpoint, answer, apiKey));
  // The fastest level, because JSON compresses well at any.
  return promisify(gzip)(bytes, { level: 1 }).then((compressed) => ({ gzip: compressed }));
}

/** A job without the key in anything but its data; what is kept of it has the same text. */
export function readJob(answer: JsonAnswer): Answer<Job> {
  const { data, ...members } = parseObject(answer);
  const safe = serviceMembers(members, answer.apiKey);
  if (isDeepStrictEqual(safe, members)) return { body: checkJob(answer), text: answer.text };
  const value = data === undefined ? safe : { ...safe, data };
  return { body: checkJob({ ...answer, value }), text: JSON.stringify(value) };
}

export const checkJob = (answer: Pick<JsonAnswer, 'endpoint' | 'status' | 'value'>): Job =>
  check(answer, readers.job, answer.value, 'job');

export function readIdentity(answer: JsonAnswer): Identity {
  return check(answer, readers.identity, parseObject(answer).identity, 'identity');
}

export function readBuildRequest(answer: JsonAnswer): ListedBuild {
  const body = parseObject(answer);
  return withSafeReason(
    check(answer, readers.buildRequest, body.build_request ?? body, 'build_request'),
    answer.apiKey,
  );
}

/**
 * The specification does not show this answer: a bare array, or an object with one; null where an empty array is meant. Of
 * several arrays under other names none is guessed to be the builds.
 */
export function readBuildRequests(answer: JsonAnswer): ReadList<ListedBuild> {
  const { items, unreadable } = findBuildRequests(answer);
  return { items: items.map((build) => withSafeReason(build, answer.apiKey)), unreadable };
}

const withSafeReason = (build: ListedBuild, apiKey: string): ListedBuild => ({
  ...build,
  error: build.error == null ? build.error : serviceText(build.error, apiKey),
});

function findBuildRequests(answer: JsonAnswer): ReadList<ListedBuild> {
  const { value } = answer;
  if (Array.isArray(value)) return readList(readers.buildRequest, value);
  const body = parseObject(answer);
  const arrays = Object.values(body).filter((member) => Array.isArray(member));
  const { build_requests: named = arrays.length === 1 ? arrays[0] : undefined } = body;
  if (named === null) return { items: [], unreadable: [] };
  if (Array.isArray(named)) return readList(readers.buildRequest, named);
  throw contractError(answer, 'an object without the array build_requests');
}

function serviceError(
  { endpoint, status, apiKey }: Pick<JsonAnswer, 'endpoint' | 'status' | 'apiKey'>,
  body: JsonObject,
  defaultCode: string,
  retryAfterMs?: number,
): ApiError {
  const error = isObject(body.error) ? body.error : { message: body.error };
  const { code, message, ...members } = error;
  // `missing_fields` stands in the envelope, or beside the error (specification: Login errors).
  const extra = {
    ...(body.missing_fields === undefined ? {} : { missing_fields: body.missing_fields }),
    ...members,
  };
  const reason = [message, body.message].find((text) => typeof text === 'string');
  return new ServiceError(endpoint, {
    httpStatus: status,
    code: (typeof code === 'string' ? toErrorCode(serviceText(code, apiKey)) : undefined) ?? defaultCode,
    message: reason === undefined ? 'The service gave no message' : serviceText(reason, apiKey),
    extra: serviceMembers(extra, apiKey),
    retryAfterMs,
  });
}

function check<Value>(
  answer: Pick<JsonAnswer, 'endpoint' | 'status'>,
  reader: z.ZodType<Value>,
  value: unknown,
  subject: string,
): Value {
  const result = reader.safeParse(value);
  if (result.success) return result.data;
  const path = result.error.issues[0]?.path.join('.') ?? '';
  throw contractError(answer, `an unreadable ${subject}${path === '' ? '' : ` (at ${path})`}`);
}

function parseObject(answer: JsonAnswer): JsonObject {
  if (isObject(answer.value)) return answer.value;
  throw contractError(answer, 'JSON that is not an object');
}

function parseArray(answer: JsonAnswer, member: string): readonly unknown[] {
  const value = parseObject(answer)[member];
  if (Array.isArray(value)) return value;
  throw contractError(answer, `an object without the array ${member}`);
}

function contractError({ endpoint, status }: { endpoint: EndpointName; status: number }, problem: string) {
  const asked = endpointText(endpoint);
  return new ContractError(endpoint, status, `${asked} was answered with ${problem} (HTTP ${status})`);
}

/** Undefined where the text is not JSON. */
function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
