/** Interfaces between the service's folders: catalogs, the runs of actions, logins, and builds. */
import type { LoginField, Usual } from '../../contract/resources.ts';

/** An action as its author wrote it. `recipe` is checked by `recipes/` when the definition is loaded. */
export interface ActionDefinition {
  readonly action_id: string;
  readonly name: string;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly type: string;
  readonly mode: 'async' | 'sync';
  readonly auth_mode: 'none' | 'optional' | 'required';
  /** JSON Schema of the task's params. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly credits_per_call: number;
  /** JMESPath over the result; its number is the final cost. */
  readonly credits_expression?: string | undefined;
  /** What a run costs at most, whatever the expression gives. */
  readonly credits_max?: number | undefined;
  /** Derived from the content: equal definitions have equal versions. */
  readonly wheel_version: string;
  /** It reads the page of any website that its param `url` names, so its runs are no evidence about one site. */
  readonly reads_any_website?: true | undefined;
  /** Of a built action: what the columns of the page are that became its fields. */
  readonly columns?: KeptChoice | undefined;
  /** Of a built action: what it gave without params when it was tested. */
  readonly usual?: Usual | undefined;
  readonly recipe: unknown;
}

/** A catalog without its actions. */
export type CatalogHead = Omit<CatalogDefinition, 'actions'>;

/** The address of a catalog without a site of its own. The name is reserved (RFC 2606), so no build is put into it. */
export const noSite = 'https://web.example/';

export interface CatalogDefinition {
  readonly slug: string;
  readonly name: string;
  readonly url: string;
  readonly category: string;
  readonly description: string;
  readonly logo_url: string;
  readonly auth_types: readonly string[];
  readonly auth_login_url: string | null;
  /** A page test that holds once a person is signed in, for the sign-in browser. */
  readonly signed_in?: unknown;
  readonly login?: { readonly fields: readonly LoginField[]; readonly recipe: unknown } | undefined;
  readonly actions: readonly ActionDefinition[];
}

/** A catalog that this process has: one that ships with it, or a file. It is imported into the database, where definitions live. */
export interface CatalogImport {
  /** Where it comes from, such as `file:<folder>/shop.json`. An import changes only what has its own source. */
  readonly source: string;
  /** Undefined while it cannot be read; its earlier import then stays. */
  readonly catalog: CatalogDefinition | undefined;
}

