/** The gateway's own tables: what is paid for, and the results. Times are milliseconds since the epoch. */
export type RowState =
  | 'planned'
  | 'intended'
  | 'submitted'
  | 'finished'
  | 'delivered'
  | 'refused'
  | 'unknown'
  | 'lost';

/** One paid call, written before it is sent: a run or a build, alone or in a batch. */
export interface PaidRow {
  id: string;
  principal: string;
  /** Fingerprint of the service key, which several principals may act with. */
  service_key: string;
  kind: 'run' | 'build';
  /** The action's id; for a build the website's URL. */
  subject: string;
  call_hash: string;
  /** 1 while the same call attaches to this row or is blocked by it. At most one for a principal and hash. */
  open: number;
  state: RowState;
  /** The base price in credits. */
  price: number;
  /** What counts against the limits: 0 while planned, then the reserve, then what the service says, 0 once refunded. */
  charged: number;
  /** The process that sends the request, in one claim: `host:pid:nonce:claim`. Before the claim it has three parts. */
  owner: string;
  /** An `intended` of another machine is given up after this. */
  deadline: number;
  /** 1 where the request carries the row's id as its idempotency key, so that the service can be asked again. */
  keyed: number | null;
  job_id: string | null;
  /** How long the job took, for the poll schedule. */
  duration_ms: number | null;
  outcome: 'completed' | 'failed' | null;
  /** When the call was planned, then when it was claimed to be sent: its cost counts on that day. */
  created_at: number;
  submitted_at: number | null;
  finished_at: number | null;
  /** When the end was written to a client that left before anything showed that it had read it. */
  answered_at: number | null;
  delivered_at: number | null;
  /** Name of the account that the run acts for; empty: an anonymous run; null: the action has no accounts. */
  account: string | null;
  /** The params as JSON; those of a run are cut for a list. */
  params: string | null;
  /** JSON of `{code, message}`: why it was refused. */
  refusal: string | null;
  /** JSON of `StoredInput`, for a row that is planned; `{}` for one that was closed then. */
  input: string | null;
  /** The group that planned the row, then the one that claimed it and pays for it; null: a single call. */
  paid_for: string | null;
  /** Of the action, as its service names it; null: it does not say, or this is a build. */
  version: string | null;
  /** JSON of `RunVerdict`: where the run departs from earlier ones, judged once, at the end. */
  drift: string | null;
}

/** A person's answer that has paid: written in the transaction that pays, never updated. */
interface ConsentRow {
  principal: string;
  /** As of `ConfirmationAnswer`. */
  consent: string;
  used_at: number;
}

