/**
 * JMESPath as `select` takes it. Beyond the library: only own members are read, `<` `<=` `>` `>=` also order texts with texts
 * (so that ISO dates can be filtered), the functions that order take texts as they take numbers, `group_by` takes numbers and
 * booleans as it takes texts, and what is calculated is exact, also with integers that only texts hold.
 */
import {
  type JSONValue,
  type RuntimeFunction,
  TreeInterpreter,
  TYPE_ANY,
  TYPE_ARRAY,
  TYPE_EXPREF,
} from '@jmespath-community/jmespath';
import type { Exact } from '../../compare/number.ts';
import { isLargeInteger } from '../../contract/exact-json.ts';
import { PathError } from '../foundation/errors.ts';
import { exactProduct, exactQuotient, exactSum, negated } from './exact-arithmetic.ts';
import type { PathNode } from './path.ts';
import { shown, writtenAs } from './path-words.ts';

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
    if (node.type === 'Arithmetic')
      return calculate(node, adapted.visit(node.left, value), adapted.visit(node.right, value));
    if (node.type === 'Unary' && node.operator === 'Minus')
      return negated(operand('-', node.operand, adapted.visit(node.operand, value)));
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

type Arithmetic = Extract<PathNode, { type: 'Arithmetic' }>;

const signs: Readonly<Record<string, string>> = {
  Plus: '+',
  Minus: '-',
  Multiply: '*',
  Star: '*',
  Divide: '/',
  Div: '//',
  Modulo: '%',
};

/** Throws where an operand is no number, or where the result has too many digits. */
function calculate({ operator, left, right }: Arithmetic, first: unknown, second: unknown): Exact {
  const sign = signs[operator] ?? operator;
  const [one, other] = [operand(sign, left, first), operand(sign, right, second)];
  if (['/', '//', '%'].includes(sign) && Number(other) === 0)
    throw new PathError(`${writtenAs(right) ?? 'the divisor'} is 0: filter the rows first`);
  return finite(sign, resultOf(sign, one, other));
}

function resultOf(sign: string, one: Exact, other: Exact): Exact | undefined {
  if (sign === '+') return exactSum([one, other]);
  if (sign === '-') return exactSum([one, negated(other)]);
  if (sign === '*') return exactProduct(one, other);
  if (sign === '/') return exactQuotient(one, other);
  if (typeof one === 'string' || typeof other === 'string')
    throw new PathError(`${sign} takes numbers up to ${Number.MAX_SAFE_INTEGER}`);
  return sign === '%' ? one % other : Math.floor(one / other);
}

function finite(name: string, result: Exact | undefined): Exact {
  if (result === undefined) throw new PathError(`the result of ${name} has too many digits`);
  return result;
}

/** Throws for what is no number. */
function operand(sign: string, node: PathNode, value: unknown): Exact {
  if (isExact(value)) return value;
  const name = writtenAs(node) ?? 'an operand';
  const advice =
    value == null
      ? ': filter the rows that have a value first'
      : typeof value === 'string' && isNumeral(value)
        ? `: write to_number(${name})`
        : '';
  throw new PathError(`${sign} takes numbers, and ${name} is ${shown(value ?? null)}${advice}`);
}

/** A number, or an integer that only a text holds. */
const isExact = (value: unknown): value is Exact => typeof value === 'number' || isLargeInteger(value);

const sizeOf = (value: unknown): number | bigint | undefined =>
  typeof value === 'number' ? value : isLargeInteger(value) ? BigInt(value) : undefined;

/** For keys that were checked to be of one kind. */
const orderOf = (one: unknown, other: unknown): number => compareValues(one, other) ?? 0;

interface Keyed {
  readonly element: JSONValue;
  readonly key: unknown;
}

/** The elements with the value that the reference leads to, or else with themselves. */
function keysOf([list, reference]: readonly unknown[]): readonly Keyed[] {
  const elements: readonly JSONValue[] = Array.isArray(list) ? list : [];
  const node = isNode(reference) ? reference : undefined;
  return elements.map((element) => ({
    element,
    key: node === undefined ? element : (interpreter.visit(node, element) ?? null),
  }));
}

