/** A gateway whose PostgreSQL falls silent: connections stay open, and nothing comes through them any more. */
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, expect, it } from 'vitest';
import { createHttpClient } from '../../src/client/http-client.ts';
import { createGateway } from '../../src/gateway/create-gateway.ts';
import { createPrincipal } from '../../src/gateway/interface/principal.ts';
import { defaultGatewaySettings } from '../../src/gateway/interface/settings.ts';
import { GatewayDatabase } from '../../src/gateway/store/gateway-database.ts';
import { gatewayMigrations } from '../../src/gateway/store/migrations.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { useDatabases } from '../support/databases.ts';
import { callContext, closeGateways, scriptedUpstream } from '../support/gateway.ts';
import { recordingLogger } from '../support/mcp-pipe.ts';
import { hasPostgres } from '../support/postgres.ts';
import { startSilentProxy } from '../support/silent-proxy.ts';

const createDatabase = useDatabases();
afterEach(closeGateways);

it.skipIf(!hasPostgres)(
  'a gateway that starts while its database is silent says so in time, and holds no lock that others wait for',
  { timeout: 120_000 },
  async () => {
    const url = await createDatabase();
    await (await openDatabase({ url }, gatewayMigrations, 'gateway')).close();
    const proxy = await startSilentProxy(url);
    // Silent from some moment of the start on.
    for (const afterMs of [0, 30, 60, 90]) {
      const opening = openDatabase({ url: proxy.url }, gatewayMigrations, 'gateway').then(
        async (database) => {
          await sql`select 1`.execute(database.query).catch(() => undefined);
          await database.close();
          return 'ended';
        },
        () => 'ended',
      );
      await delay(afterMs);
      proxy.fallSilent();
      expect(await Promise.race([opening, delay(40_000, 'waits')])).toBe('ended');
      proxy.heal();
    }
    await (await openDatabase({ url }, gatewayMigrations, 'gateway')).close();
    await proxy.close();
  },
);

it.skipIf(!hasPostgres)(
  'a running gateway says within ten seconds that nothing was sent, is not ready, and pays again when the database answers',
  { timeout: 120_000 },
  async () => {
    const proxy = await startSilentProxy(await createDatabase());
    const upstream = await scriptedUpstream({ actions: [{ action_id: 'quick' }] });
    const api = createHttpClient({ baseUrl: upstream.origin, apiKey: upstream.apiKey });
    const store = new GatewayDatabase({ url: proxy.url });
    const gateway = createGateway({
      api,
      principal: createPrincipal(api.origin, upstream.apiKey),
      settings: defaultGatewaySettings,
      snapshotFile: undefined,
      store,
      logger: recordingLogger(),
    });
    const run = async (n: number) =>
      (await gateway.runAction({ action_id: 'quick', params: { n } }, callContext())).body;
    expect(await run(0)).toMatchObject({ status: 'completed' });
    proxy.fallSilent();
    const started = performance.now();
    const [body, ready] = await Promise.all([
      run(1),
      store.checkAnswers().then(
        () => 'ready',
        () => performance.now() - started,
      ),
    ]);
    expect(body).toMatchObject({ status: 'error', error: { code: 'STORE_UNAVAILABLE' } });
    // The limit is 8 s, and two for the question of a probe; a loaded machine is late.
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(ready).toBeLessThan(7_000);
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
    proxy.heal();
    await expect.poll(async () => (await run(2)).status, { timeout: 60_000 }).toBe('completed');
    expect(upstream.requestsTo('submitTask')).toHaveLength(2);
    await gateway.close();
    await store.close();
    await proxy.close();
  },
);
