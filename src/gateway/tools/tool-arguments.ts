/** The arguments of an action's tool: the action's own params, and ours beside them. */
import type { SearchResult } from '../../contract/resources.ts';
import { GatewayError } from '../errors/errors.ts';
import type { JsonObject } from '../interface/outcomes.ts';

export interface ToolArguments {
  readonly params: JsonObject;
  /** An identity's name or a credential id. */
  readonly identity: string | undefined;
  /** JMESPath. */
  readonly select: string | undefined;
}

/** Rejects with `INVALID_PARAMS` where one of ours is no string. */
export function splitArguments(args: JsonObject, action: SearchResult): ToolArguments {
  const identityName = identityProperty(action);
  const selectName = selectProperty(action);
  const params = Object.fromEntries(
    Object.entries(args).filter(([name]) => name !== identityName && name !== selectName),
  );
  return {
    params,
    identity: identityName === undefined ? undefined : readText(args, identityName),
    select: readText(args, selectName),
  };
}

/** The property that names the account: `svc_identity` where the action has an `identity` of its own. */
export function identityProperty(action: SearchResult): string | undefined {
  if (action.auth_mode === 'none') return undefined;
  return hasOwn(action, 'identity') ? 'svc_identity' : 'identity';
}

/** The property that selects a part of the result: `svc_select` where the action has a `select` of its own. */
export const selectProperty = (action: SearchResult): string =>
  hasOwn(action, 'select') ? 'svc_select' : 'select';

function hasOwn({ params }: SearchResult, name: string): boolean {
  const { properties } = params;
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, name);
}

const advice: Readonly<Record<string, string>> = {
  identity: 'Use an identity from list_identities, or leave it out.',
  select: 'Give a JMESPath expression such as items[*].name, or leave it out.',
};

function readText(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw new GatewayError(
    'INVALID_PARAMS',
    `${name} must be a string. Nothing was sent.`,
    advice[name.replace(/^svc_/, '')] ?? 'Give a string, or leave it out.',
    { issues: [{ path: name, message: 'expected a string' }] },
  );
}
