/** The gateway's store, opened when it is first needed: a start that only lists tools does without it. */
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Target } from '../../store/database.ts';
import { errorCode, StoreError } from '../../store/errors.ts';
import type { Retention, Sweeper } from '../../store/retention.ts';
import { statement } from '../../store/statement.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/logger.ts';
import type { NextStep } from '../interface/next-step.ts';
import type { GatewaySchema } from './schema.ts';

const answerTimeoutMs = 2_000;

/** The one database of all gateways of a process: a SQLite file must not be opened twice. */
export class GatewayDatabase {
  readonly #target: Target;
  readonly #sweeping: { readonly retention: Retention; readonly logger: Logger } | undefined;
  #opening: Promise<Database<GatewaySchema>> | undefined;
  #checking: Promise<void> | undefined;
  #sweeper: Sweeper<GatewaySchema> | undefined;

  /** Without `sweeping` nothing is ever deleted. */
  constructor(target: Target, sweeping?: { readonly retention: Retention; readonly logger: Logger }) {
    this.#target = target;
    this.#sweeping = sweeping;
  }

  /** Rejects with what kept it from opening; the next call tries again. */
  open(): Promise<Database<GatewaySchema>> {
    this.#opening ??= this.#connect().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  /** Whether there is something in it, as far as can be told without opening it. */
  get mayHaveRows(): boolean {
    return this.#opening !== undefined || !('file' in this.#target) || existsSync(this.#target.file);
  }

  /**
   * Rejects where another version wrote the server's database; of files, the start has read it. What else keeps it from
   * opening is told by the calls that need it, so 2 seconds are waited at most, and only once. Undefined: it is a file.
   */
  checkUsable(): Promise<void> | undefined {
    if ('file' in this.#target) return undefined;
    this.#checking ??= this.#refuseOther();
    return this.#checking;
  }

  async #refuseOther(): Promise<void> {
    const opening = this.open().catch((error: unknown) => {
      if (error instanceof StoreError && error.kind === 'other-schema') throw error;
    });
    await Promise.race([opening, delay(answerTimeoutMs, undefined, { ref: false })]);
  }

  /** Rejects where the database does not answer within 2 seconds. */
  async checkAnswers(): Promise<void> {
    const database = await this.open();
    // Not a query, which would wait for the lock of another process where something is queued.
    const answers = await Promise.race([
      database.read(statement('select 1')),
      delay(answerTimeoutMs, undefined, { ref: false }),
    ]);
    if (answers === undefined) throw new Error('The database does not respond');
  }

  async close(): Promise<void> {
    const database = await this.#opening?.catch(() => undefined);
    await this.#sweeper?.stop();
    await database?.close();
  }

  async #connect(): Promise<Database<GatewaySchema>> {
    const [{ openDatabase }, { gatewayMigrations }, { retentionSteps }, { Sweeper }] = await Promise.all([
      import('../../store/open-database.ts'),
      import('./migrations.ts'),
      import('./retention.ts'),
      import('../../store/retention.ts'),
    ]);
    const database = await openDatabase<GatewaySchema>(this.#target, gatewayMigrations, 'gateway');
    if (this.#sweeping !== undefined) {
      const { retention, logger } = this.#sweeping;
      this.#sweeper = new Sweeper(database, 'gateway_retention', retentionSteps(retention), logger);
      this.#sweeper.start();
    }
    return database;
  }
}

/** In place of a database in a folder that cannot be used: `problem` says why. */
export class UnusableDatabase extends GatewayDatabase {
  readonly #problem: unknown;

  constructor(problem: unknown) {
    super({ file: '' });
    this.#problem = problem;
  }

  override open(): Promise<never> {
    return Promise.reject(this.#problem);
  }

  override checkUsable(): Promise<never> {
    return this.open();
  }
}

/** Before anything was sent. */
export function toStoreUnavailable(error: unknown): GatewayError {
  return new GatewayError(
    'STORE_UNAVAILABLE',
    `The local store of paid calls cannot be used (${getReason(error)}), so calls that cost credits are not sent.`,
    repair(error),
    {},
    { cause: error },
  );
}

/** At any time: it does not say whether something was sent. */
export function storeFailedMeanwhile(error: StoreError): GatewayError {
  return new GatewayError(
    'STORE_UNAVAILABLE',
    `The local store of paid calls failed during this call (${getReason(error)}).`,
    { ...repair(error), isMeanwhile: true },
    {},
    { cause: error },
  );
}

/** An update of the program replaced its files, and the parts that are loaded late are gone. */
const wasUpdated = (error: unknown) => errorCode(error) === 'ERR_MODULE_NOT_FOUND';

function getReason(error: unknown): string {
  if (wasUpdated(error)) return 'the files of svc-mcp were replaced while it ran';
  return error instanceof Error ? error.message : 'unknown reason';
}

const repair = (error: unknown): NextStep<'repair-store'> => ({
  kind: 'repair-store',
  cause: wasUpdated(error) ? 'updated' : error instanceof StoreError ? error.kind : 'failed',
});
