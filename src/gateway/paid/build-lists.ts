/**
 * Reads the list of builds, for everybody who does: it writes the ends that it shows, also of builds that an earlier process
 * asked for, and makes new actions visible.
 */
import type { Api, CallOptions } from '../../contract/api.ts';
import type { ListedBuild } from '../../contract/reading.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Logger } from '../foundation/logger.ts';
import { hasEnded } from './build-body.ts';
import { getBuildEnding } from './build-kind.ts';
import { costOfEnd } from './kind.ts';
import type { GatewayStore } from './store.ts';
import type { Writes } from './writes.ts';

const listTimeoutMs = 30_000;
/** The shortest pause between two refreshes for a new action that the service does not list yet. */
const refreshAgainMs = 5_000;
/** The service's clock and ours may differ a little. */
const clockDifferenceMs = 60_000;

interface Dependencies {
  readonly api: Api;
  readonly catalog: Catalog;
  readonly store: GatewayStore;
  readonly writes: Writes;
  readonly logger: Logger;
}

export class BuildLists {
  readonly #dependencies: Dependencies;
  /** Builds that were seen under way. */
  readonly #pending = new Set<string>();
  /** Builds whose end is written. */
  readonly #finished = new Set<string>();

  /** Of builds whose action is not listed yet: the refresh that was begun for it. */
  readonly #refreshes = new Map<string, Promise<unknown>>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** The newest first, as the service sends them. Rejects with an `ApiError`. */
  async read(options: CallOptions): Promise<readonly ListedBuild[]> {
    const { items } = await this.#dependencies.api.listBuildRequests({
      timeoutMs: listTimeoutMs,
      ...options,
    });
    await this.#notice(items);
    return items;
  }

  async #notice(builds: readonly ListedBuild[]): Promise<void> {
    const { catalog } = this.#dependencies;
    const snapshot = await catalog.snapshot();
    const justEnded = new Set<string>();
    /** Builds whose end is seen for the first time: they may have ended since the last refresh, however young it is. */
    const firstSeen = new Set<string>();
    for (const build of builds) {
      if (!hasEnded(build)) this.#pending.add(build.id);
      else {
        if (this.#pending.delete(build.id)) justEnded.add(build.id);
        if (this.#finished.has(build.id)) continue;
        firstSeen.add(build.id);
        await this.#finish(build);
      }
    }
    const { fetchedAt } = snapshot.data;
    const isOld = Date.now() - fetchedAt > refreshAgainMs;
    const unlisted = builds.filter(
      ({ status, action_id }) =>
        status === 'success' && typeof action_id === 'string' && snapshot.action(action_id) === undefined,
    );
    const isNew = ({ id, updated_at }: ListedBuild) =>
      justEnded.has(id) ||
      ((isOld || firstSeen.has(id)) && !(Date.parse(updated_at) < fetchedAt - clockDifferenceMs));
    const news = unlisted.filter(isNew);
    if (news.length > 0) {
      const refresh = catalog.refreshAnew();
      for (const { id } of news) this.#refreshes.set(id, refresh);
    }
    // Whoever sees the build meanwhile waits as well: its action can be run once it says success.
    await Promise.all(unlisted.map(({ id }) => this.#refreshes.get(id)));
    for (const { id } of news) this.#refreshes.delete(id);
  }

  /** Also of a build that an earlier process asked for: its refund belongs to the day's limit. */
  async #finish(build: ListedBuild): Promise<void> {
    const { store, writes, logger } = this.#dependencies;
    const ending = getBuildEnding({ kind: 'build', build });
    try {
      const { queries, rows } = await store.open();
      const row = await queries.byJob(build.id);
      this.#finished.add(build.id);
      // Where its row does not have its id yet, the call that waits for it writes its end.
      if (row === undefined || ending === undefined || row.outcome !== null) return;
      const charged = costOfEnd(ending, row);
      const end = { jobId: build.id, outcome: ending.outcome, charged, durationMs: null };
      await writes.write(row.id, `the end of build ${build.id}`, () => rows.finish(row.id, end));
    } catch (error) {
      logger.error({ error: String(error) }, 'Could not write the end of a build to the store');
    }
  }
}
