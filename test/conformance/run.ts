/**
 * Runs the protocol's conformance suite against the HTTP transports: every server scenario that the two revisions
 * require, and those of the tasks extension. The suite needs a newer Node than this program, so both are installed in a folder of their own.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { startHttpServer } from '../../src/mcp/transports/http/http-server.ts';
import { recordingLogger } from '../support/mcp-pipe.ts';
import { createFixture } from './fixture.ts';

const folder = resolve(import.meta.dirname, '../../.conformance');
const packages = ['node@24', '@modelcontextprotocol/conformance@0.2.0-alpha.12'];
const revisions = ['2026-07-28', '2025-11-25'];
/**
 * An extension's scenarios are on no revision's list: the suite runs them one at a time, and only when it is forced. Two
 * are left out: `tasks-lifecycle` and `tasks-mrtr-input` want tasks that fail by an error of the protocol or ask a
 * question. No task of this program does either; test/mcp/tasks/tasks.test.ts holds the rest.
 */
const taskScenarios = [
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-status-notifications',
  'tasks-required-task-error',
  'tasks-mrtr-composition',
];

const node = join(folder, 'node_modules/node/bin/node');
const suite = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

if (!existsSync(node) || !existsSync(suite)) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  process.stdout.write(`Installing ${packages.join(' and ')}\n`);
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: folder });
}

const listeners = new Set<() => void>();
const server = await startHttpServer({
  host: '127.0.0.1',
  port: 0,
  access: { sharedKey: 'conformance', token: undefined },
  openBackend: () => ({
    id: 'conformance',
    createServer: () =>
      createFixture(() => {
        for (const listener of listeners) listener();
      }),
    onListingChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onWatchNews: () => () => undefined,
    endWaits: () => undefined,
    endSignIns: async () => undefined,
    close: async () => undefined,
  }),
  checkReady: async () => undefined,
  logger: recordingLogger(),
});

const failed: string[] = [];
for (const revision of revisions) await check(revision, ['--requirements', revision]);
for (const scenario of taskScenarios) {
  await check(scenario, ['--scenario', scenario, '--spec-version', '2026-07-28', '--force']);
}
await server.close(0);
if (failed.length > 0) process.stdout.write(`Failed: ${failed.join(', ')}\n`);
process.exit(failed.length === 0 ? 0 : 1);

async function check(what: string, chosen: readonly string[]): Promise<void> {
  // `npm run conformance -- tasks` runs those only.
  if (!what.includes(process.argv[2] ?? '')) return;
  const startedAt = performance.now();
  const args = [suite, 'server', '--url', `${server.origin}/mcp`, ...chosen];
  const run = spawn(node, args, { stdio: 'inherit', cwd: folder });
  const [code] = await once(run, 'exit');
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${what}: ${code === 0 ? 'passed' : 'failed'} in ${seconds} s\n`);
  if (code !== 0) failed.push(what);
}
