/** The port `Api` over HTTP. */

import type {
  Api,
  CallOptions,
  JobAnswer,
  ReadCatalogDetails,
  ReadCatalogs,
  ReadList,
  TaskAnswer,
} from '../contract/api.ts';
import {
  type ActionChanged,
  type ActionEdit,
  type BuildPreview,
  type BuildPreviewBody,
  type BuildRequestBody,
  type CatalogQuery,
  defaultApiPrefix,
  type EndpointName,
  endpoints,
  type HttpMethod,
  type IdentityQuery,
  type LoginBody,
  type LoginVerified,
  type RepairAnswer,
  type RepairBody,
  type SearchQuery,
  type TaskBody,
  type UsageAnswer,
} from '../contract/endpoints.ts';
import { writeJson } from '../contract/exact-json.ts';
import { idempotencyHeader } from '../contract/extensions.ts';
import { toServiceId } from '../contract/job-id.ts';
import { type ListedBuild, readers } from '../contract/reading.ts';
import type { Identity, SearchResult } from '../contract/resources.ts';
import { currentTrace, traced } from '../tracing/tracing.ts';
import { type Address, readBaseUrl, toRequestPath } from './address.ts';
import { Agents, type ConnectionUse } from './agents.ts';
import {
  type JsonAnswer,
  readActionChanged,
  readBuildPreview,
  readBuildRequest,
  readBuildRequests,
  readCatalogDetails,
  readCatalogs,
  readIdentity,
  readItems,
  readJobAnswer,
  readLogin,
  readManyItems,
  readRepairAnswer,
  readSuccess,
  readTask,
  readUsageAnswer,
} from './answers.ts';
import { Deadline } from './deadline.ts';
import { type ApiError, isApiError, RateLimitError, type ServiceError } from './errors.ts';
import { LargeBody } from './large-body.ts';
import { RateGates } from './rate-limits.ts';
import { type ClientLimits, defaultLimits, getMaxBytes, getTotalMs } from './request-limits.ts';
import { retryDelayMs } from './retry.ts';
import { type HttpRequest, sendRequest } from './transport.ts';

export interface HttpClientOptions {
  /** http or https; a path in it comes before the prefix. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly apiPrefix?: string;
  readonly limits?: Partial<ClientLimits>;
}

/** Connects nowhere yet. Throws a `TypeError` for a base URL, prefix or API key that cannot be used. */
export function createHttpClient(options: HttpClientOptions): Api {
  // The characters a header's value may have; the key itself is not repeated in the message.
  if (!/^[\x21-\x7e]+$/.test(options.apiKey)) {
    throw new TypeError('The API key must consist of visible ASCII characters');
  }
  return new HttpClient(options);
}

interface RequestParts {
  readonly parameter?: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

/** Reads an answer. Throws an `ApiError`. */
type AnswerReader<Result> = (...answer: Parameters<typeof readSuccess>) => Result | Promise<Result>;

class HttpClient implements Api {
  readonly origin: string;
  readonly #address: Address;
  readonly #server: URL;
  readonly #apiKey: string;
  readonly #limits: ClientLimits;
  readonly #agents: Agents;
  readonly #gates = new RateGates();
  #announced: string | undefined;
  #extensions: ReadonlySet<string> = new Set();
  #hasAnswered = false;

  constructor(options: HttpClientOptions) {
    this.#address = readBaseUrl(options.baseUrl, options.apiPrefix ?? defaultApiPrefix);
    this.origin = this.#address.origin;
    this.#server = new URL(this.origin);
    this.#apiKey = options.apiKey;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#agents = new Agents(this.origin, this.#limits.connectMs);
  }

  get extensions(): ReadonlySet<string> {
    return this.#extensions;
  }

  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  listCatalogs(query: CatalogQuery, options?: CallOptions): Promise<ReadCatalogs> {
    return this.#call('listCatalogs', { query }, options, readCatalogs);
  }

