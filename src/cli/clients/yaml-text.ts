/** Continue's YAML: an item of the list of servers, or the lines of that item taken out; every other line stays. */
import { isMap, isScalar, isSeq, type Node, parseDocument, type YAMLMap } from 'yaml';
import * as z from 'zod';
import { ClientConfigError } from '../config/errors.ts';
import type { Addition } from './client.ts';
import { type ConfigText, endLine, lineEnd, toJson } from './config-text.ts';

const Table = z.record(z.string(), z.unknown());
const Servers = z.array(z.looseObject({ name: z.string() }).catch({ name: '' })).nullish();
/** What Continue requires of a file; a new one gets it. */
const head: Readonly<Record<string, string>> = { name: 'Local Config', version: '1.0.0', schema: 'v1' };

export const yamlText: ConfigText = {
  find(text, section, name) {
    const server = listServers(text, section).find((listed) => listed.name === name);
    if (server === undefined) return undefined;
    const { name: _, ...members } = server;
    return { section, name, entry: toJson(members), inputs: [] };
  },

  add(text, addition) {
    const eol = lineEnd(text);
    const before = yamlText.remove(text, addition);
    const root = parseRoot(before);
    const servers = root?.items.find(({ key }) => isScalar(key) && key.value === addition.section);
    if (servers === undefined || !isScalar(servers.key)) {
      const isNew = root === undefined;
      const lines = isNew ? Object.entries(head).map(([key, value]) => `${key}: ${value}`) : [];
      lines.push(`${addition.section}:`, ...toItem(addition, '  '));
      return `${endLine(before, eol)}${lines.join(eol)}${eol}`;
    }
    const list = isSeq(servers.value) && servers.value.flow !== true ? servers.value : undefined;
    const last = list?.items.at(-1);
    const after: unknown = last ?? servers.key;
    const indent = list === undefined ? '  ' : ' '.repeat(columnOf(before, list.range?.[0] ?? 0));
    const place = endOfLines(before, isNode(after) ? (after.range?.[1] ?? 0) : 0);
    const start = endLine(before.slice(0, place), eol);
    return `${start}${toItem(addition, indent).join(eol)}${eol}${before.slice(place)}`;
  },

  remove(text, { section, name }) {
    const servers = parseRoot(text)?.get(section);
    const items = isSeq(servers) ? servers.items : [];
    return items
      .filter((item): item is YAMLMap => isMap(item) && item.get('name') === name)
      .reverse()
      .reduce((rest, { range }) => {
        const [from = 0, to = 0] = range ?? [];
        const start = rest.lastIndexOf('\n', from - 1) + 1;
        // An item that does not begin its line is left, and the check of the change says so.
        if (!/^\s*- +$/.test(rest.slice(start, from))) return rest;
        return rest.slice(0, start) + rest.slice(endOfLines(rest, to));
      }, text);
  },

  others(text, { section, name }) {
    const { [section]: _, ...rest } = Table.parse(parseRoot(text)?.toJSON() ?? {});
    const own = Object.entries(rest).filter(([key, value]) => head[key] !== value);
    return {
      rest: Object.fromEntries(own),
      otherServers: listServers(text, section).filter((listed) => listed.name !== name),
    };
  },
};

function parseRoot(text: string): YAMLMap | undefined {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw new ClientConfigError(`it is not YAML: ${error.message.split('\n')[0]}`);
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) return undefined;
  if (isMap(contents)) return contents;
  throw new ClientConfigError('it does not hold an object');
}

function listServers(text: string, section: string) {
  const { [section]: servers } = Table.parse(parseRoot(text)?.toJSON() ?? {});
  const { data, error } = Servers.safeParse(servers);
  if (error !== undefined) throw new ClientConfigError(`${section} is not a list there`);
  return data ?? [];
}

/** The lines of an item; of text YAML takes what JSON does. */
function toItem({ name, entry }: Addition, indent: string): string[] {
  const members = Object.entries({ name, ...z.record(z.string(), z.json()).parse(entry) });
  return members.map(
    ([key, value], index) => `${indent}${index === 0 ? '- ' : '  '}${key}: ${JSON.stringify(value)}`,
  );
}

const isNode = (value: unknown): value is Node => isMap(value) || isSeq(value) || isScalar(value);

const columnOf = (text: string, position: number): number =>
  position - (text.lastIndexOf('\n', position - 1) + 1);

/** Where the line of this position ends, or the position itself after the end of a line. */
function endOfLines(text: string, position: number): number {
  if (text[position - 1] === '\n') return position;
  const lineBreak = text.indexOf('\n', position);
  return lineBreak === -1 ? text.length : lineBreak + 1;
}
