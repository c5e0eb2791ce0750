/** What becomes a param of the action: further pages, words to search for, the part of the address that names one. */
import type { Paging } from '../recipes/schema.ts';
import { type Draft, type Parameters, recipeOf } from './action.ts';
import type { Build, Visit } from './build.ts';
import { BuildFailure } from './failures.ts';
import type { Goal } from './goal.ts';
import { shortfall } from './live-test.ts';
import { covers, type Proposal } from './proposals.ts';
import type { SearchForm } from './site-search.ts';

/** The first paging whose second page has rows that the recipe reads as well. */
export async function pagingFor(
  draft: Draft,
  proposal: Proposal,
  first: readonly unknown[],
  ways: readonly Paging[],
  build: Build,
): Promise<Paging | undefined> {
  for (const paging of ways.slice(0, 3)) {
    const recipe = recipeOf({ ...draft, parameters: { ...draft.parameters, paging } });
    const run = await build.run(recipe, { max_pages: 2 });
    if ('failure' in run) continue;
    const second = run.rows.slice(first.length);
    // A link that leads to no further rows was no paging.
    if (second.length === 0 || JSON.stringify(second) === JSON.stringify(first)) continue;
    const lack = shortfall(second, proposal.fields, proposal.fills);
    if (lack !== undefined) throw new BuildFailure('TEST_FAILED', `The test on the second page ${lack}`);
    return paging;
  }
  return undefined;
}

/** The search form of the page, or else what the site's OpenSearch description says. */
async function formOf({ page, analysis }: Visit, build: Build): Promise<SearchForm | undefined> {
  const { search, openSearch } = analysis;
  if (search !== undefined || openSearch === undefined) return search;
  if (new URL(openSearch).origin !== new URL(page.url).origin) return undefined;
  return (await build.look(openSearch))?.analysis.search;
}

/** The search of the site as a param, where it gives rows of the same form and does search. */
export async function searchFor(
  visit: Visit,
  proposal: Proposal,
  all: readonly unknown[],
  build: Build,
): Promise<Parameters['search']> {
  if (!proposal.many) return undefined;
  const form = await formOf(visit, build);
  if (form === undefined) return undefined;
  const here = new URL(visit.page.url);
  const there = new URL(form.url);
  if (there.origin !== here.origin || there.pathname !== here.pathname) return undefined;
  const example = exampleWord(proposal, build.goal);
  if (example === undefined) return undefined;
  const search = { form, example, fallback: false };
  const recipe = recipeOf({ url: visit.page.url, extract: proposal.extract, parameters: { search } });
  const run = await build.run(recipe, { query: example });
  if ('failure' in run || run.rows.length === 0 || JSON.stringify(run.rows) === JSON.stringify(all))
    return undefined;
  return shortfall(run.rows, proposal.fields, proposal.fills) === undefined ? search : undefined;
}

/** Where the goal is to search: the page of results, for a word that the site has. */
export async function searchPage(
  start: Visit,
  proposal: Proposal,
  build: Build,
): Promise<{ visit: Visit; proposal: Proposal; search: NonNullable<Parameters['search']> } | undefined> {
  if (!build.goal.searches) return undefined;
  let form = await formOf(start, build);
  const lead = start.analysis.leads.find(({ url, text }) =>
    /search|suche|find/i.test(`${new URL(url).pathname} ${text}`),
  );
  if (form === undefined && lead !== undefined) {
    const page = await build.look(lead.url);
    form = page === undefined ? undefined : await formOf(page, build);
  }
  const example = exampleWord(proposal, build.goal);
  if (
    form === undefined ||
    example === undefined ||
    new URL(form.url).origin !== new URL(start.page.url).origin
  )
    return undefined;
  const url = new URL(form.url);
  for (const [name, value] of Object.entries({ ...form.constants, [form.query]: example }))
    url.searchParams.set(name, value);
  build.progress('Trying the search of the site');
  const results = await build.look(url.href);
  if (results === undefined) return undefined;
  const search = { form, example, fallback: true };
  // A page of one result shows no repetition, so what read the listing is tried first.
  const listings = [
    proposal,
    ...results.analysis.proposals.filter((candidate) => candidate.many && covers(candidate)),
  ];
  for (const listing of listings) {
    const recipe = recipeOf({ url: results.page.url, extract: listing.extract, parameters: { search } });
    const run = await build.run(recipe, {});
    if (!('failure' in run) && shortfall(run.rows, listing.fields, listing.fills) === undefined)
      return { visit: results, proposal: listing, search };
  }
  return undefined;
}

/** Other pages of the same form make a record's address a param. */
export async function slugFor(
  { page, analysis }: Visit,
  proposal: Proposal,
  build: Build,
): Promise<Parameters['slug']> {
  if (proposal.many) return undefined;
  const here = new URL(page.url);
  const parts = /^(.*\/)([^/]+?)(\/|\.html?)?$/.exec(here.pathname);
  const [, prefix, value, suffix = ''] = parts ?? [];
  if (prefix === undefined || value === undefined || here.search !== '') return undefined;
  const siblings = analysis.siblings.filter((other) => other !== value);
  for (const other of siblings.slice(0, 2)) {
    const slug = { prefix: `${here.origin}${prefix}`, suffix, value, others: siblings.slice(0, 2) };
    const recipe = recipeOf({ url: page.url, extract: proposal.extract, parameters: { slug } });
    const run = await build.run(recipe, { slug: other });
    if (!('failure' in run) && shortfall(run.rows, proposal.fields, proposal.fills) === undefined)
      return slug;
  }
  return undefined;
}

/** A word of the first rows, the longest of their names: what a search finds at least once. */
function exampleWord(proposal: Proposal, goal: Goal): string | undefined {
  const asked = new Set(goal.subject);
  const texts = proposal.sample.slice(0, 1).flatMap((row) => proposal.fields.map((name) => row[name]));
  for (const value of texts) {
    if (typeof value !== 'string' || /^https?:/.test(value)) continue;
    const words = value.match(/\p{L}{4,}/gu) ?? [];
    const [longest] = words
      .filter((word) => !asked.has(word.toLowerCase()))
      .sort((one, other) => other.length - one.length);
    if (longest !== undefined) return longest;
  }
  return undefined;
}
