/** The command line: commands, their arguments, and the settings that are flags. */
import { Argument, Command, Option } from 'commander';
import { buildCredits } from '../contract/limits.ts';
import { nearestName } from '../gateway/foundation/text.ts';
import { clients } from './clients/clients.ts';
import { authentications } from './clients/server.ts';
import type { Flags } from './config/flags.ts';
import { version } from './config/version.ts';
import { addServiceCommand } from './service-command.ts';
import { withSettings } from './setting-flags.ts';
import { escapeInvisible, exitWith } from './terminal/terminal.ts';

export async function runProgram(argv: readonly string[]): Promise<void> {
  // A reader of stdout such as `head` may stop early; the command finishes its work all the same.
  process.stdout.on('error', (error) => {
    if (!('code' in error) || error.code !== 'EPIPE') exitWith(error);
  });
  // Timers of the gateway keep no process alive: Node would end this one amid a command's work, without a word.
  const alive = setInterval(() => {}, 60_000);
  try {
    const root = program();
    const [first] = argv.slice(2);
    // `stdio` is the default and would take it for an argument.
    if (first !== undefined && !first.startsWith('-') && !isCommand(root, first)) {
      const nearest = nearestName(
        first,
        root.commands.map((command) => command.name()),
      );
      root.error(
        `error: unknown command '${first}'${nearest === undefined ? '' : `\n(Did you mean ${nearest}?)`}`,
      );
    }
    await root.parseAsync(argv);
  } catch (error) {
    exitWith(error);
  } finally {
    clearInterval(alive);
  }
}

const isCommand = (root: Command, name: string) =>
  name === 'help' || root.commands.some((command) => command.name() === name);

/** Commands whose output is a protocol or a log, not text for a person. */
const servers = new Set(['stdio', 'http', 'service']);

/** The whole command line; the table of commands of docs/settings.md is made from it. */
export function program(): Command {
  const root = new Command('svc-mcp')
    .description(
      'Gives an AI agent ready-made tools for websites: shops, tables, articles, pages behind a login.',
    )
    .version(version)
    .showHelpAfterError('(svc-mcp --help lists the commands)')
    // Commander ends with 1 where a command line is wrong.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .hook('preAction', (_, command) => {
      if (servers.has(command.name())) return;
      for (const stream of [process.stdout, process.stderr]) escapeInvisible(stream);
    });

  addServers(root);
  root
    .command('demo')
    .description('start everything, connect an MCP client, run two actions, print the config to paste')
    .action(async () => (await import('./commands/demo.ts')).demo());

  addCallCommands(root);
  addSignInCommands(root);
  addBuildCommand(root);
  addActionsCommand(root);
  addCatalogsCommand(root);
  addWatchesCommand(root);
  addConfigCommand(root);
  withSettings(root.command('doctor'))
    .description('check Node, settings, data folder, databases, proxy, browser, service, key and catalog')
    .option('--compact', 'also shrink the database files of the data folder')
    .option('--json', 'print the checks as JSON')
    .action(async (flags: Flags) => (await import('./commands/doctor.ts')).doctor(flags));

  addServiceCommand(root);
  return root;
}

function addServers(root: Command): void {
  withSettings(root.command('stdio', { isDefault: true }))
    .description('serve one MCP client over stdin and stdout (the default)')
    .allowExcessArguments()
    .action(async (flags: Flags, command: Command) => {
      // Options before a command make commander take the default one.
      const [word] = command.args;
      if (word !== undefined)
        command.error(
          `error: '${word}' is too much for stdio, the default: put the command first, its options behind it`,
        );
      await (await import('./commands/stdio.ts')).stdio(flags);
    });

  const http = withSettings(root.command('http'))
    .description('serve many MCP clients over HTTP; prints its addresses as one JSON line')
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0: any free one', '8080')
    .action(async (flags: Flags) => (await import('./commands/http.ts')).http(flags));
  http.addHelpText(
    'after',
    `
Who may connect:
  SVC_OAUTH_ISSUER    access tokens of this authorization server; each subject acts with the key
                      that \`svc-mcp http keys add <subject>\` gave it
  SVC_HTTP_TOKEN      else this token, where all share the key in SVC_API_KEY or the embedded service
  neither, and no SVC_API_KEY for a remote service: every client sends its own key as X-API-Key`,
  );
  addSubjectKeyCommands(http);
}

