/** Extensions that a client of an earlier revision declares in its handshake. */
import { afterEach, expect, it } from 'vitest';
import { FakeGateway, listedTool } from '../support/fake-gateway.ts';
import { connectPiped, endAllPipes } from '../support/mcp-pipe.ts';

afterEach(endAllPipes);

const ui = 'io.modelcontextprotocol/ui';
const skills = 'io.modelcontextprotocol/skills';
const views = { [ui]: { mimeTypes: ['text/html;profile=mcp-app'] } };

async function answered(extensions?: Record<string, { mimeTypes?: string[] }>) {
  const capabilities = extensions === undefined ? {} : { extensions };
  const { client } = await connectPiped(new FakeGateway(), 'legacy', { capabilities });
  return client.getServerCapabilities()?.extensions;
}

it('are answered, but for those that need the current revision', async () => {
  expect(await answered({ ...views, [skills]: {}, 'io.modelcontextprotocol/tasks': {} })).toEqual({
    [ui]: {},
    [skills]: {},
  });
  expect(await answered({ 'com.example/other': {} })).toBeUndefined();
  expect(await answered()).toBeUndefined();
});

it('name no view to a client that reads it after every call and shows it to nobody', async () => {
  const listed = async (name: string) => {
    const gateway = new FakeGateway(listedTool('shop_a'));
    const { client } = await connectPiped(gateway, 'legacy', { name, capabilities: { extensions: views } });
    return (await client.listTools()).tools.filter(({ _meta }) => _meta?.ui !== undefined).length;
  };
  expect(await listed('a-test')).toBeGreaterThan(0);
  expect(await listed('qwen-cli-mcp-client-svc')).toBe(0);
});
