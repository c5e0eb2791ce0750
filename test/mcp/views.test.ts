/** The views as clients of each revision find them. Needs `dist/`: `npm test` builds it first. */
import { afterEach, describe, expect, it } from 'vitest';
import { closeGateways, scriptedUpstream, temporaryFolder } from '../support/gateway.ts';
import { connectProgram, endPrograms, environmentOf, type Mode } from '../support/program.ts';

afterEach(async () => {
  await endPrograms();
  await closeGateways();
});

const mimeType = 'text/html;profile=mcp-app';
const ui = { 'io.modelcontextprotocol/ui': { mimeTypes: [mimeType] } };
const views = {
  run_action: 'ui://svc/result',
  get_job: 'ui://svc/result',
  request_build: 'ui://svc/build',
  get_usage: 'ui://svc/usage',
  list_watches: 'ui://svc/watches',
  'shop-list': 'ui://svc/result',
};

async function start(mode: Mode, extensions: Record<string, { mimeTypes: string[] }> = {}) {
  const upstream = await scriptedUpstream({ actions: [{ action_id: 'shop-list', catalog_slug: 'shop' }] });
  const environment = environmentOf(upstream, await temporaryFolder());
  const { client } = await connectProgram(mode, environment, { capabilities: { extensions } });
  const { tools } = await client.listTools();
  const listed = tools.flatMap(({ name, _meta }) =>
    _meta?.ui === undefined ? [] : [[name, Object(_meta.ui).resourceUri]],
  );
  return { client, tools, listed: Object.fromEntries(listed) };
}

const current: Mode = { pin: '2026-07-28' };

describe('views', () => {
  it('are in every list of 2026-07-28, whatever the client declares', async () => {
    const [plain, declaring] = [await start(current), await start(current, ui)];
    expect(plain.listed).toEqual(views);
    expect(declaring.tools).toEqual(plain.tools);
    expect(plain.client.getServerCapabilities()?.extensions).toHaveProperty(['io.modelcontextprotocol/ui']);
  });

  it('are listed in earlier revisions only to clients that declare the extension', async () => {
    expect((await start('legacy')).listed).toEqual({});
    expect(
      (await start('legacy', { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/other'] } })).listed,
    ).toEqual({});
    const { listed, tools } = await start('legacy', ui);
    expect(listed).toEqual(views);
    expect(tools.find(({ name }) => name === 'shop-list')?._meta).toMatchObject({
      'svc/action_id': 'shop-list',
    });
  });

  it.each([current, 'legacy'] as const)('are pages that load nothing (%o)', async (mode) => {
    const { client } = await start(mode, ui);
    for (const uri of new Set(Object.values(views))) {
      const { contents } = await client.readResource({ uri });
      expect(contents).toMatchObject([{ uri, mimeType, _meta: { ui: { csp: {}, prefersBorder: true } } }]);
      const [{ text } = { text: '' }] = contents.map((content) =>
        'text' in content ? content : { text: '' },
      );
      expect(text).toContain(`content="default-src 'none'; style-src 'sha256-`);
      expect(text).not.toMatch(/<(?:script|link|img|iframe)[^>]+(?:src|href)=/);
      // Some clients read it after every call.
      expect(Buffer.byteLength(text)).toBeLessThan(120_000);
    }
    for (const uri of ['ui://svc/none', 'ui://svc/../../package.json', 'ui://other/result'])
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
    // Clients find the views in the tools; a person who picks a resource has no use for them.
    const { resources } = await client.listResources();
    expect(resources.filter(({ uri }) => uri.startsWith('ui:'))).toEqual([]);
  });
});
