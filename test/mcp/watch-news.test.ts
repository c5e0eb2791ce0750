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
    const news = (one: number, other: number) => ({
      text: '1 changed: list_watches',
      places: new Map([
        ['watch-1', one],
        ['watch-2', other],
      ]),
    });
    gateway.news = news(4, 1);
    const told = await run();
    expect(told).toMatchObject({ status: 'completed', watches: '1 changed: list_watches', data: [1] });
    expect(Object.keys(Object(told)).at(-1)).toBe('data');
    expect(await run()).not.toHaveProperty('watches');
    gateway.onCall = async () => ({ body: { watches: [] } });
    const listed = await client.callTool({ name: 'list_watches' });
    expect(listed.structuredContent).toEqual({ watches: [] });
    // What was read is not told again, but what is told since.
    expect(await run()).not.toHaveProperty('watches');
    gateway.news = news(4, 2);
    expect(await run()).toHaveProperty('watches');
    expect(await run()).not.toHaveProperty('watches');
    // The changes of one, up to a place.
    gateway.onCall = async () => ({ body: { watch_id: 'watch-1', changes: [], next_after: 5 } });
    gateway.news = news(5, 2);
    await client.callTool({ name: 'list_watches', arguments: { watch_id: 'watch-1' } });
    expect(await run()).toHaveProperty('watches');
    gateway.onCall = async () => ({ body: { watch_id: 'watch-2', changes: [], next_after: 2 } });
    await client.callTool({ name: 'list_watches', arguments: { watch_id: 'watch-2' } });
    expect(await run()).not.toHaveProperty('watches');
    // A resource shows them too.
    gateway.news = news(6, 3);
    gateway.onCall = async () => ({ body: { watches: [] } });
    await client.readResource({ uri: 'svc://watches' });
    expect(await run()).not.toHaveProperty('watches');
    gateway.news = news(7, 3);
    gateway.onCall = async () => ({ body: { watch_id: 'watch-1', changes: [], next_after: 7 } });
    await client.readResource({ uri: 'svc://watches/watch-1' });
    expect(await run()).not.toHaveProperty('watches');
  });

  it('are not told in the answer of a batch', async () => {
    const gateway = new FakeGateway(listedTool('shop_a'));
    gateway.news = { text: '1 failing: list_watches', places: new Map([['watch-1', 1]]) };
    gateway.onRun = async () => ({ body: { ...completed, batch_id: 'batch-1' } });
    const { client } = await connectPiped(gateway, modeOf(era));
    expect((await client.callTool({ name: 'shop_a' })).structuredContent).not.toHaveProperty('watches');
  });
});
