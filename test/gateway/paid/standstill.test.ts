/** A process that stood still (SIGSTOP) while another one took over its batch. Needs `dist/`. */
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterEach, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../src/gateway/interface/outcomes.ts';
import { gatewayMigrations } from '../../../src/gateway/store/migrations.ts';
import type { GatewaySchema } from '../../../src/gateway/store/schema.ts';
import { openDatabase } from '../../../src/store/open-database.ts';
import { useDatabases } from '../../support/databases.ts';
import { closeGateways, closeLater, scriptedUpstream, temporaryFolder } from '../../support/gateway.ts';
import { engines } from '../../support/postgres.ts';
import { connectProgram, endPrograms, environmentOf } from '../../support/program.ts';

afterEach(async () => {
  await endPrograms();
  await closeGateways();
});

const createDatabase = useDatabases();

const batch = Array.from({ length: 12 }, (_, n) => ({ n }));
const list = { action_id: 'shop-list', catalog_slug: 'shop', credits: 3 };

async function call(client: Client, name: string, args: JsonObject): Promise<JsonObject> {
  const { structuredContent } = await client.callTool({ name, arguments: args });
  return { ...Object(structuredContent) };
}

it.each(engines)(
  'a process that stood still while another one finished its batch pays no row again, on %s',
  async (engine) => {
    const upstream = await scriptedUpstream({
      actions: [{ ...list, job: { ms: Number.POSITIVE_INFINITY } }],
    });
    const folder = await temporaryFolder();
    const target =
      engine === 'sqlite' ? { file: join(folder, 'gateway.db') } : { url: await createDatabase() };
    const environment = {
      ...environmentOf(upstream, folder),
      SVC_WAIT_SECONDS: '40',
      ...('url' in target && { SVC_DATABASE_URL: target.url }),
    };
    const first = await connectProgram('auto', environment);
    const firstAnswer = call(first.client, 'run_action', { action_id: 'shop-list', batch });
    // Where the test fails before it asks for the answer, the end of the program rejects it.
    firstAnswer.catch(() => undefined);
    await upstream.waitForRequests('submitTask', 5);
    const database = await openDatabase<GatewaySchema>(target, gatewayMigrations, 'gateway');
    closeLater(() => database.close());
    const rowsWhere = async (condition: 'submitted' | 'open') => {
      const rows = await database.query.selectFrom('gateway_intent').select(['state', 'open']).execute();
      return rows.filter((row) => (condition === 'open' ? row.open === 1 : row.state === condition));
    };
    await expect.poll(() => rowsWhere('submitted')).toHaveLength(5);
    process.kill(first.pid() ?? 0, 'SIGSTOP');

    upstream.service.addAction(list);
    for (const job of upstream.service.jobs.values()) job.script = {};
    const second = await connectProgram('auto', environment);
    const answer = await call(second.client, 'run_action', { action_id: 'shop-list', batch });
    expect(answer).toMatchObject({ status: 'completed', rows_completed: batch.length });
    // A further request of its client shows that the answer was read: from then on the same row is a new call.
    const delivered = async () => {
      await call(second.client, 'get_job', {});
      expect(await rowsWhere('open')).toEqual([]);
    };
    await vi.waitFor(delivered, { timeout: 20_000, interval: 200 });
    expect(upstream.requestsTo('submitTask')).toHaveLength(batch.length);

    process.kill(first.pid() ?? 0, 'SIGCONT');
    const late = await firstAnswer;
    expect(late).toMatchObject({ batch_id: answer.batch_id });
    expect(late.rows).toEqual(
      batch.map((params) => expect.objectContaining({ params, status: 'completed' })),
    );
    expect(upstream.requestsTo('submitTask')).toHaveLength(batch.length);
  },
);
