/** Decides what a call of an action changes, for the hints that clients go by. */
import type { SearchResult } from '../../contract/resources.ts';
import type { Effect } from '../interface/gateway.ts';
import { embeddedOrigin, type Principal } from '../interface/principal.ts';
import type { GatewaySettings } from '../interface/settings.ts';

const readingTypes = new Set(['scrape', 'extract', 'read', 'search', 'list']);

/**
 * `type`: of the action, undefined where nobody says. Spending is a change too, unless a limit or a question protects the
 * balance, or the credits are those of the embedded service, which nobody pays for.
 */
export function effectOf(
  { credits, credits_computed }: Pick<SearchResult, 'credits' | 'credits_computed'>,
  type: string | undefined,
  isSpendingGuarded: boolean,
): Effect {
  if (type === undefined || !readingTypes.has(type)) return 'changes';
  const isFree = credits === 0 && credits_computed !== true;
  return isFree || isSpendingGuarded ? 'reads' : 'spends';
}

export const isSpendingGuarded = (settings: GatewaySettings, { origin }: Principal): boolean =>
  origin === embeddedOrigin ||
  settings.maxCreditsPerDay !== undefined ||
  settings.maxCreditsPerDayPerKey !== undefined ||
  settings.confirmAboveCredits !== undefined;
