/** Which process sends the request of a row, and whether that process still runs. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

const host = hostname();

/** `host:pid:nonce`; the nonce tells a process from an earlier process with the same number. */
export const thisProcess = `${host}:${process.pid}:${randomUUID()}`;

/** This process in one claim, or one question by a key: what is written late for an earlier one does not touch it. */
export const createOwner = (): string => `${thisProcess}:${randomUUID()}`;

/** The pause between a deadline and giving up: an answer that came at the last moment is still being written. */
export const clockToleranceMs = 5_000;

/** Whether the sender of an `intended` is a process of this machine that ended. For a sender on another machine only the deadline is known. */
export function isGone({ state, owner }: { readonly state: string; readonly owner: string }): boolean {
  if (state !== 'intended' || owner.startsWith(thisProcess)) return false;
  const [ownerHost, pid] = owner.split(':');
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
