/**
 * JMESPath as `select` takes it. Beyond the library: only own members are read, `<` `<=` `>` `>=` also order texts with texts
 * (so that ISO dates can be filtered), and the functions that order take texts as they take numbers.
 */
import {
  type JSONValue,
  type RuntimeFunction,
  TreeInterpreter,
  TYPE_ANY,
  TYPE_ARRAY,
  TYPE_ARRAY_NUMBER,
  TYPE_ARRAY_STRING,
  TYPE_EXPREF,
} from '@jmespath-community/jmespath';
import { isLargeInteger } from '../../contract/exact-json.ts';
import { PathError } from '../foundation/errors.ts';
import type { PathNode } from './path.ts';

type Interpreter = typeof TreeInterpreter;
type OrderFunction = RuntimeFunction<(JSONValue | PathNode)[], JSONValue>;

/** An interpreter of its own: the embedded service uses the library's for recipes. */
const interpreter: Interpreter = adapt(Reflect.construct(TreeInterpreter.constructor, []));
const { runtime } = interpreter;
// The library would also find what an object inherits, such as `constructor`: no function, and no value.
Object.setPrototypeOf(runtime._functionTable, null);

function adapt(adapted: Interpreter): Interpreter {
  const { visit, withScope } = adapted;
  adapted.visit = (node, value) => {
    if (node.type === 'Field') {
      const hasMember = typeof value === 'object' && value !== null && Object.hasOwn(value, node.name);
      return hasMember ? visit.call(adapted, node, value) : null;
    }
    if (node.type === 'Comparator' && node.name !== 'EQ' && node.name !== 'NE') {
      const order = compareValues(adapted.visit(node.left, value), adapted.visit(node.right, value));
      return order === undefined ? null : holds[node.name](order);
    }
    return visit.call(adapted, node, value);
  };
  adapted.withScope = (scope) => adapt(withScope.call(adapted, scope));
  return adapted;
}

const holds = {
  GT: (order: number) => order > 0,
  GTE: (order: number) => order >= 0,
  LT: (order: number) => order < 0,
  LTE: (order: number) => order <= 0,
};

/**
 * Below 0 where `one` comes first: numbers by size, also integers that only texts hold; texts letter by letter. Undefined where
 * they have no order.
 */
function compareValues(one: unknown, other: unknown): number | undefined {
  const [size, otherSize] = [sizeOf(one), sizeOf(other)];
  if (size !== undefined && otherSize !== undefined) return size < otherSize ? -1 : size > otherSize ? 1 : 0;
  if (typeof one !== 'string' || typeof other !== 'string') return undefined;
  return one === other ? 0 : one < other ? -1 : 1;
}

const sizeOf = (value: unknown): number | bigint | undefined =>
  typeof value === 'number' ? value : isLargeInteger(value) ? BigInt(value) : undefined;

/** For keys that were checked to be of one kind. */
const orderOf = (one: unknown, other: unknown): number => compareValues(one, other) ?? 0;

/** The elements with what they are ordered by. Throws where a key is neither number nor text, or they are mixed. */
function keyed([list, reference]: readonly unknown[], name: string) {
  const elements: readonly JSONValue[] = Array.isArray(list) ? list : [];
  const node = isNode(reference) ? reference : undefined;
  const keys = elements.map((element) => (node === undefined ? element : interpreter.visit(node, element)));
  const kinds = [
    ...new Set(
      keys.map((key) => (key === null ? 'null' : sizeOf(key) === undefined ? typeof key : 'number')),
    ),
  ];
  const [kind = 'number'] = kinds;
  if (kinds.length > 1 || (kind !== 'number' && kind !== 'string'))
    throw new PathError(
      `${name}() orders only numbers or only texts, and here are ${kinds.map(toKind).join(' and ')}${kinds.includes('null') ? ': filter the rows that have a value first, as in [?field]' : ''}`,
    );
  return elements.map((element, index) => ({ element, key: keys[index] }));
}

const isNode = (value: unknown): value is PathNode =>
  typeof value === 'object' && value !== null && 'type' in value;

const toKind = (kind: string): string =>
  kind === 'string' ? 'texts' : kind === 'object' ? 'objects or lists' : kind === 'null' ? kind : `${kind}s`;

/** The first of the elements that come last (`sign` 1) or first (-1); null where there are none. */
const extreme =
  (name: string, sign: 1 | -1): OrderFunction =>
  (args) => {
    const [first, ...others] = keyed(args, name);
    if (first === undefined) return null;
    let best = first;
    for (const one of others) if (orderOf(one.key, best.key) * sign > 0) best = one;
    return best.element;
  };

const sorted =
  (name: string): OrderFunction =>
  (args) =>
    keyed(args, name)
      .sort((one, other) => orderOf(one.key, other.key))
      .map(({ element }) => element);

const decimal = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*$/;

/** Whether `to_number()` reads the text. */
export const isNumeral = (text: string): boolean => decimal.test(text) && Number.isFinite(Number(text));

/** The library takes an empty text for 0. */
const toNumber: OrderFunction = ([value = null]) => {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && isNumeral(value) ? Number(value) : null;
};

const list = { types: [TYPE_ARRAY_NUMBER, TYPE_ARRAY_STRING] };
const rows = [{ types: [TYPE_ARRAY] }, { types: [TYPE_EXPREF] }];
const functions: readonly [string, OrderFunction, Parameters<typeof runtime.registerFunction>[2]][] = [
  ['max', extreme('max', 1), [list]],
  ['min', extreme('min', -1), [list]],
  ['sort', sorted('sort'), [list]],
  ['max_by', extreme('max_by', 1), rows],
  ['min_by', extreme('min_by', -1), rows],
  ['sort_by', sorted('sort_by'), rows],
  ['to_number', toNumber, [{ types: [TYPE_ANY] }]],
];
for (const [name, run, signature] of functions)
  runtime.registerFunction(name, run, signature, { override: true });

/** Data came out of a JSON parser, so it is JSON unless it is missing. */
const isJson = (data: unknown): data is JSONValue => data !== undefined;

/** Throws a `PathError`. */
export function evaluate(node: PathNode, data: unknown): unknown {
  try {
    return isJson(data) ? (interpreter.search(node, data) ?? null) : null;
  } catch (error) {
    throw new PathError(error instanceof Error ? error.message : 'it cannot be evaluated');
  }
}
