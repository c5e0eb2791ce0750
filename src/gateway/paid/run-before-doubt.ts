/** The run of an action whose result proves a repair: the newest one before the first doubt that still holds. */
import type { RepairBody } from '../../contract/endpoints.ts';
import { runFacts } from '../results/job-body.ts';
import type { PaidRow } from '../store/schema.ts';
import { toRowId } from './call-identity.ts';

type JudgedRun = Pick<PaidRow, 'job_id' | 'call_hash' | 'drift' | 'finished_at'>;

/**
 * `runs`: completed ones, the newest first. Where none is known, the service takes its newest run with rows; where each is in
 * doubt, none of them proves anything, and its id is empty.
 */
export function runBeforeDoubt(runs: readonly JudgedRun[]): RepairBody {
  const before = firstDoubt(runs);
  const good = runs.find(
    ({ drift, finished_at, job_id }) =>
      drift === null &&
      (finished_at ?? 0) < before &&
      // The service does not know ids of ours.
      job_id !== null &&
      toRowId(job_id) === undefined,
  );
  if (good?.job_id != null) return { good_job_id: good.job_id };
  return Number.isFinite(before) ? { good_job_id: '' } : {};
}

/** Milliseconds since the epoch; infinite where no doubt holds: the newest run of the same call was as usual again. */
function firstDoubt(runs: readonly JudgedRun[]): number {
  const seen = new Set<string>();
  let first = Number.POSITIVE_INFINITY;
  for (const { call_hash, drift, finished_at } of runs) {
    if (seen.has(call_hash)) continue;
    seen.add(call_hash);
    if (drift === null) continue;
    const { since } = runFacts({ account: null, finished_at, drift }).verdict ?? {};
    first = Math.min(first, since === undefined ? (finished_at ?? 0) : Date.parse(since));
  }
  return first;
}
