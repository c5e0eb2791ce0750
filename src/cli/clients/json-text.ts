/**
 * JSON that people write by hand, with comments and trailing commas: text goes in at one place or comes out at one
 * place, and every other character stays as it is.
 */
import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import * as z from 'zod';
import { ClientConfigError } from '../config/errors.ts';
import type { Input, Json } from './client.ts';
import { type ConfigText, describePosition, endLine, lineEnd } from './config-text.ts';

const JsonValue = z.json();
const InputOfOurs = z.record(z.string(), z.json()).and(z.object({ id: z.string().startsWith('svc-mcp-') }));

export const jsonText: ConfigText = {
  find(text, section, name) {
    const root = parseRoot(text);
    const entry =
      root && findContainer(text, root, section, 'object', (servers) => findMember(text, servers, name));
    if (root === undefined || entry === undefined) return undefined;
    const value = JsonValue.parse(toJsonValue(entry));
    const serialized = JSON.stringify(value);
    const inputs = listInputs(text, root).filter(({ id }) => serialized.includes(referenceTo(id)));
    return { section, name, entry: value, inputs };
  },

  add(text, { section, name, entry, inputs }) {
    return inputs.reduce(withInput, withEntry(text, section, name, entry));
  },

  remove(text, { section, name, inputs }) {
    const root = parseRoot(text);
    const without =
      root &&
      findContainer(text, root, section, 'object', (servers) => {
        const entry = findMember(text, servers, name);
        return entry?.parent && removeElement(text, servers, entry.parent);
      });
    return inputs.reduce((before, { id }) => withoutInput(before, id), without ?? text);
  },

  others(text, { section, name, inputs }) {
    const root = parseRoot(text);
    const content = z.record(z.string(), z.unknown()).parse(root === undefined ? {} : toJsonValue(root));
    const { [section]: servers, inputs: list, ...rest } = content;
    const { [name]: _, ...otherServers } = z.record(z.string(), z.unknown()).parse(servers ?? {});
    const ownIds = new Set<unknown>(inputs.map(({ id }) => id));
    const otherInputs = z
      .array(z.unknown())
      .parse(list ?? [])
      .filter((item) => !ownIds.has(InputOfOurs.safeParse(item).data?.id));
    return { rest, otherServers, otherInputs };
  },
};

const referenceTo = (id: string) => `\${input:${id}}`;
/** What a node stands for. Names are members, also those that an assignment would not make into one (`__proto__`). */
function toJsonValue({ type, value, children = [] }: Node): unknown {
  if (type === 'array') return children.map(toJsonValue);
  if (type !== 'object') return value;
  return Object.fromEntries(
    children.map(({ children: [key, member] = [] }) => [String(key?.value), member && toJsonValue(member)]),
  );
}

const getEnd = (node: Node) => node.offset + node.length;

/** Undefined for a file without any value; throws with the place of what is no JSON. */
function parseRoot(text: string): Node | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [error] = errors;
  if (error !== undefined) {
    throw new ClientConfigError(
      `it is not JSON: ${printParseErrorCode(error.error)} at ${describePosition(text, error.offset)}`,
    );
  }
  if (root !== undefined && root.type !== 'object') {
    throw new ClientConfigError(
      `it must hold a JSON object, not ${root.type}, at ${describePosition(text, root.offset)}`,
    );
  }
  return root;
}

/** The value under a key. Throws for a key that is there twice, because parsers disagree on which value counts. */
function findMember(text: string, object: Node, key: string): Node | undefined {
  const [property, second] = (object.children ?? []).filter(({ children }) => children?.[0]?.value === key);
  if (second !== undefined) {
    throw new ClientConfigError(
      `${JSON.stringify(key)} is there twice, again at ${describePosition(text, second.offset)}`,
    );
  }
  return property?.children?.[1];
}

/** `work` on the object or array under a key, if it is there. */
function findContainer<Result>(
  text: string,
  root: Node,
  key: string,
  type: 'object' | 'array',
  work: (container: Node) => Result,
): Result | undefined {
  const container = findMember(text, root, key);
  if (container === undefined) return undefined;
  if (container.type === type) return work(container);
  throw new ClientConfigError(
    `${JSON.stringify(key)} must be an ${type}, not ${container.type}, at ${describePosition(text, container.offset)}`,
  );
}

function listInputs(text: string, root: Node): Input[] {
  const items = findContainer(text, root, 'inputs', 'array', (list) => list.children ?? []) ?? [];
  return items.flatMap((item) => InputOfOurs.safeParse(toJsonValue(item)).data ?? []);
}

