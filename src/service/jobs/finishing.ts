/** The end of a job: its result, what it cost, and its refund, in one transaction (specification: POST /task, rule 1). */
import { promisify } from 'node:util';
import { constants, deflate, inflate } from 'node:zlib';
import type { CrashHook } from '../crash-points.ts';
import type { ServiceDatabase, ServiceTransaction } from '../database/schema.ts';
import { lockBalance, post } from '../users/ledger.ts';
import type { Lease } from './leases.ts';

export type JobEnd = {
  readonly executionMs: number;
  /** Written in the same transaction as the end. */
  readonly alongside?: ((transaction: ServiceTransaction) => Promise<void>) | undefined;
} & (
  | {
      readonly status: 'completed';
      /** JSON text of the data. */
      readonly data: string;
      /** The final cost in whole credits; the price deducted at submission where it is not given. */
      readonly cost?: number | undefined;
    }
  | { readonly status: 'failed'; readonly code: string; readonly message: string }
);

const deflateText = promisify(deflate);
const inflateText = promisify(inflate);

export const readResult = async (result: Uint8Array): Promise<string> =>
  (await inflateText(result)).toString();

/** False, and nothing is written, if the lease is not the job's current one any more. */
export async function finishJob(
  database: ServiceDatabase,
  lease: Lease,
  end: JobEnd,
  crashPoint: CrashHook,
): Promise<boolean> {
  const result =
    end.status === 'completed' ? await deflateText(end.data, { level: constants.Z_BEST_SPEED }) : null;
  const finished = await database.transaction(async (transaction) => {
    // Everybody locks the user before the job: PostgreSQL would end one of two that wait for each other.
    const money = settlementOf(lease, end, await lockBalance(transaction, lease.userId));
    const updated = await transaction
      .updateTable('jobs')
      .set({
        status: end.status,
        result,
        error_code: end.status === 'failed' ? end.code : null,
        error_message: end.status === 'failed' ? end.message : null,
        credits_used: money.used,
        credits_excess: money.excess,
        execution_ms: end.executionMs,
        finished_at: Date.now(),
        lease_owner: null,
        lease_until: 0,
      })
      .where('id', '=', lease.id)
      .where('fence', '=', lease.fence)
      .where('status', '=', 'processing')
      .executeTakeFirst();
    if (updated.numUpdatedRows !== 1n) return false;
    if (money.amount !== 0) {
      await post(transaction, {
        userId: lease.userId,
        kind: end.status === 'failed' ? 'refund' : 'settlement',
        amount: money.amount,
        jobId: lease.id,
      });
    }
    if (lease.kind === 'build' && end.status === 'failed') await failBuild(transaction, lease.id, end);
    await end.alongside?.(transaction);
    crashPoint('finish.before-commit');
    return true;
  });
  crashPoint('finish.after-commit');
  return finished;
}

/** However a build failed, its request says so: a pending one would count against the user's limit for ever. */
async function failBuild(
  transaction: ServiceTransaction,
  jobId: string,
  end: { code: string; message: string },
): Promise<void> {
  await transaction
    .updateTable('build_requests')
    .set({
      status: 'failed',
      error: end.message,
      // The job loop's own code: given up after too many attempts, or a fault of ours.
      error_type: end.code === 'EXECUTION_FAILED' ? 'BUILD_FAILED' : end.code,
      updated_at: Date.now(),
    })
    .where('job_id', '=', jobId)
    .execute();
}

interface Settlement {
  /** What the job costs in the end, and what goes back to the user (negative: is taken in addition). */
  readonly used: number;
  readonly amount: number;
  /** The part of the final cost that the balance could not cover. */
  readonly excess: number;
}

/** A final cost above the price is taken at most to the balance: a finished job never makes a debt. */
function settlementOf(lease: Lease, end: JobEnd, balance: number): Settlement {
  if (end.status === 'failed') return { used: 0, amount: lease.price, excess: 0 };
  const cost = end.cost ?? lease.price;
  if (cost <= lease.price) return { used: cost, amount: lease.price - cost, excess: 0 };
  const extra = Math.min(cost - lease.price, balance);
  return { used: lease.price + extra, amount: -extra, excess: cost - lease.price - extra };
}
