/** Updates of the resources of watches, over each transport and in both revisions of the protocol. */
import type { Client } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FakeGateway, listedTool } from '../support/fake-gateway.ts';
import { closeHttp, connectHttp, serveHttp, sharedKey, token } from '../support/http.ts';
import { connectPiped, type Era, endAllPipes, eras, modeOf } from '../support/mcp-pipe.ts';

afterEach(endAllPipes);
afterEach(closeHttp);

const wanted = 'svc://watches/watch-1';

async function subscribe(client: Client, era: Era, uri: string) {
  if (era === 'stateless') await client.listen({ resourceSubscriptions: [uri] });
  else await client.subscribeResource({ uri });
}

describe.each(eras)('a watch that told something (%s)', (era) => {
  const connections = {
    stdio: async () => {
      const gateway = new FakeGateway(listedTool('shop_a'));
      const { client } = await connectPiped(gateway, modeOf(era));
      return { client, gateway: () => gateway };
    },
    http: async () => {
      const { server, gateways } = await serveHttp();
      return { client: await connectHttp(server.origin, era), gateway: () => gateways.get(sharedKey) };
    },
    sse: async () => {
      const { server, gateways } = await serveHttp({ access: { sharedKey, token } });
      const client = await connectHttp(server.origin, era, { authorization: `Bearer ${token}` }, 'sse');
      return { client, gateway: () => gateways.get(sharedKey) };
    },
  };

  it.each(['stdio', 'http', 'sse'] as const)('is told to who asked for it, alone (%s)', async (transport) => {
    const { client, gateway } = await connections[transport]();
    const told = vi.fn();
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => told(params.uri));
    await subscribe(client, era, wanted);
    await client.listTools();
    await vi.waitFor(() => {
      for (const listener of gateway()?.newsListeners ?? []) listener(['watch-2', 'watch-1']);
      expect(told).toHaveBeenCalledWith(wanted);
    }, 20_000);
    expect(told).not.toHaveBeenCalledWith('svc://watches/watch-2');
    expect(told).not.toHaveBeenCalledWith('svc://watches');
  });
});

it('a subscription to what never changes is refused, and one can be taken back', async () => {
  const gateway = new FakeGateway(listedTool('shop_a'));
  const { client } = await connectPiped(gateway, 'legacy');
  await expect(client.subscribeResource({ uri: 'svc://catalogs' })).rejects.toThrow('svc://watches/{id}');
  const told = vi.fn();
  client.setNotificationHandler('notifications/resources/updated', told);
  await client.subscribeResource({ uri: wanted });
  await client.unsubscribeResource({ uri: wanted });
  for (const listener of gateway.newsListeners) listener(['watch-1']);
  await client.listTools();
  expect(told).not.toHaveBeenCalled();
});
