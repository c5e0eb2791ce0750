/** What a function in a path does with the values that are there, where its answer would look like another one. */
import { evaluate, isNumeral } from './jmespath.ts';
import { letterOrderNote, otherDateNote } from './letter-order.ts';
import { elementsAt, namedValues } from './missing-name.ts';
import type { PathNode } from './path.ts';
import { describeKind, partsOf, shown, writtenAs } from './path-words.ts';

type FunctionNode = Extract<PathNode, { type: 'Function' }>;

/** `values`: what the function is applied to. */
export function notesOfFunction(node: FunctionNode, values: readonly unknown[]): string[] {
  const note = ordering.has(node.name)
    ? orderNote(node, values)
    : node.name === 'to_number'
      ? numberNote(node, values)
      : Object.hasOwn(searching, node.name)
        ? searchNote(node, values)
        : undefined;
  return note === undefined ? [] : [note];
}

/** The functions that order what they get. */
const ordering = new Set(['min', 'max', 'sort', 'min_by', 'max_by', 'sort_by']);

function orderNote(
  { name: called, children: [list, by] }: FunctionNode,
  values: readonly unknown[],
): string | undefined {
  if (list === undefined) return undefined;
  const elements = elementsAt(list, values);
  if (by === undefined) return letterOrderNote({ name: nameOfList(list), found: elements });
  const name = by.type === 'ExpressionReference' ? writtenAs(by.child) : undefined;
  if (by.type !== 'ExpressionReference' || name === undefined) return undefined;
  const found = namedValues(by.child, elements);
  return letterOrderNote({ name, found }) ?? tieNote(called, name, found);
}

/** Where several elements have the value that was looked for, and the answer is one of them. */
function tieNote(called: string, name: string, found: readonly unknown[]): string | undefined {
  const sign = called === 'max_by' ? 1 : called === 'min_by' ? -1 : undefined;
  if (sign === undefined) return undefined;
  const values = found.filter((value) => typeof value === 'number' || typeof value === 'string');
  const [first] = values;
  if (first === undefined) return undefined;
  const most = values.reduce(
    (best, value) => ((sign === 1 ? value > best : value < best) ? value : best),
    first,
  );
  const count = values.filter((value) => value === most).length;
  if (count < 2) return undefined;
  const literal = typeof most === 'number' ? `\`${most}\`` : textLiteral(most);
  return `${count} have ${shown(most)} as ${name}, and ${called}() gives one of them: [?${name} == ${literal}] gives all.`;
}

const textLiteral = (text: string): string => `'${text.replaceAll("'", "\\'")}'`;

/** `to_number()` makes null of what it does not read, which lists leave out. */
function numberNote({ children: [child] }: FunctionNode, values: readonly unknown[]): string | undefined {
  const name = child && writtenAs(child);
  if (child === undefined || name === undefined) return undefined;
  const found = namedValues(child, values).filter((value) => value != null);
  const unread = found.filter((value) => typeof value !== 'number' && !isNumeral(String(value)));
  return unread.length === 0
    ? undefined
    : `to_number() reads no number in ${unread.length} of ${found.length} values of ${name}, such as ${shown(unread[0])}: they are null, and lists leave them out.`;
}

/** The functions that look for a text in a text. */
const searching: Readonly<Record<string, (text: string, part: string) => boolean>> = {
  contains: (text, part) => text.includes(part),
  starts_with: (text, part) => text.startsWith(part),
  ends_with: (text, part) => text.endsWith(part),
};

/** Where a value has the text in other letters, or as a date in another form. */
function searchNote({ name, children: [text, part] }: FunctionNode, values: readonly unknown[]) {
  const path = text && writtenAs(text);
  const holds = searching[name];
  if (text === undefined || path === undefined || holds === undefined || part?.type !== 'Literal')
    return undefined;
  const { value: wanted } = part;
  if (typeof wanted !== 'string') return undefined;
  const found = namedValues(text, values).filter((value) => value != null);
  const near = found.find(
    (one) => typeof one === 'string' && !holds(one, wanted) && holds(one.toLowerCase(), wanted.toLowerCase()),
  );
  return near === undefined
    ? otherDateNote({ name: path, found }, wanted, holds)
    : `${name}() tells upper from lower case, so it is false for ${shown(near)}; ${name}(lower(${path}), ${textLiteral(wanted.toLowerCase())}) takes both.`;
}

const nameOfList = (node: PathNode): string =>
  writtenAs('right' in node ? node.right : node) ?? writtenAs(node) ?? 'the list';

/**
 * The reason of an expression that failed, with what to write where a function got another kind of value than it takes; else the
 * library's own.
 */
