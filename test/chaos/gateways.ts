/** The gateways under test, as a client meets them: within this process, or as a process of their own. */
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';
import { createHttpClient } from '../../src/client/http-client.ts';
import { snapshotFile } from '../../src/gateway/catalog/snapshot-file.ts';
import { createGateway } from '../../src/gateway/create-gateway.ts';
import type { CallContext, Gateway } from '../../src/gateway/gateway.ts';
import type { JsonObject, Outcome } from '../../src/gateway/outcomes.ts';
import { principalOf } from '../../src/gateway/principal.ts';
import { defaultGatewaySettings } from '../../src/gateway/settings.ts';
import type { Target } from '../../src/store/database.ts';

export interface Place {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly dataDir: string;
  /** PostgreSQL instead of the file in the data folder. */
  readonly databaseUrl: string | undefined;
  readonly maxCreditsPerDay: number | undefined;
}

export interface Patience {
  /** Milliseconds until the client cancels; undefined: it waits. */
  readonly giveUpMs?: number | undefined;
  /** Milliseconds that the call may wait for its job, where the gateway is within this process. */
  readonly waitMs?: number;
}

/** `undefined` where the client had gone, or the gateway had. `taken` is called when the client has the answer. */
type Ask = (taken: (body: JsonObject) => void, patience: Patience) => Promise<void>;

export interface TestedGateway {
  run(input: { action_id: string; params: JsonObject; resubmit: boolean }): Ask;
  getJob(jobId: string | undefined): Ask;
  restart(): Promise<void>;
  /** SIGKILL, where it is a process. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

export const databaseFile = ({ dataDir }: Pick<Place, 'dataDir'>) => join(dataDir, 'gateway.db');
export const storeAt = (place: Place): Target =>
  place.databaseUrl === undefined ? { file: databaseFile(place) } : { url: place.databaseUrl };
export const principalAt = ({ baseUrl, apiKey }: Place) => principalOf(new URL(baseUrl).origin, apiKey);

const silent = { debug() {}, info() {}, warn() {}, error() {} };

export class GatewayInProcess implements TestedGateway {
  readonly #place: Place;
  #gateway: Gateway;
  #gone = new AbortController();
  readonly #underWay = new Set<Promise<void>>();

  constructor(place: Place) {
    this.#place = place;
    this.#gateway = this.#create();
  }

  run(input: { action_id: string; params: JsonObject; resubmit: boolean }): Ask {
    return (taken, patience) =>
      this.#ask((context) => this.#gateway.runAction(input, context), taken, patience);
  }

  getJob(jobId: string | undefined): Ask {
    const input = jobId === undefined ? {} : { job_id: jobId };
    return (taken, patience) => this.#ask((context) => this.#gateway.getJob(input, context), taken, patience);
  }

  async restart(): Promise<void> {
    await this.close();
    this.#gone = new AbortController();
    this.#gateway = this.#create();
  }

  kill(): Promise<void> {
    throw new Error('A gateway within this process cannot be killed');
  }

  /** As the transports do it: the clients' requests end, then the gateway has a moment. */
  async close(): Promise<void> {
    this.#gone.abort();
    await this.#gateway.close(20);
    await Promise.allSettled(this.#underWay);
  }

  #create(): Gateway {
    const { baseUrl, apiKey, dataDir, maxCreditsPerDay } = this.#place;
    const principal = principalAt(this.#place);
    return createGateway({
      api: createHttpClient({ baseUrl, apiKey }),
      principal,
      settings: { ...defaultGatewaySettings, maxCreditsPerDay },
      snapshotFile: snapshotFile(dataDir, principal.id),
      store: storeAt(this.#place),
      logger: silent,
      // A machine under load must not make doubts of its own.
      limits: { submitMs: 3_000, pollMs: 200, lostAfterMs: 150 },
    });
  }

  #ask(
    call: (context: CallContext) => Promise<Outcome>,
    taken: (body: JsonObject) => void,
    { giveUpMs, waitMs = 700 }: Patience,
  ): Promise<void> {
    const gone = this.#gone.signal;
    const signal = giveUpMs === undefined ? gone : AbortSignal.any([gone, AbortSignal.timeout(giveUpMs)]);
    const asking = (async () => {
      const outcome = await call({ signal, waitMs, progress: () => {}, confirmation: 'cannot-ask' });
      if (signal.aborted) return;
      taken(outcome.body);
      await outcome.delivered?.();
    })();
    this.#underWay.add(asking);
    return asking.finally(() => this.#underWay.delete(asking));
  }
}

const ToolAnswer = z.looseObject({ structuredContent: z.record(z.string(), z.unknown()) });

export class GatewayProcess implements TestedGateway {
  readonly #place: Place;
  readonly #program: string;
  #running: Promise<{ client: Client; transport: StdioClientTransport }>;

  /** `program` is the built command's entry file. */
  constructor(place: Place, program: string) {
    this.#place = place;
    this.#program = program;
    this.#running = this.#start();
  }

  run(input: { action_id: string; params: JsonObject; resubmit: boolean }): Ask {
    return (taken, patience) => this.#ask('run_action', input, taken, patience);
  }

  getJob(jobId: string | undefined): Ask {
    const input = jobId === undefined ? {} : { job_id: jobId, wait_seconds: 1 };
    return (taken, patience) => this.#ask('get_job', input, taken, patience);
  }

  async restart(): Promise<void> {
    await this.close();
    this.#running = this.#start();
  }

  async kill(): Promise<void> {
    const { client, transport } = await this.#running;
    const closed = new Promise<void>((resolve) => {
      client.onclose = resolve;
    });
    if (transport.pid !== null) {
      process.kill(transport.pid, 'SIGKILL');
      await closed;
    }
    this.#running = this.#start();
  }

  async close(): Promise<void> {
    await (await this.#running).client.close();
  }

  async #start() {
    const { baseUrl, apiKey, dataDir, databaseUrl, maxCreditsPerDay } = this.#place;
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [this.#program, 'stdio'],
      env: {
        SVC_BASE_URL: baseUrl,
        SVC_API_KEY: apiKey,
        SVC_DATA_DIR: dataDir,
        SVC_WAIT_SECONDS: '1',
        SVC_LOG_LEVEL: 'silent',
        ...(databaseUrl !== undefined && { SVC_DATABASE_URL: databaseUrl }),
        ...(maxCreditsPerDay !== undefined && { SVC_MAX_CREDITS_PER_DAY: String(maxCreditsPerDay) }),
      },
      stderr: 'ignore',
    });
    const client = new Client(
      { name: 'chaos', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    await client.connect(transport);
    return { client, transport };
  }

  async #ask(
    name: string,
    args: JsonObject,
    taken: (body: JsonObject) => void,
    { giveUpMs }: Patience,
  ): Promise<void> {
    const { client } = await this.#running;
    const options = giveUpMs === undefined ? {} : { signal: AbortSignal.timeout(giveUpMs) };
    const answer = await client.callTool({ name, arguments: args }, options).catch(() => undefined);
    if (answer !== undefined) taken(ToolAnswer.parse(answer).structuredContent);
  }
}
