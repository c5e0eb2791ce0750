/** The interface of the gateway for transports (MCP, the command line). One gateway serves one principal. */
import type { BuildChoice } from '../../contract/endpoints.ts';
import type { NextStep } from './next-step.ts';
import type { JsonObject, Outcome } from './outcomes.ts';

/** What a person answered when asked to confirm `credits`. */
export interface ConfirmationAnswer {
  readonly credits: number;
  readonly answer: 'accepted' | 'declined';
  /** Names this one answer; it is used up by the row that it pays for: the same consent pays once. */
  readonly consent: string;
}

export interface Progress {
  /** An update that is not above the last one of its call is not shown. */
  readonly progress: number;
  readonly message: string;
}

/** What a call brings along from its transport. */
export interface CallContext {
  /** Aborting ends the wait, never the job. Before the submission it prevents the job. */
  readonly signal: AbortSignal;
  /** Milliseconds this call may wait for a job before it answers `processing`. */
  readonly waitMs: number;
  /** The same once the service has accepted the call, if the caller takes a task instead of waiting. */
  readonly taskAfterMs?: number | undefined;
  readonly progress: (update: Progress) => void;
  /** Characters of data that the client shows its model whole; absent: the default. */
  readonly resultChars?: number | undefined;
  /**
   * What the person said to a question above the configured price: an answer counts for the credits that were asked
   * about. Without one, `unasked` answers with an outcome's `question` and `cannot-ask` refuses and names the setting.
   */
  readonly confirmation: ConfirmationAnswer | 'cannot-ask' | 'unasked';
  /**
   * What the person did with a page to sign in: `unasked` answers with an outcome's `question`, so that the
   * transport can show the page and call again. Absent: the address is in the body.
   */
  readonly signIn?: 'unasked' | { readonly id: string; readonly answer: 'accepted' | 'declined' } | undefined;
  /** False: a run that lacks an account is refused without a link to connect one. */
  readonly mayConnect?: boolean;
}

/** One visible action as a tool of its own. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown };
  /** Only with the setting `SVC_OUTPUT_SCHEMAS`, and where the catalog declares the fields of the result. */
  readonly outputSchema?: { readonly type: 'object'; readonly [keyword: string]: unknown } | undefined;
  readonly actionId: string;
  readonly effect: Effect;
}

/**
 * What a call of an action changes: `reads` nothing, `spends` only credits, `changes` possibly anything. Clients decide by
 * it what runs without asking the user.
 */
export type Effect = 'reads' | 'spends' | 'changes';

export interface ToolListing {
  readonly tools: readonly ListedTool[];
  /** Visible actions that did not fit the budgets or the chosen catalogs; `run_action` reaches them. */
  readonly unlisted: number;
  /** The service edits and repairs no actions. */
  readonly lacksEditing?: boolean;
}

export type ResultFormat = 'json' | 'csv';

export interface RunActionInput {
  readonly action_id: string;
  readonly params?: JsonObject | undefined;
  /** An identity's name or a credential id. */
  readonly identity?: string | undefined;
  /** JMESPath: only this part of the result is returned, the whole is kept. */
  readonly select?: string | undefined;
  readonly format?: ResultFormat | undefined;
  /** Sends the call even if it is unknown whether an earlier submission of it was accepted. */
  readonly resubmit?: boolean | undefined;
  /** Answers with a completed result of the same call that is not older, for free; 0: never. */
  readonly max_age_seconds?: number | undefined;
  /** Refuses with `BUDGET_EXCEEDED` before anything is sent where the expected cost is above it. */
  readonly max_credits?: number | undefined;
}

export interface RunBatchInput extends Omit<RunActionInput, 'params' | 'resubmit'> {
  /** Params of 1 to 100 runs; equal ones are one run. */
  readonly batch: readonly JsonObject[];
}

