/** The run of an action whose result proves a repair: the newest of its user that returned rows, no newer than a given one. */
import * as z from 'zod';
import type { ServiceQuery } from '../store/schema.ts';
import { readResult } from './end.ts';

export interface GoodRun {
  readonly id: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly data: unknown;
}

const Params = z.record(z.string(), z.unknown());
const WithoutRows = z.looseObject({ items: z.tuple([]) });
/** Newest runs that are looked at for one with rows. */
const maxRuns = 20;

/** Undefined where none is kept, or the given one is not of this user and action. A record counts as a row. */
export async function findGoodRun(
  query: ServiceQuery,
  wanted: { readonly userId: string; readonly actionId: string; readonly jobId?: string | undefined },
): Promise<GoodRun | undefined> {
  let runs = query
    .selectFrom('jobs')
    .select(['id', 'params', 'result'])
    .where('user_id', '=', wanted.userId)
    .where('action_id', '=', wanted.actionId)
    .where('kind', '=', 'task')
    .where('status', '=', 'completed')
    .where('result', 'is not', null);
  if (wanted.jobId !== undefined) {
    const [given] = await runs.where('id', '=', wanted.jobId).select('finished_at').execute();
    if (given === undefined) return undefined;
    runs = runs.where('finished_at', '<=', given.finished_at);
  }
  const found = await runs.orderBy('finished_at', 'desc').limit(maxRuns).execute();
  for (const { id, params, result } of found) {
    if (result === null) continue;
    const data: unknown = JSON.parse(await readResult(result));
    if (WithoutRows.safeParse(data).success) continue;
    return { id, params: Params.parse(JSON.parse(params ?? '{}')), data };
  }
  return undefined;
}
