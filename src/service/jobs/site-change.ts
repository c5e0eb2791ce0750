/** Whether a site has changed under a recipe: rows, or a field, that earlier runs always had are gone. */

import { isDeepStrictEqual } from 'node:util';
import type { ServiceQuery } from '../database/schema.ts';
import { readResult } from './finishing.ts';
import type { Lease } from './leases.ts';
import { parseParams } from './params.ts';

type Row = Readonly<Record<string, unknown>>;

/** The code of a job whose recipe does not fit its site any more; it is refunded like every failed one. */
export const siteChanged = 'SITE_CHANGED';

/** How many earlier runs are compared, and the largest stored result in bytes that is read for it. */
const maxRuns = 5;
const maxBytes = 500_000;
/** How many rows (or runs, for an action with one record) must have a field before it counts as always present. */
const enoughRows = 3;

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isAbsent = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);
const toRows = (data: Row): readonly Row[] => (Array.isArray(data.items) ? data.items.filter(isRow) : [data]);

type RunOfAction = Pick<Lease, 'actionId' | 'wheelVersion' | 'params' | 'credentialId'>;

/** A sentence about what is gone; undefined where nothing is, or where there is nothing to compare with. */
export async function findChange(
  query: ServiceQuery,
  lease: RunOfAction,
  data: Row,
): Promise<string | undefined> {
  const rows = toRows(data);
  const isList = Array.isArray(data.items);
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const absent = names.filter((name) => rows.every((row) => isAbsent(row[name])));
  // Only what looks suspicious is compared: it costs reading earlier results.
  if (isList ? rows.length > 0 && absent.length === 0 : absent.length === 0) return undefined;
  const earlierRunList = await readEarlierRuns(query, lease);
  if (isList && rows.length === 0) {
    const similarRuns = earlierRunList.filter(({ params }) =>
      isDeepStrictEqual(params, parseListParams(lease.params)),
    );
    const hadRows = similarRuns.length > 0 && similarRuns.every((run) => run.rows.length > 0);
    return hadRows
      ? 'The site returned no rows, but earlier runs found some: it has changed, or the list is empty'
      : undefined;
  }
  const before = earlierRunList.flatMap((run) => run.rows);
  if (before.length < enoughRows) return undefined;
  const missingFields = absent.filter(
    (name) =>
      before.every((row) => !isAbsent(row[name])) ||
      (isList &&
        rows.length >= enoughRows &&
        earlierRunList.length >= enoughRows &&
        earlierRunList.every((run) => run.rows.some((row) => !isAbsent(row[name])))),
  );
  if (missingFields.length === 0) return undefined;
  return `Fields that earlier runs always found are missing (${missingFields.join(', ')}): the site has changed`;
}

/** The completed runs of this version of the action, by any visitor or with the same account, and the build's own test run. */
async function readEarlierRuns(query: ServiceQuery, { actionId, wheelVersion, credentialId }: RunOfAction) {
  const jobs = await query
    .selectFrom('jobs')
    .select(['params', 'result'])
    .where('action_id', '=', actionId)
    .where('wheel_version', '=', wheelVersion)
    .where('status', '=', 'completed')
    // Each account sees its own rows, and a visitor sees fewer.
    .where('credential_id', credentialId === null ? 'is' : '=', credentialId)
    .where((row) => row(row.fn<number>('length', ['result']), '<', maxBytes))
    .orderBy('created_at', 'desc')
    .limit(maxRuns)
    .execute();
  const runs: { params: unknown; rows: readonly Row[] }[] = [];
  for (const { params, result } of jobs) {
    const data: unknown = result === null ? undefined : JSON.parse(await readResult(result));
    if (isRow(data)) runs.push({ params: parseListParams(params), rows: toRows(data) });
  }
  const build = await query
    .selectFrom('build_requests')
    .select('sample')
    .where('action_id', '=', actionId)
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
  const sample: unknown = JSON.parse(build?.sample ?? '[]');
  if (Array.isArray(sample) && sample.length > 0) runs.push({ params: {}, rows: sample.filter(isRow) });
  return runs;
}

/** Params without the number of pages: the list is the same however many pages of it are read. */
function parseListParams(params: string | null): unknown {
  const { max_pages: _, ...others } = parseParams(params);
  return others;
}