  getCatalog(slug: string, options?: CallOptions): Promise<ReadCatalogDetails> {
    return this.#call('getCatalog', { parameter: slug }, options, readCatalogDetails);
  }

  search(query: SearchQuery, options?: CallOptions): Promise<ReadList<SearchResult>> {
    return this.#call('search', { query }, options, (answer) =>
      readManyItems(answer, 'results', readers.searchResult),
    );
  }

  login(body: LoginBody, options?: CallOptions): Promise<LoginVerified> {
    return this.#call('login', { body }, options, readLogin);
  }

  submitTask(body: TaskBody, options?: CallOptions): Promise<TaskAnswer> {
    return this.#call('submitTask', { body }, options, readTask);
  }

  getJob(jobId: string, options?: CallOptions): Promise<JobAnswer> {
    return this.#read('getJob', { parameter: toServiceId(jobId) }, options, readJobAnswer);
  }

  listIdentities(query: IdentityQuery, options?: CallOptions): Promise<ReadList<Identity>> {
    return this.#call('listIdentities', { query }, options, (answer) =>
      readItems(answer, 'identities', readers.identity),
    );
  }

  getIdentity(id: string, options?: CallOptions): Promise<Identity> {
    return this.#call('getIdentity', { parameter: id }, options, readIdentity);
  }

  requestBuild(body: BuildRequestBody, options?: CallOptions): Promise<ListedBuild> {
    return this.#call('requestBuild', { body }, options, readBuildRequest);
  }

  previewBuild(body: BuildPreviewBody, options?: CallOptions): Promise<BuildPreview> {
    return this.#call('previewBuild', { body }, options, readBuildPreview);
  }

  editAction(id: string, body: ActionEdit, options?: CallOptions): Promise<ActionChanged> {
    return this.#call('editAction', { parameter: id, body }, options, readActionChanged);
  }

  removeAction(id: string, options?: CallOptions): Promise<ActionChanged> {
    return this.#call('removeAction', { parameter: id }, options, readActionChanged);
  }

  revertAction(id: string, options?: CallOptions): Promise<ActionChanged> {
    return this.#call('revertAction', { parameter: id }, options, readActionChanged);
  }

  repairAction(id: string, body: RepairBody, options?: CallOptions): Promise<ListedBuild> {
    return this.#call('repairAction', { parameter: id, body }, options, readBuildRequest);
  }

  previewRepair(id: string, body: RepairBody, options?: CallOptions): Promise<RepairAnswer> {
    const parts = { parameter: id, body: { ...body, preview: true } };
    return this.#call('repairAction', parts, options, readRepairAnswer);
  }

  listBuildRequests(options?: CallOptions): Promise<ReadList<ListedBuild>> {
    return this.#call('listBuildRequests', {}, options, readBuildRequests);
  }

  getUsage(options?: CallOptions): Promise<UsageAnswer> {
    return this.#call('getUsage', {}, options, readUsageAnswer);
  }

  async close(): Promise<void> {
    await this.#agents.close();
  }