function withEntry(text: string, section: string, name: string, entry: Json): string {
  const root = parseRoot(text);
  if (root === undefined) {
    const eol = lineEnd(text);
    return `${endLine(text, eol)}${toText(text, { [section]: { [name]: entry } }, '')}${eol}`;
  }
  const within = findContainer(text, root, section, 'object', (servers) => {
    const present = findMember(text, servers, name);
    if (present === undefined) return insertElement(text, servers, entry, name);
    const value = toText(text, entry, indentationAt(text, present.offset));
    return text.slice(0, present.offset) + value + text.slice(getEnd(present));
  });
  return within ?? insertElement(text, root, { [name]: entry }, section);
}

function withInput(text: string, input: Input): string {
  const root = parseRoot(text);
  if (root === undefined || listInputs(text, root).some(({ id }) => id === input.id)) return text;
  const within = findContainer(text, root, 'inputs', 'array', (list) => insertElement(text, list, input));
  return within ?? insertElement(text, root, [input], 'inputs');
}

function withoutInput(text: string, id: string): string {
  const root = parseRoot(text);
  if (root === undefined || text.includes(referenceTo(id))) return text;
  const within = findContainer(text, root, 'inputs', 'array', (list) => {
    const item = list.children?.find((child) => InputOfOurs.safeParse(toJsonValue(child)).data?.id === id);
    return item && removeElement(text, list, item);
  });
  return within ?? text;
}

/** The text with one more element at the end of an object (with a key) or array, on lines of its own. */
function insertElement(text: string, container: Node, value: Json, key?: string): string {
  const eol = lineEnd(text);
  const close = getEnd(container) - 1;
  const last = container.children?.at(-1);
  const outer = indentationAt(text, container.offset);
  const inner =
    last !== undefined && startsItsLine(text, last.offset)
      ? indentationAt(text, last.offset)
      : outer + getIndentUnit(text);
  // The new element goes behind trailing comments, so that a comment stays beside what it describes.
  const end = text.slice(0, close).trimEnd().length;
  const comma = last === undefined ? undefined : commaAfter(text, getEnd(last));
  const label = key === undefined ? '' : `${JSON.stringify(key)}: `;
  const before =
    last !== undefined && comma === undefined
      ? `${text.slice(0, getEnd(last))},${text.slice(getEnd(last), end)}`
      : text.slice(0, end);
  const space = text.slice(end, close);
  const after = space.includes('\n') ? space : `${eol}${outer}`;
  const element = `${eol}${inner}${label}${toText(text, value, inner)}${comma === undefined ? '' : ','}`;
  return before + element + after + text.slice(close);
}

/** The text without one element and the comma that belongs to it; comments stay. */
function removeElement(text: string, container: Node, element: Node): string {
  const siblings = container.children ?? [];
  const previous = siblings[siblings.indexOf(element) - 1];
  const following = commaAfter(text, getEnd(element));
  const comma = following ?? (previous === undefined ? undefined : commaAfter(text, getEnd(previous)));
  const stop =
    following !== undefined && text.slice(getEnd(element), following).trim() === ''
      ? following + 1
      : getEnd(element);
  // The whole line is removed, unless something else is on it.
  const alone = /^[ \t]*(\r?\n|$)/.test(text.slice(stop));
  const start = alone ? text.slice(0, element.offset).trimEnd().length : element.offset;
  const cuts: [number, number][] = [[start, stop]];
  if (comma !== undefined && (comma < start || comma >= stop)) cuts.push([comma, comma + 1]);
  return cuts
    .sort(([a], [b]) => b - a)
    .reduce((rest, [from, to]) => rest.slice(0, from) + rest.slice(to), text);
}

/** Offset of the comma that comes next, behind blanks and comments. */
function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const next = scanner.getTokenOffset();
  return text[next] === ',' ? next : undefined;
}

const lineBefore = (text: string, offset: number) => /[^\n]*$/.exec(text.slice(0, offset))?.[0] ?? '';
const startsItsLine = (text: string, offset: number) =>
  lineBefore(text, offset).trim() === '' && text.slice(0, offset).includes('\n');
const indentationAt = (text: string, offset: number) => /^[ \t]*/.exec(lineBefore(text, offset))?.[0] ?? '';

/** What the file indents by: that of its first indented line, else two spaces. */
const getIndentUnit = (text: string) => /\n([ \t]+)["}\]]/.exec(text)?.[1] ?? '  ';

function toText(text: string, value: Json, indentation: string): string {
  return JSON.stringify(value, undefined, getIndentUnit(text)).replaceAll(
    '\n',
    `${lineEnd(text)}${indentation}`,
  );
}