export function explainFailure(node: PathNode, data: unknown, reason: string): string {
  const [, name, place, takes = '', got = ''] = typeFailure.exec(reason) ?? [];
  if (name !== undefined) {
    const argument = functionsIn(node).find((one) => one.name === name)?.children[Number(place) - 1];
    const path = argument && writtenAs(argument);
    const mended = {
      null: `: filter the rows that have it first, as in [?${path}]`,
      string: `: write to_number(${path})`,
    };
    const isMended = path !== undefined && (got === 'null' || (got === 'string' && takes === 'number'));
    const advice = isMended ? mended[got] : '';
    const kinds = takes.split(' | ').map((kind) => kindsInWords[kind] ?? kind);
    const others = got === 'array' && takes.includes('Array<') ? ' of others' : '';
    return `${name}() takes ${kinds.join(' or ')}, and ${path ?? `its argument ${place}`} is ${kindsInWords[got] ?? got}${others}${advice}`;
  }
  const called = /\b(sum|avg)\(\)/.exec(reason)?.[1];
  const [list] = functionsIn(node)
    .filter((one) => one.name === called)
    .flatMap(({ children }) => children.slice(0, 1));
  const texts =
    list === undefined ? [] : elementsAt(list, [data]).filter((value) => typeof value === 'string');
  if (list === undefined || texts.length === 0) return reason;
  const listName = nameOfList(list);
  const advice = texts.some(isNumeral) ? `: put to_number(${listName}) in the place of ${listName}` : '';
  return `${called}() takes numbers, and ${listName} holds texts such as ${shown(texts[0])}${advice}`;
}

const typeFailure =
  /^Invalid type: (\w+)\(\) expected argument (\d+) to be type \((.+)\) but received type (.+) instead\.?$/;
const kindsInWords: Readonly<Record<string, string>> = {
  number: 'a number',
  string: 'a text',
  boolean: 'a boolean',
  array: 'a list',
  object: 'an object',
  expression: 'an expression such as &price',
  'Array<number>': 'a list of numbers',
  'Array<string>': 'a list of texts',
  'Array<object>': 'a list of objects',
  'Array<Array<any>>': 'a list of lists',
};

/** Why a path that leads nowhere is null: a list that is empty or too short, or that is none. Empty where null is what the data say. */
export function nullNotes(node: PathNode, data: unknown): string[] {
  switch (node.type) {
    case 'MultiSelectHash':
      return node.children.flatMap(({ value }) => nullNotes(value, data));
    case 'MultiSelectList':
      return node.children.flatMap((child) => nullNotes(child, data));
    case 'Function': {
      const [list] = node.children;
      if (!emptyIsNull.has(node.name) || list === undefined) return [];
      const found = foundBy(list, data);
      return Array.isArray(found) && found.length === 0
        ? [`${node.name}() got an empty list, so it is null.`]
        : [];
    }
    case 'Pipe':
    case 'Subexpression':
    case 'IndexExpression': {
      const found = foundBy(node.left, data);
      if (found === null) return nullNotes(node.left, data);
      return node.right.type === 'Index' ? indexNote(node, found) : nullNotes(node.right, found);
    }
    default:
      return [];
  }
}

/** Undefined for what cannot be evaluated by itself, such as a part that reads a variable. */
function foundBy(node: PathNode, data: unknown): unknown {
  try {
    return evaluate(node, data);
  } catch {
    return undefined;
  }
}

const emptyIsNull = new Set(['avg', 'max', 'min', 'max_by', 'min_by']);

function indexNote({ left, right }: Pair, found: unknown): string[] {
  if (right.type !== 'Index') return [];
  const name = writtenAs(left);
  const wanted = `[${right.value}]`;
  if (!Array.isArray(found) || found.at(right.value) !== undefined) return [];
  return found.length === 0
    ? [`${name ?? 'The list'} is empty: there is no ${wanted}.`]
    : [`${name ?? 'The list'} has ${found.length} elements, counted from 0: there is no ${wanted}.`];
}

/** Of a place in what is no list: in each row of a list, too, where a row of the list is meant. */
export function noListNote({ left, right }: Pair, reached: readonly unknown[]): string[] {
  const found = reached.filter((value) => value != null);
  const [first] = found;
  const place = placeOf(right);
  if (place === undefined || first === undefined || found.some(Array.isArray)) return [];
  // A part of a text is a text.
  if (right.type === 'Slice' && typeof first === 'string') return [];
  const note = `${place} takes from a list, and ${writtenAs(left) ?? 'here'} is ${describeKind(first)}`;
  return [
    reached.length === 1
      ? `${note}.`
      : `${note} in each row: to take from the rows, put a pipe before it, as in … | ${place}.`,
  ];
}

/** As it is written; undefined for what is no place in a list. */
function placeOf(node: PathNode): string | undefined {
  if (node.type === 'Index') return `[${node.value}]`;
  return node.type === 'Slice' ? `[${node.start ?? ''}:${node.stop ?? ''}]` : undefined;
}

type Pair = Extract<PathNode, { left: PathNode; right: PathNode }>;

/** All functions of an expression. */
export function functionsIn(node: PathNode): FunctionNode[] {
  const inner = partsOf(node).flatMap(functionsIn);
  return node.type === 'Function' ? [node, ...inner] : inner;
}
