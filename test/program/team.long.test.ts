/** The set-up of a team in `docs/http.md`, run as it is written, from top to bottom. Needs `dist/`. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { makeShell, readCommands, runCommands } from '../support/document-commands.ts';
import { freePort } from '../support/free-port.ts';
import { closeGateways } from '../support/gateway.ts';

afterEach(closeGateways);

it('the commands of docs/http.md set up a team, save, upgrade and revoke', { timeout: 120_000 }, async () => {
  const folder = await makeShell();
  await mkdir(join(folder, 'backup'));
  const blocks = await readCommands('docs/http.md', 'Set up a team');
  expect(blocks).toHaveLength(9);
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
  expect(await readFile(join(folder, 'backup/svc-mcp-1/service.db'))).not.toHaveLength(0);
});
