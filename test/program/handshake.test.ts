/** What a client of the spawned program is answered before anything is opened, and where nothing can be. Needs `dist/`. */
import { access, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { connectProgram, endPrograms, runProgram, spawnProgram } from '../support/program.ts';

afterEach(async () => {
  await endPrograms();
  await closeGateways();
});

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
};

it('a handshake opens no database and starts no service', async () => {
  const folder = await temporaryFolder();
  const { child, exited, out } = spawnProgram([], { SVC_DATA_DIR: folder });
  child.stdin.end(`${JSON.stringify(initialize)}\n`);
  expect(await exited).toEqual([0, null]);
  expect(JSON.parse(out())).toMatchObject({ id: 1, result: { serverInfo: { name: 'svc-mcp' } } });
  expect(await readdir(folder)).toEqual(['api-key']);
});

it('a list of jobs needs the store alone', async () => {
  const folder = await temporaryFolder();
  const { code, stdout } = await runProgram(['jobs'], { SVC_DATA_DIR: folder });
  expect([code, stdout]).toEqual([0, expect.stringContaining('0 credits spent today')]);
  await expect(access(join(folder, 'service.db'))).rejects.toThrow('ENOENT');
});

it('a data folder that cannot be used is told by every call, and on stderr', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'file');
  await writeFile(file, '');
  const { client } = await connectProgram('legacy', { SVC_DATA_DIR: file });
  const sentence = `The data folder ${file} cannot be used (it is not a folder): set SVC_DATA_DIR`;
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('search_actions');
  for (const [name, args] of [
    ['search_actions', {}],
    ['get_job', {}],
    ['run_action', { action_id: 'x', params: {} }],
    ['a_tool_of_before', {}],
  ] as const) {
    const { isError, structuredContent } = await client.callTool({ name, arguments: args });
    const text = JSON.stringify(structuredContent);
    expect([name, isError, text]).toEqual([name, true, expect.stringContaining(sentence)]);
  }
  const { code, stderr } = await runProgram([], { SVC_DATA_DIR: file });
  expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)]);
});

it('a service that cannot start is told by every call that needs it, and on stderr', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'service.db'));
  const { client } = await connectProgram('legacy', { SVC_DATA_DIR: folder });
  for (const name of ['search_actions', 'browse_catalogs']) {
    const { isError, structuredContent } = await client.callTool({ name, arguments: {} });
    expect([isError, JSON.stringify(structuredContent)]).toEqual([
      true,
      expect.stringMatching(/The embedded service does not start: .*service\.db/),
    ]);
  }
  const { child, exited, err } = spawnProgram([], { SVC_DATA_DIR: folder });
  child.stdin.write(`${JSON.stringify(initialize)}\n`);
  await expect.poll(err).toMatch(/service\.db/);
  child.stdin.end();
  await exited;
});
