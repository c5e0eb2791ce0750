/** The bundle for desktop clients: made, unpacked and started as they do it. Needs `dist/`. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getMcpConfigForManifest, unpackExtension, v0_3, validateManifest } from '@anthropic-ai/mcpb';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeGateways, scriptedUpstream, temporaryFolder } from '../support/gateway.ts';

let folder = '';
beforeAll(async () => {
  const file = join(await temporaryFolder(), 'svc-mcp.mcpb');
  await promisify(execFile)(process.execPath, ['--import', 'tsx', 'packaging/mcpb.ts', file]);
  folder = join(await temporaryFolder(), 'unpacked');
  expect(await unpackExtension({ mcpbPath: file, outputDir: folder, silent: true })).toBe(true);
}, 120_000);
afterAll(closeGateways);

const manifest = async () =>
  v0_3.McpbManifestSchema.parse(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')));

/** The tools of the server that a client starts with what its user typed. */
async function toolsWith(
  userConfig: Record<string, string>,
  environment: Record<string, string>,
): Promise<string[]> {
  const config = await getMcpConfigForManifest({
    manifest: await manifest(),
    extensionPath: folder,
    systemDirs: {},
    userConfig,
    pathSeparator: '/',
  });
  expect(config?.command).toBe('node');
  const client = new Client({ name: 'a-desktop', version: '1' });
  const env = { PATH: process.env.PATH ?? '', ...config?.env, ...environment };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: config?.args ?? [], env, stderr: 'ignore' }),
  );
  try {
    return (await client.listTools()).tools.map(({ name }) => name);
  } finally {
    await client.close();
  }
}

describe('the bundle', () => {
  it('has a manifest of version 0.3 whose key is a secret', async () => {
    expect(validateManifest(join(folder, 'manifest.json'))).toBe(true);
    const { user_config: asked = {}, compatibility } = await manifest();
    expect(asked.api_key).toMatchObject({ sensitive: true });
    expect(Object.values(asked).every((one) => one.required === false && one.default === '')).toBe(true);
    expect(compatibility?.platforms).toEqual([process.platform]);
  });

  it('runs with nothing filled in, by the embedded service', async () => {
    const names = await toolsWith({}, { SVC_DATA_DIR: await temporaryFolder() });
    expect(names).toEqual(expect.arrayContaining(['search_actions', 'bookshop_list_books']));
  });

  it('runs with the address and key that were filled in', async () => {
    const upstream = await scriptedUpstream({ actions: [{ action_id: 'shop-list', catalog_slug: 'shop' }] });
    const names = await toolsWith(
      { base_url: upstream.origin, api_key: upstream.apiKey },
      { SVC_DATA_DIR: await temporaryFolder() },
    );
    expect(names).toContain('shop-list');
  });
});
