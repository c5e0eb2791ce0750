/** Real MCP clients, of every era, connected to the stdio transport over two pipes in memory. */
import { PassThrough } from 'node:stream';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { Client as FirstLineClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Logger } from '../../src/gateway/foundation/logger.ts';
import type { Gateway } from '../../src/gateway/interface/gateway.ts';
import { type StdioOptions, serveStdioTransport } from '../../src/mcp/transports/stdio.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}

export function recordingLogger(): Logger & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const log = (level: LogLine['level']) => (fields: object, message: string) => {
    lines.push({ level, fields, message });
  };
  return { lines, debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

export interface Pipe {
  readonly toServer: PassThrough;
  readonly fromServer: PassThrough;
  readonly logger: ReturnType<typeof recordingLogger>;
  /** Resolves when the server has ended. */
  readonly served: Promise<void>;
}

const open: Pipe[] = [];

/** Ends every server and waits for it: for `afterEach`. */
export async function endAllPipes(): Promise<void> {
  for (const { toServer, served } of open.splice(0)) {
    toServer.end();
    await served;
  }
}

export function servePiped(gateway: Gateway, options: Partial<StdioOptions> = {}): Pipe {
  const toServer = new PassThrough();
  const fromServer = new PassThrough();
  const logger = recordingLogger();
  const served = serveStdioTransport({
    gateway,
    logger,
    version: '0.0.0-test',
    stdin: toServer,
    stdout: fromServer,
    ...options,
  });
  const pipe = { toServer, fromServer, logger, served };
  open.push(pipe);
  return pipe;
}

/** The newline-delimited framing is the same in both directions. */
const clientTransport = ({ toServer, fromServer }: Pipe) => new StdioServerTransport(fromServer, toServer);

export type Era = 'stateless' | 'stateful';
export const eras: readonly Era[] = ['stateless', 'stateful'];
export const modeOf = (era: Era) => (era === 'stateless' ? ({ pin: '2026-07-28' } as const) : 'legacy');

export interface ConnectOptions extends ClientOptions {
  readonly name?: string;
  readonly server?: Partial<StdioOptions>;
  /** Called before the handshake, to set request handlers. */
  readonly prepare?: (client: Client) => void;
}

export async function connectPiped(
  gateway: Gateway,
  mode: 'legacy' | 'auto' | { pin: string },
  { name = 'a-test', server, prepare, ...options }: ConnectOptions = {},
) {
  const pipe = servePiped(gateway, server);
  const client = new Client({ name, version: '1' }, { versionNegotiation: { mode }, ...options });
  prepare?.(client);
  await client.connect(clientTransport(pipe));
  return { client, ...pipe };
}

export async function connectFirstLine(gateway: Gateway) {
  const pipe = servePiped(gateway);
  const client = new FirstLineClient({ name: 'a-test', version: '1' });
  await client.connect(clientTransport(pipe));
  return { client, ...pipe };
}
