/** The parts of a path, and values, as sentences name them. */
import { toName } from '../../compare/main-list.ts';
import type { PathNode } from './path.ts';

/** In words: "a list of 3", "a text". */
export function describeKind(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'string') return 'a text';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** The last name of a path of names. */
export const nameOf = (node: PathNode): string | undefined =>
  node.type === 'Field' ? node.name : node.type === 'Subexpression' ? nameOf(node.right) : undefined;

/** The parts of an expression, whatever they are applied to. */
export function partsOf(node: PathNode): PathNode[] {
  if (node.type === 'Literal') return [];
  if (node.type === 'MultiSelectHash') return node.children.map(({ value }) => value);
  return Object.values(node).flat().filter(isNode);
}

/** The names of members anywhere in an expression. */
export const namesIn = (node: PathNode): ReadonlySet<string> =>
  new Set([
    ...(node.type === 'Field' ? [node.name] : []),
    ...partsOf(node).flatMap((part) => [...namesIn(part)]),
  ]);

const isNode = (value: unknown): value is PathNode =>
  typeof value === 'object' && value !== null && 'type' in value;

/** A path of names as it is written; undefined for anything else. */
export function writtenAs(node: PathNode): string | undefined {
  if (node.type === 'Field') return toName(node.name);
  if (node.type === 'Current') return '@';
  if (node.type !== 'Subexpression') return undefined;
  const [left, right] = [writtenAs(node.left), writtenAs(node.right)];
  return left === undefined || right === undefined ? undefined : `${left}.${right}`;
}

const maxShown = 60;
/** A value in a sentence. */
export const shown = (value: unknown): string => (JSON.stringify(value) ?? '').slice(0, maxShown);
