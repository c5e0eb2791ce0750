/** Gateways that are processes of their own: `svc-mcp stdio`, and replicas of `svc-mcp http`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
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
import type { JsonObject } from '../../src/gateway/interface/outcomes.ts';
import { standalone } from '../support/http.ts';
import type { Ask, BatchInput, Patience, Place, TestedGateway } from './tested-gateway.ts';

/** The settings of a gateway that is a process. */
const environmentOf = (
  { baseUrl, apiKey, databaseUrl, maxCreditsPerDay, maxCreditsPerCall, waitSeconds = 1 }: Place,
  dataDir: string,
): Record<string, string> => ({
  SVC_BASE_URL: baseUrl,
  SVC_API_KEY: apiKey,
  SVC_DATA_DIR: dataDir,
  SVC_WAIT_SECONDS: String(waitSeconds),
  SVC_LOG_LEVEL: 'silent',
  ...(databaseUrl !== undefined && { SVC_DATABASE_URL: databaseUrl }),
  ...(maxCreditsPerDay !== undefined && { SVC_MAX_CREDITS_PER_DAY: String(maxCreditsPerDay) }),
  ...(maxCreditsPerCall?.() !== undefined && { SVC_MAX_CREDITS_PER_CALL: String(maxCreditsPerCall()) }),
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
  /** Of its MCP endpoint over HTTP. */
  readonly address?: URL;
  /** Runs a call, and cancels it when its answer is there: more than 100 ms later, as any message would confirm it. */
  cancelAnswered?(args: JsonObject, call: () => Promise<unknown>): Promise<void>;
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

  runBatch(input: BatchInput): Ask {
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

  async freeze(ms: number, meanwhile: (pid: number) => Promise<void>): Promise<void> {
    const { pid } = await this.#running;
    if (pid === null) return;
    process.kill(pid, 'SIGSTOP');
    // Stopped in the middle of a write it holds the lock of a file until it goes on.
    await Promise.race([meanwhile(pid).catch(() => undefined), delay(ms + 1_000)]);
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

  async dieUnread(name: string, args: JsonObject, afterMs: number): Promise<void> {
    const { address } = await this.#running;
    if (address !== undefined)
      await callAndDie(address, standalone('tools/call', { name, arguments: args }), afterMs);
  }

  async close(): Promise<void> {
    await (await this.#running).end();
  }

  async #ask(
    name: string,
    args: JsonObject,
    taken: (body: JsonObject) => void,
    { giveUpMs, crosses = false }: Patience,
  ): Promise<string | undefined> {
    const { client, cancelAnswered } = await this.#running;
    const options = {
      timeout: patienceMs,
      ...(giveUpMs !== undefined && { signal: AbortSignal.timeout(giveUpMs) }),
    };
    try {
      if (crosses && cancelAnswered !== undefined) {
        const own = { ...args };
        await cancelAnswered(own, () => client.callTool({ name, arguments: own }, options));
        // Whoever repeats the call in another process does so after this one has read the cancel.
        await client.callTool({ name: 'get_job', arguments: {} });
        return 'the cancel crossed the answer';
      }
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
        cancelAnswered: (args, call) => cancelAnswered(transport, args, call),
      };
    });
  }
}

/** `args`: its arguments, by whose identity the request is known. */
async function cancelAnswered(
  transport: Transport,
  args: JsonObject,
  call: () => Promise<unknown>,
): Promise<void> {
  const { send } = transport;
  let requestId: unknown;
  transport.send = (message, options) => {
    if ('id' in message && 'params' in message && message.params?.arguments === args) requestId = message.id;
    return send.call(transport, message, options);
  };
  await call();
  transport.send = send;
  if (requestId === undefined) throw new Error('The request to cancel was not seen');
  await delay(150);
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } } as const;
  await send.call(transport, JSON.parse(JSON.stringify(cancel)));
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
      const address = new URL('/mcp', listening_on);
      const reach = async (): Promise<Running> => {
        const client = await connectClient(new StreamableHTTPClientTransport(address));
        const end = async (signal: NodeJS.Signals) => {
          child.kill(signal);
          await exited;
          await client.close();
        };
        const reconnect = async () => {
          await client.close();
          return reach();
        };
        return {
          client,
          address,
          pid: child.pid ?? null,
          kill: () => end('SIGKILL'),
          end: () => end('SIGTERM'),
          reconnect,
        };
      };
      return reach();
    });
  }
}

/** Sends the request, reads nothing of its answer, and resets the connection. */
async function callAndDie(address: URL, { headers, body }: ReturnType<typeof standalone>, afterMs: number) {
  const socket = connect(Number(address.port), address.hostname);
  // The gateway may have been killed.
  socket.on('error', () => undefined);
  const lines = Object.entries({ ...headers, host: address.host, 'content-length': Buffer.byteLength(body) });
  const head = lines.map(([name, value]) => `${name}: ${value}`).join('\r\n');
  socket.pause();
  socket.write(`POST ${address.pathname} HTTP/1.1\r\n${head}\r\n\r\n${body}`);
  await delay(afterMs);
  socket.resetAndDestroy();
}

const Listening = z.object({ listening_on: z.url() });
