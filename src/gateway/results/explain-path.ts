/**
 * Why a path finds nothing: the first name that no value has, and the names that are there instead; or a filter whose
 * constant has another type than the values, or is not exactly one of them.
 */
import { nearestName } from '../foundation/text.ts';
import type { PathNode } from './path.ts';

export interface MissingName {
  readonly name: string;
  /** The names at the deepest point that the path reaches. */
  readonly keys: readonly string[];
  /** The name that was probably meant. */
  readonly nearest?: string | undefined;
  /** What the path reaches if it has no names: "a list of 3", "a text". */
  readonly kind: string;
}

/** Values that are looked at for a name. */
const maxValues = 20_000;
const maxKeys = 30;

/** Undefined where every name of the path exists. */
export function missingName(node: PathNode, data: unknown): MissingName | undefined {
  return walk(node, [data]).missing;
}

/** The values that a path leads to from several values at once; results of functions are not followed. */
const namedValues = (node: PathNode, values: readonly unknown[]): readonly unknown[] =>
  walk(node, values).values;

/** A pipe ends a projection: what follows gets the list itself. */
const pipedValues = ({ type }: PathNode, reached: readonly unknown[]): readonly unknown[] =>
  ['Projection', 'ValueProjection', 'FilterProjection'].includes(type) ? [reached] : reached;

interface Walk {
  readonly missing?: MissingName;
  /** The values that the path leads to; results of functions are not followed. */
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
    case 'Flatten':
      return walk(node.child, values);
    case 'Comparator':
    case 'AndExpression':
      return all([node.left, node.right], values);
    case 'MultiSelectHash':
      return all(
        node.children.map(({ value }) => value),
        values,
      );
    case 'MultiSelectList':
    case 'Function':
      return all(node.children, values);
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
  return {
    missing: { name, keys: keys.slice(0, maxKeys), nearest: nearestName(name, keys), kind },
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

function all(nodes: readonly PathNode[], values: readonly unknown[]): Walk {
  for (const node of nodes) {
    const { missing } = walk(node, values);
    if (missing !== undefined) return { missing, values: [] };
  }
  return unknown;
}

function describeKind(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'string') return 'a text';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const maxShown = 60;

/** One sentence for each comparison that could not hold; empty where none explains itself. */
export function filterNotes(node: PathNode, data: unknown): string[] {
  return [...new Set(notesOf(node, [data]))].slice(0, 3);
}

/** `values`: what the node is applied to. */
function notesOf(node: PathNode, values: readonly unknown[]): string[] {
  switch (node.type) {
    case 'Subexpression':
    case 'IndexExpression':
      return [...notesOf(node.left, values), ...notesOf(node.right, namedValues(node.left, values))];
    case 'Pipe': {
      const piped = pipedValues(node.left, namedValues(node.left, values));
      return [...notesOf(node.left, values), ...notesOf(node.right, piped)];
    }
    case 'Projection':
    case 'ValueProjection':
      return notesOf(node.left, values);
    case 'FilterProjection': {
      const elements = namedValues(node.left, values).flatMap((list) => (Array.isArray(list) ? list : []));
      return [...notesOf(node.left, values), ...notesOf(node.condition, elements)];
    }
    case 'AndExpression':
    case 'OrExpression':
      return [...notesOf(node.left, values), ...notesOf(node.right, values)];
    case 'MultiSelectList':
    case 'Function':
      return node.children.flatMap((child) => notesOf(child, values));
    case 'MultiSelectHash':
      return node.children.flatMap(({ value }) => notesOf(value, values));
    case 'Comparator':
      return [
        compared(node.name, node.left, node.right, values) ??
          compared(node.name, node.right, node.left, values),
      ].flatMap((note) => note ?? []);
    default:
      return [];
  }
}

/** `path` compared with a constant, for all elements. */
function compared(
  comparator: string,
  path: PathNode,
  constant: PathNode,
  elements: readonly unknown[],
): string | undefined {
  if (constant.type !== 'Literal' || comparator === 'NE') return undefined;
  const { value } = constant;
  const name = nameOf(path);
  const found = elements.flatMap((element) => namedValues(path, [element])).filter((one) => one != null);
  const [first] = found;
  if (name === undefined || first === undefined || value === null || typeof value === 'object')
    return undefined;
  if (found.every((one) => typeof one === typeof first) && typeof first !== typeof value) {
    if (typeof first === 'object') return undefined;
    const right = typeof first === 'string' ? `'${value}'` : `\`${value}\``;
    return `${name} holds ${plural(first)} such as ${shown(first)}, and the filter compares it with the ${kind(value)} ${shown(value)}: write ${right} if that is meant.`;
  }
  if (comparator !== 'EQ' || typeof value !== 'string' || found.includes(value)) return undefined;
  const wanted = value.toLowerCase();
  const near = found.find((one) => typeof one === 'string' && one.toLowerCase().includes(wanted));
  if (near === undefined || wanted === '') return undefined;
  return `Text is compared exactly: no ${name} is ${shown(value)}, but there is ${shown(near)}.`;
}

/** The last name of a path of names. */
export const nameOf = (node: PathNode): string | undefined =>
  node.type === 'Field' ? node.name : node.type === 'Subexpression' ? nameOf(node.right) : undefined;

const kind = (value: unknown) => (typeof value === 'string' ? 'text' : typeof value);
const plural = (value: unknown) => (typeof value === 'string' ? 'texts' : `${typeof value}s`);
const shown = (value: unknown) => (JSON.stringify(value) ?? '').slice(0, maxShown);
