/** Settings in pure steps: parse each source, merge them, complete them. Default < config.json < environment < flag. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import envPaths from 'env-paths';
import * as z from 'zod';
import { defaultApiPrefix } from '../../contract/endpoints.ts';
import { hasPassword } from '../../contract/web-address.ts';
import { checkOwner } from './check-owner.ts';
import { SettingsError } from './errors.ts';
import { configKey, type GivenSettings, type SettingName, settingNames, settings } from './settings.ts';

export interface Settings extends GivenSettings {
  readonly apiPrefix: string;
  readonly dataDir: string;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

interface LoadOptions {
  readonly ownKeys?: boolean;
  readonly logLevel?: Settings['logLevel'];
}

type Environment = Readonly<Record<string, string | undefined>>;
type Flags = Readonly<Record<string, unknown>>;

/**
 * Reads `config.json` and secret files; throws a `SettingsError`. `ownKeys`: each client may bring its own key. `logLevel`:
 * the default one.
 */
export function loadSettings(
  environment: Environment,
  flags: Flags = {},
  { ownKeys = false, logLevel = 'info' }: LoadOptions = {},
): Settings {
  const fromEnvironment = parseEnvironment(environment, readSecretFile);
  const fromFlags = parseValues(
    flags,
    (name) => name,
    (name) => `--${configKey(name).replaceAll('_', '-')}`,
  );
  // The folder must be known before the file in it can be read.
  const dataDir = fromFlags.dataDir ?? fromEnvironment.dataDir ?? envPaths('svc-mcp', { suffix: '' }).data;
  checkOwner(dataDir);
  checkOwner(join(dataDir, 'config.json'));
  const fromFile = parseConfigFile(join(dataDir, 'config.json'));
  const values = { ...fromFile, ...fromEnvironment, ...fromFlags, dataDir };
  if (!ownKeys) checkKey(values);
  checkBrowser(values);
  return { apiPrefix: defaultApiPrefix, logLevel, ...values };
}

/** An empty variable is an unset one. A secret may come from the file that `<name>_FILE` names, but not from both. */
export function parseEnvironment(
  environment: Environment,
  readFile: (path: string, name: string) => string,
): GivenSettings {
  const values: Record<string, string> = {};
  for (const name of settingNames) {
    const { env } = settings[name];
    const direct = environment[env] || undefined;
    const file = 'secret' in settings[name] ? environment[`${env}_FILE`] || undefined : undefined;
    if (direct !== undefined && file !== undefined) {
      throw new SettingsError(`${env} and ${env}_FILE are both set: remove one of them`);
    }
    const value = file === undefined ? direct : readFile(file, `${env}_FILE`);
    if (value === '') {
      // A mount that is not filled yet must not remove the protection.
      throw new SettingsError(`${file}, which ${env}_FILE names, is empty: write the value into it`);
    }
    if (value !== undefined) values[name] = value;
  }
  return parseValues(
    values,
    (name) => name,
    (name) => settings[name].env,
  );
}

function parseConfigFile(path: string): GivenSettings {
  const text = readIfPresent(path);
  if (text === undefined) return {};
  const content = z.record(z.string(), z.unknown()).safeParse(parseJson(text, path));
  if (!content.success) throw new SettingsError(`${path} must hold a JSON object`);
  const allowedKeys = new Set<string>(settingNames.map(configKey));
  const unknown = Object.keys(content.data).find((key) => !allowedKeys.has(key));
  if (unknown !== undefined) {
    throw new SettingsError(
      `${path} has the unknown setting ${JSON.stringify(unknown)}. Allowed settings: ${[...allowedKeys].sort().join(', ')}`,
    );
  }
  return parseValues(content.data, configKey, (name) => `${configKey(name)} in ${path}`);
}

/** Values by name, each checked; `source` says for an error where a value came from. Secrets are not repeated. */
function parseValues(
  values: Readonly<Record<string, unknown>>,
  toKey: (name: SettingName) => string,
  source: (name: SettingName) => string,
): GivenSettings {
  const parsed: Record<string, unknown> = {};
  for (const name of settingNames) {
    const value = values[toKey(name)];
    if (value === undefined || value === null) continue;
    const result = settings[name].type.safeParse(value);
    if (!result.success) {
      const isSecret = 'secret' in settings[name] || (typeof value === 'string' && hasPassword(value));
      const valueNote = isSecret ? '' : `, not ${JSON.stringify(value)}`;
      throw new SettingsError(
        `${source(name)} ${result.error.issues[0]?.message ?? 'is invalid'}${valueNote}`,
      );
    }
    parsed[name] = result.data;
  }
  return parsed;
}

function checkKey(values: GivenSettings): void {
  if (values.baseUrl === undefined || values.apiKey !== undefined) return;
  throw new SettingsError(
    'SVC_BASE_URL is set but SVC_API_KEY is not: set the API key of that service (or SVC_API_KEY_FILE)',
  );
}

/** Pages in a remote browser can reach private addresses, so only its owner may use it. */
export const remoteForOneUser =
  'SVC_BROWSER names a remote browser, which is for a service with one user: use a browser on this machine';

function checkBrowser({ browser, browserRemote }: GivenSettings): void {
  if (browser === undefined || !/^wss?:/.test(browser) || browserRemote === 'unguarded') return;
  throw new SettingsError(
    'SVC_BROWSER names a remote browser, whose pages svc-mcp cannot keep from private addresses: set SVC_BROWSER_REMOTE=unguarded to allow that',
  );
}

function readSecretFile(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    throw new SettingsError(`${name}: the file ${path} cannot be read`);
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new SettingsError(`${path} cannot be read`);
  }
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SettingsError(`${path} is not JSON: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}
