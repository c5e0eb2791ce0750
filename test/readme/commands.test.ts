/** Commands in documents: `svc-mcp` has them, with these options, arguments, settings and tools. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { settings } from '../../src/cli/config/settings.ts';
import { program } from '../../src/cli/program.ts';
import { staticTools } from '../../src/mcp/tools/index.ts';
import { readCommands } from '../support/document-commands.ts';
import { documents } from './tables.ts';

const all = [...documents, 'examples/server/README.md', 'CONTRIBUTING.md'];

/** The words of each simple command: quotes and comments as a shell reads them, well enough for documents. */
function readSimpleCommands(script: string): string[][] {
  const tokens = script
    .replaceAll('\\\n', ' ')
    .match(/#[^\n]*|\n|&&|\|\||[;|&()<>]|(?:'[^']*'|"(?:\$\([^)]*\)|[^"])*"|[^\s;|&()<>'"])+/g);
  const commands: string[][] = [[]];
  for (const token of tokens ?? []) {
    if (token.startsWith('#')) continue;
    if (/^(?:\n|[;|&()<>]+)$/.test(token)) commands.push([]);
    else commands.at(-1)?.push(token.replace(/^'([\s\S]*)'$/, '$1'));
  }
  return commands;
}

const knownVariables = new Set(Object.values(settings).flatMap(({ env }) => [env, `${env}_FILE`]));
const isKnown = (variable: string) =>
  knownVariables.has(variable) || /^SVC_LOGIN_[A-Z]+_[A-Z]+$/.test(variable);

/** The schemas of the actions that come with svc-mcp or its examples, and of the static tools. */
const Catalog = z.looseObject({
  actions: z.array(
    z.looseObject({ action_id: z.string(), parameters: z.looseObject({ properties: z.looseObject({}) }) }),
  ),
});
const folders = ['src/service/catalog/public', 'src/practice/catalogs', 'examples/catalogs'];
const argumentsOf = new Map<string, readonly string[]>([
  ...folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => Catalog.parse(JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'))).actions)
      .map(({ action_id, parameters }): [string, string[]] => [
        action_id,
        [...Object.keys(parameters.properties), 'select', 'format', 'identity'],
      ]),
  ),
  ['web_page', ['url', 'parts', 'max_rows']],
  ['web_feed', ['url']],
  ...staticTools.map(({ name, input }): [string, string[]] => [name, Object.keys(input.shape)]),
]);

/** What is wrong with the words behind `svc-mcp`. */
function findProblems(words: readonly string[]): string[] {
  let command: Command = program();
  const rest = [...words];
  for (;;) {
    const found = command.commands.find((known) => known.name() === rest[0]);
    if (found === undefined) break;
    command = found;
    rest.shift();
  }
  const problems: string[] = [];
  const given: string[] = [];
  while (rest.length > 0) {
    const word = rest.shift() ?? '';
    const option = command.options.find(({ long, short }) => long === word || short === word);
    if (option?.required) rest.shift();
    else if (option?.optional && !rest[0]?.startsWith('-')) rest.shift();
    else if (option === undefined && word.startsWith('--') && !['--version', '--help'].includes(word))
      problems.push(`no option ${word}`);
    else if (option === undefined) given.push(word);
  }
  const taken = command.registeredArguments;
  if (given.length > taken.length) problems.push(`no argument ${given.slice(taken.length).join(' ')}`);
  if (given.length < taken.filter(({ required }) => required).length) problems.push('an argument is missing');
  if (command.name() === 'call') problems.push(...findCallProblems(given));
  return problems;
}

function findCallProblems([tool = '', json = '{}']: readonly string[]): string[] {
  // A tool that the commands before it have built.
  if (/^site-|^<|…/.test(tool + json)) return [];
  const known = argumentsOf.get(tool);
  if (known === undefined) return [`no tool ${tool}`];
  const names = Object.keys(z.looseObject({}).parse(JSON.parse(json)));
  return names.filter((name) => !known.includes(name)).map((name) => `${tool} has no argument ${name}`);
}

it.each(all)('the commands in %s are those of the program', async (document) => {
  const problems: string[] = [];
  let count = 0;
  for (const words of readSimpleCommands((await readCommands(document)).join('\n'))) {
    for (const [, name = ''] of words.join(' ').matchAll(/(?:^| )(SVC_\w+)=/g))
      if (!isKnown(name)) problems.push(`no setting ${name}`);
    const [name, ...rest] = words.filter((word) => !/^(?:export|node|\w+=.*)$/.test(word));
    if (name !== 'svc-mcp' && name !== 'dist/cli/main.js') continue;
    count += 1;
    problems.push(...findProblems(rest).map((problem) => `${words.join(' ')}: ${problem}`));
  }
  expect(problems).toEqual([]);
  // Nothing of a document that has commands was overlooked.
  const written = (await readCommands(document))
    .join('\n')
    .replaceAll(/#.*/g, '')
    .match(/(?:^|[\s(])svc-mcp [a-z-]/gm);
  expect(count).toBeGreaterThanOrEqual(written?.length ?? 0);
});