/** Why a catalog is not imported: its slug or one of its ids belongs to another source. */
export interface CatalogClash {
  readonly source: string;
  /** Where in its file the clash is. */
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

/** Why a file is not used, or not as it stands now. Line and column count from 1. */
export interface CatalogProblem {
  /** The source of its earlier import, if there is one. */
  readonly source: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}

/** What is checked of the machine, and what to do about it. */
export interface HealthCheck {
  readonly name: string;
  /** Whether nothing has to be done. */
  readonly ok: boolean;
  /** Works without it, but something is not as it could be. */
  readonly note?: boolean;
  readonly detail: string;
}

export interface CatalogSource {
  /** Prefixes of this process's own sources: imports of a missing source with such a prefix are retired. */
  readonly origins: readonly string[];
  current(): readonly CatalogImport[];
  /** Calls the listener after a file was added, changed or removed; returns how to stop that. */
  onChange(listener: () => void): () => void;
  /** Receives all present clashes; a new one is logged with its file. */
  refuse(clashes: readonly CatalogClash[]): Promise<void>;
  /** What is wrong with the files at present. */
  problems(): readonly CatalogProblem[];
  close(): Promise<void>;
}

/** The one deadline of a run: aborted when its time is over, or when nobody wants it. */
export interface RunLimits {
  readonly signal: AbortSignal;
  /** The user who asks: users share the processes that read pages fairly. */
  readonly user?: string | undefined;
}

/** Runs an action's recipe. Rejects with a `RunError` and with nothing else. */
/** The pages of a list. */
export interface PagesRead {
  readonly read: number;
  /** The most that a run reads. */
  readonly most: number;
  /** The address of the page after the last one that was read, where the site tells it. */
  readonly next?: string | undefined;
  /** Why a page after the first one could not be read, as a sentence. */
  readonly failure?: string | undefined;
}

export interface ActionRunner {
  /** Why a stored recipe cannot be run; without it, all can. */
  findProblem?(recipe: unknown): string | undefined;
  run(
    task: {
      readonly recipe: unknown;
      readonly params: Readonly<Record<string, unknown>>;
      /** A signed-in session: the cookies as `tough-cookie` serializes them. */
      readonly cookies?: string | undefined;
    },
    limits: RunLimits,
  ): Promise<{
    readonly data: Readonly<Record<string, unknown>>;
    /** Set for a list. */
    readonly pages?: PagesRead;
  }>;
}

export interface BuildTask {
  readonly websiteUrl: string;
  /** The host without a leading `www.`. */
  readonly domain: string;
  readonly goal: string;
  /** The end of the action's id; without it the goal's words decide. */
  readonly name?: string | undefined;
  /** The catalog for the action; its slug begins the action's id. */
  readonly catalog: CatalogHead | undefined;
  /** Which columns of the page become the action's fields; without it the goal's words decide. */
  readonly choose?: BuildChoice | undefined;
  /** What the choice meant where it was shown, or what the columns are of the action that this build replaces. */
  readonly kept?: KeptChoice | undefined;
  /** Receives each step of the build as a sentence. */
  readonly onProgress?: (step: string) => void;
}

/** A column of a candidate, or the part of its texts that the pattern's first group matches. */
type ChosenColumn = string | { readonly column: string; readonly match?: string | undefined };

/** What a column of a page is, wherever it stands. */
export interface KeptColumn {
  /** The page's label; empty if it has none. */
  readonly label: string;
  readonly kind: string;
  /** Where its values stand in a row. */
  readonly path: string;
  /** Three of its values at most. */
  readonly samples: readonly string[];
  /** The choice's own pattern for a part of its texts. */
  readonly match?: string | undefined;
}

/** A choice by what its columns are. */
export interface KeptChoice {
  /** `layout`: equal where rows have the same places. */
  readonly candidate: { readonly id: string; readonly kind: string; readonly layout: string };
  readonly fields: Readonly<Record<string, KeptColumn>>;
}

/** A candidate as it was shown: its columns by their ids. */
export interface ShownCandidate {
  readonly candidate: KeptChoice['candidate'];
  readonly columns: Readonly<Record<string, KeptColumn>>;
}

/** What shows that an action reads what it read before. */
export interface RepairProof {
  /** Rows that the earlier run returned. */
  readonly rows_before: number;
  /** Of them, those that are on the page of now. */
  readonly rows_found: number;
  /** Of those, the ones of which every field is equal. */
  readonly rows_equal: number;
}

/** An action whose page has changed, and what it returned before. */
export interface RepairTask {
  readonly action: ActionDefinition;
  /** The params and the result of the run that was still good; without one nothing can be proved. */
  readonly good: { readonly params: Readonly<Record<string, unknown>>; readonly data: unknown } | undefined;
  readonly onProgress?: (step: string) => void;
  readonly mayRender?: () => Promise<boolean>;
}

export type RepairOutcome =
  | {
      readonly repaired: true;
      readonly action: ActionDefinition;
      readonly proof: RepairProof;
      readonly before: readonly Readonly<Record<string, unknown>>[];
      readonly after: readonly Readonly<Record<string, unknown>>[];
      readonly fields: Readonly<Record<string, { readonly before: KeptColumn; readonly after: KeptColumn }>>;
    }
  | {
      readonly repaired: false;
      readonly reason: string;
      readonly candidates: readonly PreviewCandidate[];
      readonly shown?: readonly ShownCandidate[] | undefined;
      /** Columns that say that they are the same, for a build with a choice. */
      readonly choose: BuildChoice | undefined;
    };

/** What a caller chooses from a preview. */
export interface BuildChoice {
  /** Its id, such as `t1`. */
  readonly candidate: string;
  /** Column ids, such as `c3`, by the names of the action's fields. */
  readonly fields: Readonly<Record<string, ChosenColumn>>;
  /** The params that the action gets if they pass the test; default: all that pass. */
  readonly params?: readonly string[] | undefined;
}

/** Rows, or one record, that a page offers, with the columns from which a caller chooses. */
export interface PreviewCandidate {
  readonly id: string;
  /** In words: `table`, `repeated records`. */
  readonly kind: string;
  readonly about?: string;
  readonly rows: number;
  readonly columns: readonly {
    readonly id: string;
    /** The page's label; empty if it has none. */
    readonly label: string;
    readonly kind: string;
    /** Data of the site. */
    readonly samples: readonly string[];
    /** The column whose text it is a part of, and the pattern that finds it. */
    readonly part_of?: string;
    readonly match?: string;
  }[];
  /** Columns that are left out. */
  readonly more_columns?: number;
}

export interface PreviewTask {
  readonly websiteUrl: string;
  /** Candidates that fit it come first. */
  readonly goal?: string | undefined;
  /** All columns of this one. */
  readonly candidate?: string | undefined;
  /** The first rows of this choice are shown. */
  readonly choose?: BuildChoice | undefined;
  /** What the choice meant where it was shown. */
  readonly kept?: KeptChoice | undefined;
  /** Asked before a browser is used, which costs much more than a fetch; without it one may be. */
  readonly mayRender?: () => Promise<boolean>;
}

interface Preview {
  readonly page: { readonly title: string; readonly url: string };
  readonly candidates: readonly PreviewCandidate[];
  /** The same, to be kept for the choice. */
  readonly shown: readonly ShownCandidate[];
  /** The first rows, where columns were chosen. */
  readonly sample?: readonly Readonly<Record<string, unknown>>[];
  /** How the page leads to further ones, in words. */
  readonly paging?: string;
  /** What its search form asks for. */
  readonly search?: string;
  /** What the goal seems to mean. */
  readonly guess?: BuildChoice;
  /** Fields of the goal for which no column is clearly meant. */
  readonly unmatched?: readonly string[];
  /** The words of the goal that ask for an order, which no action makes. */
  readonly unsorted?: string;
}

export type PreviewOutcome =
  | ({ readonly ok: true } & Preview)
  | { readonly ok: false; readonly errorType: string; readonly message: string };

export type BuildOutcome =
  | {
      readonly built: true;
      readonly action: ActionDefinition;
      /** Rows of the live test, at most three. */
      readonly sample?: readonly Readonly<Record<string, unknown>>[];
      /** What that test says that it could not read, or does not know. */
      readonly missing?: readonly string[];
    }
  | {
      readonly built: false;
      readonly errorType: string;
      readonly message: string;
      /** Candidates to choose from. */
      readonly candidates?: readonly PreviewCandidate[];
      /** The same, to be kept for the choice. */
      readonly shown?: readonly ShownCandidate[] | undefined;
      /** With `CHOICE_NEEDED`: the best guess, to be corrected and sent again. */
      readonly choose?: BuildChoice | undefined;
    };

/** Builds an action for a site and tries it out. Never rejects, unless the signal was aborted. */
export interface Builder {
  build(task: BuildTask, limits: RunLimits): Promise<BuildOutcome>;
  /** Looks on the changed page of an action for what it returned before. */
  repair?(task: RepairTask, limits: RunLimits): Promise<RepairOutcome>;
  /** Shows what the page offers, without building anything. */
  preview(task: PreviewTask, limits: RunLimits): Promise<PreviewOutcome>;
}
