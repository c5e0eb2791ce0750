/** What a function in a path does with the values that are there, where its answer would look like another one. */
import { isLargeInteger } from '../../contract/exact-json.ts';
import { namedValues, partsOf, pipedValues, shown, writtenAs } from './explain-path.ts';
import { isNumeral } from './jmespath.ts';
import { letterOrderNote } from './letter-order.ts';
import type { PathNode } from './path.ts';

type FunctionNode = Extract<PathNode, { type: 'Function' }>;

/** `values`: what the function is applied to. */
export function notesOfFunction(node: FunctionNode, values: readonly unknown[]): string[] {
  const note = ordering.has(node.name)
    ? orderNote(node, values)
    : node.name === 'to_number'
      ? numberNote(node, values)
      : Object.hasOwn(searching, node.name)
        ? caseNote(node, values)
        : undefined;
  return note === undefined ? [] : [note];
}

/** The functions that order what they get. */
const ordering = new Set(['min', 'max', 'sort', 'min_by', 'max_by', 'sort_by']);

function orderNote({ children: [list, by] }: FunctionNode, values: readonly unknown[]): string | undefined {
  if (list === undefined) return undefined;
  const elements = elementsAt(list, values);
  if (by === undefined) return letterOrderNote({ name: nameOfList(list), found: elements });
  const name = by.type === 'ExpressionReference' ? writtenAs(by.child) : undefined;
  if (by.type !== 'ExpressionReference' || name === undefined) return undefined;
  return letterOrderNote({ name, found: namedValues(by.child, elements) });
}

/** `to_number()` makes null of what it does not read, which lists leave out, and one number of several large integers. */
function numberNote({ children: [child] }: FunctionNode, values: readonly unknown[]): string | undefined {
  const name = child && writtenAs(child);
  if (child === undefined || name === undefined) return undefined;
  const found = namedValues(child, values).filter((value) => value != null);
  const unread = found.filter((value) => typeof value !== 'number' && !isNumeral(String(value)));
  if (unread.length > 0)
    return `to_number() reads no number in ${unread.length} of ${found.length} values of ${name}, such as ${shown(unread[0])}: they are null, and lists leave them out.`;
  const large = found.find(isLargeInteger);
  return large && `to_number() rounds integers such as ${shown(large)}: use ${name} itself, which is exact.`;
}

/** The functions that look for a text in a text. */
const searching: Readonly<Record<string, (text: string, part: string) => boolean>> = {
  contains: (text, part) => text.includes(part),
  starts_with: (text, part) => text.startsWith(part),
  ends_with: (text, part) => text.endsWith(part),
};

/** Where a value has the text in other letters. */
function caseNote({ name, children: [text, part] }: FunctionNode, values: readonly unknown[]) {
  const path = text && writtenAs(text);
  const holds = searching[name];
  if (text === undefined || path === undefined || holds === undefined || part?.type !== 'Literal')
    return undefined;
  const { value: wanted } = part;
  if (typeof wanted !== 'string') return undefined;
  const near = namedValues(text, values).find(
    (one) => typeof one === 'string' && !holds(one, wanted) && holds(one.toLowerCase(), wanted.toLowerCase()),
  );
  return near === undefined
    ? undefined
    : `${name}() tells upper from lower case: ${shown(near)} does not pass; ${name}(lower(${path}), '${wanted.toLowerCase().replaceAll("'", "\\'")}') takes both.`;
}

/** The elements of a list, which a projection has as its values already. */
function elementsAt(list: PathNode, values: readonly unknown[]): readonly unknown[] {
  return pipedValues(list, namedValues(list, values)).flatMap((value) => (Array.isArray(value) ? value : []));
}

const nameOfList = (node: PathNode): string =>
  writtenAs('right' in node ? node.right : node) ?? writtenAs(node) ?? 'the list';

/**
 * The reason of an expression that failed, with what to write where a function that takes numbers got texts; else the
 * library's own.
 */
export function explainFailure(node: PathNode, data: unknown, reason: string): string {
  const called = /\b(sum|avg|abs|ceil|floor)\(\)/.exec(reason)?.[1];
  if (called === undefined) return reason;
  const [list] = functionsIn(node)
    .filter(({ name }) => name === called)
    .flatMap(({ children }) => children.slice(0, 1));
  const texts =
    list === undefined ? [] : elementsAt(list, [data]).filter((value) => typeof value === 'string');
  if (list === undefined || texts.length === 0) return reason;
  const name = nameOfList(list);
  const advice = texts.some(isNumeral) ? `: put to_number(${name}) in the place of ${name}` : '';
  return `${called}() takes numbers, and ${name} holds texts such as ${shown(texts[0])}${advice}`;
}

/** All functions of an expression. */
export function functionsIn(node: PathNode): FunctionNode[] {
  const inner = partsOf(node).flatMap(functionsIn);
  return node.type === 'Function' ? [node, ...inner] : inner;
}
