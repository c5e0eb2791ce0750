/** The arguments of a call: bounded before anything else, then read by the tool's own schema. */
import * as z from 'zod';
import { GatewayError } from '../../gateway/foundation/errors.ts';
import type { JsonObject } from '../../gateway/interface/outcomes.ts';
import { argumentIssue, type Issue, toVisiblePath } from '../../gateway/schemas/argument-bounds.ts';
import type { StaticTool } from './define-tool.ts';

const maxIssues = 20;

/** @throws GatewayError INVALID_PARAMS for arguments that are too many, too deep or named dangerously. */
export function checkBounds(toolName: string, args: JsonObject): void {
  const issue = argumentIssue(args);
  if (issue !== undefined) throw invalid(toolName, [issue]);
}

/** @throws GatewayError INVALID_PARAMS with every issue, unknown arguments included. */
export function readInput(tool: StaticTool, args: JsonObject): JsonObject {
  // Models send null or an empty string for what they leave out; no static tool gives those a meaning.
  const filled = Object.entries(args)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]): [string, unknown] => [name, outOfList(value, tool.input.shape[name])]);
  // No id, name or address has one, and no database takes it.
  const withNul = filled.filter(([, value]) => typeof value === 'string' && value.includes('\0'));
  if (withNul.length > 0) {
    throw invalid(
      tool.name,
      withNul.map(([path]) => ({ path, message: 'must not contain NUL' })),
    );
  }
  const read = tool.input.safeParse(Object.fromEntries(filled));
  if (read.success) return read.data;
  const allowed = Object.keys(tool.input.shape);
  throw invalid(
    tool.name,
    read.error.issues.slice(0, maxIssues).map((issue) => describe(issue, allowed)),
  );
}

/** A text alone in a list, where the argument takes the text and no list. */
function outOfList(value: unknown, argument: StaticTool['input']['shape'][string] | undefined): unknown {
  if (argument === undefined || !Array.isArray(value) || value.length !== 1) return value;
  const [only]: readonly unknown[] = value;
  const isMeant = typeof only === 'string' && argument.safeParse(only).success;
  return isMeant && !argument.safeParse(value).success ? only : value;
}

function describe(issue: z.core.$ZodIssue, allowed: readonly string[]): Issue {
  if (issue.code !== 'unrecognized_keys' || issue.path.length > 0) {
    return { path: z.core.toDotPath(issue.path), message: issue.message };
  }
  const unknown = issue.keys
    .slice(0, maxIssues)
    .map((key) => JSON.stringify(key.slice(0, 80)))
    .join(', ');
  const known = allowed.length === 0 ? 'the tool has no arguments' : `allowed are ${allowed.join(', ')}`;
  return { path: issue.keys[0] ?? '', message: `Unknown: ${unknown}; ${known}` };
}

function invalid(toolName: string, all: readonly Issue[]): GatewayError {
  const issues = all.map((issue) => ({ ...issue, path: toVisiblePath(issue.path) }));
  const paths = [...new Set(issues.map(({ path }) => path).filter((path) => path !== ''))].slice(0, 5);
  const where = paths.length === 0 ? '' : ` (${paths.join(', ')})`;
  return new GatewayError(
    'INVALID_PARAMS',
    `The arguments do not match the input schema of ${toolName}${where}; see issues. Nothing was sent.`,
    { kind: 'correct', named: 'issues', tool: toolName },
    { issues },
  );
}
