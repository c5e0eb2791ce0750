/**
 * A gateway's store whose clock a test sets, and that can stop as a process does: from some moment on nothing that it is asked
 * is answered any more, whether or not it was carried out.
 */
import type { KyselyPlugin } from 'kysely';
import { GatewayDatabase } from '../../src/gateway/store/gateway-database.ts';
import type { GatewaySchema } from '../../src/gateway/store/schema.ts';
import type { Database, Engine, Target } from '../../src/store/database.ts';
import { dayStartText, nowText } from '../../src/store/database-time.ts';

/** Milliseconds by which the clock of all stores of a trial is ahead of the database's. */
export interface VirtualTime {
  aheadMs: number;
}

const dayMs = 86_400_000;
const never = <Value>(): Promise<Value> => new Promise(() => undefined);

export class VirtualDatabase extends GatewayDatabase {
  readonly #time: VirtualTime;
  /** Questions that are answered until the process is gone. */
  #left = Number.POSITIVE_INFINITY;
  #carriesOut = false;
  #onGone = () => {};
  readonly gone: Promise<void>;

  constructor(target: Target, time: VirtualTime) {
    super(target);
    this.#time = time;
    this.gone = new Promise((resolve) => {
      this.#onGone = resolve;
    });
  }

  get isGone(): boolean {
    return this.#left < 0;
  }

  /** `carriesOut`: the last question takes effect, but nobody learns of it. */
  killAfter(questions: number, carriesOut: boolean): void {
    this.#left = questions;
    this.#carriesOut = carriesOut;
  }

  override async open(): Promise<Database<GatewaySchema>> {
    const database = await super.open();
    const { engine } = database;
    const plugin: KyselyPlugin = {
      transformQuery: ({ node }) => {
        this.#count();
        return this.#inTime(node, engine);
      },
      transformResult: ({ result }) => (this.isGone ? never() : Promise.resolve(result)),
    };
    return {
      ...database,
      query: database.query.withPlugin(plugin),
      batch: (statements, options) =>
        this.#ask(() => database.batch(this.#inTime(statements, engine), options)),
      read: (statement) => this.#ask(() => database.read(this.#inTime(statement, engine))),
      transaction: (work) => this.#ask(() => database.transaction(work)),
    };
  }

  async #ask<Value>(question: () => Promise<Value>): Promise<Value> {
    if (this.isGone) return never();
    this.#count();
    if (this.isGone && !this.#carriesOut) return never();
    const answer = await question();
    return this.isGone ? never() : answer;
  }

  #count(): void {
    this.#left -= 1;
    if (this.isGone) this.#onGone();
  }

  /** The same statements, by the trial's clock. */
  #inTime<Value>(value: Value, engine: Engine): Value;
  #inTime(value: unknown, engine: Engine): unknown {
    if (typeof value === 'string') {
      const now = `(${nowText(engine)} + ${this.#time.aheadMs})`;
      const day = String(Math.floor((Date.now() + this.#time.aheadMs) / dayMs) * dayMs);
      return value.replaceAll(nowText(engine), now).replaceAll(dayStartText(engine), day);
    }
    if (Array.isArray(value)) return value.map((one) => this.#inTime(one, engine));
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
      return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.#inTime(one, engine)]));
  }
}