/** What is ordered by, as it is written. */
const keyName = ([, reference]: readonly unknown[]): string =>
  (isNode(reference) && writtenAs(reference)) || 'field';

/** As it is written in a filter for the rows that have the value. */
const filterFor = (args: readonly unknown[]): string => `[?${keyName(args)}]`;

/** The elements with what they are ordered by. Throws where a key is neither number nor text, or they are mixed. */
function keyed(args: readonly unknown[], name: string): readonly Keyed[] {
  const found = keysOf(args);
  const kinds = [
    ...new Set(
      found.map(({ key }) => (key === null ? 'null' : sizeOf(key) === undefined ? typeof key : 'number')),
    ),
  ];
  const [kind = 'number'] = kinds;
  if (kinds.length <= 1 && (kind === 'number' || kind === 'string')) return found;
  const areNumerals = found.every(({ key }) => sizeOf(key) !== undefined || isNumeral(String(key)));
  const advice = kinds.includes('null')
    ? `: filter the rows that have a value first, as in ${filterFor(args)}`
    : areNumerals
      ? `: order by to_number(${keyName(args)})`
      : '';
  const here = kinds.map(toKind).join(' and ');
  throw new PathError(`${name}() orders only numbers or only texts, and here are ${here}${advice}`);
}

/** Throws where a row has no value, or one that names no group. */
const grouped: OrderFunction = (args) => {
  const found = keysOf(args);
  const without = found.filter(({ key }) => key === null).length;
  if (without > 0)
    throw new PathError(
      `group_by() takes rows that have a value, and ${without} of ${found.length} have none: filter them first, as in ${filterFor(args)}`,
    );
  const groups = new Map<string, JSONValue[]>();
  for (const { element, key } of found) {
    if (typeof key === 'object')
      throw new PathError(`group_by() takes texts, numbers and booleans, and here is ${shown(key)}`);
    const group = groups.get(String(key)) ?? [];
    group.push(element);
    groups.set(String(key), group);
  }
  return Object.fromEntries(groups);
};

/** The numbers of a list. Throws for any other element. */
function numbersOf([list]: readonly unknown[], name: string): readonly Exact[] {
  const elements: readonly unknown[] = Array.isArray(list) ? list : [];
  const other = elements.find((element) => !isExact(element));
  if (other !== undefined) throw new PathError(`${name}() takes numbers, and the list holds ${shown(other)}`);
  return elements.filter(isExact);
}

const total: OrderFunction = (args) => finite('sum()', exactSum(numbersOf(args, 'sum')));

const mean: OrderFunction = (args) => {
  const numbers = numbersOf(args, 'avg');
  const sum = exactSum(numbers);
  if (numbers.length === 0) return null;
  return finite('avg()', sum === undefined ? sum : exactQuotient(sum, numbers.length));
};

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
      .toSorted((one, other) => orderOf(one.key, other.key))
      .map(({ element }) => element);

const decimal = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*$/;

/** Whether `to_number()` reads the text. */
export const isNumeral = (text: string): boolean => decimal.test(text) && Number.isFinite(Number(text));

/** The library takes an empty text for 0. An integer that no number holds stays a text, which is ordered and added as a number. */
const toNumber: OrderFunction = ([value = null]) => {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !isNumeral(value)) return null;
  const digits = value.trim().replace(/^\+/, '');
  return /^-?\d+$/.test(digits) && !Number.isSafeInteger(Number(digits))
    ? String(BigInt(digits))
    : Number(value);
};

// What the lists hold is checked by the functions, which know integers that only texts hold.
const list = { types: [TYPE_ARRAY] };
const rows = [{ types: [TYPE_ARRAY] }, { types: [TYPE_EXPREF] }];
const functions: readonly [string, OrderFunction, Parameters<typeof runtime.registerFunction>[2]][] = [
  ['max', extreme('max', 1), [list]],
  ['min', extreme('min', -1), [list]],
  ['sort', sorted('sort'), [list]],
  ['max_by', extreme('max_by', 1), rows],
  ['min_by', extreme('min_by', -1), rows],
  ['sort_by', sorted('sort_by'), rows],
  ['group_by', grouped, rows],
  ['sum', total, [list]],
  ['avg', mean, [list]],
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
