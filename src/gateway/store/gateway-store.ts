/** The gateway's store, opened when it is first needed: a start that only lists tools does without it. */
import type { Database, Target } from '../../store/database.ts';
import { GatewayError } from '../errors.ts';
import { KeptResults } from '../results/kept-results.ts';
import { Intents } from '../runs/intents.ts';
import type { GatewaySchema } from './schema.ts';

export interface OpenStore {
  readonly intents: Intents;
  readonly results: KeptResults;
}

export class GatewayStore {
  readonly #target: Target;
  readonly #principal: string;
  #opening: Promise<Database<GatewaySchema>> | undefined;
  #open: OpenStore | undefined;

  constructor(target: Target, principal: string) {
    this.#target = target;
    this.#principal = principal;
  }

  /** Rejects with `STORE_UNAVAILABLE`: without a durable intent nothing that costs is sent. */
  async open(): Promise<OpenStore> {
    try {
      this.#opening ??= this.#connect();
      const database = await this.#opening;
      this.#open ??= {
        intents: new Intents(database, this.#principal),
        results: new KeptResults(database, this.#principal),
      };
      return this.#open;
    } catch (error) {
      this.#opening = undefined;
      throw storeFailure(error);
    }
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

export function storeFailure(error: unknown): GatewayError {
  return new GatewayError(
    'STORE_UNAVAILABLE',
    `The local store of paid calls cannot be used (${error instanceof Error ? error.message : 'unknown reason'}), so nothing that costs credits is sent.`,
    'Make the data folder (SVC_DATA_DIR) writable with free space, then call again; `svc-mcp doctor` checks it.',
    {},
    { cause: error },
  );
}
