/** One principal's view of the gateway's database. Loaded with the first paid call, because a start that only lists needs no database. */
import type { Database } from '../../store/database.ts';
import type { Principal } from '../interface/principal.ts';
import { type GatewayDatabase, toStoreUnavailable } from '../store/gateway-database.ts';
import type { KeptResults } from '../store/kept-results.ts';
import type { Profiles } from '../store/profiles.ts';
import type { GatewaySchema } from '../store/schema.ts';
import type { SignInCounts } from '../store/sign-in-counts.ts';
import type { WatchQueries } from '../store/watch-queries.ts';
import type { WatchRows } from '../store/watch-rows.ts';
import type { GroupRows } from './group-rows.ts';
import type { OrderRows } from './order-rows.ts';
import type { PaidRows } from './paid-rows.ts';
import type { RowQueries } from './row-queries.ts';
import type { TaskRows } from './task-rows.ts';

export interface OpenStore {
  readonly rows: PaidRows;
  readonly orders: OrderRows;
  readonly queries: RowQueries;
  readonly groups: GroupRows;
  readonly tasks: TaskRows;
  readonly results: KeptResults;
  readonly signIns: SignInCounts;
  readonly profiles: Profiles;
  readonly watchQueries: WatchQueries;
  readonly watches: WatchRows;
}

export class GatewayStore {
  readonly #database: GatewayDatabase;
  readonly #principal: Principal;
  #opening: Promise<OpenStore> | undefined;

  constructor(database: GatewayDatabase, principal: Principal) {
    this.#database = database;
    this.#principal = principal;
  }

  get principalId(): string {
    return this.#principal.id;
  }

  /** Rejects with `STORE_UNAVAILABLE`: without a durable row nothing that costs is sent. */
  open(): Promise<OpenStore> {
    this.#opening ??= this.#database
      .open()
      .then((database) => createOpenStore(database, this.#principal))
      .catch((error: unknown) => {
        this.#opening = undefined;
        throw toStoreUnavailable(error);
      });
    return this.#opening;
  }
}

async function createOpenStore(database: Database<GatewaySchema>, principal: Principal): Promise<OpenStore> {
  const [
    { PaidRows },
    { OrderRows },
    { RowQueries },
    { GroupRows },
    { TaskRows },
    { KeptResults },
    { SignInCounts },
    { Profiles },
    { WatchQueries },
    { WatchRows },
  ] = await Promise.all([
    import('./paid-rows.ts'),
    import('./order-rows.ts'),
    import('./row-queries.ts'),
    import('./group-rows.ts'),
    import('./task-rows.ts'),
    import('../store/kept-results.ts'),
    import('../store/sign-in-counts.ts'),
    import('../store/profiles.ts'),
    import('../store/watch-queries.ts'),
    import('../store/watch-rows.ts'),
  ]);
  const rows = new PaidRows(database, principal);
  const orders = new OrderRows(database, principal, rows);
  const watchQueries = new WatchQueries(database, principal.id);
  return {
    rows,
    orders,
    queries: new RowQueries(database, principal),
    groups: new GroupRows(database, principal, rows, orders),
    tasks: new TaskRows(database, principal.id),
    results: new KeptResults(database, principal.id),
    signIns: new SignInCounts(database, principal.id),
    profiles: new Profiles(database, principal.id),
    watchQueries,
    watches: new WatchRows(database, principal.id, watchQueries),
  };
}
