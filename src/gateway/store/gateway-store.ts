/** The gateway's store, opened when it is first needed: a start that only lists tools does without it. */
import type { Database, Target } from '../../store/database.ts';
import { type Clock, systemClock } from '../clock.ts';
import { GatewayError } from '../errors.ts';
import { KeptHandles } from '../handles/kept-handles.ts';
import { Intents } from '../paid-calls/intents.ts';
import type { Principal } from '../principal.ts';
import { KeptResults } from '../results/kept-results.ts';
import type { GatewaySchema } from './schema.ts';

export interface OpenStore {
  readonly intents: Intents;
  readonly results: KeptResults;
  readonly handles: KeptHandles;
}

/** The one database of all gateways of a process: a SQLite file must not be opened twice. */
export class GatewayDatabase {
  readonly #target: Target;
  #opening: Promise<Database<GatewaySchema>> | undefined;

  constructor(target: Target) {
    this.#target = target;
  }

  /** Rejects with what kept it from opening; the next call tries again. */
  open(): Promise<Database<GatewaySchema>> {
    this.#opening ??= this.#connect().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async close(): Promise<void> {
    const database = await this.#opening?.catch(() => undefined);
    await database?.close();
  }

  async #connect(): Promise<Database<GatewaySchema>> {
    const [{ openDatabase }, { gatewayMigrations }] = await Promise.all([
      import('../../store/database.ts'),
      import('./schema.ts'),
    ]);
    return openDatabase<GatewaySchema>(this.#target, gatewayMigrations, 'gateway');
  }
}

/** What one principal has in it. */
export class GatewayStore {
  readonly #database: GatewayDatabase;
  readonly #principal: Principal;
  readonly #clock: Clock;
  #open: OpenStore | undefined;

  constructor(database: GatewayDatabase, principal: Principal, clock = systemClock) {
    this.#database = database;
    this.#principal = principal;
    this.#clock = clock;
  }

  /** Rejects with `STORE_UNAVAILABLE`: without a durable intent nothing that costs is sent. */
  async open(): Promise<OpenStore> {
    try {
      const database = await this.#database.open();
      this.#open ??= {
        intents: new Intents(database, this.#principal, this.#clock),
        results: new KeptResults(database, this.#principal.id),
        handles: new KeptHandles(database, this.#principal.id),
      };
      return this.#open;
    } catch (error) {
      throw storeFailure(error);
    }
  }
}

export function storeFailure(error: unknown): GatewayError {
  return new GatewayError(
    'STORE_UNAVAILABLE',
    `The local store of paid calls cannot be used (${error instanceof Error ? error.message : 'unknown reason'}), so nothing that costs credits is sent.`,
    'Make the data folder (SVC_DATA_DIR) writable with free space, then call again; `svc-mcp doctor` checks it.',
    {},
    { cause: error },
  );
}
