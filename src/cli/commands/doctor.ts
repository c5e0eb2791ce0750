/** `svc-mcp doctor`: everything a start needs, checked one by one, each with what to do about it. */
import { lookup } from 'node:dns/promises';
import { join } from 'node:path';
import colors from 'picocolors';
import { isApiError } from '../../client/errors.ts';
import { toolList } from '../../mcp/tools/tool-list.ts';
import type { BrowserLocation } from '../../service/fetch/find-browser.ts';
import { SettingsError } from '../config/errors.ts';
import type { Flags } from '../config/flags.ts';
import { loadSettings, type Settings } from '../config/load.ts';
import { version } from '../config/version.ts';
import { connect, type GatewayConnection } from '../setup/connection.ts';
import { prepareDataFolder } from '../setup/data-folder.ts';
import { createLogger } from '../setup/logger.ts';

interface Check {
  readonly name: string;
  /** Whether nothing has to be done. */
  readonly ok: boolean;
  /** Works without it, but something is not as it could be. */
  readonly note?: true;
  readonly detail: string;
}

const minimumNode = [20, 19] as const;

export async function doctor(flags: Flags): Promise<void> {
  const checks: Check[] = [];
  for await (const check of runChecks(flags)) {
    checks.push(check);
    if (flags.json !== true) print(check);
  }
  const ok = checks.every((check) => check.ok);
  if (flags.json === true) process.stdout.write(`${JSON.stringify({ ok, checks })}\n`);
  process.exit(ok ? 0 : 1);
}

/** The files shrink only here: while the program runs, freed pages are used again. */
async function* compactChecks({ databaseUrl, dataDir }: Settings): AsyncGenerator<Check> {
  if (databaseUrl !== undefined) {
    yield { name: 'compact', ok: true, detail: 'PostgreSQL reuses its space by itself (autovacuum)' };
    return;
  }
  const { compactFile } = await import('../../store/compact.ts');
  for (const name of ['gateway.db', 'service.db']) {
    try {
      const sizes = await compactFile(join(dataDir, name));
      if (sizes === undefined) continue;
      const inMegabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;
      const detail = `${name}: ${inMegabytes(sizes.before)} before, ${inMegabytes(sizes.after)} now`;
      yield { name: 'compact', ok: true, detail };
    } catch (error) {
      yield { name: 'compact', ok: false, detail: `${name}: ${getMessage(error)}` };
    }
  }
}

/** Runs before anything opens the databases, because opening makes or migrates them. */
async function* storeChecks({ baseUrl, databaseUrl, dataDir }: Settings): AsyncGenerator<Check> {
  const [{ checkDatabase }, { gatewayMigrations }, { migrations: serviceMigrations }] = await Promise.all([
    import('../../store/check-database.ts'),
    import('../../gateway/store/migrations.ts'),
    import('../../service/store/migrations.ts'),
  ]);
  const stores = [{ owner: 'gateway', migrations: gatewayMigrations }];
  if (baseUrl === undefined) stores.push({ owner: 'service', migrations: serviceMigrations });
  for (const { owner, migrations } of stores) {
    const target = databaseUrl === undefined ? { file: join(dataDir, `${owner}.db`) } : { url: databaseUrl };
    const check = (ok: boolean, detail: string): Check => ({ name: `${owner} store`, ok, detail });
    yield await checkDatabase({ target, migrations, owner }).then(
      (detail) => check(true, detail),
      (error: unknown) => check(false, getMessage(error)),
    );
  }
}

function print({ ok, note, name, detail }: Check): void {
  const state = !ok ? colors.red('fail') : note ? colors.yellow('note') : colors.green('ok  ');
  process.stdout.write(`${state} ${name.padEnd(13)} ${detail}\n`);
}

async function* runChecks(flags: Flags): AsyncGenerator<Check> {
  yield nodeCheck();
  yield* placeholderChecks(process.env);
  let settings: Settings;
  try {
    settings = loadSettings(process.env, flags, { ownKeys: true });
    if (settings.oauthIssuer === undefined) settings = loadSettings(process.env, flags);
  } catch (error) {
    const name = error instanceof SettingsError ? 'settings' : 'data folder';
    yield { name, ok: false, detail: getMessage(error) };
    return;
  }
  yield { name: 'settings', ok: true, detail: `svc-mcp ${version}, data folder ${settings.dataDir}` };
  yield await folderCheck(settings);
  yield* storeChecks(settings);
  if (flags.compact === true) yield* compactChecks(settings);
  yield settings.baseUrl === undefined ? await websitesCheck(settings) : proxyCheck();
  if (settings.baseUrl === undefined) yield await browserCheck(settings);
  if (settings.oauthIssuer !== undefined) yield await issuerCheck(settings.oauthIssuer);
  if (settings.baseUrl !== undefined && settings.apiKey === undefined) {
    const detail = 'not checked: each subject has its own key (svc-mcp http keys list)';
    yield { name: 'key', ok: true, note: true, detail };
    return;
  }
  // Only errors are logged here; the checks report the rest.
  const quiet: Settings = { ...settings, logLevel: 'silent' };
  let connection: GatewayConnection;
  try {
    connection = await connect(quiet, createLogger('silent'));
  } catch (error) {
    yield { name: 'service', ok: false, detail: serviceProblem(error) };
    return;
  }
  try {
    yield* serviceChecks(quiet, connection);
  } finally {
    await connection.close();
  }
}

