/** The formats of clients' files. A server is added or taken out; every other value and comment stays. */
import {
  applyEdits,
  createScanner,
  type FormattingOptions,
  findNodeAtLocation,
  type JSONPath,
  modify,
  parseTree,
} from 'jsonc-parser';
import { getStaticTOMLValue, parseTOML, ParseError as TomlError } from 'toml-eslint-parser';
import { isMap, isNode, isSeq, parseDocument, YAMLSeq } from 'yaml';
import * as z from 'zod';
import { ClientConfigError } from '../config/errors.ts';
import { parseJsonc } from '../config/jsonc.ts';
import type { Addition, Client, Input, Json } from './clients.ts';

interface Content {
  readonly servers: Readonly<Record<string, Json>>;
  /** The inputs that this program wrote. */
  readonly inputs: readonly Input[];
  /** Everything else in the file, to compare. */
  readonly rest: unknown;
}

export interface ConfigText {
  /** The content of a new file. */
  readonly initial: string;
  /** Throws a `ClientConfigError` for text that is not of this format. */
  read(text: string, section: string): Content;
  /** Adds the entry, in the place of an entry of the same name. */
  add(text: string, addition: Addition): string;
  /** The text without the entry, and without its inputs where nothing else refers to them. */
  remove(text: string, addition: Addition): string;
}

const Table = z.record(z.string(), z.unknown());
const JsonTable = z.record(z.string(), z.json());
const InputOfOurs = JsonTable.and(z.object({ id: z.string().startsWith('svc-mcp-') }));

/** Dates and similar values become text, so that they differ from every value that this program writes. */
function toServers(section: string, servers: unknown): Record<string, Json> {
  const { data } = JsonTable.safeParse(JSON.parse(JSON.stringify(servers ?? {})));
  if (data === undefined) throw new ClientConfigError(`${section} must hold the servers by their names`);
  return data;
}

const lineEnd = (text: string) => (text.includes('\r\n') ? '\r\n' : '\n');
const endLine = (text: string) => (/[^\n]$/.test(text) ? text + lineEnd(text) : text);

/** JSON with comments and trailing commas. */
const json: ConfigText = {
  initial: '{}\n',

  read(text, section) {
    const { [section]: servers, inputs: _, ...rest } = readJson(text);
    const list = readInputs(text);
    const inputs = list.flatMap((input) => InputOfOurs.safeParse(input).data ?? []);
    const others = list.filter((input) => !InputOfOurs.safeParse(input).success);
    return { servers: toServers(section, servers), inputs, rest: { ...rest, inputs: others } };
  },

  add(text, { section, name, entry, inputs }) {
    // Inserted first: behind another entry it would separate that entry from the comment at the end of its line.
    const options = { formattingOptions: getLayout(text), getInsertionIndex: () => 0 };
    const withEntry = applyEdits(text, modify(text, [section, name], entry, options));
    const known = new Set(json.read(text, section).inputs.map(({ id }) => id));
    return inputs
      .filter(({ id }) => !known.has(id))
      .reduce(
        (before, input) =>
          applyEdits(before, modify(before, ['inputs', 0], input, { ...options, isArrayInsertion: true })),
        withEntry,
      );
  },

  remove(text, { section, name, inputs }) {
    return inputs.reduce(
      (before, { id }) => {
        const index = readInputs(before).findIndex((input) => InputOfOurs.safeParse(input).data?.id === id);
        return index === -1 || before.includes(`\${input:${id}}`) ? before : cut(before, ['inputs', index]);
      },
      cut(text, [section, name]),
    );
  },
};

function readJson(text: string): Record<string, unknown> {
  const { value, problem } = parseJsonc(text, { allowTrailingComma: true, allowEmptyContent: true });
  if (problem !== undefined) throw new ClientConfigError(`it is not JSON: ${problem}`);
  const content = Table.safeParse(value ?? {});
  if (!content.success) throw new ClientConfigError('it must hold a JSON object');
  return content.data;
}

function readInputs(text: string): readonly unknown[] {
  const { inputs = [] } = readJson(text);
  if (!Array.isArray(inputs)) throw new ClientConfigError('inputs must be a list');
  return inputs;
}

