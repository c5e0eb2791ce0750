/** The gateway's settings, already parsed; their names and defaults stand with the command's settings. */
import { defaultRetention, type Retention } from '../../store/retention.ts';

export interface GatewaySettings {
  /** Catalog slugs whose actions are listed as tools; undefined: all. */
  readonly catalogs: readonly string[] | undefined;
  /** Tools in all, the static ones included; 0: no limit. */
  readonly maxTools: number;
  /** Characters of the whole `tools/list`, the static tools included; 0: no limit. */
  readonly maxToolsChars: number;
  /** Whether tools say what their results look like, where the catalog declares it. */
  readonly outputSchemas: boolean;
  /** Characters of a result's `data` before a preview takes its place; undefined: fitted to the client. */
  readonly resultChars: number | undefined;
  readonly maxCreditsPerCall: number | undefined;
  /** Per principal and UTC day. */
  readonly maxCreditsPerDay: number | undefined;
  /** For all principals that act with one service key together. */
  readonly maxCreditsPerDayPerKey: number | undefined;
  readonly confirmAboveCredits: number | undefined;
  /** Whether passwords may be passed in the params of a `login` call. */
  readonly loginParams: 'allow' | 'forbid';
  /** How long results and closed paid calls are kept, in days. */
  readonly retention: Retention;
  readonly reserved: ReservedByTools;
}

/** What the transport's own tools take. */
export interface ReservedByTools {
  /** Their names, which no action's tool may take. */
  readonly names: readonly string[];
  /** Characters of `tools/list`. */
  readonly chars: number;
  /** Arguments of the tool that runs any action, beside the action and its params. */
  readonly runArguments: readonly string[];
}

export const defaultGatewaySettings: GatewaySettings = {
  catalogs: undefined,
  maxTools: 120,
  maxToolsChars: 60_000,
  outputSchemas: false,
  resultChars: undefined,
  maxCreditsPerCall: undefined,
  maxCreditsPerDay: undefined,
  maxCreditsPerDayPerKey: undefined,
  confirmAboveCredits: undefined,
  loginParams: 'allow',
  retention: defaultRetention,
  reserved: { names: [], chars: 0, runArguments: [] },
};

/** Characters of `data` where neither the setting nor the client's own limit says otherwise. */
export const defaultResultChars = 20_000;

/** Characters of `data` that an answer of this call may hold: the setting, else what the client takes whole. */
export function resultBudget(
  { resultChars }: Pick<GatewaySettings, 'resultChars'>,
  context: { readonly resultChars?: number | undefined },
): number {
  return resultChars ?? context.resultChars ?? defaultResultChars;
}
