/** A gateway under test, as a client meets it. */
import { join } from 'node:path';
import { defaultApiPrefix } from '../../src/contract/endpoints.ts';
import { toApiRoot } from '../../src/contract/web-address.ts';
import type { ConfirmationAnswer } from '../../src/gateway/interface/gateway.ts';
import type { JsonObject } from '../../src/gateway/interface/outcomes.ts';
import { createPrincipal } from '../../src/gateway/interface/principal.ts';
import type { Target } from '../../src/store/database.ts';

export interface Place {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly dataDir: string;
  /** PostgreSQL instead of the file in the data folder. */
  readonly databaseUrl: string | undefined;
  readonly maxCreditsPerDay: number | undefined;
  /** What costs more is confirmed by a person, where the gateway is within this process. */
  readonly confirmAboveCredits?: number | undefined;
  /** What one call may cost, by now. */
  readonly maxCreditsPerCall?: () => number | undefined;
  /** The wall clock of a gateway within this process; default: the machine's. */
  readonly now?: () => number;
  /** Of a gateway that is a process; default 1. */
  readonly waitSeconds?: number;
}

export interface Patience {
  /** Milliseconds until the client cancels; undefined: it waits. */
  readonly giveUpMs?: number | undefined;
  /** Milliseconds that the call may wait for its job, where the gateway is within this process. */
  readonly waitMs?: number;
  /** Whether the client cancels when the answer is on its way, and drops it. */
  readonly crosses?: boolean | undefined;
  /** The answer of a person that the call brings, where the gateway is within this process. */
  readonly confirmation?: ConfirmationAnswer | undefined;
}

/**
 * `taken` is called when the client has the answer. Resolves to why there is none, where the client had gone or the
 * gateway had.
 */
export type Ask = (taken: (body: JsonObject) => void, patience: Patience) => Promise<string | undefined>;

export type BatchInput = {
  readonly action_id: string;
  readonly batch: JsonObject[];
  readonly max_credits?: number | undefined;
};

export interface TestedGateway {
  run(input: { action_id: string; params: JsonObject; resubmit: boolean }): Ask;
  runBatch(input: BatchInput): Ask;
  requestBuild(input: { website_url: string; goal: string }): Ask;
  getBuild(id: string): Ask;
  getJob(jobId: string | undefined): Ask;
  restart(): Promise<void>;
  /** SIGKILL, where it is a process. */
  kill(): Promise<void>;
  /** The client goes without reading what was written to it; where that ends the gateway, it is started again. */
  leave?(): Promise<void>;
  /** SIGSTOP, and SIGCONT after so long, where it is a process. `meanwhile` happens while it is stopped. */
  freeze?(ms: number, meanwhile: (pid: number) => Promise<void>): Promise<void>;
  /** Over HTTP: a client calls a tool, reads nothing for so long, and its connection is reset. */
  dieUnread?(name: string, input: JsonObject, afterMs: number): Promise<void>;
  close(): Promise<void>;
}

export const databaseFile = ({ dataDir }: Pick<Place, 'dataDir'>) => join(dataDir, 'gateway.db');
export const storeAt = (place: Pick<Place, 'dataDir' | 'databaseUrl'>): Target =>
  place.databaseUrl === undefined ? { file: databaseFile(place) } : { url: place.databaseUrl };
export const principalAt = ({ baseUrl, apiKey }: Place) =>
  createPrincipal(toApiRoot(baseUrl, defaultApiPrefix), apiKey);
