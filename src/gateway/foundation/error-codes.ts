/**
 * Every code of our own, what it means and the one next step. The errors themselves are more specific; this is
 * their closed list, from which the table of docs/errors.md is made. Codes of the service come through beside them.
 */
interface CodeRule {
  readonly meaning: string;
  readonly next: string;
}

const rules = {
  INVALID_PARAMS: {
    meaning: 'An argument is not what the tool or the action takes; `issues` names each place',
    next: 'Correct what `issues` names and call again',
  },
  ACTION_NOT_FOUND: { meaning: 'No visible action has that id', next: 'Find it with `search_actions`' },
  PRICE_CHANGED: {
    meaning: 'The price rose since the list was shown; reported once',
    next: 'Repeat the same call to run it at the new price',
  },
  PRICE_UNAVAILABLE: {
    meaning: 'A limit on credits applies, and the current price could not be read within 5 s',
    next: 'Call again in a moment; `svc-mcp doctor`',
  },
  BUDGET_EXCEEDED: {
    meaning:
      'What is reserved for the call is above `max_credits`, or above what a call, a batch or a day may cost',
    next: 'Choose a cheaper action, wait for the next UTC day, or raise `max_credits` or `SVC_MAX_CREDITS_…`',
  },
  CONFIRMATION_DECLINED: {
    meaning: 'The user declined to spend the credits',
    next: 'Do not repeat it unasked',
  },
  CONFIRMATION_UNAVAILABLE: {
    meaning:
      'The price, or what a batch costs in all, is above `SVC_CONFIRM_ABOVE_CREDITS`, and the client cannot ask, or answered within a second',
    next: 'Raise the setting, or use a client with elicitation; the same batch again asks for its rest',
  },
  IDENTITY_NOT_FOUND: {
    meaning: 'No account has that name',
    next: 'Use one of the names in `identities`, or call `login`',
  },
  IDENTITY_AMBIGUOUS: { meaning: 'Several accounts could be meant', next: 'Name one of `identities`' },
  ACCOUNT_CHANGED: {
    meaning: "Another user has signed in under the account's name since the run was planned",
    next: 'Call again with those params to act for who is signed in now',
  },
  AUTH_REQUIRED: {
    meaning: 'The action needs an account and there is none',
    next: '`login`, then repeat the call',
  },
  AUTH_EXPIRED: { meaning: "The account's session has ended", next: '`login`, then repeat the call' },
  SIGN_IN_DECLINED: { meaning: 'The user did not want to sign in', next: 'Ask the user what to do instead' },
  LOGIN_NOT_SUPPORTED: { meaning: 'The catalog has no sign-in', next: 'Run its actions without an account' },
  LOGIN_PARAMS_FORBIDDEN: {
    meaning: 'Passwords may not be passed in a call (`SVC_LOGIN_PARAMS`)',
    next: 'Call `login` without `params`: the user signs in on a page',
  },
  LOGIN_VALUES_UNREADABLE: {
    meaning: 'A `SVC_LOGIN_…` variable or its file cannot be used',
    next: 'Correct it where the server gets its settings, and restart',
  },
  JOB_NOT_FOUND: {
    meaning: 'No job of yours has that id',
    next: 'Call `get_job` without an id to list them',
  },
  JOB_LOST: {
    meaning: 'The service accepted the job and does not know it any more',
    next: 'Ask the service; another run costs credits again',
  },
  RESULT_EXPIRED: {
    meaning: 'The result is not kept any more',
    next: 'Run the action again if it is still needed',
  },
  BUILD_NOT_FOUND: {
    meaning: 'No build request of yours has that id',
    next: 'Call `list_build_requests` without an id to see them all',
  },
  EDIT_NOT_SUPPORTED: {
    meaning: 'The service changes and repairs no actions; nothing was charged',
    next: 'Build another one with `request_build`',
  },
  NOT_SUPPORTED: {
    meaning:
      'The service has no previews of pages, or takes no choice of columns or no name; nothing was charged',
    next: 'Call `request_build` without it, with a goal that names the fields',
  },
  WATCH_WRITES: {
    meaning: 'The action changes something, or nobody says that it only reads: it is not run by a clock',
    next: 'Watch an action that reads (`search_actions`)',
  },
  WATCH_NOT_FOUND: {
    meaning: 'No watch of yours has that id, or it has ended',
    next: 'Call `list_watches` to see them all',
  },
  TOO_MANY_WATCHES: {
    meaning: '50 watches have not ended',
    next: 'End one with `watch {watch_id, set: "end"}`',
  },
  EXECUTION_FAILED: {
    meaning: 'The service did not accept the task; nothing was charged',
    next: 'Call again',
  },
  NOT_SENT: {
    meaning: 'Nobody waited for the call before it was sent; nothing was charged',
    next: 'Call again if it is still wanted',
  },
  SUBMISSION_UNKNOWN: {
    meaning: 'It is not known whether the service accepted a paid call (`status: "unknown"`)',
    next: 'Check at the service; `run_action` with `resubmit: true` sends it again',
  },
  RATE_LIMITED: {
    meaning: 'Too many requests to the service',
    next: 'Call again after `retry_after_seconds`',
  },
  TOO_MANY_CALLS: {
    meaning:
      'Too many calls of this key at once, over HTTP, or too many that wait for a slow `select` or check; or the machine is too busy to read a result',
    next: 'Wait until one has ended, and call again',
  },
  SERVICE_UNREACHABLE: { meaning: 'No connection, or it broke', next: '`svc-mcp doctor`' },
  SERVICE_TIMEOUT: { meaning: 'No answer in time', next: 'Try again in a moment' },
  SERVICE_ANSWER_UNREADABLE: {
    meaning: 'The answer does not follow the interface',
    next: 'Check `SVC_BASE_URL` and `SVC_API_PREFIX` with `svc-mcp doctor`',
  },
  STORE_UNAVAILABLE: {
    meaning: 'Paid calls cannot be recorded, so none is sent',
    next: '`next` names the step for the cause (damaged file, full disk, no permission, database away); `svc-mcp doctor`',
  },
  CANCELLED: {
    meaning: 'The client cancelled the call, or svc-mcp ended before it was sent',
    next: 'Call again if it is still wanted',
  },
  INTERNAL_ERROR: {
    meaning: 'A fault of svc-mcp; its log has the rest',
    next: '`get_job` without an id shows whether a job was started',
  },
} as const satisfies Record<string, CodeRule>;

export type GatewayErrorCode = keyof typeof rules;
export const gatewayErrors: Readonly<Record<GatewayErrorCode, CodeRule>> = rules;
