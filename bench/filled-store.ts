/** A gateway's store with a long history. */
import { join } from 'node:path';
import Libsql from 'libsql';

/** Adds kept results, with their closed intents, to the principal that the store's newest intent is of. */
export async function fillResults(folder: string, count: number): Promise<void> {
  const database = new Libsql(join(folder, 'gateway.db'), { timeout: 30_000 });
  try {
    const { principal, service_key } = Object(
      database.prepare('select principal, service_key from gateway_intent limit 1').get(),
    );
    database.exec('begin immediate');
    database
      .prepare(
        `with recursive number (n) as (select 1 union all select n + 1 from number where n < ?)
         insert into gateway_intent (id, principal, service_key, kind, subject, call_hash, open, state, price, charged,
           owner, deadline, job_id, duration_ms, outcome, created_at, finished_at)
         select 'filled ' || n, ?, ?, 'run', 'site_action_1', 'filled ' || n, 0, 'delivered', 1, 1, 'bench:1:1', 0,
           'filled ' || n, 100, 'completed', ? - n * 1000, ? - n * 1000 from number`,
      )
      .run(count, principal, service_key, Date.now(), Date.now());
    database
      .prepare(
        `insert into gateway_result (principal, job_id, kept_at, size, body)
         select principal, job_id, created_at, 1000, randomblob(1000) from gateway_intent where id like 'filled %'`,
      )
      .run();
    database.exec('commit');
  } finally {
    database.close();
  }
}
