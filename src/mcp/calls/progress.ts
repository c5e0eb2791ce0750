/** Progress of a call, for clients that asked for it. It may get lost, so it never carries a fact alone. */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Progress } from '../../gateway/interface/gateway.ts';

export interface ProgressReport {
  readonly requested: boolean;
  /** `progress` orders the updates of the run; the wait for a person has none. */
  readonly update: (update: Pick<Progress, 'message'> & Partial<Progress>) => void;
  /** Stops progress: the protocol forbids it after the answer. */
  readonly end: () => void;
}

export function createProgressReport({ mcpReq }: ServerContext): ProgressReport {
  const progressToken = mcpReq._meta?.progressToken;
  let open = progressToken !== undefined;
  let count = 0;
  let last = Number.NEGATIVE_INFINITY;
  return {
    requested: progressToken !== undefined,
    update: ({ progress, message }) => {
      if (!open || progressToken === undefined || mcpReq.signal.aborted) return;
      if (progress !== undefined && progress <= last) return;
      last = progress ?? last;
      // Numbered here, because a call may wait for a person and then for its job, and some clients show the number.
      count += 1;
      mcpReq
        .notify({ method: 'notifications/progress', params: { progressToken, progress: count, message } })
        // The client is gone; its request ends by itself.
        .catch(() => {});
    },
    end: () => {
      open = false;
    },
  };
}
