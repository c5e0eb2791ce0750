/** The end of a job: its result, what it cost, and its refund, in one transaction (specification: POST /task, rule 1). */

import { promisify } from 'node:util';
import { constants, deflate, inflate } from 'node:zlib';
import { CompiledQuery } from 'kysely';
import type { FailureReason } from '../../contract/errors.ts';
import { nowText } from '../../store/database-time.ts';
import { type Statement, statement } from '../../store/statement.ts';
import { LeaseLostError } from '../foundation/errors.ts';
import { balanceStatement, postStatements } from '../money/ledger.ts';
import type { ServiceDatabase, ServiceTransaction } from '../store/schema.ts';
import type { Lease } from './leases.ts';

export type JobEnd = {
  readonly executionMs: number;
  /** Written in the same transaction as the end, also where the lease was lost meanwhile. */
  readonly alongside?: readonly Statement[] | undefined;
  /** Runs in the same transaction; undone where the lease was lost meanwhile. */
  readonly publish?: (transaction: ServiceTransaction) => Promise<void>;
} & (
  | {
      readonly status: 'completed';
      /** JSON text of the data. */
      readonly data: string;
      /** The final cost in whole credits; the price deducted at submission where it is not given. */
      readonly cost?: number | undefined;
    }
  | {
      readonly status: 'failed';
      readonly code: string;
      readonly message: string;
      /** Of a task. */
      readonly reason?: FailureReason | undefined;
    }
);

const deflateText = promisify(deflate);
const inflateText = promisify(inflate);

export const readResult = async (result: Uint8Array): Promise<string> =>
  (await inflateText(result)).toString();

/** Ends the job. False, and nothing is written, if the lease is not the job's current one any more. */
export async function end(database: ServiceDatabase, lease: Lease, jobEnd: JobEnd): Promise<boolean> {
  const result =
    jobEnd.status === 'completed' ? await deflateText(jobEnd.data, { level: constants.Z_BEST_SPEED }) : null;
  // Every transaction locks the user before the job: otherwise two of them could deadlock, and PostgreSQL would end
  // one.
  const statements = [
    balanceStatement(database, lease.userId),
    endStatement(database, lease, jobEnd, result),
    ...settlement(lease, jobEnd),
    ...(jobEnd.alongside ?? []),
  ];
  if (jobEnd.publish !== undefined) return endAfter(database, jobEnd.publish, statements);
  const [, ended] = await database.batch(statements);
  return ended?.changes === 1;
}

/**
 * A publication reads before it writes, which takes several round trips. The user's row is locked last, and so only
 * briefly.
 */
async function endAfter(
  database: ServiceDatabase,
  publish: (transaction: ServiceTransaction) => Promise<void>,
  statements: readonly Statement[],
): Promise<boolean> {
  try {
    await database.transaction(async (transaction) => {
      await publish(transaction);
      for (const [index, { sql, parameters }] of statements.entries()) {
        const { numAffectedRows } = await transaction.executeQuery(CompiledQuery.raw(sql, [...parameters]));
        if (index === 1 && numAffectedRows !== 1n) throw new LeaseLostError();
      }
    });
    return true;
  } catch (error) {
    if (error instanceof LeaseLostError) return false;
    throw error;
  }
}

/**
 * Writes nothing if the lease is not the job's current one; later statements then do not find the job. The end's time
 * is the clock that also deletes old results.
 */
function endStatement(
  database: ServiceDatabase,
  lease: Lease,
  jobEnd: JobEnd,
  result: Uint8Array | null,
): Statement {
  const { base, extra } = computeCost(lease, jobEnd);
  const failure = jobEnd.status === 'failed' ? jobEnd : undefined;
  return statement(
    `update jobs set status = $3, result = $4, error_code = $5, error_message = $6, execution_ms = $7, error_reason = $10,
       credits_used = (select case when balance >= $9 then $8 + $9 else $8 + balance end from users where id = user_id),
       credits_excess = (select case when balance >= $9 then 0 else $9 - balance end from users where id = user_id),
       finished_at = ${nowText(database.engine)}, lease_owner = null, lease_until = 0
     where id = $1 and fence = $2 and status = 'processing'`,
    lease.id,
    lease.fence,
    jobEnd.status,
    result,
    failure?.code,
    failure?.message,
    jobEnd.executionMs,
    base,
    extra,
    failure?.reason,
  );
}

/** Refunds or charges the difference between the credits taken at submission and the final cost. */
function settlement(lease: Lease, jobEnd: JobEnd): Statement[] {
  const statements = postStatements(lease.userId, {
    rows: `select $1, user_id, $2, price - credits_used, id, $3 from jobs
      where id = $4 and fence = $5 and status = $6 and price <> credits_used`,
    parameters: [
      jobEnd.status === 'failed' ? 'refund' : 'settlement',
      Date.now(),
      lease.id,
      lease.fence,
      jobEnd.status,
    ],
  });
  if (lease.kind === 'build' && jobEnd.status === 'failed') statements.push(failBuild(lease, jobEnd));
  return statements;
}

/** A failed build also ends its request: a pending request would count against the user's limit forever. */
const failBuild = (lease: Lease, jobEnd: { code: string; message: string }): Statement =>
  statement(
    `update build_requests set status = 'failed', error = $3, error_type = $4, updated_at = $5
     where job_id = $1 and status = 'pending'
       and exists (select 1 from jobs where id = $1 and fence = $2 and status = 'failed')`,
    lease.id,
    lease.fence,
    jobEnd.message,
    // Codes of the worker itself: too many attempts, or an internal fault.
    jobEnd.code === 'EXECUTION_FAILED' ? 'BUILD_FAILED' : jobEnd.code,
    Date.now(),
  );

/**
 * `base` was charged at submission. `extra`, the final cost beyond it, is taken up to the balance, because a finished
 * job never makes a debt; the rest is shown as `credits_excess`.
 */
function computeCost(lease: Lease, jobEnd: JobEnd): { base: number; extra: number } {
  if (jobEnd.status === 'failed') return { base: 0, extra: 0 };
  const cost = jobEnd.cost ?? lease.price;
  return { base: Math.min(cost, lease.price), extra: Math.max(0, cost - lease.price) };
}
