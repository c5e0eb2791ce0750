/** Known clients by their handshakes, as recorded in November 2026: what each gets of a result. */
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { FakeGateway, listedTool } from '../support/fake-gateway.ts';
import { endAllPipes, servePiped } from '../support/mcp-pipe.ts';

afterEach(endAllPipes);

interface Handshake {
  readonly protocolVersion: string;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly capabilities: object;
}
const handshake = (name: string, version: string, protocolVersion: string, capabilities = {}): Handshake => ({
  protocolVersion,
  clientInfo: { name, version },
  capabilities,
});
const pagesAndForms = { elicitation: { form: {}, url: {} } };

/** `chars`: of `data`, where the client's limit is known. */
const clients: readonly [Handshake, { chars?: number; structured: boolean; links: boolean }][] = [
  [
    handshake('claude-code', '2.1.330', '2026-07-28', pagesAndForms),
    { chars: 30_000, structured: true, links: true },
  ],
  [
    handshake('codex-mcp-client', '0.169.0', '2025-06-18', pagesAndForms),
    { chars: 8_000, structured: true, links: false },
  ],
  [handshake('gemini-cli-mcp-client', '0.61.0', '2025-06-18'), { structured: true, links: false }],
  [
    handshake('copilot-cli', '1.0.102', '2026-07-28', pagesAndForms),
    { chars: 17_000, structured: true, links: false },
  ],
  [handshake('opencode', '1.18.0', '2025-11-25'), { structured: true, links: false }],
  [
    handshake('qwen-cli-mcp-client-svc', '0.15.0', '2025-11-25'),
    { chars: 20_000, structured: true, links: false },
  ],
  [handshake('continue-cli-client', '1.5.47', '2025-11-25'), { structured: true, links: false }],
  // 2024-11-05 on stdio, a later revision over HTTP.
  [handshake('@cline/core', '3.0.65', '2024-11-05'), { chars: 4_300, structured: false, links: false }],
  [handshake('@cline/core', '3.0.65', '2025-11-25'), { chars: 4_300, structured: false, links: false }],
  [handshake('@langchain/mcp-adapters', '1.1.4', '2025-11-25'), { structured: false, links: false }],
];

const Answer = z.object({
  result: z.looseObject({
    structuredContent: z.unknown().optional(),
    content: z.array(z.looseObject({ type: z.string() })),
  }),
});
const List = z.object({ result: z.looseObject({ tools: z.array(z.looseObject({})) }) });

it.each(clients)('%j gets what it gives its model once and whole', async (client, expected) => {
  const body = {
    status: 'completed',
    job_id: 'job-1',
    truncated: { total_chars: 90_000, next: 'Call get_job {"job_id":"job-1"}.' },
    credits_used: 1,
    job_credits: 1,
    execution_ms: 1,
    data: [1],
  };
  const outputSchema = { type: 'object', properties: {} } as const;
  const gateway = new FakeGateway(listedTool('shop_a', { outputSchema }));
  gateway.onRun = async () => ({ body: { ...body, status: 'completed' } });
  const ask = await connect(gateway, client);
  const { result } = Answer.parse(await ask('tools/call', { name: 'shop_a', arguments: {} }));
  expect(gateway.calls[0]?.context.resultChars).toBe(expected.chars);
  expect(result.structuredContent !== undefined).toBe(expected.structured);
  expect(result.content.some(({ type }) => type === 'resource_link')).toBe(expected.links);
  // A client that finds a schema of the output rejects a result without structured content.
  const { tools } = List.parse(await ask('tools/list', {})).result;
  expect(tools.at(-1)?.outputSchema !== undefined).toBe(expected.structured);
});

/** Speaks as the client does: a handshake, or the same facts with each request. */
async function connect(gateway: FakeGateway, { protocolVersion, clientInfo, capabilities }: Handshake) {
  const { toServer, fromServer } = servePiped(gateway);
  let id = 0;
  let text = '';
  fromServer.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  const write = (message: object) => toServer.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': protocolVersion,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    'io.modelcontextprotocol/clientInfo': clientInfo,
  };
  const isStateless = protocolVersion >= '2026-07-28';
  const ask = async (method: string, params: object): Promise<unknown> => {
    id += 1;
    const sentId = id;
    write({ id: sentId, method, params: isStateless ? { ...params, _meta } : params });
    for (;;) {
      const lines = text.split('\n').slice(0, -1);
      const answer = lines.map((line) => JSON.parse(line)).find((message) => message.id === sentId);
      if (answer !== undefined) return answer;
      await once(fromServer, 'data');
    }
  };
  if (!isStateless) {
    await ask('initialize', { protocolVersion, clientInfo, capabilities });
    write({ method: 'notifications/initialized' });
  }
  return ask;
}
