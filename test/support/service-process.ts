/**
 * A service as a process of its own, for tests that kill it. Options come as JSON in SVC_TEST_OPTIONS; one JSON line
 * on stdout says that it listens; the end of stdin stops it.
 */

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pino from 'pino';
import { rotateKeys } from '../../src/service/credentials/rotation.ts';
import type { CrashPoint } from '../../src/service/foundation/crash-points.ts';
import { RunError } from '../../src/service/foundation/errors.ts';
import { openServiceDatabase, startService } from '../../src/service/service.ts';
import { EncryptionKeys } from '../../src/store/encryption-keys.ts';
import { Random } from './random.ts';
import { action, catalog, sourceOf } from './service-fixtures.ts';

export interface ProcessOptions {
  readonly dataDir: string;
  readonly databaseUrl?: string | undefined;
  /** Dies with SIGKILL at this point. */
  readonly crashAt?: CrashPoint | undefined;
  /** Stands still (SIGSTOP) when it first reaches this point. */
  readonly stopAt?: CrashPoint | undefined;
  /** Milliseconds that a run of `work` takes at most; `params.ms` outranks it. */
  readonly runMs?: number | undefined;
  /** Of the times that runs take. */
  readonly seed?: number | undefined;
  /** Milliseconds that a build takes. */
  readonly buildMs?: number | undefined;
  readonly leaseDuration?: number | undefined;
  /** Logs no errors, where many are expected. */
  readonly quiet?: boolean | undefined;
  /** How far the wall clock of the process is wrong. */
  readonly clockAheadMs?: number | undefined;
  /** Rotates the encryption keys before it listens. */
  readonly rotate?: boolean | undefined;
}

const options: ProcessOptions = JSON.parse(process.env.SVC_TEST_OPTIONS ?? '{}');
const { clockAheadMs = 0 } = options;
const random = new Random(options.seed ?? 0);
const machineNow = Date.now;
if (clockAheadMs !== 0) Date.now = () => machineNow() + clockAheadMs;
let stopAt = options.stopAt;
const crashPoint = (point: CrashPoint): void => {
  if (point === options.crashAt) process.kill(process.pid, 'SIGKILL');
  if (point !== stopAt) return;
  stopAt = undefined;
  process.kill(process.pid, 'SIGSTOP');
};

const members = catalog({
  slug: 'members',
  auth_types: ['credentials'],
  login: { fields: [], recipe: {} },
  actions: [
    action({ action_id: 'work', credits_per_call: 3 }),
    action({ action_id: 'counted', credits_per_call: 3, credits_expression: 'cost' }),
    action({ action_id: 'quick', credits_per_call: 2, mode: 'sync' }),
    action({ action_id: 'inbox', auth_mode: 'required' }),
  ],
});

if (options.rotate === true) {
  const database = await openServiceDatabase(options);
  await rotateKeys(
    database,
    await EncryptionKeys.open(join(options.dataDir, 'credential-keys.json')),
    crashPoint,
  );
  await database.close();
}

const service = await startService({
  dataDir: options.dataDir,
  databaseUrl: options.databaseUrl,
  catalogs: sourceOf(members),
  logger: pino(
    { level: options.quiet === true ? 'silent' : 'error' },
    pino.destination({ dest: 2, sync: true }),
  ),
  crashPoint,
  jobs: { leaseDuration: options.leaseDuration ?? 1_000, concurrencyPerSite: 8 },
  logins: { login: async () => ({ verified: true, cookies: 'session', expiresAt: undefined }) },
  builder: {
    build: async ({ websiteUrl, goal, onProgress }, { signal }) => {
      onProgress?.('Fetching the page');
      await delay(options.buildMs ?? 0, undefined, { signal });
      if (goal === 'fail') return { built: false, errorType: 'NO_DATA_FOUND', message: 'As it was asked to' };
      const { actions: _, ...head } = catalog({ slug: 'built', url: websiteUrl, actions: [] });
      return { built: true, catalog: head, action: action({ action_id: 'built' }) };
    },
    preview: async () => ({ found: false, errorType: 'NO_DATA_FOUND', message: 'No' }),
  },
  runner: {
    run: async ({ params, cookies }, { signal }) => {
      const { ms, fail, cost } = params;
      await delay(typeof ms === 'number' ? ms : random.next() * (options.runMs ?? 0), undefined, { signal });
      if (fail === true) throw new RunError('As it was asked to');
      return { data: { pid: process.pid, cookies: cookies ?? null, cost: cost ?? 0 } };
    },
  },
});
process.stdout.write(`${JSON.stringify({ baseUrl: service.baseUrl, apiKey: service.apiKey })}\n`);
process.stdin.resume().once('end', () => void service.close().then(() => process.exit(0)));