export interface SearchActionsInput {
  readonly q?: string | undefined;
  readonly catalog?: string | undefined;
  readonly category?: string | undefined;
  /** `false`: only actions that need no sign-in. */
  readonly auth?: false | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface GetJobInput {
  /** Absent: the recent jobs of this principal. */
  readonly job_id?: string | undefined;
  /** JMESPath into the whole data. */
  readonly select?: string | undefined;
  /** Elements of an array or characters of a string. */
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly format?: ResultFormat | undefined;
  /** Characters of data that the answer may hold; default: the setting for results. */
  readonly maxChars?: number;
}

/** What a caller may want to complete. */
export type NameKind = 'catalog' | 'action' | 'job';

export interface LoginInput {
  readonly catalog: string;
  /** Above 0: the call waits for the person on the page; how long is the context's `waitMs`. */
  readonly wait_seconds?: number | undefined;
  readonly identity_name?: string | undefined;
  readonly params?: JsonObject | undefined;
}

export interface RequestBuildInput {
  readonly website_url: string;
  readonly goal: string;
  /** A catalog's id or slug. */
  readonly catalog?: string | undefined;
  readonly visibility?: 'private' | 'public' | undefined;
  readonly force?: boolean | undefined;
  /** The end of the action's id. */
  readonly name?: string | undefined;
  /** Which columns of the page become the action's fields. */
  readonly choose?: BuildChoice | undefined;
}

/** What is done with an action that the caller built: one of these. */
export interface EditActionInput {
  readonly action_id: string;
  readonly change:
    | { readonly kind: 'edit'; readonly name?: string | undefined; readonly description?: string | undefined }
    | { readonly kind: 'repair' | 'preview' | 'revert' | 'remove' };
}

/** Makes a watch, or gives the same one other settings. */
export interface NewWatchInput {
  readonly action_id: string;
  readonly params?: JsonObject | undefined;
  readonly identity?: string | undefined;
  /** `15m` to `30d`, or five cron fields; a watch that exists keeps its own without. */
  readonly every?: string | undefined;
  readonly time_zone?: string | undefined;
  /** The field that rows are told apart by. */
  readonly key?: string | undefined;
  readonly ignore?: readonly string[] | undefined;
  /** JMESPath over a difference. */
  readonly when?: string | undefined;
  /** For all its runs together. */
  readonly max_credits?: number | undefined;
  /** RFC 3339, or a day. */
  readonly until?: string | undefined;
}

export interface ChangeWatchInput {
  readonly watch_id: string;
  readonly set: 'pause' | 'resume' | 'run' | 'end';
}

export interface ListWatchesInput {
  readonly watch_id?: string | undefined;
  /** Only what was told after this place; `newest`: the newest entries; `end`: none, but the place behind them. */
  readonly after?: number | 'newest' | 'end' | undefined;
  /** Whether what is told counts as read from now on; default true. */
  readonly marksRead?: boolean;
}

export interface PreviewBuildInput {
  readonly website_url: string;
  /** Candidates that fit it come first. */
  readonly goal?: string | undefined;
  /** Shows all columns of this candidate. */
  readonly candidate?: string | undefined;
  /** Shows the first rows of this choice. */
  readonly choose?: BuildChoice | undefined;
}

/**
 * What a caller polls in place of a result: a paid call or a batch. It outlives the process, any process on the same store
 * finds it, and only its own principal.
 */
export interface Task {
  /** 144 random bits, in letters that any header can carry. */
  readonly id: string;
  /** Every state except `under-way` is final. */
  readonly state: 'under-way' | 'completed' | 'failed' | 'cancelled';
  /** The state in words. */
  readonly message: string;
  /** How to read what goes on without the task. */
  readonly next?: NextStep;
  /** Times in milliseconds since the epoch; after `expiresAt` the task is not found any more. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number;
  /** After how many milliseconds it is worth looking again. */
  readonly pollMs: number;
}

/** Rejects where the store cannot be used. */
export interface Tasks {
  /** For the answer of a paid call (`Outcome.paidCall`) or a batch (`Outcome.batch`) that was just given. */
  open(outcome: Outcome): Promise<Task>;
  /**
   * The task as it is, after waiting at most `waitMs` for its end; with the answer once it ended or was cancelled.
   * Undefined: no such task, an expired one, or another principal's.
   */
  look(
    id: string,
    context: Pick<CallContext, 'signal' | 'waitMs'>,
  ): Promise<{ readonly task: Task; readonly outcome?: Outcome } | undefined>;
  /** Ends what this task wants: the paid job keeps running and stays readable by its job id. One that has ended stays so. */
  cancel(id: string): Promise<{ readonly task: Task } | undefined>;
}

/**
 * What answers with an `Outcome` resolves for every outcome, refusals included, and never rejects. `tasks`, `guides`, `guide`
 * and `names` reject where the store or the catalog cannot be read.
 */
/** What watches told and nobody has read. */
export interface WatchNews {
  /** Such as "1 changed, 1 failing: list_watches". */
  readonly text: string;
  /** The place of what each of these watches told last, by its id; places only grow. */
  readonly places: ReadonlyMap<string, number>;
}

export interface Gateway {
  /**
   * The action tools to list, within what the static tools leave of the budgets (`GatewaySettings.reserved`).
   * Waits up to 5 s for the first catalog where none is on disk. The same object until the catalog changes.
   */
  listing(): Promise<ToolListing>;
  /** Actions that cannot be used, with the reason, for people (`svc-mcp doctor`). Looks at every action. */
  unavailableActions(): Promise<readonly { readonly id: string; readonly reason: string }[]>;
  /** Slugs of catalogs that have actions, the requester's own first, as the last snapshot has them; waits for nothing. */
  websites(): readonly string[];
  /** Resolves when the last snapshot has been read from disk, or after 300 ms: for a handshake, which names websites. */
  whenRead(): Promise<void>;
  /** The websites whose actions are listed; waits like `listing`. */
  guides(): Promise<readonly WebsiteSummary[]>;
  /** Undefined: no website with visible actions. */
  guide(slug: string): Promise<WebsiteGuide | undefined>;
  /** The name of the tool, static ones included, that was probably meant by one that does not exist. */
  nearestTool(name: string): Promise<string | undefined>;
  /** Calls the listener whenever the next listing differs from the last one; returns how to stop that. */
  onListingChange(listener: () => void): () => void;