  #call<Result>(
    endpoint: EndpointName,
    parts: RequestParts,
    options: CallOptions | undefined,
    read: (answer: JsonAnswer) => Result | Promise<Result>,
  ): Promise<Result> {
    return this.#read(endpoint, parts, options, (...answer) => read(readSuccess(...answer)));
  }

  /** One call with its attempts: the only place that sends a request again. */
  async #read<Result>(
    endpoint: EndpointName,
    parts: RequestParts,
    options: CallOptions = {},
    read: AnswerReader<Result>,
  ): Promise<Result> {
    const { method } = endpoints[endpoint];
    const body = parts.body === undefined ? undefined : writeJson(parts.body);
    const request = {
      endpoint,
      method,
      connection: this.#chooseConnection(method, options),
      origin: this.origin,
      path: toRequestPath(this.#address.root, endpoint, parts.parameter, parts.query ?? {}),
      headers: {
        'x-api-key': this.#apiKey,
        accept: 'application/json',
        'accept-encoding': 'gzip, br',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(options.idempotencyKey !== undefined && { [idempotencyHeader]: options.idempotencyKey }),
      },
      body,
      // A call that brings its own time may wait for its answer as long (a `sync` action works before it answers).
      headersMs: options.timeoutMs === undefined ? this.#limits.headersMs : 0,
      idleMs: this.#limits.idleMs,
      maxBytes: getMaxBytes(endpoint, this.#limits),
      room: new LargeBody(),
    };
    const gate = this.#gates.getGate(endpoint);
    const timeoutMs = options.timeoutMs ?? getTotalMs(endpoint, this.#limits);
    const deadline = new Deadline(endpoint, timeoutMs, options.signal);
    try {
      for (let attempt = 1, failure: unknown; ; attempt += 1) {
        try {
          if (!gate.isOpen || deadline.isOver) await gate.turn(deadline);
        } catch (error) {
          // The error of an attempt that was made says more than the rate limit of one that was not.
          throw error instanceof RateLimitError ? (failure ?? error) : error;
        }
        try {
          return await this.#attempt(request, attempt, deadline, read);
        } catch (error) {
          if (!isApiError(error)) throw error;
          // Holds back other calls to the endpoint, which would be refused too.
          if (method === 'GET' && isTooManyRequests(error)) gate.close(error.retryAfterMs ?? 0);
          const delay = retryDelayMs(method, attempt, error, Math.random());
          if (delay === undefined || delay >= deadline.remainingMs || this.#agents.closed) throw error;
          await deadline.sleep(delay, error.sent);
          failure = error;
        }
      }
    } finally {
      deadline.stop();
      request.room.leave();
    }
  }

  /** One attempt. The span names the endpoint and not the address, which holds ids and search words. */
  #attempt<Result>(
    request: HttpRequest,
    attempt: number,
    deadline: Deadline,
    read: AnswerReader<Result>,
  ): Promise<Result> {
    const { endpoint, method } = request;
    const { hostname, port, protocol } = this.#server;
    const attributes = {
      'http.request.method': method,
      'url.template': endpoints[endpoint].path,
      'server.address': hostname,
      'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
      'http.request.resend_count': attempt > 1 ? attempt - 1 : undefined,
    };
    return traced(`${method} ${endpoints[endpoint].path}`, { kind: 'CLIENT', attributes }, (span) => {
      const { traceparent, tracestate } = currentTrace();
      const headers = {
        ...request.headers,
        ...(traceparent !== undefined && { traceparent }),
        ...(tracestate !== undefined && { tracestate }),
      };
      return sendRequest(this.#agents, { ...request, headers }, deadline).then((answer) => {
        span.setAttributes({ 'http.response.status_code': answer.status });
        this.#learn(answer.extensions);
        return read(endpoint, answer, this.#apiKey);
      });
    });
  }

  /**
   * With a key the service can be asked again after a broken connection, so a POST with a key needs no new connection.
   */
  #chooseConnection(method: HttpMethod, { idempotencyKey }: CallOptions): ConnectionUse {
    const canBeRepeated = idempotencyKey !== undefined && this.#extensions.has('idempotency');
    return method === 'GET' || canBeRepeated ? 'kept' : 'own';
  }

  /** Ignores an answer without the header: a proxy may have written it. */
  #learn(announcedExtensions: string | undefined): void {
    this.#hasAnswered = true;
    if (announcedExtensions === undefined || announcedExtensions === this.#announced) return;
    this.#announced = announcedExtensions;
    this.#extensions = new Set(announcedExtensions.split(',').map((name) => name.trim().toLowerCase()));
  }
}

function isTooManyRequests(error: ApiError): error is RateLimitError | ServiceError {
  return error.kind === 'rate-limit' || (error.kind === 'service' && error.httpStatus === 429);
}
