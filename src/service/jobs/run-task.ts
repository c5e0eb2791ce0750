/** Runs an accepted task: runs its recipe, with the session of its credential if it has one, and computes its final cost. */
import { search } from '@jmespath-community/jmespath';
import type { Logger } from 'pino';
import * as z from 'zod';
import type { FailureReason } from '../../contract/errors.ts';
import { creditsText } from '../../contract/price.ts';
import type { EncryptionKeys } from '../../store/encryption-keys.ts';
import { expireCredential, readSession, type SiteSession } from '../accounts/credentials.ts';
import { findVersion, parseAction } from '../catalog/definition-rows.ts';
import { resolvePractice } from '../catalog/publication.ts';
import { RunError } from '../foundation/errors.ts';
import type { ActionDefinition, ActionRunner, PagesRead } from '../foundation/ports.ts';
import type { JmespathValue } from '../page/json.ts';
import type { ServiceDatabase } from '../store/schema.ts';
import type { RunOutcome } from './attempt.ts';
import type { JobEnd } from './end.ts';
import type { Lease } from './leases.ts';

/** As the submission stored them. */
const Params = z.record(z.string(), z.unknown());

/** Characters of JSON; clients read answers up to 16 MiB. */
const maxResultLength = 15 * 1024 * 1024;

interface TaskRunOptions {
  readonly database: ServiceDatabase;
  /** Where this process serves the practice sites. */
  readonly practiceUrl: string | undefined;
  readonly runner: ActionRunner;
  readonly keys: EncryptionKeys;
  readonly logger: Logger;
}

type Failure = (
  code: string,
  message: string,
  more?: { readonly reason?: FailureReason | undefined; readonly alongside?: JobEnd['alongside'] },
) => JobEnd;

export class TaskRuns {
  readonly #options: TaskRunOptions;

  constructor(options: TaskRunOptions) {
    this.#options = options;
  }

  async run(lease: Lease, signal: AbortSignal): Promise<RunOutcome> {
    const { database, keys } = this.#options;
    const started = performance.now();
    const executionMs = () => Math.round(performance.now() - started);
    const failed: Failure = (code, message, more) => ({
      status: 'failed',
      code,
      message,
      ...more,
      executionMs: executionMs(),
    });
    const action = await this.#findAction(lease);
    if (action === undefined) return failed('EXECUTION_FAILED', 'The action is no longer available');
    const { credentialId } = lease;
    let session: SiteSession | undefined;
    if (credentialId !== null) {
      session = await readSession(database, keys, credentialId);
      if (session === undefined) return failed('AUTH_EXPIRED', 'The session has expired: sign in again');
    }
    try {
      const result = await this.#runRecipe(lease, action, { session, signal, failed });
      return 'text' in result
        ? { status: 'completed', data: result.text, cost: result.cost, executionMs: executionMs() }
        : result;
    } catch (error) {
      return this.#toEnd(error, lease, { session, signal, failed });
    }
  }