/** A job's final answer, whole: JSON text, gzipped unless it is short. */
interface ResultRow {
  principal: string;
  /** The id of its paid row; of a job without a row, the job's id. */
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

/** What a client polls in place of a result (MCP tasks): a paid row or a group. */
export interface TaskRow {
  /** Its holder shows it to get the answer: it cannot be guessed. */
  id: string;
  principal: string;
  row_id: string | null;
  group_id: string | null;
  /** JSON of the part of the result that the call asked for; null: the whole. */
  view: string | null;
  cancelled_at: number | null;
  created_at: number;
  expires_at: number;
}

/** A session of a client over HTTP that has not ended. */
interface SessionRow {
  /** SHA-256 of the session's id. */
  id: string;
  used_at: number;
}

/** Many inputs of one action in one call. */
export interface GroupRow {
  id: string;
  principal: string;
  action_id: string;
  /** Of the hashes of its inputs, in their order. */
  call_hash: string;
  /** 1 until its answer was delivered: the same batch joins it. At most one for a principal and hash. */
  open: number;
  /** Credits that it may cost in all; null: only the limits of the day apply. */
  allowance: number | null;
  /** Credits that people have confirmed for it, with what it had cost before; null: nobody was asked. */
  confirmed: number | null;
  /** JSON of the error after which nothing more of it is sent. */
  stopped: string | null;
  created_at: number;
}

/** One input of a group. Several members, also of several groups, may share a row. */
export interface MemberRow {
  group_id: string;
  position: number;
  /** JSON. */
  params: string;
  row_id: string | null;
  /** JSON of the error, where it was refused before it was sent. */
  error: string | null;
}

type WatchState = 'active' | 'failing' | 'needs_person' | 'paused' | 'ended';

/** An action that runs again and again, to tell what changed. */
export interface WatchRow {
  id: string;
  principal: string;
  action_id: string;
  /** Of the action, the params and the account: one that has not ended at most for a principal. */
  call_hash: string;
  /** JSON. */
  params: string;
  /** As the caller named it. */
  identity: string | null;
  /** As the caller wrote it. */
  every: string;
  time_zone: string;
  /** When its schedule began: the due times follow from it. */
  anchor: number;
  next_at: number;
  /** A second reading, and why. */
  extra_at: number | null;
  extra_reason: 'noise' | 'recheck' | null;
  until_at: number;
  /** Credits that its runs may cost in all, and those that people have confirmed. */
  allowance: number;
  confirmed: number | null;
  /** The base price that was agreed to. */
  price: number;
  /** The field that rows are told apart by, where the caller named one. */
  key_field: string | null;
  /** JSON: fields that the caller does not want compared; null: none were named, so that unsteady ones are looked for. */
  ignore: string | null;
  /** JSON: fields that two readings have shown to be unsteady. */
  unsteady: string;
  /** JMESPath over a difference: what is told. */
  told_when: string | null;
  /** The paid row of the version that the next one is compared with. */
  base_row: string | null;
  /** The paid row of its first version. */
  first_row: string | null;
  /** A version that is read once more before anything of it is told. */
  suspect_row: string | null;
  compared_by: string | null;
  /** JSON of the names of the fields that the action declared when the base was read; null: it declared none. */
  fields: string | null;
  state: WatchState;
  /** JSON of why it is failing or needs a person. */
  problem: string | null;
  /** Runs in a row that failed. */
  failures: number;
  /** Due times without a run. */
  missed: number;
  /** What the principal has read of what is told. */
  seen_seq: number;
  /** What the operator's webhook was told, when the next try may be, and how many there were. */
  sent_seq: number;
  send_at: number;
  send_tries: number;
  /** Another one with each change: what was read before it changes nothing. */
  version: string;
  created_at: number;
  last_run_at: number | null;
}

type WatchOutcome = 'first' | 'same' | 'changed' | 'suspect' | 'failed' | 'skipped' | 'unknown';
export type ToldKind = 'changed' | 'failing' | 'recovered' | 'skipped' | 'unknown' | 'needs_person' | 'ended';

/** One due time of a watch. */
export interface WatchRunRow {
  watch_id: string;
  due_at: number;
  /** The order of what is told, within the watch; null: nothing is. */
  seq: number | null;
  /** Null: nothing was to be paid. */
  row_id: string | null;
  reason: 'due' | 'asked' | 'noise' | 'recheck';
  /** Due times before it without a run. */
  missed: number;
  /** Null: under way. */
  outcome: WatchOutcome | null;
  /** JSON of what it tells (`ToldKind`), in order. */
  told: string | null;
  summary: string | null;
  /** JSON of rows that came and went and of fields that changed. */
  difference: string | null;
  /** The paid row that it was compared with. */
  previous_row: string | null;
  ended_at: number | null;
}

/**
 * The key that a client sent over HTTP, or the name of an OAuth subject, kept while watches of it run: encrypted, and bound to
 * the principal.
 */
interface WatchKeyRow {
  principal: string;
  key_id: string;
  encrypted_key: string;
}

/** How often somebody signed in with a credential, as far as this store saw it. */
interface SignInRow {
  principal: string;
  credential_id: string;
  signed_in: number;
}

/** What the newest runs of an action returned, for one account. */
interface ProfileRow {
  principal: string;
  subject: string;
  account: string;
  /** JSON of `Profile`. */
  profile: string;
  updated_at: number;
}

export interface GatewaySchema {
  gateway_intent: PaidRow;
  gateway_consent: ConsentRow;
  gateway_group: GroupRow;
  gateway_member: MemberRow;
  gateway_task: TaskRow;
  gateway_result: ResultRow;
  gateway_profile: ProfileRow;
  gateway_watch: WatchRow;
  gateway_watch_run: WatchRunRow;
  gateway_watch_key: WatchKeyRow;
  gateway_sign_in: SignInRow;
  gateway_sign_in_page: SignInPageRow;
  gateway_subject_key: SubjectKeyRow;
  gateway_session: SessionRow;
}
