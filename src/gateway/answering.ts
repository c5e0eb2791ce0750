/** Turns what the parts of the gateway throw into bodies. */
import { isApiError } from '../client/errors.ts';
import { StoreError } from '../store/errors.ts';
import { GatewayError, SubmissionUnknownError } from './foundation/errors.ts';
import { toGatewayError, withKeyStep } from './foundation/failures.ts';
import type { Logger } from './foundation/logger.ts';
import type { KeyHolder } from './interface/next-step.ts';
import { storeFailedMeanwhile, toStoreUnavailable } from './store/gateway-database.ts';

/**
 * Runs some work and resolves to its outcome, or to a body that says why it failed. `checkUsable` rejects where the data
 * folder or the store can never be used: every call says so. It is undefined where there is nothing to check.
 */
export const createAnswering =
  (logger: Logger, keyHolder: KeyHolder, checkUsable: () => Promise<void> | undefined) =>
  async <Result>(work: () => Promise<Result>): Promise<Result | { body: Refusal }> => {
    try {
      const checking = checkUsable();
      if (checking !== undefined)
        await checking.catch((error: unknown) => {
          throw toStoreUnavailable(error);
        });
      return await work();
    } catch (error) {
      return { body: refusal(error, logger, keyHolder) };
    }
  };

type Refusal = GatewayError['body'] | SubmissionUnknownError['body'];

/** The only place where errors become bodies. The text of an unknown error goes to the log only. */
function refusal(error: unknown, logger: Logger, keyHolder: KeyHolder): Refusal {
  if (error instanceof SubmissionUnknownError) return error.body;
  if (error instanceof GatewayError) return withKeyStep(error.body, keyHolder);
  if (isApiError(error)) return withKeyStep(toGatewayError(error).body, keyHolder);
  if (error instanceof StoreError) {
    logger.error({ error: error.message }, 'The store failed');
    return storeFailedMeanwhile(error).body;
  }
  logger.error(
    { error: error instanceof Error ? (error.stack ?? error.message) : String(error) },
    'Unexpected failure',
  );
  return new GatewayError('INTERNAL_ERROR', 'Something unexpected failed inside svc-mcp.', {
    kind: 'list',
    of: 'jobs',
    why: 'started',
  }).body;
}