  /** The result as JSON text, and its cost; else how the job ends. */
  async #runRecipe(
    lease: Lease,
    action: ActionDefinition,
    run: { session: SiteSession | undefined; signal: AbortSignal; failed: Failure },
  ): Promise<{ readonly text: string; readonly cost: number | undefined } | JobEnd> {
    const { session, signal, failed } = run;
    const { data, pages } = await this.#options.runner.run(
      {
        recipe: action.recipe,
        params: Params.parse(JSON.parse(lease.params ?? '{}')),
        cookies: session?.cookies,
      },
      { signal, user: lease.userId },
    );
    const result = withNextStep(data, pages, { ...action, price: lease.price });
    const text = JSON.stringify(result);
    if (text.length > maxResultLength) {
      return failed('EXECUTION_FAILED', 'The result is larger than 15 MiB: use narrower params', {
        reason: 'too_large',
      });
    }
    return { text, cost: this.#computeCost(lease, action, result) };
  }

  /** The end of a job whose run failed; throws errors other than `RunError`. */
  #toEnd(
    error: unknown,
    lease: Lease,
    run: { session: SiteSession | undefined; signal: AbortSignal; failed: Failure },
  ): RunOutcome {
    const { session, signal, failed } = run;
    const { credentialId } = lease;
    if (!(error instanceof RunError)) throw error;
    if (!signal.aborted) this.#options.logger.info({ err: error, job: lease.id }, 'The action failed');
    if (error.code === 'AUTH_EXPIRED' && credentialId !== null) {
      return failed(error.code, error.message, {
        alongside: expireCredential(credentialId, session),
      });
    }
    const end = failed(error.code, error.message, { reason: error.reason });
    return error.transient ? { status: 'transient', end } : end;
  }

  /** The version that was published when the job was accepted, because its caller agreed to that price. */
  async #findAction({ actionId, wheelVersion }: Lease): Promise<ActionDefinition | undefined> {
    const { database, practiceUrl } = this.#options;
    if (actionId === null || wheelVersion === null) return undefined;
    const version = await findVersion(database.query, actionId, wheelVersion);
    return version && parseAction(resolvePractice(version, practiceUrl));
  }

  /**
   * The final cost in whole credits, rounded up, at most the declared maximum. If the expression gives no number of at
   * least zero, its author made a mistake and the listed price applies.
   */
  #computeCost(
    lease: Lease,
    { credits_expression: expression, credits_max = Number.POSITIVE_INFINITY }: ActionDefinition,
    data: unknown,
  ): number | undefined {
    const { logger } = this.#options;
    if (expression === undefined || !isJson(data)) return undefined;
    try {
      const cost = search(data, expression);
      if (typeof cost === 'number' && Number.isSafeInteger(Math.ceil(cost)) && cost >= 0)
        return Math.min(Math.ceil(cost), credits_max);
      logger.warn({ action: lease.actionId }, 'The credits expression returns no valid number');
    } catch (error) {
      logger.warn({ err: error, action: lease.actionId }, 'The credits expression fails');
    }
    return undefined;
  }
}

const isJson = (data: unknown): data is JmespathValue => data !== undefined;

/** An action with the param that says how many pages are read. */
const Paged = z.looseObject({
  properties: z.looseObject({ max_pages: z.looseObject({ maximum: z.number().optional() }) }),
});

const AnyParams = z.looseObject({ properties: z.record(z.string(), z.unknown()) });

/** Whether a caller can ask for something else. */
const hasParams = (parameters: Action['parameters']): boolean =>
  Object.keys(AnyParams.safeParse(parameters).data?.properties ?? {}).some((name) => name !== 'max_pages');

interface Action {
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Credits of a call. */
  readonly price: number;
  readonly credits_expression?: string | undefined;
}

/** Adds `next` if the site has, or may have, more rows; `items` stay last, because clients cut the end. */
function withNextStep(
  data: Readonly<Record<string, unknown>>,
  pages: PagesRead | undefined,
  action: Action,
): Readonly<Record<string, unknown>> {
  const { items, has_more, ...facts } = data;
  if (pages === undefined || !Array.isArray(items) || has_more === false) return data;
  const total = typeof data.total === 'number' ? data.total : undefined;
  const rowsText = total === undefined ? `${items.length} rows` : `${items.length} of ${total} rows`;
  const moreText = has_more === true ? 'and there are more' : 'and there may be more';
  return {
    ...facts,
    has_more,
    next: `${rowsText}, ${moreText}. ${furtherCall(items.length, total, pages, action)}`,
    items,
  };
}

function furtherCall(
  returned: number,
  total: number | undefined,
  pages: PagesRead,
  { parameters, price, credits_expression }: Action,
): string {
  if (pages.failure !== undefined) return `${pages.failure} The same call later may read them.`;
  const paged = Paged.safeParse(parameters).data?.properties.max_pages;
  const most = Math.min(pages.most, paged?.maximum ?? pages.most);
  if (paged === undefined || pages.read >= most)
    return pages.next === undefined
      ? `This action reads no further pages${hasParams(parameters) ? '; use narrower params.' : ', and has no params that could narrow it: build one from a page that shows all rows, or fewer.'}`
      : `This action reads no further pages; the next one is ${pages.next}. Read that address, or build the action again from a page that has a next one.`;
  const perPage = returned / pages.read;
  const needed = total === undefined || perPage === 0 ? most : Math.ceil(total / perPage);
  const maxPages = Math.min(Math.max(needed, pages.read + 1), most);
  const credits = creditsText(price);
  const costs = credits_expression === undefined ? credits : `${credits} or more, depending on the result`;
  return `The same call with max_pages ${maxPages} costs ${costs}.`;
}
