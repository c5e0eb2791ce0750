/** What becomes a param of the action: further pages, words to search for, the part of the address that names one. */
import { BuildError } from '../../foundation/errors.ts';
import type { Row } from '../../page/document.ts';
import type { Paging } from '../../recipes/recipe-schema.ts';
import type { Selection } from '../analysis/analyze.ts';
import { shortfall, type TestRun } from '../test/live-test.ts';
import type { PageVisit } from '../visits/page-visits.ts';
import { createRecipe, type NoPaging, type Parameters } from './action.ts';

/** What the search for params works with. */
export interface Trial {
  readonly visit: PageVisit;
  readonly selection: Selection;
  /** The rows of the live test. */
  readonly rows: readonly Row[];
  readonly run: (
    recipe: unknown,
    params?: Readonly<Record<string, unknown>>,
  ) => Promise<TestRun | { readonly failure: string }>;
}

/** Ways of paging that are tried. */
const maxWays = 3;

/** What was found of the pages after this one when they were tried: a way to read them, or why there is none. */
type Further = { readonly paging?: Paging; readonly noPaging?: NoPaging };

/** The first paging whose second page has rows that the recipe reads. */
export async function tryPaging({ visit, selection, rows, run }: Trial): Promise<Further> {
  if (!selection.many) return {};
  for (const paging of visit.analysis.paging.slice(0, maxWays)) {
    const recipe = createRecipe({ url: visit.page.url, extract: selection.extract, parameters: { paging } });
    const result = await run(recipe, { max_pages: 2 });
    if ('failure' in result) continue;
    const second = result.rows.slice(rows.length);
    // A link that leads to no further rows is not paging.
    if (second.length === 0 || JSON.stringify(second) === JSON.stringify(rows)) continue;
    const lack = shortfall(second, selection, 0);
    if (lack !== undefined) throw new BuildError('TEST_FAILED', `The test on the second page ${lack}`);
    return { paging };
  }
  if (visit.analysis.paging.length > 0) return { noPaging: 'no rows' };
  return { noPaging: visit.analysis.goesOn ? 'no address' : 'none' };
}

/** The site's search as a param, if it returns rows of the same form and different from before. */
export async function trySearch({ visit, selection, rows, run }: Trial): Promise<Parameters['search']> {
  const form = selection.many ? visit.analysis.search : undefined;
  const here = new URL(visit.page.url);
  const example = form && exampleWord(rows, here.searchParams.get(form.query) ?? '');
  if (form === undefined || example === undefined) return undefined;
  const there = new URL(form.url);
  if (there.origin !== here.origin || there.pathname !== here.pathname) return undefined;
  const search = { form, example };
  const recipe = createRecipe({ url: visit.page.url, extract: selection.extract, parameters: { search } });
  const result = await run(recipe, { query: example });
  if ('failure' in result || JSON.stringify(result.rows) === JSON.stringify(rows)) return undefined;
  return shortfall(result.rows, selection, 0) === undefined ? search : undefined;
}

/** The record's part of the address as a param, if the recipe reads other pages of the same form. */
export async function trySlug({ visit, selection, run }: Trial): Promise<Parameters['slug']> {
  const { slug } = visit.analysis;
  if (selection.many || slug === undefined) return undefined;
  const recipe = createRecipe({ url: visit.page.url, extract: selection.extract, parameters: { slug } });
  for (const other of slug.others) {
    const result = await run(recipe, { slug: other });
    if (!('failure' in result) && shortfall(result.rows, selection) === undefined) return slug;
  }
  return undefined;
}

/**
 * The longest word of the first row that has one, so that a search for it finds something; not one that the page was `asked` for,
 * which finds the same rows again.
 */
function exampleWord(rows: readonly Row[], asked: string): string | undefined {
  const isNew = (word: string) => !asked.toLowerCase().includes(word.toLowerCase());
  const words = rows
    .flatMap((row) => Object.values(row))
    .filter((value) => typeof value === 'string')
    .filter((value) => !/^https?:/.test(value))
    .map((value) => (value.match(/\p{L}{4,30}/gu) ?? []).filter(isNew));
  const [named = []] = words.filter(({ length }) => length > 0);
  return named.toSorted((one, other) => other.length - one.length)[0];
}
