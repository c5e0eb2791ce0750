/**
 * The HTTP transports in this process, with a gateway in memory for each key.
 *
 *     const { server, gateways } = await serveHttp({ sharedKey: undefined });
 *     const client = await connectHttp(server.origin, 'stateless', { 'x-api-key': 'key-of-a' });
 *     gateways.get('key-of-a')?.calls;
 */
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstLineClient } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as FirstLineSseTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as FirstLineTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  type HttpServer,
  type HttpServerOptions,
  startHttpServer,
} from '../../src/mcp/transports/http/http-server.ts';
import { gatewayBackend } from '../../src/mcp/transports/http/principal.ts';
import { FakeGateway, listedTool } from './fake-gateway.ts';
import { type Era, modeOf, recordingLogger } from './mcp-pipe.ts';

const closers: (() => Promise<unknown>)[] = [];

/** Closes every client and server: for `afterEach`. */
export async function closeHttp(): Promise<void> {
  for (const close of closers.reverse().splice(0)) await close();
}

export interface ServedHttp {
  readonly server: HttpServer;
  /** By key, as they were opened. */
  readonly gateways: Map<string, FakeGateway>;
  readonly logger: ReturnType<typeof recordingLogger>;
}

export const token = 'a-token-of-the-tests';
export const sharedKey = 'the-shared-key';

export async function serveHttp({
  prepare,
  ...options
}: Partial<HttpServerOptions> & {
  /** Called with each new gateway. */
  readonly prepare?: (gateway: FakeGateway, apiKey: string) => void;
} = {}): Promise<ServedHttp> {
  const gateways: ServedHttp['gateways'] = new Map();
  const logger = recordingLogger();
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    access: { sharedKey, token: undefined },
    openBackend: ({ apiKey }) => {
      const gateway = new FakeGateway(listedTool('shop_a'));
      prepare?.(gateway, apiKey);
      gateways.set(apiKey, gateway);
      return gatewayBackend({
        id: `principal of ${apiKey}`,
        apiKey,
        gateway,
        endSignIns: async () => undefined,
        version: '0.0.0-test',
      });
    },
    checkReady: async () => undefined,
    logger,
    ...options,
  });
  closers.push(() => server.close(200));
  return { server, gateways, logger };
}

type Headers = Readonly<Record<string, string>>;

export async function connectHttp(
  origin: string,
  era: Era,
  headers: Headers = {},
  over: 'streamable' | 'sse' = 'streamable',
): Promise<Client> {
  const client = new Client({ name: 'a-test', version: '1' }, { versionNegotiation: { mode: modeOf(era) } });
  closers.push(() => client.close());
  const options = { requestInit: { headers } };
  await client.connect(
    over === 'sse'
      ? new SSEClientTransport(new URL('/sse', origin), options)
      : new StreamableHTTPClientTransport(new URL('/mcp', origin), options),
  );
  return client;
}

/** A client that shows its user the addresses it is asked to; the first comes out of `url`. */
export async function connectShowing(origin: string, era: Era, headers: Headers = {}) {
  let shown: (url: string) => void = () => undefined;
  const url = new Promise<string>((resolve) => {
    shown = resolve;
  });
  const client = new Client(
    { name: 'a-test', version: '1' },
    { versionNegotiation: { mode: modeOf(era) }, capabilities: { elicitation: { url: {} } } },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    if (params.mode === 'url') shown(params.url);
    return { action: 'accept' };
  });
  closers.push(() => client.close());
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', origin), { requestInit: { headers } }),
  );
  return { client, url };
}

/** The first line of packages, over either of its transports. */
export async function connectFirstLineHttp(
  origin: string,
  transport: 'sse' | 'streamable',
  headers: Headers = {},
): Promise<FirstLineClient> {
  const client = new FirstLineClient({ name: 'a-test', version: '1' });
  closers.push(() => client.close());
  const options = { requestInit: { headers } };
  await client.connect(
    transport === 'sse'
      ? new FirstLineSseTransport(new URL('/sse', origin), options)
      : new FirstLineTransport(new URL('/mcp', origin), options),
  );
  return client;
}

export const jsonHeaders = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

export const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'a-test', version: '1' },
  },
};

/** A request of revision 2026-07-28, with the headers it must have. */
export function standalone(method: string, params: Readonly<Record<string, unknown>> = {}, id = 1) {
  const body = {
    jsonrpc: '2.0',
    id,
    method,
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'a-test', version: '1' },
      },
    },
  };
  const headers: Record<string, string> = {
    ...jsonHeaders,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
  };
  return { method: 'POST', headers, body: JSON.stringify(body) };
}
