/** What runs share that follow one another: a service, the proxy before it, a database, and what is counted. */
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { actions } from './calls.ts';
import { StandstillWatch } from './standstills.ts';
import { type LaneDatabase, openLaneDatabase } from './store-faults.ts';

/** Milliseconds that a build takes. */
const buildMs = 80;

/** What one lane of runs has to itself; runs follow one another in it. */
export interface Lane {
  readonly upstream: Upstream;
  readonly proxy: FaultProxy;
  readonly database: LaneDatabase | undefined;
  readonly standstills: StandstillWatch;
  runs: number;
  /** Jobs that the service accepted. */
  accepted: number;
  /** Faults of stores, clocks and clients, by name. */
  readonly faults: Map<string, number>;
  /** What was done in the runs, by name. */
  readonly counts: Map<string, number>;
  /** Answers that were written when the client had just given up: it does not know what it paid for. */
  crossed: number;
  kills: number;
  restarts: number;
  close(): Promise<void>;
}

export async function openLane(databaseUrl?: string): Promise<Lane> {
  const upstream = await startUpstream({ balance: 1e9, actions });
  upstream.service.buildMs = buildMs;
  const proxy = await startFaultProxy(upstream.origin);
  const database = databaseUrl === undefined ? undefined : await openLaneDatabase(databaseUrl);
  const standstills = new StandstillWatch();
  return {
    upstream,
    proxy,
    database,
    standstills,
    runs: 0,
    accepted: 0,
    faults: new Map(),
    counts: new Map(),
    crossed: 0,
    kills: 0,
    restarts: 0,
    async close() {
      standstills.stop();
      await proxy.close();
      await database?.proxy.close();
      await upstream.close();
    },
  };
}
