/** MCP Events by poll, as a client sends the requests itself. */
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { eventsExtension } from '../../src/mcp/events.ts';
import { FakeGateway, listedTool } from '../support/fake-gateway.ts';
import { connectPiped, endAllPipes, eras, modeOf, servePiped } from '../support/mcp-pipe.ts';

afterEach(endAllPipes);

const anything = z.looseObject({});
const extension = { extensions: { [eventsExtension]: {} } };
const entry = (seq: number, kind: string, at = new Date().toISOString()) => ({
  ...{ seq, kind, at, summary: `News ${seq}`, added: [], removed: [], changed: [] },
});

describe.each(eras)('events (%s)', (era) => {
  async function start(capabilities: object = {}) {
    const gateway = new FakeGateway(listedTool('shop_a'));
    const asked: unknown[] = [];
    gateway.onCall = async ({ input }) => {
      asked.push(input);
      const { watch_id, after }: { watch_id?: unknown; after?: unknown } = Object(input);
      if (watch_id !== 'watch-1') return { body: { status: 'error', error: { code: 'WATCH_NOT_FOUND' } } };
      const all = [
        entry(1, 'changed', '2026-01-01T00:00:00.000Z'),
        ...[entry(2, 'failing'), entry(3, 'changed'), entry(4, 'changed')],
      ];
      const changes = after === 'newest' ? all : all.filter(({ seq }) => seq > Number(after));
      return { body: { watch_id, changes, next_after: 4, state: 'active' } };
    };
    const { client } = await connectPiped(gateway, modeOf(era), { capabilities });
    const poll = (params: object) =>
      client.request(
        {
          method: 'events/poll',
          params: { name: 'watch.changed', arguments: { watch_id: 'watch-1' }, ...params },
        },
        anything,
      );
    return { client, poll, asked };
  }

  it('are announced in both ways, and listed with what they take', async () => {
    const { client } = await start(extension);
    // The client's library drops the spelling that it does not know; the next test reads the bytes.
    expect(client.getServerCapabilities()?.extensions).toMatchObject({ [eventsExtension]: {} });
    const { events } = await client.request({ method: 'events/list', params: {} }, anything);
    expect(events).toContainEqual(
      expect.objectContaining({ name: 'watch.changed', delivery: ['poll'], inputSchema: expect.anything() }),
    );
  });

  it('begin now without a cursor, and go on behind one, without marking anything as read', async () => {
    const { poll, asked } = await start();
    expect(await poll({ cursor: null })).toMatchObject({ events: [], cursor: '4', hasMore: false });
    const { events, ...rest } = await poll({ cursor: '0', maxEvents: 2 });
    expect(events).toMatchObject([
      { eventId: 'watch-1_1', name: 'watch.changed', cursor: '1', data: { watch_id: 'watch-1', seq: 1 } },
      { eventId: 'watch-1_3', timestamp: expect.stringMatching(/Z$/) },
    ]);
    expect(rest).toMatchObject({ cursor: '3', hasMore: true, truncated: false, nextPollMs: 60_000 });
    expect(await poll({ cursor: '0', maxAgeMs: 60_000 })).toMatchObject({
      events: [{ eventId: 'watch-1_3' }, { eventId: 'watch-1_4' }],
      truncated: true,
    });
    expect(asked).toEqual(asked.map(() => expect.objectContaining({ marksRead: false })));
  });

  it.each([
    [{ arguments: { watch_id: 'other' } }, {}, -32_011],
    [{ arguments: { watch_id: 'other' } }, extension, -32_023],
    [{ name: 'watch.other' }, {}, -32_014],
    [{ name: 'watch.other' }, extension, -32_026],
    [{ arguments: {} }, {}, -32_602],
  ])('%j of a client with %j is refused', async (params, capabilities, code) => {
    const { poll } = await start(capabilities);
    await expect(poll(params)).rejects.toMatchObject({ code });
  });
});

it('are announced where the sketch has them', async () => {
  const { toServer, fromServer } = servePiped(new FakeGateway(listedTool('shop_a')));
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'a-test', version: '1' },
  };
  toServer.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  const [line] = await once(fromServer, 'data');
  expect(JSON.parse(String(line)).result.capabilities).toMatchObject({ events: {} });
});
