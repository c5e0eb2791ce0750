/**
 * The service's tables. Times are milliseconds since 1970 (UTC), flags 0 or 1, credits whole numbers. Columns are
 * described here; `migrations.ts` creates them.
 */
import type { Kysely, Transaction } from 'kysely';
import type { Database } from '../../store/database.ts';

export interface ServiceSchema {
  users: {
    id: string;
    name: string;
    /** Always the sum of the user's ledger rows: only `money/ledger.ts` writes it, together with a row. */
    balance: number;
    created_at: number;
    /** Set for a user who was removed: the row stays for the ledger and the jobs. */
    removed_at: number | null;
  };
  api_keys: {
    id: string;
    user_id: string;
    label: string;
    /** SHA-256 of the key, hexadecimal. The key itself is stored nowhere. */
    key_hash: string;
    /** The first characters of the key, to tell keys apart; null for a key not made here. */
    key_prefix: string | null;
    created_at: number;
    /** Written at most every ten minutes. */
    last_used_at: number | null;
    revoked_at: number | null;
  };
  /** Append only. A job has at most one row of each kind, so a refund happens once. */
  ledger: {
    id: string;
    user_id: string;
    kind: LedgerKind;
    /** Negative where credits were taken. */
    amount: number;
    job_id: string | null;
    created_at: number;
  };
  /** The sites that actions are for. Definitions of catalogs and actions are stored only here and in `actions`. */
  catalogs: {
    id: string;
    slug: string;
    /** Where it comes from, as in `actions`. */
    source: string;
    /** The owner of a catalog of built actions while all of them are private. */
    owner: string | null;
    /** The host of its site, without a leading `www.`. */
    domain: string;
    /** The `CatalogDefinition` without actions as JSON. */
    definition: string;
    /** Set once no file or program provides the catalog. Actions built into it stay. */
    retired_at: number | null;
    created_at: number;
    updated_at: number;
  };
  /** A row for each version. The version that is not retired is current. Jobs run the version they were accepted with. */
  actions: {
    action_id: string;
    /** The `wheel_version` of the definition. */
    version: string;
    /** The same in all versions. */
    id: string;
    catalog_id: string;
    /** The only user who sees it; null where it is public. */
    owner: string | null;
    status: string;
    /** `built`, or the import that has it: `file:<folder>/<name>`, `shipped:<slug>`, `practice:<slug>`. */
    source: string;
    /** The `ActionDefinition` as JSON. */
    definition: string;
    /** When another version became current, or the action was removed. */
    retired_at: number | null;
    created_at: number;
    updated_at: number;
  };
  /** One row, incremented by every publication, so that other processes read the catalogs again. */
  publications: { version: number };
  jobs: {
    id: string;
    kind: JobKind;
    user_id: string;
    status: 'processing' | 'completed' | 'failed';
    /** Of a task. */
    action_id: string | null;
    wheel_version: string | null;
    params: string | null;
    credential_id: string | null;
    /** The host that the limit of concurrent jobs applies to. */
    site: string;
    /** Credits deducted at submission. */
    price: number;
    /** Credits charged in the end, and what the final cost exceeded the balance by. */
    credits_used: number | null;
    credits_excess: number | null;
    /** JSON of the data, deflated. */
    result: Buffer | null;
    error_code: string | null;
    error_message: string | null;
    /** One of `failureReasons`. */
    error_reason: string | null;
    execution_ms: number | null;
    created_at: number;
    finished_at: number | null;
    /** The earliest next attempt after a transient failure. */
    not_before: number;
    /** W3C Trace Context of the request that created it. */
    traceparent: string | null;
    /** How often it was started. */
    attempts: number;
    /** The process that runs it, and until when; afterwards another may claim it. */
    lease_owner: string | null;
    lease_until: number;
    /** Incremented by each lease: a runner with an old number can write nothing. */
    fence: number;
    /** The header Idempotency-Key of the request that made the job, unique for the user, and a hash of its body. */
    idempotency_key: string | null;
    request_hash: string | null;
  };
  identities: {
    id: string;
    user_id: string;
    catalog_id: string;
    name: string;
    is_default: number;
    created_at: number;
  };
  credentials: {
    id: string;
    identity_id: string;
    credential_type: string;
    status: 'active' | 'expired';
    expires_at: number;
    last_used_at: number | null;
    created_at: number;
    /** The account's name on the site, if the login recipe reads it. */
    site_user: string | null;
    /** When the present user signed in; `created_at` stays that of the first one. */
    signed_in_at: number;
    /** The encryption key's id and the JWE of the cookies, bound to this row's id. */
    key_id: string | null;
    encrypted_data: string | null;
  };
  build_requests: {
    id: string;
    user_id: string;
    job_id: string;
    website_url: string;
    domain: string;
    goal: string;
    catalog_id: string | null;
    visibility: string;
    /** The `action_id` of the requester's own action that is rebuilt in place. */
    replaces: string | null;
    status: 'pending' | 'success' | 'failed';
    action_id: string | null;
    error: string | null;
    error_type: string | null;
    /** JSON array of the steps so far, in words; a build that runs again starts over. */
    steps: string | null;
    /** JSON array: rows of the live test. */
    sample: string | null;
    /** JSON array: what the live test says that it could not read, or does not know. */
    missing: string | null;
    /** JSON: the columns that the request chose. */
    choose: string | null;
    /** The end of the new action's id that the request names. */
    name: string | null;
    /** Of a repair: the id of the job whose result proves it; empty where none is kept. Null: a build. */
    repair_by: string | null;
    /** JSON: the proof with which a repair was published, with its version and both results. */
    proof: string | null;
    /** JSON array of `PreviewCandidate` to choose from. */
    candidates: string | null;
    /** JSON: the builder's own choice. */
    guess: string | null;
    created_at: number;
    updated_at: number;
  };
  /** What previews and failed builds showed, so that the ids of a choice mean that. */
  shown_candidates: {
    user_id: string;
    /** SHA-256 of the page's address, hexadecimal. */
    page_hash: string;
    candidate_id: string;
    /** The `ShownCandidate` as JSON. */
    shown: string;
    shown_at: number;
  };
  /** Browsers signed in to the console. */
  console_sessions: {
    /** SHA-256 of the cookie's token, hexadecimal. */
    token_hash: string;
    user_id: string;
    /** The key used to sign in: revoking it ends the session. */
    api_key_id: string;
    created_at: number;
    expires_at: number;
  };
}

export type JobKind = 'task' | 'build';
export type LedgerKind = 'grant' | 'charge' | 'refund' | 'settlement';

export type ServiceDatabase = Database<ServiceSchema>;
export type ServiceTransaction = Transaction<ServiceSchema>;
/** For statements that run alone or in a transaction. */
export type ServiceQuery = Kysely<ServiceSchema>;
