/** Why a path finds nothing: the first name that no value has, and the names that are there instead. */
import { nearestName } from '../foundation/text.ts';
import { evaluate } from './jmespath.ts';
import type { PathNode } from './path.ts';
import { describeKind } from './path-words.ts';

export interface MissingName {
  readonly name: string;
  /** The names at the deepest point that the path reaches. */
  readonly keys: readonly string[];
  /** The name that was probably meant. */
  readonly nearest?: string | undefined;
  /** What the path reaches if it has no names: "a list of 3", "a text". */
  readonly kind: string;
  /** Whether it reaches lists whose rows have the name. */
  readonly isOfRows: boolean;
}

/** Values that are looked at for a name. */
const maxValues = 20_000;
const maxKeys = 30;
/** Values to which a function is applied only to see what it makes of them. */
const maxCalls = 100;

type FunctionNode = Extract<PathNode, { type: 'Function' }>;

/** Undefined where every name of the path exists. */
export function missingName(node: PathNode, data: unknown): MissingName | undefined {
  return walk(node, [data]).missing;
}

/** The values that a path leads to from several values at once. */
export const namedValues = (node: PathNode, values: readonly unknown[]): readonly unknown[] =>
  walk(node, values).values;

const isProjection = ({ type }: PathNode): boolean =>
  ['Projection', 'ValueProjection', 'FilterProjection'].includes(type);

/** A pipe ends a projection: what follows gets the list itself. */
export const pipedValues = (node: PathNode, reached: readonly unknown[]): readonly unknown[] =>
  isProjection(node) ? [reached] : reached;

interface Walk {
  readonly missing?: MissingName;
  /** The values that the path leads to. */
  readonly values: readonly unknown[];
}

const unknown: Walk = { values: [] };

/** Follows a path from several values at once: a projection fails where none of its elements has the name. */
function walk(node: PathNode, values: readonly unknown[]): Walk {
  switch (node.type) {
    case 'Field':
      return field(node.name, values);
    case 'Identity':
    case 'Current':
      return { values };
    case 'Index':
      return { values: values.flatMap((value) => (Array.isArray(value) ? [value.at(node.value)] : [])) };
    case 'Slice':
      return { values: values.filter((value) => Array.isArray(value)) };
    case 'Subexpression':
    case 'IndexExpression':
      return both(node.left, node.right, values);
    case 'Pipe': {
      const reached = walk(node.left, values);
      return reached.missing === undefined
        ? walk(node.right, pipedValues(node.left, reached.values))
        : reached;
    }
    case 'Projection':
    case 'ValueProjection':
      return projected(node.left, [node.right], values);
    case 'FilterProjection':
      return projected(node.left, [node.condition, node.right], values);
    case 'Flatten': {
      const reached = walk(node.child, values);
      // The values of a projection are its elements already.
      if (reached.missing !== undefined || isProjection(node.child)) return reached;
      // Of anything but a list it is null, whatever follows.
      if (!reached.values.some(Array.isArray)) return unknown;
      return { values: reached.values.map((value) => (Array.isArray(value) ? value.flat() : value)) };
    }
    case 'Comparator':
    case 'AndExpression':
      return all([node.left, node.right], values);
    case 'MultiSelectHash':
      return all(
        node.children.map(({ value }) => value),
        values,
      );
    case 'MultiSelectList':
      return all(node.children, values);
    case 'Function':
      return called(node, values);
    case 'NotExpression':
      return all([node.child], values);
    default:
      return unknown;
  }
}

function field(name: string, values: readonly unknown[]): Walk {
  const looked = values.slice(0, maxValues);
  const next = looked.flatMap((value) =>
    isObject(value) && Object.hasOwn(value, name) ? [value[name]] : [],
  );
  // No explanation if some values were not looked at, or if there are none, or of `null`, which means what it says.
  if (
    name === 'null' ||
    next.length > 0 ||
    looked.length < values.length ||
    looked.every((value) => value == null)
  )
    return { values: next };
  const keys = [...new Set(looked.flatMap((value) => (isObject(value) ? Object.keys(value) : [])))];
  const kind = describeKind(looked.find((value) => value != null));
  const isOfRows = looked.some(
    (value) => Array.isArray(value) && value.some((row) => isObject(row) && Object.hasOwn(row, name)),
  );
  return {
    missing: { name, keys: keys.slice(0, maxKeys), nearest: nearestName(name, keys), kind, isOfRows },
    values: [],
  };
}

function both(left: PathNode, right: PathNode, values: readonly unknown[]): Walk {
  const reached = walk(left, values);
  return reached.missing === undefined ? walk(right, reached.values) : reached;
}

function projected(left: PathNode, rights: readonly PathNode[], values: readonly unknown[]): Walk {
  const reached = walk(left, values);
  if (reached.missing !== undefined) return reached;
  const elements = reached.values.flatMap((value) =>
    typeof value === 'object' && value !== null ? Object.values(value) : [],
  );
  let last: Walk = unknown;
  for (const right of rights) {
    last = walk(right, elements);
    if (last.missing !== undefined) return last;
  }
  return last;
}

/** What a function gets, and what its expression asks of the elements of its list; then what it makes of them. */
function called(node: FunctionNode, values: readonly unknown[]): Walk {
  const given = node.children.filter(({ type }) => type !== 'ExpressionReference');
  // It is for values that may lack the name.
  const { missing } = node.name === 'not_null' ? unknown : all(given, values);
  if (missing !== undefined) return { missing, values: [] };
  const [list] = given;
  for (const by of node.children) {
    if (by.type !== 'ExpressionReference' || list === undefined) continue;
    const asked = walk(by.child, elementsAt(list, values));
    if (asked.missing !== undefined) return asked;
  }
  return values.length > maxCalls ? unknown : { values: values.flatMap((value) => resultOf(node, value)) };
}

/** Nothing where it fails, or reads a variable. */
function resultOf(node: FunctionNode, value: unknown): unknown[] {
  try {
    return [evaluate(node, value)];
  } catch {
    return [];
  }
}

/** The elements of a list, which a projection has as its values already. */
export function elementsAt(list: PathNode, values: readonly unknown[]): readonly unknown[] {
  return pipedValues(list, namedValues(list, values)).flatMap((value) => (Array.isArray(value) ? value : []));
}

function all(nodes: readonly PathNode[], values: readonly unknown[]): Walk {
  for (const node of nodes) {
    const { missing } = walk(node, values);
    if (missing !== undefined) return { missing, values: [] };
  }
  return unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
