/**
 * Validation of params before anything is sent. A schema that could stall is checked in a worker process with a
 * deadline; one that cannot be checked at all leaves its action callable, and the service decides.
 */
import * as z from 'zod';
import { TaskStoppedError, TooManyTasksError } from '../../workers/errors.ts';
import { WorkerPool } from '../../workers/worker-pool.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import { measureSchema } from './argument-bounds.ts';
import type { checkParams, Verdict } from './check.ts';

const deadlineMs = 250;

const VerdictMessage: z.ZodType<Verdict> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('valid') }),
  z.object({
    kind: z.literal('invalid'),
    issues: z.array(z.object({ path: z.string(), message: z.string(), keyword: z.string().optional() })),
  }),
  z.object({ kind: z.literal('unchecked'), reason: z.string() }),
]);

/** Shared by every gateway of this process: the principals take turns. */
const pool = new WorkerPool<{ schema: JsonObject; params: JsonObject }, unknown>({
  entry: '#worker/gateway/schemas/check-worker',
  deadlineMs,
  memoryMb: 128,
  workers: 4,
  maxWaiting: 100,
});

export class ParamsValidator {
  readonly #key: string;
  /** Schemas that stalled once are not tried again. */
  readonly #stalled = new WeakSet<JsonObject>();
  readonly #sizes = new WeakMap<JsonObject, ReturnType<typeof measureSchema>>();
  /** Loaded with the first call, because loading it would slow down every start. */
  #checkParams: typeof checkParams | undefined;

  /** `key` is the principal's id. */
  constructor(key: string) {
    this.#key = key;
  }

  /** Rejects with `TOO_MANY_CALLS`. */
  async check(schema: JsonObject, params: JsonObject): Promise<Verdict> {
    const size = this.#sizes.get(schema) ?? measureSchema(schema);
    this.#sizes.set(schema, size);
    if ('unusable' in size) return { kind: 'unchecked', reason: size.unusable };
    if (!size.slow) {
      this.#checkParams ??= (await import('./check.ts')).checkParams;
      return this.#checkParams(schema, params);
    }
    if (this.#stalled.has(schema)) return stalled;
    try {
      return VerdictMessage.parse(await pool.run({ schema, params }, { key: this.#key }));
    } catch (error) {
      if (error instanceof TooManyTasksError) throw tooManyChecks(error);
      if (!(error instanceof TaskStoppedError && error.reason === 'deadline'))
        return { kind: 'unchecked', reason: 'its schema could not be checked' };
      this.#stalled.add(schema);
      return stalled;
    }
  }
}

const stalled: Verdict = {
  kind: 'unchecked',
  reason: `checking against its schema took longer than ${deadlineMs} ms`,
};

function tooManyChecks(cause: TooManyTasksError): GatewayError {
  return new GatewayError(
    'TOO_MANY_CALLS',
    'Too many calls with this key wait for a check of their params. Nothing was sent.',
    { kind: 'retry', when: 'one-ended' },
    {},
    { cause },
  );
}
