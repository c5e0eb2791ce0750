/** Runs what is due of the watches of every key that this process has: its own, or those that its clients' watches kept. */
import type { Logger } from '../../gateway/foundation/logger.ts';
import type { Gateway } from '../../gateway/interface/gateway.ts';
import type { GatewayDatabase } from '../../gateway/store/gateway-database.ts';
import type { SubjectKeys } from '../../gateway/store/subject-keys.ts';
import type { WatchKeys } from '../../gateway/store/watch-keys.ts';
import type { WatchOutlets } from '../../gateway/watching.ts';
import type { Settings } from '../config/load.ts';
import type { ServiceCaller } from './gateways.ts';
import { watchOutlets } from './watch-outlets.ts';

/** Another process may have kept a key; nothing is due sooner after that. */
const lookMs = 60_000;

interface Dependencies {
  /** The one key that all act with; undefined: each caller has one. */
  readonly sharedKey: string | undefined;
  readonly database: GatewayDatabase;
  readonly openWatchKeys: () => Promise<WatchKeys>;
  readonly getPrincipalId: (caller: ServiceCaller) => string;
  readonly open: (caller: ServiceCaller, outlets: WatchOutlets) => Gateway;
  readonly logger: Logger;
}

export function serveWatches(settings: Settings, dependencies: Dependencies): { close(): Promise<void> } {
  const { sharedKey, database, open } = dependencies;
  const outlets = watchOutlets(settings);
  const serve = (caller: ServiceCaller) => {
    const gateway = open(caller, outlets);
    gateway.serveWatches();
    return gateway;
  };
  if (sharedKey !== undefined) return serve({ apiKey: sharedKey });
  const openSubjectKeys = async () =>
    (await import('./subject-keys.ts')).createSubjectKeys(database, settings);
  const servers = new WatchServers({ ...dependencies, openSubjectKeys, serve });
  servers.start();
  return servers;
}

type ServerDependencies = Pick<Dependencies, 'database' | 'openWatchKeys' | 'getPrincipalId' | 'logger'> & {
  readonly openSubjectKeys: () => Promise<SubjectKeys>;
  /** Opens a gateway that runs what is due. */
  readonly serve: (caller: ServiceCaller) => Gateway;
};

class WatchServers {
  readonly #dependencies: ServerDependencies;
  readonly #serving = new Map<string, Gateway>();
  #looking: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: ServerDependencies) {
    this.#dependencies = dependencies;
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), lookMs).unref();
    void this.look();
  }

  /** Begins with keys that were kept since the last look, and ends with those that are not any more. Never rejects. */
  look(): Promise<void> {
    this.#looking = this.#looking
      .then(() => (this.#dependencies.database.mayHaveRows ? this.#look() : undefined))
      .catch((error: unknown) => {
        this.#dependencies.logger.warn({ err: error }, 'The keys of watches could not be read');
      });
    return this.#looking;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    await Promise.all([...this.#serving.values()].map((gateway) => gateway.close()));
  }

  async #look(): Promise<void> {
    const { openWatchKeys, openSubjectKeys, getPrincipalId, serve, logger } = this.#dependencies;
    const [keys, subjectKeys] = await Promise.all([openWatchKeys(), openSubjectKeys()]);
    const wanted = new Set<string>();
    for (const { principal, caller } of await keys.list()) {
      if (caller === undefined) {
        logger.warn(
          { principal },
          'The key of a watch cannot be decrypted: SVC_OAUTH_KEYS_FILE names another file',
        );
        continue;
      }
      const subject = 'subject' in caller ? caller.subject : undefined;
      const apiKey = 'apiKey' in caller ? caller.apiKey : await subjectKeys.getKey(caller.subject);
      if (apiKey === undefined) continue;
      const keyed = { apiKey, ...(subject && { subject }) };
      // A subject that was given another key is another principal.
      if (getPrincipalId(keyed) !== principal) continue;
      wanted.add(principal);
      if (this.#serving.has(principal)) continue;
      this.#serving.set(principal, serve(keyed));
    }
    for (const [principal, gateway] of this.#serving) {
      if (wanted.has(principal)) continue;
      this.#serving.delete(principal);
      await gateway.close();
    }
  }
}
