/** The settings as flags of a command. */
import { type Command, Option } from 'commander';
import { flagName, type SettingName, settingNames, settings } from './config/settings.ts';

/** Every setting that is not a secret, as a flag. */
export function withSettings(command: Command): Command {
  for (const name of settingNames) {
    if ('secret' in settings[name]) continue;
    command.addOption(new Option(`--${flagName(name)} <value>`, settingHelp(name)).hideHelp());
  }
  return withUsageHint(command).addHelpText(
    'after',
    '\nEvery setting that is not a secret is a flag too, such as --data-dir or --max-tools.',
  );
}

/** After a wrong argument or option of this command. */
function withUsageHint(command: Command): Command {
  let path = '';
  for (let at: Command | null = command; at !== null; at = at.parent) path = `${at.name()} ${path}`;
  return command.showHelpAfterError(`(${path}--help shows its arguments and options)`);
}

const settingHelp = (name: SettingName) => `${settings[name].about} (${settings[name].env})`;
