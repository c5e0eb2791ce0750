/** What the gateway tells about websites as a whole. */
import type { JsonObject } from './outcomes.ts';

export interface WebsiteSummary {
  readonly slug: string;
  /** The catalog's own name, cleaned. */
  readonly name: string;
  /** Names of its first actions. */
  readonly titles: readonly string[];
}

export interface WebsiteGuide extends WebsiteSummary {
  readonly actions: readonly GuidedAction[];
  /** How many actions it has beyond these. */
  readonly further: number;
}

export interface GuidedAction {
  readonly tool: string;
  readonly actionId: string;
  readonly title: string;
  /** As of its tool: what it does and returns, its price, and its need of an account. */
  readonly description: string;
  /** Params that the schema's own examples make up, the fewest first; none where it has too few. */
  readonly examples: readonly JsonObject[];
  /** Of this principal; undefined where there are none. */
  readonly runs: RunsSeen | undefined;
}

/** How the newest runs of an action ended. */
export interface RunsSeen {
  readonly completed: number;
  readonly failed: number;
  /** Completed ones whose result had no rows. */
  readonly withoutRows: number;
  readonly medianMs: number | undefined;
  readonly longestMs: number | undefined;
}
