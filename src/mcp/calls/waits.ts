/** How long a call may wait for a job: it must end, with a `job_id`, before the client gives up on it. */

interface ClientWaits {
  /** How the client's name (`clientInfo.name`, lower case) starts. */
  readonly name: string;
  /** Seconds a call waits by default. */
  readonly wait: number;
  /** Seconds a call may wait at most; below the client's own time-out. */
  readonly limit: number;
  /** The same for a client that extends its time-out whenever progress arrives. */
  readonly withProgress?: { readonly wait: number; readonly limit: number };
}

/** Most clients end a call after 60 s, the default of the protocol's TypeScript SDK. */
export const defaultWaits: ClientWaits = { name: '', wait: 45, limit: 55 };

const clientWaitList: readonly ClientWaits[] = [
  // Claude Desktop: about 60 s, not configurable.
  { name: 'claude-ai', wait: 45, limit: 55 },
  // Claude Code: moves a call to the background after 2 min; idle time-out 30 min, which progress resets.
  { name: 'claude-code', wait: 110, limit: 1500, withProgress: { wait: 600, limit: 3600 } },
  { name: 'cursor', wait: 45, limit: 55 },
  // Codex: 120 s by default, up to 300 s by configuration.
  { name: 'codex', wait: 100, limit: 110 },
  // Gemini CLI: 600 s.
  { name: 'gemini-cli', wait: 240, limit: 570 },
];

export interface WaitRequest {
  readonly clientName?: string | undefined;
  /** Whether the call asked for progress. */
  readonly hasProgressToken: boolean;
  /** The setting `SVC_WAIT_SECONDS`. It outranks what is known of the client. */
  readonly settingSeconds?: number | undefined;
  /** `wait_seconds` of the call. */
  readonly requestedSeconds?: number | undefined;
}

/** Milliseconds a call may wait. */
export function getWaitMs(request: WaitRequest): number {
  const { settingSeconds, requestedSeconds } = request;
  if (requestedSeconds !== undefined) return Math.min(requestedSeconds * 1000, getLimitMs(request));
  return (settingSeconds ?? getClientWaits(request).wait) * 1000;
}

/** Milliseconds after which the client may give up on a call, whatever it waits for. */
export function getLimitMs(request: WaitRequest): number {
  return Math.max(getClientWaits(request).limit, request.settingSeconds ?? 0) * 1000;
}

function getClientWaits({ clientName, hasProgressToken }: WaitRequest): { wait: number; limit: number } {
  const name = clientName?.toLowerCase() ?? '';
  const client = clientWaitList.find((waits) => name.startsWith(waits.name)) ?? defaultWaits;
  return (hasProgressToken && client.withProgress) || client;
}
