/** Why a filter found nothing: its constant has another type than the values, or is not exactly one of them. */
import { namedValues, pipedValues } from './explain-path.ts';
import type { PathNode } from './path.ts';

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
