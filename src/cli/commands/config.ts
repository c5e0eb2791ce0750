/** `svc-mcp config <client>`: what to paste into a client's configuration and where; `--write` puts it there. */
import colors from 'picocolors';
import {
  type Addition,
  type Client,
  clients,
  createAddition,
  describeSecretStep,
  listSecrets,
  type Server,
} from '../clients/clients.ts';
import { type Change, linkedFile, writeEntry } from '../clients/config-file.ts';
import { configTexts, snippet } from '../clients/config-text.ts';
import { authentications, localServer, remoteServer } from '../clients/server.ts';
import { thisProgram } from '../clients/this-program.ts';
import { readSystem } from '../clients/this-system.ts';
import { ClientConfigError, SettingsError } from '../config/errors.ts';
import type { Flags } from '../config/flags.ts';
import { shellWord } from '../terminal/text.ts';

/** With a tool's 40 characters and their own prefixes, clients cut or refuse what is longer. */
const serverName = /^[a-z][a-z0-9_-]{0,15}$/i;

export async function config(clientName: string, flags: Flags): Promise<void> {
  const client = clients.get(clientName);
  if (client === undefined) {
    throw new SettingsError(
      `There is no client ${clientName}. Supported clients: ${[...clients.keys()].join(', ')}`,
    );
  }
  const name = String(flags.name ?? 'svc');
  if (!serverName.test(name)) {
    throw new SettingsError(
      '--name must be a letter and up to 15 letters, digits, - or _, so that tool names fit every client',
    );
  }
  const server = createServerEntry(flags);
  const addition = createAddition(client, server, name);
  const file = client.file(readSystem());
  if (flags.write !== true) return print(flags, client, server, file, addition);
  const change = await write(flags, client, file, addition);
  const steps = change.done === 'unchanged' ? [] : stepsFor(client, server, addition);
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify({ client: clientName, file, name, ...change, steps })}\n`);
    return;
  }
  process.stdout.write(`${describeChange(change, client, name, file)}\n`);
  for (const step of steps) process.stdout.write(`  ${step}\n`);
}

function createServerEntry(flags: Flags): Server {
  const authentication = authentications.find((kind) => kind === (flags.auth ?? 'token'));
  if (authentication === undefined) throw new SettingsError(`--auth must be ${authentications.join(', ')}`);
  if (flags.url !== undefined) return remoteServer(String(flags.url), authentication);
  if (authentication !== 'token')
    throw new SettingsError(`--auth ${authentication} is for a server at --url: add its address`);
  const { command, args } = thisProgram();
  return localServer({ command, args }, process.env, flags);
}

async function write(flags: Flags, client: Client, file: string, addition: Addition): Promise<Change> {
  const { title, format } = client;
  if (format === 'yaml') {
    throw new ClientConfigError(
      `${title} has its servers in YAML, which --write does not change: without it, this command prints what to add to ${file}`,
    );
  }
  const target = await linkedFile(file);
  try {
    return await writeEntry(target, configTexts[format], addition, { force: flags.force === true });
  } catch (error) {
    if (error instanceof ClientConfigError || !(error instanceof Error && 'code' in error)) throw error;
    throw new ClientConfigError(`${target} could not be changed: ${error.message}`);
  }
}

function print(flags: Flags, client: Client, server: Server, file: string, addition: Addition): void {
  const text = snippet(client, addition);
  const steps = stepsFor(client, server, addition);
  if (flags.json === true) {
    const { name, entry, inputs } = addition;
    process.stdout.write(`${JSON.stringify({ file, name, entry, inputs, text, steps })}\n`);
    return;
  }
  process.stdout.write(`${colors.bold(`${client.title}: ${file}`)}\n\n${text}\n`);
  for (const step of steps) process.stdout.write(`  ${step}\n`);
  if (client.format !== 'yaml') process.stdout.write('  --write puts this into the file.\n');
}

function stepsFor(client: Client, server: Server, addition: Addition): string[] {
  const note = server.kind === 'local' ? thisProgram().note : undefined;
  const copied =
    server.kind === 'local'
      ? Object.keys(server.env).filter(
          (name) => server.env[name] === process.env[name] && process.env[name] !== '',
        )
      : [];
  return [
    ...(copied.length === 0 ? [] : [`Copied from the environment of this command: ${copied.join(', ')}.`]),
    ...listSecrets(server).map((secret) => describeSecretStep(client, secret)),
    client.restartStep,
    ...(client.userWide === undefined ? [] : [describeScope(client.userWide(addition))]),
    ...(note === undefined ? [] : [note]),
  ];
}

/** The file is for one folder, and the person may be in it by chance. */
const describeScope = (command: readonly string[]): string =>
  `This entry is only for the folder ${process.cwd()}. For all folders run instead: ${command.map(shellWord).join(' ')}`;

function describeChange({ done, backup }: Change, client: Client, name: string, file: string): string {
  const backupNote = backup === undefined ? '' : `; the file as svc-mcp first found it: ${backup}`;
  return {
    added: `Added ${name} to ${file}${backupNote}`,
    replaced: `Replaced the entry ${name} in ${file}${backupNote}`,
    unchanged: `${client.title} has ${name} already, in ${file}`,
  }[done];
}
