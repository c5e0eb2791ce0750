/**
 * What a comparison in a path cannot do with the values that are there: it compares two kinds, texts that are meant as numbers
 * or dates, or a text that is not exactly one of them. Said also inside of functions and multi-selects, where 0 or an empty
 * list looks like an answer.
 */
import { isLargeInteger } from '../../contract/exact-json.ts';
import { functionsIn, noListNote, notesOfFunction } from './explain-function.ts';
import { evaluate, isNumeral } from './jmespath.ts';
import { letterOrderNote, otherDateNote, withinNote } from './letter-order.ts';
import { namedValues, pipedValues } from './missing-name.ts';
import type { PathNode } from './path.ts';
import { partsOf, shown, writtenAs } from './path-words.ts';

const maxNotes = 3;
/** Values of which the kind is looked at. */
const maxValues = 20_000;

/** One sentence for each comparison and order that does not do what it seems to; empty where there is none. */
export function comparisonNotes(node: PathNode, data: unknown): string[] {
  return [...new Set(notesOf(node, [data]))].slice(0, maxNotes);
}

/** `values`: what the node is applied to. */
function notesOf(node: PathNode, values: readonly unknown[]): string[] {
  switch (node.type) {
    case 'Subexpression':
    case 'IndexExpression': {
      const reached = namedValues(node.left, values);
      return [...notesOf(node.left, values), ...noListNote(node, reached), ...notesOf(node.right, reached)];
    }
    case 'Pipe': {
      const piped = pipedValues(node.left, namedValues(node.left, values));
      return [...notesOf(node.left, values), ...notesOf(node.right, piped)];
    }
    case 'Projection':
    case 'ValueProjection':
      return [...notesOf(node.left, values), ...notesOf(node.right, elementsOf(node.left, values))];
    case 'FilterProjection':
      return notesOfFilter(node, values);
    case 'Function':
      return [...eachPart(node, values), ...notesOfFunction(node, values)];
    case 'Comparator':
      return compared(node, values, false);
    case 'ExpressionReference':
      // What it is applied to is its function's matter.
      return [];
    default:
      return eachPart(node, values);
  }
}

const eachPart = (node: PathNode, values: readonly unknown[]): string[] =>
  partsOf(node).flatMap((part) => notesOf(part, values));

function elementsOf(list: PathNode, values: readonly unknown[]): readonly unknown[] {
  return namedValues(list, values)
    .flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []))
    .slice(0, maxValues);
}

function notesOfFilter(
  { left, right, condition }: Extract<PathNode, { type: 'FilterProjection' }>,
  values: readonly unknown[],
): string[] {
  const elements = elementsOf(left, values);
  const matching = elements.filter((element) => isTrue(condition, element));
  const inCondition = comparators(condition).flatMap((one) => compared(one, elements, matching.length === 0));
  const called = functionsIn(condition).flatMap((one) => notesOfFunction(one, elements));
  const alone = conditions(condition).flatMap((one) => alwaysTrue(one, elements));
  return [...notesOf(left, values), ...inCondition, ...called, ...alone, ...notesOf(right, matching)];
}

/** A field as a condition of its own, where each row has a text or a number in it: both count as true, `"No"` and 0 too. */
function alwaysTrue(condition: PathNode, elements: readonly unknown[]): string[] {
  const side = condition.type === 'Literal' ? undefined : sideOf(condition, elements);
  if (side === undefined || side.found.length < elements.length || new Set(side.found).size < 2) return [];
  const isValue = (value: unknown) =>
    typeof value === 'number' || (typeof value === 'string' && value !== '');
  if (!side.found.every(isValue)) return [];
  const [first] = side.found;
  const example = typeof first === 'string' ? `'${first.slice(0, 40)}'` : `\`${String(first)}\``;
  return [
    `${side.name} holds ${plural(first)} such as ${shown(first)}, which all count as true: compare it, as in ${side.name} == ${example}.`,
  ];
}

