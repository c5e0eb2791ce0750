/**
 * The port to a service: one method for each endpoint. The gateway is written against it and never sees HTTP;
 * `client/` implements it over HTTP.
 */
import type {
  ActionChanged,
  ActionEdit,
  BuildPreview,
  BuildPreviewBody,
  BuildRequestBody,
  CatalogQuery,
  IdentityQuery,
  LoginBody,
  LoginVerified,
  RepairAnswer,
  RepairBody,
  SearchQuery,
  TaskBody,
  UsageAnswer,
} from './endpoints.ts';
import type { ListedBuild, Unreadable } from './reading.ts';
import type { Action, CatalogEntry, Identity, Job, LoginField, SearchResult } from './resources.ts';

export interface CallOptions {
  /** Ends the wait. A request that was not yet written is then never sent. */
  readonly signal?: AbortSignal;
  /** Milliseconds for the whole call: its turn under the rate limits, attempts and the answer. */
  readonly timeoutMs?: number;
  /** Sent as `Idempotency-Key`, by the extension `idempotency`: the service carries requests with one key out once. */
  readonly idempotencyKey?: string;
}

/** The JSON text of a large answer. */
interface CompressedText {
  /** Characters of the text. */
  readonly length: number;
  readonly gzip: Uint8Array;
}

/**
 * An answer whose body may be large: beside the parsed body its own JSON text, so that nobody encodes it again. Where the
 * text is compressed, the body has an empty object in the place of its data.
 */
export interface Answer<Body> {
  readonly body: Body;
  readonly text: string | CompressedText;
}

/** The gzipped JSON text of a large answer, which nobody has parsed or checked yet. */
export interface LargeAnswer {
  readonly gzip: Uint8Array;
}

export type JobAnswer = Answer<Job> | LargeAnswer;

/** The answer to POST /task: a job to poll, or the finished result of a `sync` action. */
export type TaskAnswer =
  | { readonly kind: 'accepted'; readonly jobId: string }
  | {
      readonly kind: 'finished';
      readonly answer: Answer<Job>;
      /** The body had nothing of a job about it and was taken for the data as a whole: only a sync action does so. */
      readonly bare: boolean;
      readonly httpStatus: number;
    };

/** A list read generously: what could be read, and what could not. */
export interface ReadList<Item> {
  readonly items: Item[];
  readonly unreadable: Unreadable[];
}

export interface ReadCatalogs extends ReadList<CatalogEntry> {
  /** Catalog files of the requester that are not used as they stand: `file:line:column reason`. */
  readonly problems?: readonly string[];
}

export interface ReadCatalogDetails {
  readonly catalog: CatalogEntry;
  readonly actions: Action[];
  readonly unreadable: Unreadable[];
  readonly loginInputSchema: LoginField[] | undefined;
}

/**
 * Every method rejects with an `ApiError` of `client/errors.ts` and with nothing else.
 * A body with `status: 'error'` is a failure whatever the HTTP status.
 */
export interface Api {
  /** The origin that the API key belongs to; part of a principal. */
  readonly origin: string;
  /** Extensions that the service has announced in an earlier answer (`contract/extensions.ts`). */
  readonly extensions: ReadonlySet<string>;
  /** Whether the service has answered yet; until then its extensions are unknown. */
  readonly hasAnswered: boolean;
  /** GET /catalog */
  listCatalogs(query: CatalogQuery, options?: CallOptions): Promise<ReadCatalogs>;
  /** GET /catalog/{slug} */
  getCatalog(slug: string, options?: CallOptions): Promise<ReadCatalogDetails>;
  /** GET /search */
  search(query: SearchQuery, options?: CallOptions): Promise<ReadList<SearchResult>>;
  /** POST /login; resolves only for `status: 'verified'`. */
  login(body: LoginBody, options?: CallOptions): Promise<LoginVerified>;
  /** POST /task. Spends credits; never sent twice by the client. */
  submitTask(body: TaskBody, options?: CallOptions): Promise<TaskAnswer>;
  /** GET /jobs/{id} */
  getJob(jobId: string, options?: CallOptions): Promise<JobAnswer>;
  /** GET /identities */
  listIdentities(query: IdentityQuery, options?: CallOptions): Promise<ReadList<Identity>>;
  /** GET /identities/{id} */
  getIdentity(id: string, options?: CallOptions): Promise<Identity>;
  /** POST /build-request. Spends credits; never sent twice by the client. */
  requestBuild(body: BuildRequestBody, options?: CallOptions): Promise<ListedBuild>;
  /** POST /build-request/preview, of the extension `build-preview`. Free. */
  previewBuild(body: BuildPreviewBody, options?: CallOptions): Promise<BuildPreview>;
  /** PATCH, DELETE, POST …/revert and POST …/repair of /actions/{id}, of the extension `action-edit`. */
  editAction(id: string, body: ActionEdit, options?: CallOptions): Promise<ActionChanged>;
  removeAction(id: string, options?: CallOptions): Promise<ActionChanged>;
  revertAction(id: string, options?: CallOptions): Promise<ActionChanged>;
  /** Spends credits; never sent twice by the client. */
  repairAction(id: string, body: RepairBody, options?: CallOptions): Promise<ListedBuild>;
  /** Free. */
  previewRepair(id: string, body: RepairBody, options?: CallOptions): Promise<RepairAnswer>;
  /** GET /build-requests. Accepts a bare array, or an object that has one array under any name. */
  listBuildRequests(options?: CallOptions): Promise<ReadList<ListedBuild>>;
  /** GET /usage; only where `extensions` has `usage`. */
  getUsage(options?: CallOptions): Promise<UsageAnswer>;
  /** Closes the connections. */
  close(): Promise<void>;
}
