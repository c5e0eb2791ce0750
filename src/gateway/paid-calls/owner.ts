/** Which process sends an intent's request, and whether it still may. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

const host = hostname();

/** `host:pid:nonce`; the nonce tells a process from an earlier one that had its number. */
export const thisProcess = `${host}:${process.pid}:${randomUUID()}`;

/** A clock that differs a little between machines must not give up a request that is still under way. */
const clockToleranceMs = 5_000;

/**
 * Whether the sender of an `intended` is gone: past its deadline, or a process of this machine that ended.
 * Of another machine only its deadline is known.
 */
export function isGone(intent: { readonly owner: string; readonly deadline: number }, now: number): boolean {
  if (now > intent.deadline + clockToleranceMs) return true;
  if (intent.owner === thisProcess) return false;
  const [ownerHost, pid] = intent.owner.split(':');
  if (ownerHost !== host) return false;
  // The same number with another nonce: the old process is gone, or it is another container's on this host name.
  if (Number(pid) === process.pid) return true;
  return !isRunning(Number(pid));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, but as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
