/** The parts of an open store. They bring the query builder along, which a start that only lists tools does without. */
import type { Database } from '../../store/database.ts';
import type { Principal } from '../interface/principal.ts';
import { EarlierCalls } from './earlier-calls.ts';
import { Intents } from './intents.ts';
import { KeptBatches } from './kept-batches.ts';
import { KeptHandles } from './kept-handles.ts';
import { KeptResults } from './kept-results.ts';
import { RecentJobs } from './recent-jobs.ts';
import type { GatewaySchema } from './schema.ts';

export interface OpenStore {
  readonly intents: Intents;
  readonly earlier: EarlierCalls;
  readonly batches: KeptBatches;
  readonly results: KeptResults;
  readonly handles: KeptHandles;
  readonly recent: RecentJobs;
}

export function createOpenStore(database: Database<GatewaySchema>, principal: Principal): OpenStore {
  const intents = new Intents(database, principal);
  return {
    intents,
    batches: new KeptBatches(database, principal, intents),
    earlier: new EarlierCalls(database, principal),
    results: new KeptResults(database, principal.id),
    handles: new KeptHandles(database, principal.id),
    recent: new RecentJobs(database, principal),
  };
}
