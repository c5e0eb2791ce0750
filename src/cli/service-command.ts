/** The command `service` and those below it: users, keys, builds and accounts of the embedded service. */
import type { Command } from 'commander';
import type { Flags } from './config/flags.ts';
import { withSettings } from './setting-flags.ts';

export function addServiceCommand(root: Command): void {
  const service = withSettings(root.command('service'))
    .description(
      'run the embedded service by itself; prints its address, key and practice sites as one JSON line',
    )
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0: any free one', '0')
    .action(async (flags: Flags) => (await import('./commands/service.ts')).service(flags));
  addUserCommands(service);
  addKeyCommands(service);
  addBuildCommands(service);
  addAccountCommands(service);
}

function addUserCommands(service: Command): void {
  const users = service.command('users').description('manage the users of the embedded service');
  const commands = () => import('./commands/service-users.ts');
  withSettings(users.command('add'))
    .description('add a user')
    .argument('<name>')
    .option('--credits <credits>', 'credits to start with', '0')
    .action(async (name: string, flags: Flags) => (await commands()).addUser(name, flags));
  withSettings(users.command('list'))
    .description('list users and balances')
    .option('--json', 'print them as JSON')
    .action(async (flags: Flags) => (await commands()).listUsers(flags));
  withSettings(users.command('credits'))
    .description('give a user credits; a negative number takes them')
    .argument('<name>')
    .argument('<amount>')
    .action(async (name: string, amount: string, flags: Flags) =>
      (await commands()).giveCredits(name, amount, flags),
    );
  withSettings(users.command('remove'))
    .description('revoke all keys of a user and disconnect their accounts; ledger and jobs stay')
    .argument('<name>')
    .action(async (name: string, flags: Flags) => (await commands()).removeUser(name, flags));
}

function addKeyCommands(service: Command): void {
  const keys = service.command('keys').description('manage the API keys of the embedded service');
  const commands = () => import('./commands/service-keys.ts');
  withSettings(keys.command('add'))
    .description('make a key for a user; it is shown once')
    .argument('<user>')
    .option('--label <label>', 'what the key is for', '')
    .option('--json', 'print it as JSON')
    .action(async (user: string, flags: Flags) => (await commands()).addKey(user, flags));
  withSettings(keys.command('list'))
    .description('list keys, never the keys themselves')
    .option('--json', 'print them as JSON')
    .action(async (flags: Flags) => (await commands()).listKeys(flags));
  withSettings(keys.command('revoke'))
    .description('revoke a key; it stops working at once')
    .argument('[id]', 'its id; else --user and --label name it')
    .option('--user <name>', 'the user whose key it is')
    .option('--label <label>', 'what the key is for')
    .action(async (id: string | undefined, flags: Flags) => (await commands()).revokeKey(id, flags));
}

function addBuildCommands(service: Command): void {
  const builds = service.command('builds').description('review, rename, rebuild and delete built actions');
  const commands = () => import('./commands/service-builds.ts');
  withSettings(builds.command('list'))
    .description('list built actions; those that wait for a review come first')
    .option('--json', 'print them as JSON')
    .action(async (flags: Flags) => (await commands()).listBuilds(flags));
  for (const decision of ['approve', 'reject'] as const) {
    withSettings(builds.command(decision))
      .description(
        decision === 'approve'
          ? 'make a waiting action public'
          : 'leave a waiting action private to its owner',
      )
      .argument('<action>', 'id of the action')
      .action(async (id: string, flags: Flags) => (await commands()).reviewBuild(id, decision, flags));
  }
  withSettings(builds.command('rename'))
    .description('change the name of an action; its id stays')
    .argument('<action>', 'id of the action')
    .argument('<name>')
    .action(async (id: string, name: string, flags: Flags) =>
      (await commands()).renameBuild(id, name, flags),
    );
  withSettings(builds.command('rebuild'))
    .description('build an action again in place, for its goal and under its id; costs a build')
    .argument('<action>', 'id of the action')
    .option('--json', 'print the answer as JSON')
    .action(async (id: string, flags: Flags) => (await commands()).rebuildBuild(id, flags));
  withSettings(builds.command('delete'))
    .description('delete an action; results of its jobs stay readable')
    .argument('<action>', 'id of the action')
    .action(async (id: string, flags: Flags) => (await commands()).deleteBuild(id, flags));
}

function addAccountCommands(service: Command): void {
  const accounts = service.command('accounts').description('list and disconnect accounts at other sites');
  const commands = () => import('./commands/service-accounts.ts');
  withSettings(accounts.command('list'))
    .description('list the connected accounts of all users')
    .option('--json', 'print them as JSON')
    .action(async (flags: Flags) => (await commands()).showAccounts(flags));
  withSettings(accounts.command('disconnect'))
    .description('disconnect an account and delete its session')
    .argument('<id>', 'id of the account')
    .action(async (id: string, flags: Flags) => (await commands()).disconnectAccount(id, flags));
}