async function* serviceChecks(settings: Settings, connection: GatewayConnection): AsyncGenerator<Check> {
  try {
    const embedded = await connection.embedded?.start();
    const where = embedded === undefined ? settings.baseUrl : `embedded, ${embedded.baseUrl}`;
    const startedAt = Date.now();
    const { items, unreadable } = await connection.api.search({}, { timeoutMs: 30_000 });
    const problems = embedded?.catalogProblems() ?? [];
    yield {
      name: 'service',
      ok: true,
      detail: `${where} answered in ${Date.now() - startedAt} ms; the key is valid`,
    };
    for (const { file, line, column, reason } of problems)
      yield { name: 'catalog file', ok: false, detail: `${file}:${line}:${column} ${reason}` };
    yield {
      name: 'catalog',
      ok: unreadable.length === 0,
      detail: `${items.length} visible actions${
        unreadable.length === 0
          ? ''
          : `; unreadable: ${unreadable
              .slice(0, 5)
              .map(({ id, reason }) => `${id} (${reason})`)
              .join(', ')}`
      }`,
    };
  } catch (error) {
    yield { name: 'service', ok: false, detail: serviceProblem(error) };
    return;
  }
  const listing = await connection.gateway.listing();
  const { unlisted } = listing;
  const tools = toolList(listing);
  const chars = JSON.stringify({ tools }).length;
  const hint =
    unlisted === 0
      ? ''
      : `; ${unlisted} more by run_action (SVC_CATALOGS, SVC_MAX_TOOLS, SVC_MAX_TOOLS_CHARS)`;
  yield {
    name: 'tools',
    ok: true,
    detail: `${tools.length} tools, ${chars} characters${hint}`,
  };
  const unavailable = await connection.gateway.unavailableActions();
  for (const { id, reason } of unavailable.slice(0, 10))
    yield { name: 'action', ok: false, detail: `${id}: ${reason}` };
}

async function issuerCheck(issuer: string): Promise<Check> {
  const { AuthorizationServer } = await import('../../client/authorization-server.ts');
  try {
    const server = new AuthorizationServer(issuer);
    const { jwks_uri } = await server.metadata();
    await server.keySet();
    return { name: 'issuer', ok: true, detail: `${issuer} has its keys at ${jwks_uri}` };
  } catch (error) {
    return {
      name: 'issuer',
      ok: false,
      detail: `${getMessage(error)}: check SVC_OAUTH_ISSUER and the network`,
    };
  }
}

/** Nothing needs a browser but pages that show nothing without scripts, so its absence is no failure. */
async function browserCheck(settings: Settings): Promise<Check> {
  const { findBrowser, isLinuxRoot } = await import('../../service/fetch/find-browser.ts');
  const location = findBrowser(settings.browser ?? 'auto');
  const name = 'browser';
  const note = (detail: string): Check => ({ name, ok: true, note: true, detail });
  if (location.kind === 'none') {
    if (location.reason === 'off') return note('off (SVC_BROWSER); pages that need scripts are not read');
    if (location.reason === 'not-executable')
      return { name, ok: false, detail: `${location.path} cannot be run: correct SVC_BROWSER` };
    return note('none; for pages that need scripts install Chromium, Chrome or Edge');
  }
  const drives = await import('playwright-core').then(
    () => true,
    () => false,
  );
  const where = installedBrowser(location);
  if (!drives) return note(`${where}; to use it run: npm install -g playwright-core`);
  if (isLinuxRoot() && settings.browserSandbox !== false)
    return note(`${where}; not used as root, where its sandbox cannot run (SVC_BROWSER_SANDBOX)`);
  return { name, ok: true, detail: where };
}

