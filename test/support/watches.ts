/** Lets time pass for watches: everything that they have written becomes so much older, as if the store's clock had gone on. */

import type { GatewaySchema } from '../../src/gateway/store/schema.ts';
import type { Database } from '../../src/store/database.ts';
import { statement } from '../../src/store/statement.ts';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

export async function passTime(database: Database<GatewaySchema>, ms: number): Promise<void> {
  const older = (column: string) => `${column} = ${column} - ${ms}`;
  // Two steps, because the primary key of a run is a time.
  await database.batch([
    statement(
      `update gateway_watch set ${['anchor', 'next_at', 'extra_at', 'until_at', 'created_at', 'last_run_at', 'send_at'].map(older).join(', ')}`,
    ),
    statement(`update gateway_watch_run set due_at = -due_at, ${older('ended_at')}`),
    statement(`update gateway_watch_run set due_at = -due_at - ${ms}`),
    statement(
      `update gateway_intent set ${['created_at', 'deadline', 'submitted_at', 'finished_at', 'delivered_at'].map(older).join(', ')}`,
    ),
  ]);
}
