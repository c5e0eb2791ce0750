/** A real service on loopback, with catalogs and a runner that the test decides about. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pino from 'pino';
import type {
  ActionDefinition,
  ActionRunner,
  CatalogDefinition,
  CatalogSource,
  LoginRunner,
} from '../../src/service/ports.ts';
import { type RunningService, type ServiceOptions, startService } from '../../src/service/service.ts';

export function action(definition: Partial<ActionDefinition> & { action_id: string }): ActionDefinition {
  return {
    name: definition.action_id,
    description: null,
    tags: [],
    type: 'scrape',
    mode: 'async',
    auth_mode: 'none',
    parameters: { type: 'object', properties: {} },
    credits_per_call: 1,
    wheel_version: '1',
    recipe: { name: definition.action_id },
    ...definition,
  };
}

export function catalog(
  definition: Partial<CatalogDefinition> & { slug: string; actions: readonly ActionDefinition[] },
): CatalogDefinition {
  return {
    name: definition.slug,
    url: `https://www.${definition.slug}.example/`,
    category: 'test',
    description: `The site ${definition.slug}`,
    logo_url: `https://www.${definition.slug}.example/logo.png`,
    auth_types: [],
    auth_login_url: null,
    ...definition,
  };
}

/** Catalogs that the test changes with `set`. */
export function sourceOf(
  ...initial: CatalogDefinition[]
): CatalogSource & { set(...catalogs: CatalogDefinition[]): void } {
  let catalogs = initial;
  const listeners = new Set<() => void>();
  return {
    current: () => catalogs,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => Promise.resolve(),
    set(...next) {
      catalogs = next;
      for (const listener of listeners) listener();
    },
  };
}

/** Answers with the params it was given. */
export const echoRunner: ActionRunner = {
  run: async ({ params }) => ({ data: { params } }),
};

export const noLogins: LoginRunner = {
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
  /** Below the API prefix, with the default user's key. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** The job when it is no longer `processing`. */
  finished(jobId: unknown): Promise<Json>;
}

export interface TestServiceOptions extends Partial<ServiceOptions> {
  readonly logLevel?: pino.Level;
}

export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const ownFolder = options.dataDir === undefined;
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'svc-service-')));
  const service = await startService({
    catalogs: sourceOf(),
    runner: echoRunner,
    logins: noLogins,
    logger: pino({ level: options.logLevel ?? 'silent' }, pino.destination(2)),
    ...options,
    dataDir,
  });
  const call: TestService['call'] = (method, path, body, headers) =>
    request(service.baseUrl + (path.startsWith('!') ? path.slice(1) : `/v1/svc${path}`), {
      method,
      headers: {
        'x-api-key': service.apiKey,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  return {
    ...service,
    dataDir,
    call,
    async finished(jobId) {
      for (;;) {
        const { body } = await call('GET', `/jobs/${jobId}`);
        if (body.status !== 'processing') return body;
        await delay(10);
      }
    },
    async close() {
      await service.close();
      if (ownFolder) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export async function request(url: string, init: RequestInit): Promise<Reply> {
  const response = await fetch(url, init);
  const text = await response.text();
  let body: Json = {};
  try {
    body = JSON.parse(text);
  } catch {
    // The text is there to look at.
  }
  return { status: response.status, headers: response.headers, text, body };
}
