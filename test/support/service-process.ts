/**
 * A service as a process of its own, for tests that kill it. Options come as JSON in SVC_TEST_OPTIONS; one JSON line
 * on stdout says that it listens; the end of stdin stops it.
 */

import type { CrashPoint } from '../../src/service/foundation/crash-points.ts';
import { type MembersServiceOptions, startMembersService } from './members-service.ts';

export interface ProcessOptions extends Omit<MembersServiceOptions, 'crashPoint'> {
  /** Dies with SIGKILL at this point. */
  readonly crashAt?: CrashPoint | undefined;
  /** Stands still (SIGSTOP) when it first reaches this point. */
  readonly stopAt?: CrashPoint | undefined;
  /** How far the wall clock of the process is wrong. */
  readonly clockAheadMs?: number | undefined;
}

const options: ProcessOptions = JSON.parse(process.env.SVC_TEST_OPTIONS ?? '{}');
const { clockAheadMs = 0 } = options;
const machineNow = Date.now;
if (clockAheadMs !== 0) Date.now = () => machineNow() + clockAheadMs;
let stopAt = options.stopAt;
const crashPoint = (point: CrashPoint): void => {
  if (point === options.crashAt) process.kill(process.pid, 'SIGKILL');
  if (point !== stopAt) return;
  stopAt = undefined;
  process.kill(process.pid, 'SIGSTOP');
};

const service = await startMembersService({ ...options, crashPoint });
process.stdout.write(`${JSON.stringify({ baseUrl: service.baseUrl, apiKey: service.apiKey })}\n`);
process.stdin.resume().once('end', () => void service.close().then(() => process.exit(0)));
