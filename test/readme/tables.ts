/** The documents' tables, generated from the code they describe. `npm run readme` writes them; a test fails on drift. */
import { settingGroups, settingNames, settings } from '../../src/cli/config/settings.ts';
import { program } from '../../src/cli/program.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import {
  buildErrors,
  buildFailures,
  catalogErrors,
  failureReasons,
  loginErrors,
  openErrors,
  previewErrors,
  runFailures,
  taskErrors,
} from '../../src/contract/errors.ts';
import { rateLimits } from '../../src/contract/limits.ts';
import { gatewayErrors } from '../../src/gateway/foundation/error-codes.ts';
import { listedPrompts } from '../../src/mcp/prompts/prompts.ts';
import { resources, resourceTemplates } from '../../src/mcp/resources/resources.ts';
import { staticToolList } from '../../src/mcp/tools/tool-list.ts';
import { clientRows } from './clients.ts';
import { limitRows } from './limits.ts';

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const row = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
const table = (header: readonly string[], rows: readonly (readonly string[])[]) =>
  [row(header), row(header.map(() => '---')), ...rows.map(row)].join('\n');

function tools(): string {
  return table(
    ['Tool', 'Arguments', 'What it does'],
    staticToolList.map((tool) => [
      `\`${tool.name}\``,
      Object.keys(tool.inputSchema.properties ?? {})
        .map((name) => `\`${name}\``)
        .join(', '),
      firstSentence(tool.description ?? ''),
    ]),
  );
}

const firstSentence = (text: string) => /^.*?[.;:](?=\s|$)/.exec(text)?.[0].replace(/[;:]$/, '.') ?? text;

/** One table a group, in the order in which people need them. */
function settingsTables(): string {
  return settingGroups
    .map((group) => {
      const rows = settingNames
        .filter((name) => settings[name].group === group)
        .map((name) => {
          const { env, about, defaultText } = settings[name];
          return [`\`${env}\`${'secret' in settings[name] ? ' (or `…_FILE`)' : ''}`, defaultText, about];
        });
      return `### ${group}\n\n${table(['Setting', 'Default', 'What it is'], rows)}`;
    })
    .join('\n\n');
}

function commands(): string {
  const rows = program().commands.flatMap((command) => [
    [`svc-mcp ${command.name()}${usageOf(command.usage())}`, command.description()],
    ...command.commands.flatMap((group) =>
      group.commands.map((sub) => [
        `svc-mcp ${command.name()} ${group.name()} ${sub.name()}${usageOf(sub.usage())}`,
        sub.description(),
      ]),
    ),
  ]);
  return table(
    ['Command', 'What it does'],
    rows.map(([usage = '', about = '']) => [`\`${usage}\``, about]),
  );
}

const usageOf = (usage: string) =>
  usage.replace('[options]', '').replace('[command]', '').replace(/\s+/g, ' ').trimEnd();

function rates(): string {
  const rows = Object.entries(rateLimits).map(([name, limit]) => {
    const endpoint = Object.entries(endpoints).find(([key]) => key === name)?.[1];
    return [
      `${endpoint?.method} ${endpoint?.path}`,
      `${limit.requests} per minute per ${limit.scope === 'ip' ? 'address' : 'user'}`,
    ];
  });
  return table(['Endpoint', 'Limit'], rows);
}

function ownErrors(): string {
  return table(
    ['Code', 'Meaning', 'Next step'],
    Object.entries(gatewayErrors).map(([code, { meaning, next }]) => [`\`${code}\``, meaning, next]),
  );
}

function serviceErrors(): string {
  const sources: readonly (readonly [
    string,
    Readonly<Record<string, string | { readonly condition: string }>>,
  ])[] = [
    ['running an action', taskErrors],
    ['a run that failed', runFailures],
    ['`browse_catalogs`', catalogErrors],
    ['`login`', loginErrors],
    ['`request_build`', buildErrors],
    ['`request_build` with `preview`', previewErrors],
    ['a build that failed', buildFailures],
    ['any request', openErrors],
  ];
  // A code with the same meaning in several places is one row.
  const places = new Map<string, { code: string; meaning: string; from: string[] }>();
  for (const [place, rules] of sources) {
    for (const [code, rule] of Object.entries(rules)) {
      const meaning = typeof rule === 'string' ? rule : rule.condition;
      const key = `${code} ${meaning}`;
      const entry = places.get(key) ?? { code, meaning, from: [] };
      entry.from.push(place);
      places.set(key, entry);
    }
  }
  return table(
    ['Code', 'From', 'Meaning'],
    [...places.values()].map(({ code, meaning, from }) => [`\`${code}\``, from.join(', '), meaning]),
  );
}

function resourceTable(): string {
  return table(
    ['Resource', 'What it holds'],
    [
      ...resources.map(({ uri, description = '' }) => [`\`${uri}\``, `${description}.`]),
      ...resourceTemplates.map(({ uriTemplate, description = '' }) => [
        `\`${uriTemplate}\``,
        `${description}.`,
      ]),
    ],
  );
}

function promptTable(): string {
  return table(
    ['Prompt', 'Arguments', 'What it does'],
    listedPrompts().map(({ name, arguments: args = [], description = '' }) => [
      `\`${name}\``,
      args.map((argument) => `\`${argument.name}\`${argument.required ? '' : '?'}`).join(', '),
      `${description}.`,
    ]),
  );
}

const failedRuns = () =>
  table(
    ['Reason', 'Meaning'],
    Object.entries(failureReasons).map(([reason, meaning]) => [`\`${reason}\``, meaning]),
  );

const sections: Readonly<Record<string, () => string>> = {
  clients: () => table(['Client', 'Its file', 'How it is told the key'], clientRows),
  tools,
  resources: resourceTable,
  prompts: promptTable,
  settings: settingsTables,
  commands,
  limits: () => table(['What', 'Limit'], limitRows),
  rates,
  'errors of ours': ownErrors,
  'errors of the service': serviceErrors,
  'reasons of a failed run': failedRuns,
};

/** The documents that hold generated tables. */
export const documents = [
  'README.md',
  ...[
    'accounts',
    'architecture',
    'backup',
    'builder',
    'clients',
    'cookbook',
    'errors',
    'faq',
    'http',
    'interface',
    'limits',
    'money',
    'oauth',
    'observability',
    'operations',
    'platforms',
    'recipes',
    'service',
    'settings',
    'tools',
    'tutorial',
    'watches',
    'web',
  ].map((name) => `docs/${name}.md`),
];

/** Names of the generated tables. */
export const tableNames = Object.keys(sections);

const regionOf = (name: string) => new RegExp(`<!-- ${name} -->[\\s\\S]*?<!-- /${name} -->`);

export const hasTable = (text: string, name: string): boolean => regionOf(name).test(text);

/** The text with the content of every `<!-- name -->…<!-- /name -->` generated. */
export function fillTables(text: string): string {
  return Object.entries(sections).reduce(
    (filled, [name, make]) =>
      hasTable(filled, name)
        ? filled.replace(regionOf(name), () => `<!-- ${name} -->\n${make()}\n<!-- /${name} -->`)
        : filled,
    text,
  );
}