function getLayout(text: string): FormattingOptions {
  const indentation = /\n([ \t]+)["}\]]/.exec(text)?.[1] ?? '  ';
  return { insertSpaces: !indentation.startsWith('\t'), tabSize: indentation.length, eol: lineEnd(text) };
}

/** Takes out an element and its comma. `modify` would take the comments before and behind it too. */
function cut(text: string, path: JSONPath): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const node = root && findNodeAtLocation(root, path);
  const element = typeof path.at(-1) === 'string' ? node?.parent : node;
  if (element === undefined) return text;
  const siblings = element.parent?.children ?? [];
  const previous = siblings[siblings.indexOf(element) - 1];
  const end = element.offset + element.length;
  const comma = findComma(text, end) ?? (previous && findComma(text, previous.offset + previous.length));
  const hasNothingBehind = /^[ \t]*,?[ \t]*(\r?\n|$)/.test(text.slice(end));
  const start = hasNothingBehind ? text.slice(0, element.offset).trimEnd().length : element.offset;
  const edits = [{ offset: start, length: end - start, content: '' }];
  if (comma !== undefined) edits.push({ offset: comma, length: 1, content: '' });
  return applyEdits(text, edits);
}

/** Offset of the comma that comes next, behind blanks and comments. */
function findComma(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const next = scanner.getTokenOffset();
  return text[next] === ',' ? next : undefined;
}

/** Codex's TOML: the entry becomes a table at the end of the file. */
const toml: ConfigText = {
  initial: '',

  read(text, section) {
    const { [section]: servers, ...rest } = Table.parse(getStaticTOMLValue(readToml(text)));
    return { servers: toServers(section, servers), inputs: [], rest };
  },

  add(text, addition) {
    const { section, name, entry } = addition;
    const before = endLine(toml.remove(text, addition));
    // Of text, numbers and lists TOML takes what JSON does.
    const members = Object.entries(JsonTable.parse(entry)).map(([key, value]) => `${key} = ${toToml(value)}`);
    const lines = [...(before === '' ? [] : ['']), `[${section}.${name}]`, ...members];
    return before + lines.map((line) => line + lineEnd(text)).join('');
  },

  remove(text, { section, name }) {
    const tables = readToml(text).body[0].body.filter(
      (node) => node.type === 'TOMLTable' && node.resolvedKey[0] === section && node.resolvedKey[1] === name,
    );
    return tables.reverse().reduce((rest, { range: [from, to] }) => {
      const before = rest.slice(0, rest.lastIndexOf('\n', from - 1) + 1);
      const behind = rest.slice(to).replace(/^.*(\n|$)/, '');
      // The blank line before a table goes with it.
      return before.replace(/(^|\n)\r?\n$/, '$1') + behind;
    }, text);
  },
};

function readToml(text: string) {
  try {
    return parseTOML(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const { message, lineNumber, column } = error;
    throw new ClientConfigError(`it is not TOML: ${message} at line ${lineNumber}, column ${column + 1}`);
  }
}

function toToml(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(toToml).join(', ')}]`;
  if (typeof value !== 'object' || value === null)
    return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)} = ${toToml(member)}`);
  return `{ ${members.join(', ')} }`;
}

/** Continue's YAML: a list of servers, each with its name as a member. Blanks may be set anew. */
const yaml: ConfigText = {
  // What Continue requires of a file.
  initial: 'name: Local Config\nversion: 1.0.0\nschema: v1\n',

  read(text, section) {
    const { [section]: list, ...rest } = Table.parse(readYaml(text).toJSON() ?? {});
    const servers = z.array(z.looseObject({ name: z.string() })).safeParse(list ?? []);
    if (!servers.success) throw new ClientConfigError(`${section} must be a list of servers with names`);
    const byName = servers.data.map(({ name, ...members }) => [name, members]);
    return { servers: toServers(section, Object.fromEntries(byName)), inputs: [], rest };
  },

  add(text, addition) {
    const document = readYaml(yaml.remove(text, addition));
    const list = document.get(addition.section, true);
    if (!isSeq(list)) {
      const servers = new YAMLSeq();
      if (isNode(list)) servers.commentBefore = list.comment ?? list.commentBefore ?? null;
      document.set(addition.section, servers);
    }
    const item = { name: addition.name, ...JsonTable.parse(addition.entry) };
    document.addIn([addition.section], document.createNode(item));
    return writeYaml(document, text);
  },

  remove(text, { section, name }) {
    const document = readYaml(text);
    const list = document.get(section);
    if (!isSeq(list)) return text;
    const others = list.items.filter((item) => !(isMap(item) && item.get('name') === name));
    if (others.length === list.items.length) return text;
    list.items = others;
    return writeYaml(document, text);
  },
};

function readYaml(text: string) {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw new ClientConfigError(`it is not YAML: ${error.message.split('\n')[0]}`);
  if (document.contents !== null && !isMap(document.contents))
    throw new ClientConfigError('it does not hold an object');
  return document;
}

const writeYaml = (document: ReturnType<typeof readYaml>, before: string): string =>
  document.toString({ lineWidth: 0 }).replaceAll('\n', lineEnd(before));

export const configTexts: Readonly<Record<Client['format'], ConfigText>> = { json, toml, yaml };
