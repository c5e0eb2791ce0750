/**
 * A gateway over the real HTTP client, against the scripted upstream, with a data folder of its own.
 *
 *     const { gateway, upstream } = await startGateway({ actions: [{ action_id: 'shop-list', catalog_slug: 'shop' }] });
 *     const { body } = await gateway.runAction({ action_id: 'shop-list' }, callContext());
 *     const other = openGateway(upstream, folder);     // another process or a restart, as far as the store can tell
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { createHttpClient } from '../../src/client/http-client.ts';
import { SnapshotFile } from '../../src/gateway/catalog/snapshot-file.ts';
import { createGateway } from '../../src/gateway/create-gateway.ts';
import type { GatewayDependencies } from '../../src/gateway/gateway-parts.ts';
import type { CallContext, Gateway } from '../../src/gateway/interface/gateway.ts';
import type { JsonObject, Outcome } from '../../src/gateway/interface/outcomes.ts';
import { createPrincipal } from '../../src/gateway/interface/principal.ts';
import { defaultGatewaySettings, type GatewaySettings } from '../../src/gateway/interface/settings.ts';
import { gatewayMigrations } from '../../src/gateway/store/migrations.ts';
import type { GatewaySchema } from '../../src/gateway/store/schema.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { recordingLogger } from './mcp-pipe.ts';
import { startUpstream, type Upstream } from './upstream.ts';
import type { UpstreamScript } from './upstream-script.ts';

const cleanups: (() => Promise<unknown>)[] = [];

/** Closes and removes everything that was started: for `afterEach`. */
export async function closeGateways(): Promise<void> {
  for (const cleanup of cleanups.reverse().splice(0)) await cleanup();
}

/** Closes something else before what was started earlier. */
export const closeLater = (cleanup: () => Promise<unknown>): void => {
  cleanups.push(cleanup);
};

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-mcp-test-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function scriptedUpstream(script: UpstreamScript = {}): Promise<Upstream> {
  const upstream = await startUpstream(script);
  cleanups.push(() => upstream.close());
  return upstream;
}

export interface OpenGateway {
  readonly gateway: Gateway;
  readonly logger: ReturnType<typeof recordingLogger>;
  readonly principal: string;
}

export function openGateway(
  upstream: Pick<Upstream, 'origin' | 'apiKey'>,
  folder: string,
  settings: Partial<GatewaySettings> = {},
  apiKey = upstream.apiKey,
  more: Partial<
    Pick<
      GatewayDependencies,
      | 'principal'
      | 'store'
      | 'signIn'
      | 'limits'
      | 'clock'
      | 'onServiceChange'
      | 'sharedActions'
      | 'keyHolder'
      | 'watchOutlets'
    >
  > = {},
): OpenGateway {
  const api = createHttpClient({ baseUrl: upstream.origin, apiKey });
  const principal = createPrincipal(api.origin, apiKey);
  const logger = recordingLogger();
  const gateway = createGateway({
    api,
    principal,
    settings: { ...defaultGatewaySettings, ...settings },
    snapshotFile: new SnapshotFile(folder, principal.id),
    store: { file: join(folder, 'gateway.db') },
    logger,
    ...more,
  });
  cleanups.push(() => gateway.close());
  return { gateway, logger, principal: principal.id };
}

export async function startGateway(
  script: UpstreamScript = {},
  settings: Partial<GatewaySettings> = {},
  more: Parameters<typeof openGateway>[4] = {},
) {
  const upstream = await scriptedUpstream(script);
  const folder = await temporaryFolder();
  return { upstream, folder, ...openGateway(upstream, folder, settings, upstream.apiKey, more) };
}

/** The gateway's tables in a data folder, to look at or to let time pass in. */
export async function openStore(folder: string): Promise<Database<GatewaySchema>> {
  const database = await openDatabase<GatewaySchema>(
    { file: join(folder, 'gateway.db') },
    gatewayMigrations,
    'gateway',
  );
  cleanups.push(() => database.close());
  return database;
}

const SnapshotHeader = z.looseObject({ fetchedAt: z.number() });

/** Makes every catalog snapshot in a data folder `ms` milliseconds older; its first line has the time. */
export async function ageSnapshots(folder: string, ms: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('catalog-'));
  if (names.length === 0) throw new Error(`No snapshot in ${folder}`);
  for (const file of names.map((name) => join(folder, name))) {
    const [first = '', ...lines] = (await readFile(file, 'utf8')).split('\n');
    const header = SnapshotHeader.parse(JSON.parse(first));
    const older = JSON.stringify({ ...header, fetchedAt: header.fetchedAt - ms });
    await writeFile(file, [older, ...lines].join('\n'));
  }
}

/** A call's surroundings; `progressed` collects what it was told. */
export function callContext(
  more: Partial<CallContext> = {},
): CallContext & { readonly progressed: readonly string[] } {
  const progressed: string[] = [];
  return {
    signal: new AbortController().signal,
    waitMs: 10_000,
    progress: ({ message }) => progressed.push(message),
    confirmation: 'cannot-ask',
    ...more,
    progressed,
  };
}

/** Calls an action by its tool's name, which there is. */
export async function runTool(gateway: Gateway, name: string, args: JsonObject = {}): Promise<Outcome> {
  const outcome = await gateway.runTool(name, args, callContext());
  if (outcome === undefined) throw new Error(`No tool has the name ${name}`);
  return outcome;
}

/** What a transport does once the answer was written to its client. */
export async function deliver<Answer extends Outcome>(answer: Answer | Promise<Answer>): Promise<Answer> {
  const outcome = await answer;
  await outcome.delivered?.();
  return outcome;
}
