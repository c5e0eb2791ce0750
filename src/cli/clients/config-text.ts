/** The formats of clients' files. A server is added, or takes the place of one of its name; every other value and comment stays. */
import { applyEdits, type FormattingOptions, modify } from 'jsonc-parser';
import { getStaticTOMLValue, parseTOML, ParseError as TomlError } from 'toml-eslint-parser';
import { stringify } from 'yaml';
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
};

function readJson(text: string): Record<string, unknown> {
  const { value, problem } = parseJsonc(text, { allowTrailingComma: true, allowEmptyContent: true });
  if (problem !== undefined) throw new ClientConfigError(`it is not JSON: ${problem}`);
  const content = Table.safeParse(value === undefined ? {} : value);
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

/** Codex's TOML: the entry becomes a table at the end of the file. */
const toml: ConfigText = {
  initial: '',

  read(text, section) {
    const { [section]: servers, ...rest } = Table.parse(getStaticTOMLValue(readToml(text)));
    return { servers: toServers(section, servers), inputs: [], rest };
  },

  add(text, addition) {
    const { section, name, entry } = addition;
    const before = endLine(withoutTable(text, addition));
    // Of text, numbers and lists TOML takes what JSON does.
    const members = Object.entries(JsonTable.parse(entry)).map(([key, value]) => `${key} = ${toToml(value)}`);
    const lines = [...(before === '' ? [] : ['']), `[${section}.${name}]`, ...members];
    return before + lines.map((line) => line + lineEnd(text)).join('');
  },
};

/** Without the table of the entry's name, and those below it. */
function withoutTable(text: string, { section, name }: Addition): string {
  const tables = readToml(text).body[0].body.filter(
    (node) => node.type === 'TOMLTable' && node.resolvedKey[0] === section && node.resolvedKey[1] === name,
  );
  return tables.reverse().reduce((rest, { range: [from, to] }) => {
    const before = rest.slice(0, rest.lastIndexOf('\n', from - 1) + 1);
    const behind = rest.slice(to).replace(/^.*(\n|$)/, '');
    // The blank line before a table goes with it.
    return before.replace(/(^|\n)\r?\n$/, '$1') + behind;
  }, text);
}

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

export const configTexts = { json, toml } satisfies Partial<Record<Client['format'], ConfigText>>;

/**
 * The text of a file that holds nothing but the addition. YAML is Continue's: a list of servers, each with its name as a
 * member, below what Continue requires of a file.
 */
export function snippet({ format }: Pick<Client, 'format'>, addition: Addition): string {
  if (format !== 'yaml') return configTexts[format].add(configTexts[format].initial, addition);
  const server = { name: addition.name, ...JsonTable.parse(addition.entry) };
  const file = { name: 'Local Config', version: '1.0.0', schema: 'v1', [addition.section]: [server] };
  return stringify(file, { lineWidth: 0 });
}
