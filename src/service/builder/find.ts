/** The first page, from the one asked for along its most promising links, that holds what the goal asks for. */
import type { Details } from '../recipes/schema.ts';
import type { Build, Visit } from './build.ts';
import { filledFields } from './live-test.ts';
import { covers, type Proposal } from './proposals.ts';
import { notFound } from './verdict.ts';

/** Pages looked at besides the one that was asked for, where that one does not hold what the goal asks. */
const maxLeads = 3;
/** Rows of a list whose own pages are read at each run. */
const mostDetails = 20;

export interface Found {
  readonly visit: Visit;
  readonly proposal: Proposal;
  /** What the page of each row adds to it. */
  readonly details?: Joined | undefined;
  /** All that was seen on the way, for whoever meant something else. */
  readonly seen: readonly Proposal[];
}

export interface Joined {
  readonly recipe: Details;
  readonly fields: readonly string[];
}

const shortPath = (url: string) => {
  const { pathname, search } = new URL(url);
  const path = pathname + search;
  return path.length > 60 ? `${path.slice(0, 59)}…` : path;
};

export async function find(build: Build): Promise<Found> {
  build.progress('Fetching the page');
  const start = await build.visit(build.task.websiteUrl);
  const { proposals, feeds, leads } = start.analysis;
  const { length } = proposals;
  build.progress(`${length} ${length === 1 ? 'candidate' : 'candidates'} found`);
  const own = proposals.find((proposal) => covers(proposal));
  if (own !== undefined) return { visit: start, proposal: own, seen: proposals };
  // Where the page says that there is none, its links lead to what was not asked for.
  if (start.analysis.emptiness !== undefined) throw notFound(start, build.goal);
  const joined = await withDetails(start, build);
  if (joined !== undefined) return joined;
  const further = [...feeds.slice(0, 1), ...leads.map(({ url }) => url)].slice(0, maxLeads);
  for (const url of further) {
    build.progress(`Looking at ${shortPath(url)}`);
    const next = await build.look(url);
    if (next === undefined) continue;
    const seen = [...next.analysis.proposals, ...proposals];
    const found = next.analysis.proposals.find((proposal) => covers(proposal));
    if (found !== undefined) return { visit: next, proposal: found, seen };
    const details = await withDetails(next, build);
    if (details !== undefined) return { ...details, seen };
  }
  const nearly = proposals.find(
    (proposal) => proposal.nearly && proposal.onSubject && !isPartOf(proposal, proposals),
  );
  if (nearly !== undefined) return { visit: start, proposal: nearly, seen: proposals };
  throw notFound(start, build.goal);
}

/**
 * Few rows beside many of much the same fields are the groups of a list, or its first ones: not what was asked for. What
 * stands beside one record with fewer fields is said of it, such as its reviews.
 */
const isPartOf = (one: Proposal, proposals: readonly Proposal[]) =>
  proposals.some(
    ({ many, rows, fields }) =>
      many && rows > one.rows * 2 && fields.length * (one.many ? 2 : 1) >= one.fields.length,
  );

/** A list that lacks fields which the pages of its rows have: each row is joined with its page. */
async function withDetails(visit: Visit, build: Build): Promise<Found | undefined> {
  const { proposals } = visit.analysis;
  const list = proposals.find(
    ({ details, missing, fields, onSubject, many }) =>
      details !== undefined && many && onSubject && fields.length > 0 && missing.length <= fields.length + 1,
  );
  const [first, ...others] = list?.details?.urls ?? [];
  if (list?.details === undefined || first === undefined) return undefined;
  const { missing } = list;
  build.progress(`Looking at ${shortPath(first)}`);
  const page = await build.look(first, missing);
  const record = page?.analysis.proposals.find((proposal) => covers(proposal) && !proposal.many);
  if (record === undefined) return undefined;
  const { extract, field } = list.details;
  // The page of another row must be of the same form.
  for (const url of others.slice(0, 1)) {
    const run = await build.run({ request: { url }, extract: record.extract });
    if ('failure' in run || filledFields(run.rows, record.fields, []).length * 2 < record.fields.length)
      return undefined;
  }
  const own = list.fields.filter((name) => name !== field);
  const proposal: Proposal = {
    ...list,
    extract,
    missing: [],
    fields: [...own, field],
    fills: [...own.map((name) => list.fills[list.fields.indexOf(name)] ?? 0), 1],
  };
  const recipe = { url: `{${field}}`, extract: record.extract, most: mostDetails };
  return { visit, proposal, details: { recipe, fields: record.fields }, seen: proposals };
}
