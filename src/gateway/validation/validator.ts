/**
 * Validation of params before anything is sent. A schema that could stall is checked in one worker with a
 * deadline; one that cannot be checked at all leaves its action callable, and the service decides.
 */
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import type { JsonObject } from '../outcomes.ts';
import { measureSchema } from '../tools/schema-limits.ts';
import type { Verdict } from './check.ts';

const deadlineMs = 250;
const startMs = 10_000;

const VerdictMessage: z.ZodType<Verdict> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('valid') }),
  z.object({
    kind: z.literal('invalid'),
    issues: z.array(z.object({ path: z.string(), message: z.string() })),
  }),
  z.object({ kind: z.literal('unchecked'), reason: z.string() }),
]);

export class ParamsValidator {
  #worker: Worker | undefined;
  /** One check at a time: the deadline is the check's own, not its turn's. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Schemas that stalled once are not tried again. */
  readonly #stalled = new WeakSet<JsonObject>();

  async check(schema: JsonObject, params: JsonObject): Promise<Verdict> {
    const size = measureSchema(schema);
    if ('unusable' in size) return { kind: 'unchecked', reason: size.unusable };
    if (!size.slow) return (await import('./check.ts')).checkParams(schema, params);
    if (this.#stalled.has(schema)) return stalled;
    const verdict = this.#turn.then(() => this.#checkInWorker(schema, params));
    this.#turn = verdict.catch(() => undefined);
    return verdict;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  async #checkInWorker(schema: JsonObject, params: JsonObject): Promise<Verdict> {
    try {
      const worker = await this.#started();
      const answer = once(worker, 'message', { signal: AbortSignal.timeout(deadlineMs) });
      worker.postMessage({ schema, params });
      const verdict = VerdictMessage.parse((await answer)[0]);
      worker.unref();
      return verdict;
    } catch (error) {
      await this.close();
      if (!(error instanceof Error && error.name === 'AbortError')) {
        return { kind: 'unchecked', reason: 'its schema could not be checked' };
      }
      this.#stalled.add(schema);
      return stalled;
    }
  }

  async #started(): Promise<Worker> {
    // Held while it works; an idle worker never keeps the process alive.
    this.#worker?.ref();
    if (this.#worker !== undefined) return this.#worker;
    const path = createRequire(import.meta.url).resolve('#worker/gateway/validation/check-worker');
    const worker = new Worker(path, { resourceLimits: { maxOldGenerationSizeMb: 128 } });
    await once(worker, 'message', { signal: AbortSignal.timeout(startMs) });
    this.#worker = worker;
    return worker;
  }
}

const stalled: Verdict = {
  kind: 'unchecked',
  reason: `its schema takes longer than ${deadlineMs} ms to check`,
};
