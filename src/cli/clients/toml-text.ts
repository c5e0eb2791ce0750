/** Codex's TOML: a table at the end of the file, or the lines of that table taken out; every other line stays. */
import { getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser';
import * as z from 'zod';
import { ClientConfigError } from '../config/errors.ts';
import type { Addition, Json } from './client.ts';
import { type ConfigText, lineEnd, toJson } from './config-text.ts';

const Table = z.record(z.string(), z.unknown());

export const tomlText: ConfigText = {
  find(text, section, name) {
    const servers = Table.safeParse(parseContent(text)[section]).data;
    if (servers === undefined || !Object.hasOwn(servers, name)) return undefined;
    return { section, name, entry: toJson(servers[name]), inputs: [] };
  },

  add(text, addition) {
    const eol = lineEnd(text);
    const before = tomlText.remove(text, addition);
    const gap = before === '' ? '' : before.endsWith('\n') ? eol : eol + eol;
    return `${before}${gap}${toTablePath(addition).join(eol)}${eol}`;
  },

  remove(text, { section, name }) {
    const tables = parse(text).body[0].body.filter(
      (node) => node.type === 'TOMLTable' && node.resolvedKey[0] === section && node.resolvedKey[1] === name,
    );
    return tables.reverse().reduce((rest, { range: [from, to] }) => {
      const start = rest.lastIndexOf('\n', from - 1) + 1;
      const lineBreak = rest.indexOf('\n', to);
      const stop = lineBreak === -1 ? rest.length : lineBreak + 1;
      // The blank line before a table goes with it.
      const before = rest.slice(0, start).replace(/(^|\n)\r?\n$/, '$1');
      return before + rest.slice(stop);
    }, text);
  },

  others(text, { section, name }) {
    const { [section]: servers, ...rest } = parseContent(text);
    const { [name]: _, ...otherServers } = Table.parse(servers ?? {});
    return { rest, otherServers };
  },
};

function parse(text: string) {
  try {
    return parseTOML(text);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new ClientConfigError(
      `it is not TOML: ${error.message} at line ${error.lineNumber}, column ${error.column + 1}`,
    );
  }
}

const parseContent = (text: string) => Table.parse(getStaticTOMLValue(parse(text)));

/** The lines of a table; of text TOML takes what JSON does. */
function toTablePath({ section, name, entry }: Addition): string[] {
  const members = z.record(z.string(), z.json()).parse(entry);
  return [
    `[${section}.${name}]`,
    ...Object.entries(members).map(([key, value]) => `${key} = ${toToml(value)}`),
  ];
}

function toToml(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(toToml).join(', ')}]`;
  if (typeof value !== 'object' || value === null)
    return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
  return `{ ${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)} = ${toToml(member)}`)
    .join(', ')} }`;
}
