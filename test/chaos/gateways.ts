/** The gateways under test, as a client meets them: within this process, or as a process of their own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  Client,
  type DiscoverResult,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';
import { createHttpClient } from '../../src/client/http-client.ts';
import { snapshotFile } from '../../src/gateway/catalog/snapshot-file.ts';
import { createGateway } from '../../src/gateway/create-gateway.ts';
import { systemClock } from '../../src/gateway/foundation/clock.ts';
import type { CallContext, Gateway } from '../../src/gateway/interface/gateway.ts';
import type { JsonObject, Outcome } from '../../src/gateway/interface/outcomes.ts';
import { createPrincipal } from '../../src/gateway/interface/principal.ts';
import { defaultGatewaySettings } from '../../src/gateway/interface/settings.ts';
import type { Target } from '../../src/store/database.ts';

export interface Place {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly dataDir: string;
  /** PostgreSQL instead of the file in the data folder. */
  readonly databaseUrl: string | undefined;
  readonly maxCreditsPerDay: number | undefined;
  /** The wall clock of a gateway within this process; default: the machine's. */
  readonly now?: () => number;
  /** Of a gateway that is a process; default 1. */
  readonly waitSeconds?: number;
}

export interface Patience {
  /** Milliseconds until the client cancels; undefined: it waits. */
  readonly giveUpMs?: number | undefined;
  /** Milliseconds that the call may wait for its job, where the gateway is within this process. */
  readonly waitMs?: number;
}

/**
 * `taken` is called when the client has the answer. Resolves to why there is none, where the client had gone or the
 * gateway had.
 */
type Ask = (taken: (body: JsonObject) => void, patience: Patience) => Promise<string | undefined>;

export interface TestedGateway {
  run(input: { action_id: string; params: JsonObject; resubmit: boolean }): Ask;
  runBatch(input: { action_id: string; batch: JsonObject[] }): Ask;
  requestBuild(input: { website_url: string; goal: string }): Ask;
  getBuild(id: string): Ask;
  getJob(jobId: string | undefined): Ask;
  restart(): Promise<void>;
  /** SIGKILL, where it is a process. */
  kill(): Promise<void>;
  /** The client goes without reading what was written to it; where that ends the gateway, it is started again. */
  leave?(): Promise<void>;
  /** SIGSTOP, and SIGCONT after so long, where it is a process. */
  freeze?(ms: number): Promise<void>;
  close(): Promise<void>;
}

export const databaseFile = ({ dataDir }: Pick<Place, 'dataDir'>) => join(dataDir, 'gateway.db');
export const storeAt = (place: Pick<Place, 'dataDir' | 'databaseUrl'>): Target =>
  place.databaseUrl === undefined ? { file: databaseFile(place) } : { url: place.databaseUrl };
export const principalAt = ({ baseUrl, apiKey }: Place) => createPrincipal(new URL(baseUrl).origin, apiKey);

/** A machine under load must not make doubts of its own. */
export const limitsInProcess = { submitMs: 3_000, pollMs: 200, lostAfterMs: 150, batchedRunMs: 5_000 };

const silent = { debug() {}, info() {}, warn() {}, error() {} };

