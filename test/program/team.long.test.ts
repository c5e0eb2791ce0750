/** The set-up of a team in `docs/http.md`, run as it is written, from top to bottom. Needs `dist/`. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { expectBuilt, programFile } from '../support/program.ts';

afterEach(closeGateways);

const page = resolve(import.meta.dirname, '../../docs/http.md');

/** The commands of the section, in the order in which they stand there. */
async function readCommands(): Promise<string[]> {
  const section = /\n## Set up a team\n([\s\S]*?)\n## /.exec(await readFile(page, 'utf8'))?.[1] ?? '';
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands = '']) => commands);
}

it('the commands of docs/http.md set up a team, save, upgrade and revoke', { timeout: 120_000 }, async () => {
  expectBuilt();
  const folder = await temporaryFolder();
  const binaries = join(folder, 'bin');
  await mkdir(binaries);
  await mkdir(join(folder, 'backup'));
  const commands: [string, string][] = [
    ['svc-mcp', `exec '${process.execPath}' '${programFile}' "$@"`],
    // The upgrade installs a file that only a release has.
    ['npm', ''],
  ];
  for (const [name, text] of commands) {
    await writeFile(join(binaries, name), `#!/bin/sh\n${text}\n`);
    await chmod(join(binaries, name), 0o755);
  }
  const [servicePort, httpPort] = [await freePort(), await freePort()];
  const blocks = await readCommands();
  expect(blocks).toHaveLength(9);
  const script = blocks
    .join('\n')
    .replaceAll('/srv/', `${folder}/`)
    .replaceAll('/backup/', `${folder}/backup/`)
    .replaceAll('8081', String(servicePort))
    .replaceAll('8080', String(httpPort));
  const { stdout } = await promisify(execFile)(
    'bash',
    ['-ec', `trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT\n${script}`],
    { cwd: folder, env: { PATH: `${binaries}:${process.env.PATH}`, HOME: folder } },
  );
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
