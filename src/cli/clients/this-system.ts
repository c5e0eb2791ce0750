/** The machine that the clients of this user run on, and which of them are there. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute } from 'node:path';
import { SettingsError } from '../config/errors.ts';
import { clients, type System } from './clients.ts';

/** Clients' files are below the home folder; without one they would be written into the working folder. */
function homeFolder(): string {
  const home = homedir();
  if (isAbsolute(home)) return home;
  throw new SettingsError('HOME is empty or not an absolute path: set it to your home folder');
}

export const readSystem = (): System => ({
  platform: process.platform,
  home: homeFolder(),
  workingDirectory: process.cwd(),
  environment: process.env,
});

/** The names of the clients whose folder of settings exists. A file of the working folder tells of none. */
export const installedClients = (system: System): string[] =>
  [...clients]
    .filter(([, { userWide, file }]) => userWide === undefined && existsSync(dirname(file(system))))
    .map(([name]) => name);
