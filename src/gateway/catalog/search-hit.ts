/** An action as `search_actions` shows it: what a call needs, in clean words. */
import { creditsText, priceText } from '../../contract/price.ts';
import type { SearchResult } from '../../contract/resources.ts';
import { cleanText, toVisibleMembers } from '../foundation/text.ts';
import { toVisibleParams } from './action-tool.ts';
import { priceOfSearchResult } from './price.ts';
import type { Snapshot } from './snapshot.ts';

/** `isSignedIn`: an account of the catalog has signed in lately, which the result may not know yet. */
export function searchHit(
  result: SearchResult,
  snapshot: Snapshot,
  { weak, isSignedIn }: { readonly weak: boolean; readonly isSignedIn: boolean },
) {
  const { returns } = result;
  const cost = priceText(priceOfSearchResult(result));
  return {
    tool: snapshot.toToolName(result),
    action_id: result.action_id,
    ...(weak && { match: 'weak' }),
    catalog_slug: result.catalog_slug,
    catalog_name: cleanText(result.catalog_name, 120),
    name: cleanText(result.name, 120),
    description: cleanText(result.description, 500),
    mode: result.mode,
    auth_mode: result.auth_mode,
    // Without a sign-in there is nothing to be connected to.
    ...(result.auth_mode !== 'none' && { connected: result.connected || isSignedIn }),
    credits: result.credits,
    // In words where it may be more.
    ...(cost !== creditsText(result.credits) && { cost }),
    // A weak hit is only a hint at what there is.
    ...(!weak && { params: toVisibleParams(result.params).schema }),
    // The fields of the result, where the catalog declares them.
    ...(returns !== undefined && toVisibleMembers({ returns })),
  };
}

/** As many elements, from the first, as fit the budget in characters of JSON; always at least one. */
export function withinBudget<Item>(items: readonly Item[], budget: number): Item[] {
  let usedChars = 0;
  const fitting = items.findIndex((item, index) => {
    usedChars += JSON.stringify(item).length + 1;
    return usedChars > budget && index > 0;
  });
  return items.slice(0, fitting === -1 ? items.length : fitting);
}
