import { afterEach, expect, it } from 'vitest';
import { FakeGateway } from '../support/fake-gateway.ts';
import { connectPiped, endAllPipes } from '../support/mcp-pipe.ts';

afterEach(endAllPipes);

const website_url = 'https://shop.example/';
const fields = { price: 'c3' };

it.each([
  [{ preview: true }, 'previewBuild', {}],
  [{ preview: 'true' }, 'previewBuild', {}],
  [{ preview: true, choose: { candidate: 't1' } }, 'previewBuild', { candidate: 't1' }],
  [
    { preview: true, choose: { candidate: 't1', fields } },
    'previewBuild',
    { choose: { candidate: 't1', fields } },
  ],
  [{ goal: 'List all', preview: false }, 'requestBuild', { goal: 'List all' }],
])('request_build with %j calls %s', async (args, method, input) => {
  const gateway = new FakeGateway();
  const { client } = await connectPiped(gateway, 'auto');
  await client.callTool({ name: 'request_build', arguments: { website_url, ...args } });
  expect(gateway.calls).toMatchObject([{ method, input: { website_url, ...input } }]);
});

it('request_build needs the fields of a choice, but for a preview of one candidate', async () => {
  const gateway = new FakeGateway();
  const { client } = await connectPiped(gateway, 'auto');
  const args = { website_url, goal: 'List all', choose: { candidate: 't1' } };
  const { structuredContent } = await client.callTool({ name: 'request_build', arguments: args });
  expect(structuredContent).toMatchObject({ error: { code: 'INVALID_PARAMS' } });
  expect(gateway.calls).toEqual([]);
});