function addCallCommands(root: Command): void {
  withSettings(root.command('tools'))
    .description('list the tools as an agent sees them')
    .option('--json', 'print the tool list as JSON')
    .action(async (flags: Flags) => (await import('./commands/tools.ts')).tools(flags));

  withSettings(root.command('call'))
    .description("call a tool as an agent would and print its result; exit code 1 for a tool's error")
    .argument('<tool>', 'name of the tool, as `svc-mcp tools` lists it')
    .argument('[json]', 'its arguments as a JSON object', '{}')
    .option('--json', 'print the result on one line')
    .option('--csv', 'print the rows of the result as CSV')
    .action(async (tool: string, json: string, flags: Flags) =>
      (await import('./commands/call.ts')).call(tool, json, flags),
    );

  withSettings(root.command('jobs'))
    .description('list recent jobs and what they cost')
    .option('--json', 'print them as JSON')
    .action(async (flags: Flags) => (await import('./commands/jobs.ts')).jobs(flags));
}

function addSignInCommands(root: Command): void {
  withSettings(root.command('login'))
    .description("sign in to a catalog's website from a terminal; nothing typed to a secret field is shown")
    .argument('<slug>', 'slug of the catalog')
    .option('--identity <name>', 'label of the account; the same name renews the same account')
    .option('--json', 'print the answer as JSON')
    .action(async (slug: string, flags: Flags) => (await import('./commands/login.ts')).login(slug, flags));

  withSettings(root.command('connect'))
    .description("sign in to a catalog's website in a browser window and keep the session, encrypted")
    .argument('<slug>', 'slug of the catalog')
    .option('--identity <name>', 'label of the account; the same name renews the same account')
    .option('--json', 'print the answer as JSON')
    .action(async (slug: string, flags: Flags) =>
      (await import('./commands/connect.ts')).connectAccount(slug, flags),
    );
}

function addBuildCommand(root: Command): void {
  withSettings(root.command('build'))
    .description(
      `build, test and publish a new action for a website; ${buildCredits} credits, refunded if the build fails`,
    )
    .argument('<url>', 'the page that shows the data')
    .argument(
      '[goal]',
      'what to extract, such as "list all jobs with title, company and salary"; --preview needs none',
    )
    .option('--preview [candidate]', 'only show what the page offers, or all columns of one candidate; free')
    .option('--save <file>', 'make a catalog file its only home, or add it to one of the same site')
    .option('--install', 'make a catalog file of the data folder its only home, named by its site')
    .option('--force', 'build it even if similar actions exist')
    .addOption(new Option('--visibility <who>', 'who sees the action').choices(['private', 'public']))
    .option('--catalog <slug>', 'attach the action to this catalog')
    .option('--name <name>', 'end of its id and of its tool, in lower case')
    .option('--choose <json>', 'which columns become which fields, as a build that needs a choice shows them')
    .option('--json', 'print the answer as JSON')
    .action(async (url: string, goal: string | undefined, flags: Flags) =>
      (await import('./commands/build.ts')).build(url, goal, flags),
    );
}

function addActionsCommand(root: Command): void {
  const actions = root.command('actions').description('list, rename, repair, revert and remove own actions');
  const commands = () => import('./commands/actions.ts');
  const add = (usage: string, text: string) =>
    withSettings(actions.command(usage)).description(text).option('--json', 'print the answer as JSON');
  withSettings(actions.command('list', { isDefault: true }))
    .description('the actions that you built, also those that revert would bring back')
    .option('--json', 'print them as JSON')
    .action(async (flags: Flags) => (await commands()).listActions(flags));
  add('rename', 'give it another name; its id and its tool stay')
    .argument('<action>')
    .argument('<name>')
    .action(async (id: string, name: string, flags: Flags) =>
      (await commands()).renameOwnAction(id, name, flags),
    );
  add('repair', 'read its changed page again; publishes only what earlier results prove')
    .argument('<action>')
    .option('--preview', 'only show what it would change; free')
    .action(async (id: string, flags: Flags) =>
      (await commands()).changeAction(
        id,
        flags.preview === true ? { preview: true } : { repair: true },
        flags,
      ),
    );
  for (const [change, text] of [
    ['revert', 'go back one version, or bring a removed one back'],
    ['remove', 'take it out of all lists; its results stay, its versions for 30 days'],
  ] as const)
    add(change, text)
      .argument('<action>')
      .action(async (id: string, flags: Flags) =>
        (await commands()).changeAction(id, { [change]: true }, flags),
      );
}

