/**
 * A service as a process of its own, for tests that kill it. Options come as JSON in SVC_TEST_OPTIONS; one JSON line
 * on stdout says that it listens; the end of stdin stops it.
 */

import { FileDriver } from '../../src/store/sqlite-driver.ts';
import { type MembersServiceOptions, startMembersService } from './members-service.ts';

export interface ProcessOptions extends Omit<MembersServiceOptions, 'onCommit'> {
  /** Dies with SIGKILL before or after this commit, of those since it listens; the first one is 1. */
  readonly killAt?: { readonly when: 'before' | 'after'; readonly commit: number } | undefined;
  /** Stands still (SIGSTOP) within the first transaction that creates a job, on a file: with its lock. */
  readonly stopsInSubmit?: boolean | undefined;
  /** How far the wall clock of the process is wrong. */
  readonly clockAheadMs?: number | undefined;
}

const options: ProcessOptions = JSON.parse(process.env.SVC_TEST_OPTIONS ?? '{}');
const { clockAheadMs = 0 } = options;
const machineNow = Date.now;
if (clockAheadMs !== 0) Date.now = () => machineNow() + clockAheadMs;
let isListening = false;
let commits = 0;
let stopsInSubmit = options.stopsInSubmit === true;
/** Whether the next commit on the file is to stand still. */
let stopsAtCommit = false;
const standStill = () => {
  if (!stopsAtCommit) return;
  stopsAtCommit = false;
  process.kill(process.pid, 'SIGSTOP');
};
const { commit, tryCommit } = FileDriver.prototype;
FileDriver.prototype.commit = function () {
  standStill();
  return commit.call(this);
};
FileDriver.prototype.tryCommit = function () {
  standStill();
  return tryCommit.call(this);
};
const die = () => void process.kill(process.pid, 'SIGKILL');

const service = await startMembersService({
  ...options,
  onCommit(sql) {
    if (!isListening) return undefined;
    if (stopsInSubmit && sql.includes('insert into jobs')) {
      stopsInSubmit = false;
      stopsAtCommit = true;
    }
    commits += 1;
    if (commits !== options.killAt?.commit) return undefined;
    if (options.killAt.when === 'before') die();
    return die;
  },
});
isListening = true;
process.stdout.write(`${JSON.stringify({ baseUrl: service.baseUrl, apiKey: service.apiKey })}\n`);
process.stdin.resume().once('end', () => void service.close().then(() => process.exit(0)));
