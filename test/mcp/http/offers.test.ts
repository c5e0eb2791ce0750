/** Resources, prompts and completions over HTTP, for clients of both lines. */
import { afterEach, expect, it } from 'vitest';
import { closeHttp, connectFirstLineHttp, connectHttp, serveHttp } from '../../support/http.ts';
import { eras } from '../../support/mcp-pipe.ts';

afterEach(closeHttp);

const prompt = { name: 'connect_account', arguments: { catalog: 'shop' } };
const slug = {
  ref: { type: 'ref/resource', uri: 'svc://catalogs/{slug}' },
  argument: { name: 'slug', value: 'sh' },
} as const;

it.each([...eras, 'sse', 'streamable'] as const)(
  'a client reads, prompts and completes (%s)',
  async (kind) => {
    const { server, gateways } = await serveHttp({
      prepare: (gateway) => {
        gateway.names = async () => ['fish', 'shop'];
      },
    });
    const client =
      kind === 'sse' || kind === 'streamable'
        ? await connectFirstLineHttp(server.origin, kind)
        : await connectHttp(server.origin, kind);
    expect((await client.listResources()).resources).toHaveLength(2);
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(4);
    const { contents } = await client.readResource({ uri: 'svc://catalogs/shop' });
    expect(JSON.parse(Object(contents[0]).text)).toEqual({ status: 'ok', method: 'browseCatalogs' });
    expect((await client.listPrompts()).prompts).toHaveLength(3);
    expect((await client.getPrompt(prompt)).messages).toHaveLength(1);
    expect((await client.complete(slug)).completion.values).toEqual(['shop', 'fish']);
    await expect(client.readResource({ uri: 'svc://catalogs/' })).rejects.toMatchObject({ code: -32_602 });
    expect([...gateways.values()].flatMap(({ calls }) => calls.map(({ input }) => input))).toEqual([
      { catalog: 'shop', maxChars: 1_000_000 },
    ]);
  },
);
