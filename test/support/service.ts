/** A real service on loopback, with catalogs and a runner that the test decides about. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pino from 'pino';

export { action, catalog, importOf, sourceOf } from './service-fixtures.ts';

import type { LoginRunner } from '../../src/service/accounts/login-runner.ts';
import {
  builtSource,
  countUpVersion,
  saveAction,
  saveCatalog,
} from '../../src/service/catalog/definition-rows.ts';
import type {
  ActionDefinition,
  ActionRunner,
  CatalogDefinition,
} from '../../src/service/foundation/ports.ts';
import { addKey } from '../../src/service/money/keys.ts';
import { addUser } from '../../src/service/money/users.ts';
import {
  openServiceDatabase,
  type RunningService,
  type ServiceOptions,
  startServiceOn,
} from '../../src/service/service.ts';
import type { ServiceDatabase, ServiceTransaction } from '../../src/service/store/schema.ts';
import { type OnCommit, withCommitHook } from './commit-hook.ts';
import { sourceOf } from './service-fixtures.ts';

/** A gate that a runner waits at: `open` lets everybody through. */
export function gate(): { wait(): Promise<void>; open(): void; reached: Promise<void> } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let arrive = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  return {
    wait: () => {
      arrive();
      return opened;
    },
    open: () => open(),
    reached,
  };
}

/** Answers with the params it was given. */
export const echoRunner: ActionRunner = {
  run: async ({ params }) => ({ data: { params } }),
};

const noLogins: Pick<LoginRunner, 'login'> = {
  login: async () => ({ verified: false, code: 'LOGIN_FAILED' }),
};

export type Json = Record<string, unknown>;
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Json;
}

export interface TestService extends RunningService {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  /** Below the API prefix, with the default user's key. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** The job when it is no longer `processing`. */
  finished(jobId: unknown): Promise<Json>;
}

/** Works on the service's own database, beside the service. */
export async function withDatabase<Result>(
  { dataDir, databaseUrl }: { dataDir: string; databaseUrl?: string | undefined },
  work: (database: ServiceDatabase) => Promise<Result>,
): Promise<Result> {
  const database = await openServiceDatabase({ dataDir, databaseUrl });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Another user with a key. `headers` are for `call`. */
export function addTestUser(
  service: TestService,
  name: string,
  credits = 100,
): Promise<{ id: string; headers: Record<string, string> }> {
  return withDatabase(service, async (database) => {
    const { id } = await addUser(database, name, credits);
    const { key } = await addKey(database, name, 'test');
    return { id, headers: { 'x-api-key': key } };
  });
}

/** Puts an action into the database, in a new catalog or one that is there. */
export async function publish(
  transaction: ServiceTransaction,
  published: {
    readonly catalog: Omit<CatalogDefinition, 'actions'> | { readonly id: string };
    readonly action: ActionDefinition;
    readonly ownerUserId: string | null;
    readonly status?: 'active' | 'pending_review';
  },
): Promise<void> {
  const { catalog, action, ownerUserId: owner, ...state } = published;
  const catalogId =
    'id' in catalog ? catalog.id : await saveCatalog(transaction, catalog, { owner, source: builtSource });
  await saveAction(transaction, action, { ...state, owner, catalogId, source: builtSource });
  await countUpVersion(transaction);
}

/** Balances with the sums of their ledger rows, which must be the same, and the refunds that were given twice. */
export function readMoney(service: { dataDir: string; databaseUrl?: string | undefined }) {
  return withDatabase(service, async (database) => {
    const users = await database.query
      .selectFrom('users')
      .leftJoin('ledger', 'ledger.user_id', 'users.id')
      .select((row) => ['users.name', 'users.balance', row.fn.sum<number | null>('ledger.amount').as('sum')])
      .groupBy(['users.id', 'users.name', 'users.balance'])
      .execute();
    const refunds = await database.query
      .selectFrom('ledger')
      .select((row) => ['job_id', row.fn.countAll<number>().as('count')])
      .where('kind', '=', 'refund')
      .groupBy('job_id')
      .execute();
    return {
      balances: Object.fromEntries(users.map((user) => [user.name, user.balance])),
      mismatches: users.filter((user) => user.balance !== (user.sum ?? 0)).length,
      doubleRefunds: refunds.filter((row) => row.count > 1).length,
    };
  });
}

export interface TestServiceOptions extends Partial<ServiceOptions> {
  readonly logLevel?: pino.Level;
  readonly onCommit?: OnCommit;
}

export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const ownFolder = options.dataDir === undefined;
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'svc-service-')));
  const { onCommit, databaseUrl } = options;
  const database = await openServiceDatabase({ dataDir, databaseUrl });
  const service = await startServiceOn(
    onCommit === undefined ? database : withCommitHook(database, onCommit),
    {
      catalogs: sourceOf(),
      runner: echoRunner,
      logins: noLogins,
      logger: pino({ level: options.logLevel ?? 'silent' }, pino.destination(2)),
      ...options,
      dataDir,
    },
  );
  const call = callerOf(service);
  return {
    ...service,
    dataDir,
    databaseUrl,
    call,
    finished: (jobId) => finished(call, jobId),
    async close() {
      await service.close();
      if (ownFolder) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export type Call = TestService['call'];

export const callerOf =
  (service: { baseUrl: string; apiKey: string }): Call =>
  (method, path, body, headers) =>
    request(service.baseUrl + (path.startsWith('!') ? path.slice(1) : `/v1/svc${path}`), {
      method,
      headers: {
        'x-api-key': service.apiKey,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });

export async function finished(call: Call, jobId: unknown): Promise<Json> {
  // Most jobs end at once; hundreds that do not would be asked for all the time.
  for (let pause = 5; ; pause = Math.min(2 * pause, 100)) {
    const { body } = await call('GET', `/jobs/${jobId}`);
    if (body.status !== 'processing') return body;
    await delay(pause);
  }
}

/** Milliseconds until a request without an answer counts as an error. */
const answerMs = 120_000;

export async function request(url: string, init: RequestInit): Promise<Reply> {
  const response = await fetch(url, { signal: AbortSignal.timeout(answerMs), ...init });
  const text = await response.text();
  let body: Json = {};
  try {
    body = JSON.parse(text);
  } catch {
    // The text is there to look at.
  }
  return { status: response.status, headers: response.headers, text, body };
}