  /**
   * The call of an action by its tool's name, listed or not: its arguments are the action's params, and `identity` where the
   * action may sign in. Undefined: no such tool. Where no list of actions could be fetched, the outcome says why.
   */
  runTool(name: string, args: JsonObject, context: CallContext): Promise<Outcome | undefined>;
  runAction(input: RunActionInput, context: CallContext): Promise<Outcome>;
  /** One action with many inputs; the answer has a row for each. */
  runBatch(input: RunBatchInput, context: CallContext): Promise<Outcome>;
  searchActions(input: SearchActionsInput, context: CallContext): Promise<Outcome>;
  browseCatalogs(
    input: {
      readonly catalog?: string | undefined;
      readonly scope?: 'my' | undefined;
      /** As of `GetJobInput`. */
      readonly maxChars?: number;
    },
    context: CallContext,
  ): Promise<Outcome>;
  getJob(input: GetJobInput, context: CallContext): Promise<Outcome>;
  login(input: LoginInput, context: CallContext): Promise<Outcome>;
  /** Waits until the person has signed in; `pending` after `timeoutMs`, `ended` where that can not happen any more. */
  awaitSignIn(
    id: string,
    options: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<'verified' | 'pending' | 'ended'>;
  listIdentities(
    input: { readonly catalog?: string | undefined; readonly id?: string | undefined },
    context: CallContext,
  ): Promise<Outcome>;
  requestBuild(input: RequestBuildInput, context: CallContext): Promise<Outcome>;
  /** Changes, repairs, reverts or removes an action that the caller built. */
  editAction(input: EditActionInput, context: CallContext): Promise<Outcome>;
  /** What a page offers to a build. Free. */
  previewBuild(input: PreviewBuildInput, context: CallContext): Promise<Outcome>;
  listBuildRequests(
    input: { readonly id?: string | undefined; readonly offset?: number | undefined },
    context: CallContext,
  ): Promise<Outcome>;

  /** What was spent, what is left of the budgets, and the balance where it is known. */
  getUsage(context: Pick<CallContext, 'signal'>): Promise<Outcome>;

  /** Runs an action again and again, to tell what changed. */
  watch(input: NewWatchInput | ChangeWatchInput, context: CallContext): Promise<Outcome>;
  listWatches(input: ListWatchesInput, context: CallContext): Promise<Outcome>;
  /** Undefined: nothing is unread. Waits for nothing. */
  watchNews(): WatchNews | undefined;
  /** Calls the listener with the ids of watches that told something or have another state; returns how to stop that. */
  onWatchNews(listener: (ids: readonly string[]) => void): () => void;
  /** From now on this process runs what is due, until it closes. */
  serveWatches(): void;
  /** Runs what is due now, and resolves when it has ended or goes on longer than a call may. */
  runDueWatches(): Promise<void>;

  readonly tasks: Tasks;
  /** All names of a kind, of one catalog where that matters; of jobs the newest. */
  names(kind: NameKind, catalog?: string): Promise<readonly string[]>;

  /** Ends every wait for a job or a person now, as if its time were over, and sends no further run; before a shutdown. */
  endWaits(): void;
  /** Lets submissions under way learn their job ids for at most `graceMs`, then releases everything. */
  close(graceMs?: number): Promise<void>;
}

export interface WebsiteSummary {
  readonly slug: string;
  /** The catalog's own name, cleaned. */
  readonly name: string;
  /** Names of its first actions. */
  readonly titles: readonly string[];
}

export interface WebsiteGuide extends WebsiteSummary {
  readonly actions: readonly GuidedAction[];
  /** How many actions it has beyond these. */
  readonly further: number;
  /** Whether any of its actions, shown here or not, takes an account. */
  readonly takesAccounts: boolean;
}

export interface GuidedAction {
  readonly tool: string;
  readonly actionId: string;
  readonly title: string;
  /** As of its tool: what it does and returns, its price, and its need of an account. */
  readonly description: string;
  /** Params that the schema's own examples make up, the fewest first; none where it has too few. */
  readonly examples: readonly JsonObject[];
  /** Of this principal; undefined where there are none. */
  readonly runs: RunsSeen | undefined;
}

/** How the newest runs of an action ended. */
export interface RunsSeen {
  readonly completed: number;
  readonly failed: number;
  /** Completed ones whose result had no rows. */
  readonly withoutRows: number;
  readonly medianMs: number | undefined;
  readonly longestMs: number | undefined;
}
