/** The line about watches in the next answer of a tool: once a session, until they were listed. */
import { afterEach, describe, expect, it } from 'vitest';
import { completed, FakeGateway, listedTool } from '../support/fake-gateway.ts';
import { connectPiped, endAllPipes, eras, modeOf } from '../support/mcp-pipe.ts';

afterEach(endAllPipes);

describe.each(eras)('news of watches (%s)', (era) => {
  it('stand in one answer, before its data, and again once watches were listed and more is told', async () => {
    const gateway = new FakeGateway(listedTool('shop_a'));
    gateway.onRun = async () => ({ body: { ...completed, data: [1] } });
    const { client } = await connectPiped(gateway, modeOf(era));
    const run = async () => (await client.callTool({ name: 'shop_a' })).structuredContent;
    expect(await run()).not.toHaveProperty('watches');
    gateway.news = '1 changed: list_watches';
    const told = await run();
    expect(told).toMatchObject({ status: 'completed', watches: '1 changed: list_watches', data: [1] });
    expect(Object.keys(Object(told)).at(-1)).toBe('data');
    expect(await run()).not.toHaveProperty('watches');
    const listed = await client.callTool({ name: 'list_watches' });
    expect(listed.structuredContent).not.toHaveProperty('watches');
    expect(await run()).toHaveProperty('watches');
  });

  it('are not told in the answer of a batch', async () => {
    const gateway = new FakeGateway(listedTool('shop_a'));
    gateway.news = '1 failing: list_watches';
    gateway.onRun = async () => ({ body: { ...completed, batch_id: 'batch-1' } });
    const { client } = await connectPiped(gateway, modeOf(era));
    expect((await client.callTool({ name: 'shop_a' })).structuredContent).not.toHaveProperty('watches');
  });
});