function addCatalogsCommand(root: Command): void {
  const catalogs = root.command('catalogs').description('check catalog files, and print the form of one');
  const commands = () => import('./commands/catalogs.ts');
  withSettings(catalogs.command('check', { isDefault: true }))
    .description('say of each catalog file whether it can be used, or where it is broken; exit code 1')
    .argument('[file]', 'a file or a folder of files; if none is named, those of the data folder')
    .option('--json', 'print it as JSON')
    .action(async (file: string | undefined, flags: Flags) => (await commands()).checkCatalogs(file, flags));
  catalogs
    .command('schema')
    .description('print the JSON Schema of a catalog file, for an editor')
    .action(async () => (await commands()).printSchema());
}

function addWatchesCommand(root: Command): void {
  const watches = root.command('watches').description('list watches, show what they told, and change them');
  const commands = () => import('./commands/watches.ts');
  const add = (usage: string, text: string, isDefault = false) =>
    withSettings(watches.command(usage, { isDefault }))
      .description(text)
      .option('--json', 'print the answer as JSON');
  add('list', 'what is watched, and what it has cost', true).action(async (flags: Flags) =>
    (await commands()).showWatches(flags),
  );
  add('show', 'what a watch has told')
    .argument('<watch>')
    .action(async (id: string, flags: Flags) => (await commands()).showWatch(id, flags));
  for (const [set, text] of [
    ['pause', 'run it no more until it is resumed'],
    ['resume', 'go on at its next due time, at the price of now'],
    ['end', 'run it never again; what it told stays'],
  ] as const)
    add(set, text)
      .argument('<watch>')
      .action(async (id: string, flags: Flags) => (await commands()).setWatch(id, set, flags));
  add('run', 'run it once now, and wait for that; costs what its action costs')
    .argument('<watch>')
    .action(async (id: string, flags: Flags) => (await commands()).runWatch(id, flags));
  withSettings(watches.command('run-due'))
    .description('run what is due now, for cron or systemd where no server runs all the time')
    .action(async (flags: Flags) => (await commands()).runDue(flags));
}

function addConfigCommand(root: Command): void {
  withSettings(root.command('config'))
    .description("print what to paste into a client's configuration, and where; or write it there")
    .addArgument(new Argument('<client>', 'the client').choices([...clients.keys()]))
    .option('--name <name>', 'name of the server in the client', 'svc')
    .option('--url <url>', 'use a hosted svc-mcp http at this address instead of starting one')
    .addOption(
      new Option('--auth <how>', 'how the client shows who it is at --url')
        .choices(authentications)
        .default('token'),
    )
    .option('--write', "write it to the client's file of JSON or TOML, and keep a copy of the old file")
    .option('--force', 'replace the entry even if svc-mcp did not write it')
    .option('--json', 'print it as JSON')
    .action(async (client: string, flags: Flags) =>
      (await import('./commands/config.ts')).config(client, flags),
    );
}

function addSubjectKeyCommands(http: Command): void {
  const keys = http
    .command('keys')
    .description('manage the service keys that subjects of SVC_OAUTH_ISSUER act with');
  const commands = () => import('./commands/http-keys.ts');
  withSettings(keys.command('add'))
    .description(
      'give a subject the key that it acts with, in place of an earlier one; asks for the key, or reads it',
    )
    .argument('<subject>', 'the `sub` of its access tokens')
    .option('--key-file <path>', 'file that holds the key, instead of the terminal or stdin')
    .action(async (subject: string, flags: Flags) => (await commands()).addSubjectKey(subject, flags));
  withSettings(keys.command('list'))
    .description('list the subjects that have a key, never the keys themselves')
    .option('--json', 'print them as JSON')
    .action(async (flags: Flags) => (await commands()).listSubjectKeys(flags));
  withSettings(keys.command('revoke'))
    .description("take a subject's key away; its next request is refused")
    .argument('<subject>', 'the `sub` of its access tokens')
    .action(async (subject: string, flags: Flags) => (await commands()).revokeSubjectKey(subject, flags));
}
