/** The set-up of a team in `docs/http.md`, run as it is written, from top to bottom. Needs `dist/`. */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { useDatabases } from '../support/databases.ts';
import { makeShell, readCommands, runCommands } from '../support/document-commands.ts';
import { freePort } from '../support/free-port.ts';
import { closeGateways } from '../support/gateway.ts';
import { engines } from '../support/postgres.ts';

const page = 'docs/http.md';

afterEach(closeGateways);

const createDatabase = useDatabases({ isEmpty: true });

/** What the page says to do before its first command. */
async function findPostgresCommand(): Promise<string> {
  const [, command] =
    /```sh no-test\n(export SVC_DATABASE_URL=.*)\n/.exec(await readFile(page, 'utf8')) ?? [];
  if (command === undefined) throw new Error(`${page} does not say how PostgreSQL is set`);
  return command.replace(/=.*/, `='${await createDatabase()}'`);
}

it.each(engines)(
  'the commands of docs/http.md set up a team, save, upgrade and revoke (%s)',
  {
    timeout: 120_000,
  },
  async (engine) => {
    const folder = await makeShell();
    await mkdir(join(folder, 'backup'));
    const blocks = await readCommands(page, 'Set up a team');
    expect(blocks).toHaveLength(9);
    if (engine === 'postgres') blocks.unshift(await findPostgresCommand());
    const stdout = await runCommands(blocks, {
      folder,
      replaced: {
        '/srv/': `${folder}/`,
        '/backup/': `${folder}/backup/`,
        8081: String(await freePort()),
        8080: String(await freePort()),
      },
    });
    // The user, the answers of `ask`, the metrics of both programs, and the copy.
    expect(stdout).toMatch(/alice +700 /);
    expect(stdout.match(/HTTP\/1\.1 \d+/g)).toEqual([
      ...['HTTP/1.1 200', 'HTTP/1.1 200'],
      // The revoked key, and the new one.
      ...['HTTP/1.1 401', 'HTTP/1.1 200'],
    ]);
    expect(stdout).toContain('svc_mcp_http_requests_total{');
    expect(stdout).toContain('svc_jobs');
    // The service's key is in the folder, whatever the engine.
    expect(await readdir(join(folder, 'backup/svc-mcp-1'))).toEqual(
      expect.arrayContaining(['api-key', ...(engine === 'sqlite' ? ['service.db', 'gateway.db'] : [])]),
    );
  },
);
