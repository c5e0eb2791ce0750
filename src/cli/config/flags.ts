/** Flags of a command line, as settings and for a server that is spawned with the same ones. */
import { flagName, settingNames } from './settings.ts';

/** The flags of a command as commander gives them: their names in camel case. */
export type Flags = Readonly<Record<string, unknown>>;

/** The settings among the flags, as arguments of another `svc-mcp`. */
export function settingArguments(flags: Flags): string[] {
  return settingNames.flatMap((name) => {
    const value = flags[name];
    return typeof value === 'string' ? [`--${flagName(name)}=${value}`] : [];
  });
}
