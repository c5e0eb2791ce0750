/** The server that a client's entry names, by the settings that are given now: as flags or in the environment. */

import { join, resolve } from 'node:path';
import { SettingsError } from '../config/errors.ts';
import type { Flags } from '../config/flags.ts';
import { loadSettings } from '../config/load.ts';
import { isHttpOnly, type SettingName, settingNames, settings } from '../config/settings.ts';
import type { LocalServer, RemoteServer, Secret } from './clients.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Entries of clients that pass no environment to their servers need these variables too. */
const network = ['HTTPS_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS'];

/** `svc-mcp stdio` as this program runs now. Throws a `SettingsError` for a setting that it would not take. */
export function localServer(
  program: { readonly command: string; readonly args: readonly string[] },
  environment: Environment,
  flags: Flags,
): LocalServer {
  const { baseUrl, dataDir } = loadSettings(withoutSecretFiles(environment), flags, { ownKeys: true });
  const env: Record<string, string> = {};
  const secrets: Secret[] = [];
  for (const name of settingNames) {
    const { env: variable } = settings[name];
    if (isHttpOnly(name)) continue;
    const value = flags[name] ?? environment[variable];
    if (!('secret' in settings[name])) {
      if (typeof value === 'string' && value !== '')
        env[variable] = name === 'dataDir' ? resolve(value) : value;
      continue;
    }
    const file = environment[`${variable}_FILE`] || undefined;
    const needed = name === 'apiKey' && baseUrl !== undefined;
    if (file !== undefined) env[`${variable}_FILE`] = resolve(file);
    else if (needed || value) secrets.push(toSecret(name, dataDir));
  }
  if (baseUrl !== undefined) Object.assign(env, getNetworkSettings(environment));
  return { kind: 'local', ...program, env, secrets };
}

export const authentications = ['token', 'key', 'oauth'] as const;
export type Authentication = (typeof authentications)[number];

/** A hosted `svc-mcp http`. Throws a `SettingsError` for what is no address. */
export function remoteServer(url: string, authentication: Authentication): RemoteServer {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    // A key that was pasted here must not be printed.
    throw new SettingsError("--url must be the http or https address of svc-mcp http's /mcp");
  }
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') {
    throw new SettingsError(
      '--url must not hold a user name or password: clients do not take it, and others read the file',
    );
  }
  if (authentication === 'oauth') return { kind: 'remote', url, header: undefined };
  const header =
    authentication === 'token'
      ? { name: 'Authorization', prefix: 'Bearer ', secret: toSecret('httpToken', '') }
      : { name: 'X-API-Key', prefix: '', secret: toSecret('apiKey', '') };
  return { kind: 'remote', url, header };
}

const abouts: Partial<Record<SettingName, string>> = {
  apiKey: 'API key of the service',
  databaseUrl: 'address of the PostgreSQL database',
  httpToken: 'token of the hosted server',
};

function toSecret(name: SettingName, dataDir: string): Secret {
  const variable = settings[name].env;
  const file = join(dataDir, `${variable.toLowerCase().replaceAll('_', '-')}.txt`);
  return { variable, about: abouts[name] ?? settings[name].about, file };
}

/** The server reads those files itself; here only their paths matter. */
function withoutSecretFiles(environment: Environment): Environment {
  const files = new Set(settingNames.map((name) => `${settings[name].env}_FILE`));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !files.has(name)));
}

/** Addresses with a password are left out, because others may read the client's file. */
function getNetworkSettings(environment: Environment): Record<string, string> {
  const value = network.flatMap((name) => {
    const value = environment[name];
    const hasPassword = value !== undefined && URL.canParse(value) && new URL(value).password !== '';
    return value && !hasPassword ? [[name, value] as const] : [];
  });
  return Object.fromEntries(value);
}
