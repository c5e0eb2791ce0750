/** Settings in pure steps: parse each source, merge them, complete them. Default < config.json < environment < flag. */
import { lstatSync, type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import envPaths from 'env-paths';
import * as z from 'zod';
import { defaultApiPrefix } from '../../contract/endpoints.ts';
import { repeatsPrefix } from '../../contract/web-address.ts';
import { nearestName } from '../../gateway/foundation/text.ts';
import { gatewayMigrations } from '../../gateway/store/migrations.ts';
import { migrations as serviceMigrations } from '../../service/store/migrations.ts';
import { errorCode, UnfitFileError } from '../../store/errors.ts';
import { readRegularFileSync, toText } from '../../store/regular-file.ts';
import { countApplied, readFileHash, schemaHashes } from '../../store/schema-hash.ts';
import { DataFolderError, SettingsError } from './errors.ts';
import type { Flags } from './flags.ts';
import { parseJsonc } from './jsonc.ts';
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

/**
 * Reads `config.json` and secret files; throws a `SettingsError`, and a `StoreError` where another version of this program
 * wrote the data folder. `ownKeys`: each client may bring its own key. `logLevel`:
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
  const dataDir = fromFlags.dataDir ?? fromEnvironment.dataDir ?? defaultDataDir();
  checkOwner(dataDir);
  checkVersion(dataDir);
  checkOwner(join(dataDir, 'config.json'));
  const fromFile = parseConfigFile(join(dataDir, 'config.json'));
  const values = { ...fromFile, ...fromEnvironment, ...fromFlags, dataDir };
  if (!ownKeys) checkKey(values);
  checkPrefix(values);
  checkWebhook(values);
  return { apiPrefix: defaultApiPrefix, logLevel, ...values };
}

/** The user's data folder. Throws where the environment names none: secrets must not land in the working folder. */
function defaultDataDir(): string {
  const { data } = envPaths('svc-mcp', { suffix: '' });
  // A relative XDG_DATA_HOME is to be ignored (XDG Base Directory Specification).
  const path = isAbsolute(data) ? data : join(homedir(), '.local', 'share', 'svc-mcp');
  if (isAbsolute(path)) return path;
  throw new SettingsError(
    'The data folder is unknown, because HOME is empty or not an absolute path: set SVC_DATA_DIR to a folder of your own',
  );
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
      // A secret mount that is still empty must not switch the protection off.
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
    const nearest = nearestName(unknown.replace(/^svc_/i, ''), allowedKeys);
    const step =
      nearest === undefined
        ? `Allowed settings: ${[...allowedKeys].sort().join(', ')}`
        : `Did you mean ${JSON.stringify(nearest)}?`;
    throw new SettingsError(`${path} has the unknown setting ${JSON.stringify(unknown)}. ${step}`);
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
      // The value may be a pasted key or an address with a password, so it is quoted only if it cannot be one.
      const valueNote = isQuotable(name, value) ? `, not ${JSON.stringify(value)}` : '';
      throw new SettingsError(
        `${source(name)} ${result.error.issues[0]?.message ?? 'is invalid'}${valueNote}`,
      );
    }
    parsed[name] = result.data;
  }
  return parsed;
}

/** Only a number, a switch or one short word, as after a typing error; never a secret or an address. */
function isQuotable(name: SettingName, value: unknown): boolean {
  const { env } = settings[name];
  if ('secret' in settings[name] || /_(URL|ISSUER|AUDIENCE|ORIGINS|WEBHOOK)$/.test(env)) return false;
  return typeof value === 'string'
    ? /^([a-z]{0,10}|-?[\d.]{0,10}|\s*)$/i.test(value)
    : typeof value !== 'object';
}

function checkKey(values: GivenSettings): void {
  if (values.baseUrl === undefined || values.apiKey !== undefined) return;
  throw new SettingsError(
    'SVC_BASE_URL is set but SVC_API_KEY is not: set the API key of that service (or SVC_API_KEY_FILE)',
  );
}

function checkWebhook({ watchWebhook, watchWebhookSecret }: GivenSettings): void {
  if ((watchWebhook === undefined) === (watchWebhookSecret === undefined)) return;
  throw new SettingsError(
    'SVC_WATCH_WEBHOOK and SVC_WATCH_WEBHOOK_SECRET (or …_FILE) belong together: set both or neither',
  );
}

function checkPrefix({ baseUrl, apiPrefix = defaultApiPrefix }: GivenSettings): void {
  if (baseUrl === undefined || !repeatsPrefix(baseUrl, apiPrefix)) return;
  throw new SettingsError(
    `SVC_BASE_URL ends with ${apiPrefix}, which SVC_API_PREFIX adds to it: leave it out of SVC_BASE_URL`,
  );
}

/** The text of a small file, trimmed; throws a `SettingsError` that begins with `name`, which told the path. */
export function readSecretFile(path: string, name: string): string {
  try {
    return toText(readRegularFileSync(path)).trim();
  } catch (error) {
    const reason = error instanceof UnfitFileError ? error.message : `the file ${path} cannot be read`;
    throw new SettingsError(`${name}: ${reason}`);
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    return toText(readRegularFileSync(path));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    if (error instanceof UnfitFileError) throw new SettingsError(error.message);
    if (errorCode(error) === 'ENOTDIR') throw new DataFolderError(dirname(path), error);
    throw new SettingsError(`${path} cannot be read (${errorCode(error)}): make it readable for you`);
  }
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message may quote the text, which holds secrets.
    const { problem } = parseJsonc(text, { disallowComments: true });
    throw new SettingsError(
      `${path} is not JSON${problem === undefined ? '' : ` (${problem})`}: correct it there`,
    );
  }
}

/** Throws a `StoreError` of kind `other-schema`. */
function checkVersion(dataDir: string): void {
  for (const { name, migrations } of [
    { name: 'gateway.db', migrations: gatewayMigrations },
    { name: 'service.db', migrations: serviceMigrations },
  ]) {
    const file = join(dataDir, name);
    countApplied(readFileHash(file), schemaHashes(migrations, 'sqlite'), { file });
  }
}

/** By group or others. */
const writable = 0o022;

/**
 * Throws a `SettingsError` with the command that fixes it where another user owns the path or can write to it. Nothing
 * is checked where there is nothing, nor on Windows, whose folders of a user are closed to others.
 */
function checkOwner(path: string): void {
  const user = process.getuid?.();
  if (user === undefined) return;
  // Checks both a link and its target.
  for (const stats of [lstatSync, statSync].map((read) => readStats(path, read))) {
    if (stats === undefined) continue;
    // Files of root are as safe as the system.
    if (stats.uid !== user && stats.uid !== 0) {
      throw new SettingsError(
        `${path} belongs to another user (uid ${stats.uid}), who could change settings and read keys. ` +
          `If it is yours, run: sudo chown -R ${user} ${quoted(path)}`,
      );
    }
    if (!stats.isSymbolicLink() && (stats.mode & writable) !== 0) {
      throw new SettingsError(
        `${path} can be written by other users, who could change settings and read keys. ` +
          `Run: chmod go-w ${quoted(path)}`,
      );
    }
  }
}

function readStats(path: string, read: (path: string) => Stats): Stats | undefined {
  try {
    return read(path);
  } catch {
    // The reader of the file reports what is wrong.
    return undefined;
  }
}

const quoted = (path: string) => (/^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
