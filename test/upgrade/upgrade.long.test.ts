/** A data folder that an earlier version wrote opens with nothing lost, on both engines. Needs `dist/`. */
import { afterEach, describe, expect, it } from 'vitest';
import { useDatabases } from '../support/databases.ts';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { engines } from '../support/postgres.ts';
import { endPrograms, runProgram } from '../support/program.ts';
import { environmentOf, keptVersions, openTools, readFolder, unpack } from './kept-folder.ts';

const createDatabase = useDatabases({ isEmpty: true });

afterEach(async () => {
  await endPrograms();
  await closeGateways();
});

const versions = await keptVersions();
const kept = versions.flatMap((version) => engines.map((engine) => ({ version, engine })));

describe.each(kept)('a folder of $version on $engine', ({ version, engine }) => {
  const open = async () => {
    const folder = await temporaryFolder();
    const database = engine === 'postgres' ? await createDatabase() : undefined;
    const { expected } = await unpack(version, folder, database);
    return { expected, environment: environmentOf(folder, database) };
  };

  it('has all jobs, results, accounts, actions, watches, keys and the ledger', async () => {
    const { expected, environment } = await open();
    expect(await readFolder(environment)).toMatchObject(expected);
    expect(await runProgram(['doctor'], environment)).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('fail'),
    });
  });

  it('has an answer that waits for its caller, and a balance that pays for a new call', async () => {
    const { expected, environment } = await open();
    const tools = await openTools(environment);
    const joined = await tools.call('quotes_get', { id: 4 });
    expect(joined).toMatchObject({ status: 'completed', attached: true });
    expect((await tools.call('get_usage')).balance).toBe(expected.balance);
    expect(await tools.call('quotes_get', { id: 5 })).toMatchObject({ status: 'completed', credits_used: 1 });
    expect((await tools.call('get_usage')).balance).toBe(Number(expected.balance) - 1);
    await tools.close();
  });
});