export class GatewayInProcess implements TestedGateway {
  readonly #place: Place;
  #gateway: Gateway;
  #gone = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(place: Place) {
    this.#place = place;
    this.#gateway = this.#create();
  }

  run(input: { action_id: string; params: JsonObject; resubmit: boolean }): Ask {
    return (taken, patience) =>
      this.#ask((context) => this.#gateway.runAction(input, context), taken, patience);
  }

  runBatch(input: { action_id: string; batch: JsonObject[] }): Ask {
    return (taken, patience) =>
      this.#ask((context) => this.#gateway.runBatch(input, context), taken, patience);
  }

  requestBuild(input: { website_url: string; goal: string }): Ask {
    return (taken, patience) =>
      this.#ask((context) => this.#gateway.requestBuild(input, context), taken, patience);
  }

  getBuild(id: string): Ask {
    return (taken, patience) =>
      this.#ask((context) => this.#gateway.listBuildRequests({ id }, context), taken, patience);
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
    const { baseUrl, apiKey, dataDir, maxCreditsPerDay, now } = this.#place;
    const principal = principalAt(this.#place);
    return createGateway({
      api: createHttpClient({ baseUrl, apiKey }),
      principal,
      settings: { ...defaultGatewaySettings, maxCreditsPerDay },
      snapshotFile: snapshotFile(dataDir, principal.id),
      store: storeAt(this.#place),
      logger: silent,
      clock: { ...systemClock, ...(now !== undefined && { now }) },
      limits: limitsInProcess,
    });
  }

  #ask(
    call: (context: CallContext) => Promise<Outcome>,
    taken: (body: JsonObject) => void,
    { giveUpMs, waitMs = 700 }: Patience,
  ): Promise<string | undefined> {
    const gone = this.#gone.signal;
    const signal = giveUpMs === undefined ? gone : AbortSignal.any([gone, AbortSignal.timeout(giveUpMs)]);
    const asking = (async () => {
      const outcome = await call({ signal, waitMs, progress: () => {}, confirmation: 'cannot-ask' });
      if (signal.aborted) return 'the client had gone';
      taken(outcome.body);
      await outcome.delivered?.();
      return undefined;
    })();
    this.#underWay.add(asking);
    return asking.finally(() => this.#underWay.delete(asking));
  }
}

/** The settings of a gateway that is a process. */
const environmentOf = (
  { baseUrl, apiKey, databaseUrl, maxCreditsPerDay, waitSeconds = 1 }: Place,
  dataDir: string,
): Record<string, string> => ({
  SVC_BASE_URL: baseUrl,
  SVC_API_KEY: apiKey,
  SVC_DATA_DIR: dataDir,
  SVC_WAIT_SECONDS: String(waitSeconds),
  SVC_LOG_LEVEL: 'silent',
  ...(databaseUrl !== undefined && { SVC_DATABASE_URL: databaseUrl }),
  ...(maxCreditsPerDay !== undefined && { SVC_MAX_CREDITS_PER_DAY: String(maxCreditsPerDay) }),
});

/**
 * Of a client that does not give up. By default it would after 60 s, which a starved machine may need for a start: then
 * it takes the server for one of an older revision, or for one that never answers.
 */
const patienceMs = 5 * 60_000;

/** What the program offers, as its first client learned it: a further one need not start it twice to ask. */
let discovered: DiscoverResult | undefined;

async function connectClient(transport: Transport): Promise<Client> {
  const client = new Client(
    { name: 'chaos', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' }, probe: { timeoutMs: patienceMs } } },
  );
  await client.connect(transport, {
    timeout: patienceMs,
    ...(discovered !== undefined && { prior: { kind: 'modern', discover: discovered } }),
  });
  discovered ??= client.getDiscoverResult();
  return client;
}

const ToolAnswer = z.looseObject({ structuredContent: z.record(z.string(), z.unknown()) });

interface Running {
  readonly client: Client;
  readonly pid: number | null;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Lets it end by itself. */
  end(): Promise<void>;
  /** Another client of the same process, where its client may go without it. */
  reconnect?(): Promise<Running>;
}

/** A gateway that is a process of its own, and dies like one. */
class SpawnedGateway implements TestedGateway {
  readonly #start: () => Promise<Running>;
  #running: Promise<Running>;

  protected constructor(start: () => Promise<Running>) {
    this.#start = start;
    this.#running = start();
  }

  run(input: { action_id: string; params: JsonObject; resubmit: boolean }): Ask {
    return (taken, patience) => this.#ask('run_action', input, taken, patience);
  }

  runBatch(input: { action_id: string; batch: JsonObject[] }): Ask {
    return (taken, patience) => this.#ask('run_action', input, taken, patience);
  }

  requestBuild(input: { website_url: string; goal: string }): Ask {
    return (taken, patience) => this.#ask('request_build', input, taken, patience);
  }

  getBuild(id: string): Ask {
    return (taken, patience) => this.#ask('list_build_requests', { id, wait_seconds: 1 }, taken, patience);
  }

  getJob(jobId: string | undefined): Ask {
    const input = jobId === undefined ? {} : { job_id: jobId, wait_seconds: 1 };
    return (taken, patience) => this.#ask('get_job', input, taken, patience);
  }

  async restart(): Promise<void> {
    await this.close();
    this.#running = this.#start();
  }

  async freeze(ms: number): Promise<void> {
    const { pid } = await this.#running;
    if (pid === null) return;
    process.kill(pid, 'SIGSTOP');
    await delay(ms);
    // It may have been killed meanwhile.
    try {
      process.kill(pid, 'SIGCONT');
    } catch {}
  }

  async kill(): Promise<void> {
    await (await this.#running).kill();
    this.#running = this.#start();
  }

  async leave(): Promise<void> {
    const { reconnect } = await this.#running;
    if (reconnect === undefined) return this.restart();
    this.#running = reconnect();
  }

  async close(): Promise<void> {
    await (await this.#running).end();
  }

  async #ask(
    name: string,
    args: JsonObject,
    taken: (body: JsonObject) => void,
    { giveUpMs }: Patience,
  ): Promise<string | undefined> {
    const { client } = await this.#running;
    const options = {
      timeout: patienceMs,
      ...(giveUpMs !== undefined && { signal: AbortSignal.timeout(giveUpMs) }),
    };
    try {
      taken(ToolAnswer.parse(await client.callTool({ name, arguments: args }, options)).structuredContent);
      return undefined;
    } catch (error) {
      if (error instanceof z.ZodError) throw error;
      return String(error);
    }
  }
}

/** `svc-mcp stdio`. `program` is the built command's entry file. */
export class GatewayProcess extends SpawnedGateway {
  constructor(place: Place, program: string) {
    super(async () => {
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [program, 'stdio'],
        env: environmentOf(place, place.dataDir),
        stderr: 'ignore',
      });
      const client = await connectClient(transport);
      return {
        client,
        pid: transport.pid,
        async kill() {
          const closed = new Promise<void>((resolve) => {
            client.onclose = resolve;
          });
          if (transport.pid === null) return;
          process.kill(transport.pid, 'SIGKILL');
          await closed;
        },
        end: () => client.close(),
      };
    });
  }
}

/** `svc-mcp http`, with a data folder of its own: what it shares with others is in PostgreSQL. */
export class GatewayReplica extends SpawnedGateway {
  constructor(place: Place, program: string) {
    super(async () => {
      const dataDir = await mkdtemp(join(place.dataDir, 'replica-'));
      const child = spawn(process.execPath, [program, 'http', '--port', '0'], {
        env: environmentOf(place, dataDir),
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const exited = once(child, 'exit');
      const [line] = await once(child.stdout, 'data');
      const { listening_on } = Listening.parse(JSON.parse(String(line)));
      const connect = async (): Promise<Running> => {
        const client = await connectClient(new StreamableHTTPClientTransport(new URL('/mcp', listening_on)));
        const end = async (signal: NodeJS.Signals) => {
          child.kill(signal);
          await exited;
          await client.close();
        };
        const reconnect = async () => {
          await client.close();
          return connect();
        };
        return {
          client,
          pid: child.pid ?? null,
          kill: () => end('SIGKILL'),
          end: () => end('SIGTERM'),
          reconnect,
        };
      };
      return connect();
    });
  }
}

const Listening = z.object({ listening_on: z.url() });