/** A condition that cannot be evaluated ends the whole path with its reason. */
function isTrue(condition: PathNode, element: unknown): boolean {
  try {
    const value = evaluate(condition, element);
    return value !== null && value !== false && value !== '' && !isEmpty(value);
  } catch {
    return true;
  }
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && Object.keys(Object(value)).length === 0;

type Comparator = Extract<PathNode, { type: 'Comparator' }>;

const comparators = (node: PathNode): Comparator[] =>
  conditions(node).filter((one) => one.type === 'Comparator');

/** What a condition is made of by `&&`, `||` and `!`. */
function conditions(node: PathNode): PathNode[] {
  switch (node.type) {
    case 'AndExpression':
    case 'OrExpression':
      return [...conditions(node.left), ...conditions(node.right)];
    case 'NotExpression':
      return conditions(node.child);
    default:
      return [node];
  }
}

/** One side of a comparison. */
interface Side {
  readonly isConstant: boolean;
  /** How it is named to the caller. */
  readonly name: string;
  /** What is compared, without null. */
  readonly found: readonly unknown[];
}

/** Undefined for the result of a function: it is what its caller made of it. */
function sideOf(node: PathNode, elements: readonly unknown[]): Side | undefined {
  if (node.type === 'Literal')
    return { isConstant: true, name: shown(node.value), found: node.value === null ? [] : [node.value] };
  const name = writtenAs(node);
  if (name === undefined) return undefined;
  const found = elements.flatMap((element) => namedValues(node, [element])).filter((value) => value != null);
  return { isConstant: false, name, found };
}

/** `isVain`: whether nothing passes the filter that the comparison is in. */
function compared(
  { name, left, right }: Comparator,
  elements: readonly unknown[],
  isVain: boolean,
): string[] {
  const [one, other] = [sideOf(left, elements), sideOf(right, elements)];
  if (name === 'NE' || one === undefined || other === undefined) return [];
  const [path, against] = one.isConstant ? [other, one] : [one, other];
  const [first] = path.found;
  const [value] = against.found;
  if (path.isConstant || first === undefined || value === undefined) return [];
  if (typeof first === 'object' || typeof value === 'object') return [];
  const isOrder = name !== 'EQ';
  const others = path.found.filter((found) => kind(found) !== kind(value));
  const note =
    others.length === path.found.length
      ? otherKind(path, against, { first, value, order: written(name, path === one) })
      : isOrder && others.length > 0
        ? someOfOtherKind(path, others)
        : isOrder
          ? orderedTexts(path, against, value, written(name, path === one))
          : isVain
            ? notExactly(path, value)
            : undefined;
  return note === undefined ? [] : [note];
}

/** Of texts that are ordered: undefined where the other side is none. */
function orderedTexts(
  path: Side,
  { isConstant }: Side,
  value: unknown,
  order: string | undefined,
): string | undefined {
  if (typeof value !== 'string') return undefined;
  return isConstant
    ? (letterOrderNote(path, value) ?? withinNote(path, value, order))
    : letterOrderNote(path);
}

interface Compared {
  readonly first: unknown;
  readonly value: unknown;
}

const signs = { GT: '>', GTE: '>=', LT: '<', LTE: '<=', EQ: undefined, NE: undefined };
const turned = { GT: '<', GTE: '<=', LT: '>', LTE: '>=', EQ: undefined, NE: undefined };
/** The sign with the path before it; undefined where the comparison is for being equal. */
const written = (name: Comparator['name'], isPathFirst: boolean): string | undefined =>
  (isPathFirst ? signs : turned)[name];

function otherKind(
  path: Side,
  against: Side,
  { first, value, order }: Compared & { readonly order: string | undefined },
): string {
  const holds = `${path.name} holds ${plural(first)} such as ${shown(first)}`;
  if (!against.isConstant)
    return `${holds}, and ${against.name} holds ${plural(value)} such as ${shown(value)}: the two are never equal or in order.`;
  const compares = `the filter compares it with the ${kind(value)} ${shown(value)}`;
  if (order !== undefined && typeof first === 'string')
    return isNumeral(first)
      ? `${holds}, and ${compares}: write to_number(${path.name}) ${order} \`${value}\`.`
      : `${holds}, which are no numbers, and ${compares}: nothing passes.`;
  const right = typeof first === 'string' ? `'${value}'` : `\`${value}\``;
  const canBeWritten = typeof first === 'string' || typeof value !== 'string' || isLiteral(value, first);
  return canBeWritten
    ? `${holds}, and ${compares}: write ${right} if that is meant.`
    : `${holds}, and ${compares}: nothing passes.`;
}

const isLiteral = (text: string, like: unknown): boolean =>
  typeof like === 'boolean' ? /^(true|false)$/.test(text) : isNumeral(text);

const someOfOtherKind = ({ name, found }: Side, others: readonly unknown[]): string =>
  `${others.length} of ${found.length} rows have ${plural(others[0])} as ${name}, such as ${shown(others[0])}: they never pass.`;

function notExactly({ name, found }: Side, value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || found.includes(value)) return undefined;
  const date = otherDateNote({ name, found }, value, (text, part) => text === part);
  if (date !== undefined) return date;
  const wanted = value.toLowerCase();
  const near = found.find((one) => typeof one === 'string' && one.toLowerCase().includes(wanted));
  return near === undefined
    ? undefined
    : `Text is compared exactly: no ${name} is ${shown(value)}, but there is ${shown(near)}.`;
}

/** An integer that only a text holds is ordered as the number that it is. */
const kind = (value: unknown) =>
  isLargeInteger(value) ? 'number' : typeof value === 'string' ? 'text' : typeof value;
const plural = (value: unknown) => (typeof value === 'object' ? 'objects or lists' : `${kind(value)}s`);
