/**
 * What was shown to whom, so that the ids of a choice mean what their caller saw, in whatever process the choice is read.
 *
 * Where the process may die: before the statements, nobody was answered with these ids; after them, they mean the same.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type Statement, statement } from '../../store/statement.ts';
import type { BuildChoice, KeptChoice, KeptColumn, ShownCandidate } from '../foundation/ports.ts';
import { shownKeptMs } from '../store/retention.ts';
import type { ServiceDatabase, ServiceQuery, ServiceSchema } from '../store/schema.ts';
import { StoredChoice, StoredColumn } from './definition-rows.ts';
import { findKeptColumns } from './publish-build.ts';

/** Candidates of a user that are kept at a time: previews are free. */
const mostKept = 500;

const StoredCandidate = z.object({
  candidate: StoredChoice.shape.candidate,
  columns: z.record(z.string(), StoredColumn),
});

const hashOf = (url: string): string => createHash('sha256').update(url).digest('hex');

/** For a batch. Candidates of an earlier look stay: a caller may look at one after the other. */
export function rememberShown(
  database: Pick<ServiceDatabase, 'lockStatement'>,
  userId: string,
  url: string,
  shown: readonly ShownCandidate[],
): readonly Statement[] {
  if (shown.length === 0) return [];
  const page = hashOf(url);
  return [
    // Two looks at once that show the same in another order would wait for each other.
    database.lockStatement(`what ${userId} was shown`),
    ...shown.map((one) =>
      statement(
        `insert into shown_candidates (user_id, page_hash, candidate_id, shown, shown_at) values ($1, $2, $3, $4, $5)
         on conflict (user_id, page_hash, candidate_id) do update set shown = excluded.shown, shown_at = excluded.shown_at`,
        ...[userId, page, one.candidate.id, JSON.stringify(one), Date.now()],
      ),
    ),
    statement(
      `delete from shown_candidates where user_id = $1 and shown_at <
         (select shown_at from shown_candidates where user_id = $1 order by shown_at desc limit 1 offset ${mostKept - 1})`,
      userId,
    ),
  ];
}

/** `rememberShown` alone. A power failure may lose it: then the ids mean what the page has. */
export async function storeShown(
  database: ServiceDatabase,
  ...shown: [userId: string, url: string, shown: readonly ShownCandidate[]]
): Promise<void> {
  const statements = rememberShown(database, ...shown);
  if (statements.length > 0) await database.batch(statements, { synced: false });
}

/** What the ids of a choice meant where they were last shown; undefined for ids that were not shown, or too long ago. */
export async function findShown(
  query: ServiceQuery,
  choose: BuildChoice,
  { userId, url }: { readonly userId: string; readonly url: string },
): Promise<{ readonly columns: KeptChoice; readonly at: number } | undefined> {
  const row = await query
    .selectFrom('shown_candidates')
    .select(['shown', 'shown_at'])
    .where('user_id', '=', userId)
    .where('page_hash', '=', hashOf(url))
    .where('candidate_id', '=', choose.candidate)
    .where('shown_at', '>', Date.now() - shownKeptMs)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const columns = meaningOf(choose, StoredCandidate.parse(JSON.parse(row.shown)));
  return columns && { columns, at: row.shown_at };
}

function meaningOf(choose: BuildChoice, seen: ShownCandidate): KeptChoice | undefined {
  const fields: [string, KeptColumn][] = [];
  for (const [name, chosen] of Object.entries(choose.fields)) {
    const { column: id, match } = typeof chosen === 'string' ? { column: chosen, match: undefined } : chosen;
    const column = seen.columns[id];
    if (column === undefined) return undefined;
    fields.push([name, { ...column, ...(match === undefined ? {} : { match }) }]);
  }
  return { candidate: seen.candidate, fields: Object.fromEntries(fields) };
}

/**
 * What the columns are that a build asks for: those of the last look, or those of the action that is built again, whichever
 * is newer. Undefined where neither is known: then the ids are the page's present ones.
 */
export async function findWantedColumns(
  query: ServiceQuery,
  choose: BuildChoice | undefined,
  request: ServiceSchema['build_requests'],
): Promise<KeptChoice | undefined> {
  const { user_id: userId, website_url: url } = request;
  const shown = choose && (await findShown(query, choose, { userId, url }));
  const built = await findKeptColumns(query, request);
  const isShownLater = shown !== undefined && (built === undefined || shown.at >= built.at);
  return (isShownLater ? shown : built)?.columns;
}
