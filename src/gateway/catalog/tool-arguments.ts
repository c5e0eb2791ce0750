/** The arguments of an action's tool: the action's own params, and ours beside them. */
import type { SearchResult } from '../../contract/resources.ts';
import { GatewayError } from '../foundation/errors.ts';
import { cleanText } from '../foundation/text.ts';
import type { ResultFormat } from '../interface/gateway.ts';
import type { JsonObject } from '../interface/outcomes.ts';

export interface ToolArguments {
  readonly params: JsonObject;
  /** An identity's name or a credential id. */
  readonly identity: string | undefined;
  /** JMESPath. */
  readonly select: string | undefined;
  readonly format: ResultFormat | undefined;
  /** The names of the arguments beside the params. */
  readonly names: readonly string[];
}

/** Arguments of ours that an action's tool takes as `run_action` does. */
const everywhere = ['identity', 'select', 'format'];

/**
 * Rejects with `INVALID_PARAMS` if `identity`, `select` or `format` has a wrong value, or if one of the `runArguments`
 * (those of `run_action`) is for that tool alone: sent on as a param, it would be ignored without a word.
 */
export function splitArguments(
  args: JsonObject,
  action: SearchResult,
  runArguments: readonly string[],
): ToolArguments {
  const identityName = identityProperty(action);
  const selectName = selectProperty(action);
  const formatName = hasOwn(action, 'format') ? undefined : 'format';
  if (identityName === undefined && !hasOwn(action, 'identity')) checkIdentity(action, args.identity);
  const misplaced = runArguments.find(
    (name) => !everywhere.includes(name) && Object.hasOwn(args, name) && !hasOwn(action, name),
  );
  if (misplaced !== undefined) throw onlyForRunAction(misplaced, action.action_id);
  const ours = [selectName, formatName, identityName].filter((name) => name !== undefined);
  return {
    names: ours,
    params: Object.fromEntries(Object.entries(args).filter(([name]) => !ours.includes(name))),
    identity: identityName === undefined ? undefined : readText(args, 'identity', identityName),
    select: readText(args, 'select', selectName),
    format: formatName === undefined ? undefined : readFormat(readText(args, 'format')),
  };
}

/** The params of one input of a batch, and the account that it names. Rejects with `INVALID_PARAMS` as the tool would. */
export function splitIdentity(
  input: JsonObject,
  action: SearchResult,
): Pick<ToolArguments, 'params' | 'identity'> {
  const name = identityProperty(action);
  if (name === undefined) {
    if (!hasOwn(action, 'identity')) checkIdentity(action, input.identity);
    return { params: input, identity: undefined };
  }
  const { [name]: _identity, ...params } = input;
  return { params, identity: readText(input, 'identity', name) };
}

/** Rejects with `INVALID_PARAMS` where an account is named for an action that takes none: it would be ignored without a word. */
export function checkIdentity(action: SearchResult, identity: unknown): void {
  if (
    identityProperty(action) !== undefined ||
    identity === undefined ||
    identity === null ||
    identity === ''
  )
    return;
  throw new GatewayError(
    'INVALID_PARAMS',
    `${cleanText(action.action_id, 120)} takes no identity: it runs without an account. Nothing was sent.`,
    { kind: 'name-account', why: 'untaken' },
    { issues: [{ path: 'identity', message: 'the action has no sign-in' }] },
  );
}

/** The property that names the account: `svc_identity` where the action has an `identity` of its own. */
export function identityProperty(action: SearchResult): 'identity' | 'svc_identity' | undefined {
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

type OwnArgument = 'identity' | 'select' | 'format';

function readText(args: JsonObject, argument: OwnArgument, name: string = argument): string | undefined {
  const value = args[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw wrongArgument(argument, name, 'a string');
}

function readFormat(value: string | undefined): ResultFormat | undefined {
  if (value === undefined || value === 'json' || value === 'csv') return value;
  throw wrongArgument('format', 'format', 'json or csv');
}

const wrongArgument = (argument: OwnArgument, name: string, expected: string) =>
  new GatewayError(
    'INVALID_PARAMS',
    `${name} must be ${expected}. Nothing was sent.`,
    { kind: 'correct-argument', argument },
    { issues: [{ path: name, message: `expected ${expected}` }] },
  );

function onlyForRunAction(name: string, actionId: string): GatewayError {
  return new GatewayError(
    'INVALID_PARAMS',
    `${name} is not an argument of this tool. Nothing was sent.`,
    { kind: 'run-action', action_id: actionId, argument: name },
    { issues: [{ path: name, message: 'only run_action takes it' }] },
  );
}
