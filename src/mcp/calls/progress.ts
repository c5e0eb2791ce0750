/** Progress of a call, for clients that asked for it. It may get lost, so it never carries a fact alone. */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Progress } from '../../gateway/interface/gateway.ts';

export interface ProgressReport {
  readonly requested: boolean;
  readonly update: (update: Progress) => void;
  /** Stops progress: the protocol forbids it after the answer. */
  readonly end: () => void;
}

export function createProgressReport({ mcpReq }: ServerContext): ProgressReport {
  const progressToken = mcpReq._meta?.progressToken;
  let open = progressToken !== undefined;
  let last = Number.NEGATIVE_INFINITY;
  return {
    requested: progressToken !== undefined,
    update: ({ progress, total, message }) => {
      if (!open || progressToken === undefined || mcpReq.signal.aborted || progress <= last) return;
      last = progress;
      mcpReq
        .notify({ method: 'notifications/progress', params: { progressToken, progress, total, message } })
        // The client is gone; its request ends by itself.
        .catch(() => {});
    },
    end: () => {
      open = false;
    },
  };
}
