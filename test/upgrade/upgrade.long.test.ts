/** A data folder that an earlier version wrote opens with nothing lost. Needs `dist/`. */
import { afterEach, describe, expect, it } from 'vitest';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { endPrograms, runProgram } from '../support/program.ts';
import { keptVersions, openTools, readFolder, unpack } from './kept-folder.ts';

afterEach(async () => {
  await endPrograms();
  await closeGateways();
});

const versions = await keptVersions();

describe.each(versions)('a folder of %s', (version) => {
  it('has all jobs, results, accounts, actions, watches, keys and the ledger', async () => {
    const folder = await temporaryFolder();
    const { expected } = await unpack(version, folder);
    expect(await readFolder({ SVC_DATA_DIR: folder })).toMatchObject(expected);
    expect(await runProgram(['doctor'], { SVC_DATA_DIR: folder })).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('fail'),
    });
  });

  it('has an answer that waits for its caller, and a balance that pays for a new call', async () => {
    const folder = await temporaryFolder();
    const { expected } = await unpack(version, folder);
    const tools = await openTools({ SVC_DATA_DIR: folder });
    const joined = await tools.call('quotes_get', { id: 4 });
    expect(joined).toMatchObject({ status: 'completed', attached: true });
    expect((await tools.call('get_usage')).balance).toBe(expected.balance);
    expect(await tools.call('quotes_get', { id: 5 })).toMatchObject({ status: 'completed', credits_used: 1 });
    expect((await tools.call('get_usage')).balance).toBe(Number(expected.balance) - 1);
    await tools.close();
  });
});
