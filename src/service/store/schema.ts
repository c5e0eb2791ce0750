/**
 * The service's tables. Times are milliseconds since 1970 (UTC), flags 0 or 1, credits whole numbers.
 * What each column means is said here; `migrations.ts` creates them.
 */
import type { Kysely, Transaction } from 'kysely';
import type { Database } from '../../store/database.ts';

export interface ServiceSchema {
  users: {
    id: string;
    name: string;
    /** Always the sum of the user's ledger rows: only `users/ledger.ts` writes it, together with a row. */
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
    /** How the key begins, for people to tell keys apart; null for one not made here, or of an earlier version and not used since. */
    key_prefix: string | null;
    created_at: number;
    /** Written at most every ten minutes. */
    last_used_at: number | null;
    revoked_at: number | null;
  };
  /** Append only. At most one row of a kind for a job: that is what makes a refund happen once. */
  ledger: {
    id: string;
    user_id: string;
    kind: LedgerKind;
    /** Negative where credits were taken. */
    amount: number;
    job_id: string | null;
    created_at: number;
  };
  /** The site that actions are for, and their home. Definitions of catalogs and actions are nowhere else. */
  catalogs: {
    id: string;
    slug: string;
    /** Where it comes from, as in `actions`. */
    source: string;
    /** The only user whom a catalog of built actions belongs to while all of them are private. */
    owner: string | null;
    /** The host of its site, without a leading `www.`. */
    domain: string;
    /** The `CatalogDefinition` without actions as JSON. */
    definition: string;
    /** When its file, or this program, stopped having it. Actions that were built into it stay. */
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
    /** Null only in versions that an earlier program kept of actions that are gone. */
    catalog_id: string | null;
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
  /** One row, counted up whenever something was published, so that other processes read it again. */
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
    /** The host that concurrency is limited for. */
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
    execution_ms: number | null;
    created_at: number;
    finished_at: number | null;
    /** Not before this time, after a failure that may pass. */
    not_before: number;
    /** W3C Trace Context of the request that created it. */
    traceparent: string | null;
    /** How often it was started. */
    attempts: number;
    /** Who runs it and until when; another may take it afterwards. */
    lease_owner: string | null;
    lease_until: number;
    /** Counted up with each lease: a runner whose number is old can write nothing any more. */
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
    /** JSON array of the steps so far, in words; a build that is run again starts anew. */
    steps: string | null;
    /** JSON array: rows of the live test. */
    sample: string | null;
    /** JSON: the columns that the request chose. */
    choose: string | null;
    /** JSON array of `PreviewCandidate`: from what to choose. */
    candidates: string | null;
    /** JSON: the choice that the builder would make. */
    guess: string | null;
    created_at: number;
    updated_at: number;
  };
  /** Browsers that are signed in to the console. */
  console_sessions: {
    /** SHA-256 of the cookie's token, hexadecimal. */
    token_hash: string;
    user_id: string;
    /** The key that was signed in with: once it is revoked, the session has ended. */
    api_key_id: string;
    created_at: number;
    expires_at: number;
  };
}

export type JobKind = 'task' | 'build';
export type LedgerKind = 'grant' | 'charge' | 'refund' | 'settlement';

export type ServiceDatabase = Database<ServiceSchema>;
export type ServiceTransaction = Transaction<ServiceSchema>;
/** For what may run alone or in a transaction. */
export type ServiceQuery = Kysely<ServiceSchema>;
