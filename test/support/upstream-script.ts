/** What a test tells the scripted upstream: its catalogs, actions and how their jobs go. */
import type { Identity, LoginField } from '../../src/contract/resources.ts';

/** How a job goes. By default it is completed at the first poll, with its params as `data.params`. */
export interface JobScript {
  readonly data?: unknown;
  /** The job fails with this. */
  readonly error?: { readonly code: string; readonly message: string };
  /** So many polls answer `processing` before the end. */
  readonly polls?: number;
  /** Milliseconds from submission before which every poll answers `processing`; Infinity: it never ends. */
  readonly ms?: number;
  /** Default: the action's price. */
  readonly creditsUsed?: number;
}

/** Only `action_id` is needed; the rest has plain defaults. `parameters` may be anything, to be hostile. */
export interface ActionScript {
  readonly action_id: string;
  readonly catalog_slug?: string;
  readonly name?: string;
  readonly description?: string | null;
  readonly tags?: readonly string[];
  /** In the details of the catalog; the search results have it only by `overrides`. */
  readonly type?: string;
  readonly mode?: string;
  readonly auth_mode?: string;
  readonly parameters?: unknown;
  readonly credits?: number;
  /** Shown under `scope=my`. */
  readonly mine?: boolean;
  /** Members of the listing that replace or join the regular ones, for answers of the wrong shape. */
  readonly overrides?: Readonly<Record<string, unknown>>;
  readonly job?: JobScript | ((params: unknown) => JobScript);
}

export interface CatalogScript {
  readonly slug: string;
  readonly id?: string;
  readonly name?: string;
  readonly category?: string;
  readonly domain?: string;
  readonly auth_types?: readonly string[];
  readonly auth_login_url?: string;
  readonly login_input_schema?: readonly LoginField[];
}

export interface UpstreamScript {
  readonly apiKey?: string;
  /** Keys that are good as well; all see the same. */
  readonly otherKeys?: readonly string[];
  readonly apiPrefix?: string;
  /** Credits of the user; default 1000. */
  readonly balance?: number;
  /** Catalogs that actions name and that are not given here come into being. */
  readonly catalogs?: readonly CatalogScript[];
  readonly actions?: readonly ActionScript[];
  readonly identities?: readonly Identity[];
  /** The header `Svc-Extensions` of every answer. */
  readonly extensions?: string;
}