function installedBrowser({ path, windowPath }: BrowserLocation & { kind: 'installed' }): string {
  if (windowPath === undefined) return `${path}, which cannot show a sign-in window`;
  return windowPath === path ? path : `${path}; for sign-in windows: ${windowPath}`;
}

function nodeCheck(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > minimumNode[0] || (major === minimumNode[0] && minor >= minimumNode[1]);
  return {
    name: 'node',
    ok,
    detail: ok ? process.version : `${process.version}: install Node ${minimumNode.join('.')} or newer`,
  };
}

const placeholder = /^(Bearer )?(\$\{[^}]*\}|\{env:[^}]*\}|\$[A-Za-z_]\w*)$/;

/** What a client left in place of the value that its configuration refers to. */
function* placeholderChecks(environment: NodeJS.ProcessEnv): Generator<Check> {
  for (const [name, value = ''] of Object.entries(environment)) {
    if (!name.startsWith('SVC_') || !placeholder.test(value)) continue;
    const detail = `${name} is the placeholder ${value}, which the client did not replace: set that variable where the client starts`;
    yield { name: 'placeholder', ok: false, detail };
  }
}

function folderCheck(settings: Settings): Promise<Check> {
  return prepareDataFolder(settings).then(
    () => ({
      name: 'data folder',
      ok: true,
      detail: settings.databaseUrl === undefined ? 'writable' : 'readable',
    }),
    (error: unknown) => ({ name: 'data folder', ok: false, detail: getMessage(error) }),
  );
}

const proxyOf = (env: NodeJS.ProcessEnv): string | undefined =>
  env.HTTPS_PROXY || env.https_proxy || env.HTTP_PROXY || env.http_proxy || undefined;

/** The way to a remote service. */
function proxyCheck(): Check {
  const proxy = proxyOf(process.env);
  const except = process.env.NO_PROXY || process.env.no_proxy;
  // A proxy's address may hold a password.
  const detail = proxy === undefined ? 'none' : `${getHost(proxy)}${except ? `, except ${except}` : ''}`;
  return { name: 'proxy', ok: true, detail };
}

/** A name that every resolver knows (RFC 2606). */
const knownName = 'example.com';

/** The way of the embedded service to websites. */
async function websitesCheck({ fetchProxy, fetchFakeIps = [] }: Settings): Promise<Check> {
  const { isFakeAddress, isPublicAddress } = await import('../../service/fetch/addresses.ts');
  const name = 'websites';
  const proxy = proxyOf(process.env);
  if (fetchProxy !== undefined) {
    const address = fetchProxy === 'env' ? proxy : fetchProxy;
    if (address === undefined)
      return { name, ok: false, detail: 'SVC_FETCH_PROXY is env, and HTTPS_PROXY is not set' };
    return {
      name,
      ok: true,
      detail: `read through the proxy ${getHost(address)}, which resolves their names`,
    };
  }
  const unused =
    proxy === undefined
      ? ''
      : `; the proxy ${getHost(proxy)} of the environment is not used: set SVC_FETCH_PROXY=env to use it`;
  const addresses = await lookup(knownName, { all: true }).catch(() => undefined);
  if (addresses === undefined)
    return {
      name,
      ok: proxy === undefined,
      detail: `read directly, and the name ${knownName} is not resolved here${unused || '; SVC_FETCH_PROXY names a proxy'}`,
    };
  const odd = addresses.find(
    ({ address }) => !isPublicAddress(address) && !isFakeAddress(address, fetchFakeIps),
  );
  if (odd !== undefined)
    return {
      name,
      ok: false,
      detail: `names of public websites lead to ${odd.address}, which is not public, so none is read: if a VPN answers so, set SVC_FETCH_FAKE_IPS to its range, such as 198.18.0.0/15`,
    };
  const fakes =
    fetchFakeIps.length === 0 ? '' : `, also at the addresses ${fetchFakeIps.join(', ')} of a VPN`;
  return { name, ok: true, detail: `read directly${fakes}${unused}` };
}

function serviceProblem(error: unknown): string {
  if (!isApiError(error)) return `the embedded service does not start: ${getMessage(error)}`;
  if (error.kind === 'service' && error.httpStatus === 401)
    return 'the key was refused: set SVC_API_KEY to a valid one';
  if (error.kind === 'contract') return `${error.message}: check SVC_BASE_URL and SVC_API_PREFIX`;
  return `${error.message}: check SVC_BASE_URL, the network and the proxy`;
}

const getHost = (address: string) =>
  URL.canParse(address) ? new URL(address).host : 'an address that is not valid';

const getMessage = (error: unknown) => (error instanceof Error ? error.message : String(error));
