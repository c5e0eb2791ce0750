/** `svc-mcp doctor`: everything a start needs, checked one by one, each with what to do about it. */
import { join } from 'node:path';
import colors from 'picocolors';
import { isApiError } from '../../client/errors.ts';
import { toolList } from '../../mcp/tools/tool-list.ts';
import type { HealthCheck } from '../../service/foundation/ports.ts';
import { SettingsError } from '../config/errors.ts';
import type { Flags } from '../config/flags.ts';
import { loadSettings, type Settings } from '../config/load.ts';
import { version } from '../config/version.ts';
import { prepareDataFolder } from '../setup/data-folder.ts';
import { type Gateways, openGateways, ownCaller } from '../setup/gateways.ts';
import { createLogger } from '../setup/logger.ts';
import { browserCheck, getHost, proxyOf, websitesCheck } from '../setup/machine-checks.ts';

const minimumNode = [20, 19] as const;

export async function doctor(flags: Flags): Promise<void> {
  const checks: HealthCheck[] = [];
  for await (const check of runChecks(flags)) {
    checks.push(check);
    if (flags.json !== true) print(check);
  }
  const ok = checks.every((check) => check.ok);
  if (flags.json === true) process.stdout.write(`${JSON.stringify({ ok, checks })}\n`);
  process.exit(ok ? 0 : 1);
}

/** The files shrink only here: while the program runs, freed pages are used again. */
async function* compactChecks({ databaseUrl, dataDir }: Settings): AsyncGenerator<HealthCheck> {
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
async function* storeChecks({ baseUrl, databaseUrl, dataDir }: Settings): AsyncGenerator<HealthCheck> {
  const [{ checkDatabase }, { gatewayMigrations }, { migrations: serviceMigrations }] = await Promise.all([
    import('../../store/check-database.ts'),
    import('../../gateway/store/migrations.ts'),
    import('../../service/store/migrations.ts'),
  ]);
  const stores = [{ owner: 'gateway', migrations: gatewayMigrations }];
  if (baseUrl === undefined) stores.push({ owner: 'service', migrations: serviceMigrations });
  for (const { owner, migrations } of stores) {
    const target = databaseUrl === undefined ? { file: join(dataDir, `${owner}.db`) } : { url: databaseUrl };
    const check = (ok: boolean, detail: string): HealthCheck => ({ name: `${owner} store`, ok, detail });
    yield await checkDatabase({ target, migrations, owner }).then(
      (detail) => check(true, detail),
      (error: unknown) => check(false, getMessage(error)),
    );
  }
}

function print({ ok, note, name, detail }: HealthCheck): void {
  const state = !ok ? colors.red('fail') : note ? colors.yellow('note') : colors.green('ok  ');
  process.stdout.write(`${state} ${name.padEnd(13)} ${detail}\n`);
}

async function* runChecks(flags: Flags): AsyncGenerator<HealthCheck> {
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
  // Before the embedded service starts, which mends the file.
  if (settings.baseUrl === undefined && settings.practiceSites !== false)
    yield await (await import('../setup/practice-sites.ts')).practicePortCheck(settings.dataDir);
  if (settings.oauthIssuer !== undefined) yield await issuerCheck(settings.oauthIssuer);
  if (settings.baseUrl !== undefined && settings.apiKey === undefined) {
    const detail = 'not checked: each subject has its own key (svc-mcp http keys list)';
    yield { name: 'key', ok: true, note: true, detail };
    return;
  }
  // Only errors are logged here; the checks report the rest.
  const quiet: Settings = { ...settings, logLevel: 'silent' };
  let gateways: Gateways;
  try {
    gateways = await openGateways(quiet, createLogger('silent'));
  } catch (error) {
    yield { name: 'service', ok: false, detail: serviceProblem(error) };
    return;
  }
  try {
    const answered = yield* serviceChecks(quiet, gateways);
    if (answered) yield* toolChecks(gateways);
  } finally {
    await gateways.close();
  }
}

/** Returns whether the service answered. */
async function* serviceChecks(settings: Settings, gateways: Gateways): AsyncGenerator<HealthCheck, boolean> {
  const api = gateways.createApi(ownCaller(gateways).apiKey);
  try {
    const embedded = await gateways.embedded?.start();
    const where = embedded === undefined ? settings.baseUrl : `embedded, ${embedded.baseUrl}`;
    const startedAt = Date.now();
    const { items, unreadable } = await api.search({}, { timeoutMs: 30_000 });
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
    return true;
  } catch (error) {
    yield { name: 'service', ok: false, detail: serviceProblem(error) };
    return false;
  } finally {
    await api.close();
  }
}

async function* toolChecks(gateways: Gateways): AsyncGenerator<HealthCheck> {
  const gateway = gateways.open(ownCaller(gateways));
  const listing = await gateway.listing();
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
  const unavailable = await gateway.unavailableActions();
  for (const { id, reason } of unavailable.slice(0, 10))
    yield { name: 'action', ok: false, detail: `${id}: ${reason}` };
  await gateway.close();
}

async function issuerCheck(issuer: string): Promise<HealthCheck> {
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

function nodeCheck(): HealthCheck {
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
function* placeholderChecks(environment: NodeJS.ProcessEnv): Generator<HealthCheck> {
  for (const [name, value = ''] of Object.entries(environment)) {
    if (!name.startsWith('SVC_') || !placeholder.test(value)) continue;
    const detail = `${name} is the placeholder ${value}, which the client did not replace: set that variable where the client starts`;
    yield { name: 'placeholder', ok: false, detail };
  }
}

function folderCheck(settings: Settings): Promise<HealthCheck> {
  return prepareDataFolder(settings).then(
    () => ({
      name: 'data folder',
      ok: true,
      detail: settings.databaseUrl === undefined ? 'writable' : 'readable',
    }),
    (error: unknown) => ({ name: 'data folder', ok: false, detail: getMessage(error) }),
  );
}

/** The way to a remote service. */
function proxyCheck(): HealthCheck {
  const proxy = proxyOf(process.env);
  const except = process.env.NO_PROXY || process.env.no_proxy;
  // A proxy's address may hold a password.
  const detail = proxy === undefined ? 'none' : `${getHost(proxy)}${except ? `, except ${except}` : ''}`;
  return { name: 'proxy', ok: true, detail };
}

function serviceProblem(error: unknown): string {
  if (!isApiError(error)) return `the embedded service does not start: ${getMessage(error)}`;
  if (error.kind === 'service' && error.httpStatus === 401)
    return 'the key was refused: set SVC_API_KEY to a valid one';
  if (error.kind === 'contract') return `${error.message}: check SVC_BASE_URL and SVC_API_PREFIX`;
  return `${error.message}: check SVC_BASE_URL, the network and the proxy`;
}

const getMessage = (error: unknown) => (error instanceof Error ? error.message : String(error));
