/** The gateway's own tables: intents to spend, and the results that were paid for. */
const intentStates = [
  'intended',
  'submitted',
  'finished',
  'delivered',
  'refused',
  'unknown',
  'lost',
] as const;
export type IntentState = (typeof intentStates)[number];

/** One paid request, written before it is sent. Times are milliseconds since the epoch. */
export interface IntentRow {
  id: string;
  principal: string;
  /** Fingerprint of the service key, which several principals may act with. */
  service_key: string;
  kind: 'run' | 'build';
  /** The action's id; for a build the website's URL. */
  subject: string;
  call_hash: string;
  /** 1 while the same call attaches to this intent or is blocked by it. At most one for a principal and hash. */
  open: number;
  state: IntentState;
  /** The listed price in credits. */
  price: number;
  /** What counts against the day's budget: the price, then what the service says, 0 once refunded. */
  charged: number;
  /** The process that sends the request: `host:pid:nonce`. */
  owner: string;
  /** An `intended` of another machine is given up after this. */
  deadline: number;
  /** 1 where the request carries the intent's id as its idempotency key, so that the service can be asked again. */
  keyed: number | null;
  job_id: string | null;
  /** How long the job took, for the poll schedule. */
  duration_ms: number | null;
  outcome: 'completed' | 'failed' | null;
  created_at: number;
  submitted_at: number | null;
  finished_at: number | null;
  /** When the end was written to a client that left before anything showed that it had read it. */
  answered_at: number | null;
  delivered_at: number | null;
  /** Name of the account that the run acts for; empty: an anonymous run; null: the action has no accounts. */
  account: string | null;
  /** The params as JSON, cut for a list. */
  params: string | null;
  /** JSON of `{code, message}`: why the service refused. */
  refusal: string | null;
}

/** A job's final answer, whole: JSON text, gzipped unless it is short. */
interface ResultRow {
  principal: string;
  job_id: string;
  kept_at: number;
  /** Bytes as stored. */
  size: number;
  body: Uint8Array;
}

/** A sign-in page that replicas share. Without its address, which is stored nowhere in the clear, it tells nothing. */
export interface SignInPageRow {
  /** Digest of the address. */
  id: string;
  principal: string;
  /** Digest of the account that is wanted. */
  account: string;
  /** JWE for those who have the principal's key. */
  address: string;
  /** JWE of everything else, for those who have the address. */
  record: string;
  version: number;
  created_at: number;
  expires_at: number;
}

/** The service key that a subject of an authorization server acts with, encrypted. */
interface SubjectKeyRow {
  issuer: string;
  subject: string;
  /** The id of the encrypting key in the key file. */
  key_id: string;
  encrypted_key: string;
  added_at: number;
}

/** What a caller holds of a paid call, or of an answer that cost nothing. Times are milliseconds since the epoch. */
export interface HandleRow {
  /** Its holder shows it to get the answer: it cannot be guessed. */
  id: string;
  principal: string;
  /** The paid call, or the batch of them; both null: there is none, and `answer` is all there is. */
  intent_id: string | null;
  batch_id: string | null;
  /** The JSON text of a body. */
  answer: string | null;
  created_at: number;
  expires_at: number;
  /** JSON of the part of the result that the call asked for; null: the whole. */
  view: string | null;
  /** When its holder stopped to wait for it. */
  given_up_at: number | null;
}

/** A session of a client over HTTP that has not ended. */
interface SessionRow {
  /** SHA-256 of the session's id. */
  id: string;
  used_at: number;
}

/** Many inputs of one action in one call. Times are milliseconds since the epoch. */
export interface BatchRow {
  id: string;
  principal: string;
  action_id: string;
  call_hash: string;
  /** 1 while the same call attaches to this batch. At most one for a principal and hash. */
  open: number;
  /** The process that runs it, and until when it counts as alive. */
  owner: string;
  deadline: number;
  /** JSON of the error that stopped it. */
  stopped: string | null;
  created_at: number;
  finished_at: number | null;
}

/** One input of a batch, written before anything of the batch is paid. */
export interface BatchRowRow {
  batch_id: string;
  position: number;
  /** JSON. */
  params: string;
  /** As of `IntentRow`: equal inputs have the same. */
  call_hash: string;
  intent_id: string | null;
  /** JSON of the error, where it was refused before an intent was written. */
  refusal: string | null;
}

export interface GatewaySchema {
  gateway_batch: BatchRow;
  gateway_batch_row: BatchRowRow;
  gateway_intent: IntentRow;
  gateway_result: ResultRow;
  gateway_sign_in_page: SignInPageRow;
  gateway_subject_key: SubjectKeyRow;
  gateway_handle: HandleRow;
  gateway_session: SessionRow;
}
