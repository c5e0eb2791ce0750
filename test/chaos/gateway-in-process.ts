/** A gateway within this process. */
import { createHttpClient } from '../../src/client/http-client.ts';
import { SnapshotFile } from '../../src/gateway/catalog/snapshot-file.ts';
import { createGateway } from '../../src/gateway/create-gateway.ts';
import { systemClock } from '../../src/gateway/foundation/clock.ts';
import type { CallContext, Gateway } from '../../src/gateway/interface/gateway.ts';
import type { JsonObject, Outcome } from '../../src/gateway/interface/outcomes.ts';
import { defaultGatewaySettings } from '../../src/gateway/interface/settings.ts';
import {
  type Ask,
  type BatchInput,
  type Patience,
  type Place,
  principalAt,
  storeAt,
  type TestedGateway,
} from './tested-gateway.ts';

/** A machine under load must not make doubts of its own. */
export const limitsInProcess = {
  submitMs: 3_000,
  syncMs: 3_000,
  pollMs: 200,
  lostAfterMs: 150,
  batchedRunMs: 5_000,
};

const silent = { debug() {}, info() {}, warn() {}, error() {} };

export class GatewayInProcess implements TestedGateway {
  readonly #place: Place;
  #gateway: Gateway;
  #gone = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(place: Place) {
    this.#place = place;
    this.#gateway = this.#create();
  }

  run(input: { action_id: string; params: JsonObject; resubmit: boolean }): Ask {
    return (taken, patience) =>
      this.#ask((context) => this.#gateway.runAction(input, context), taken, patience);
  }

  runBatch(input: BatchInput): Ask {
    return (taken, patience) =>
      this.#ask((context) => this.#gateway.runBatch(input, context), taken, patience);
  }

  requestBuild(input: { website_url: string; goal: string }): Ask {
    return (taken, patience) =>
      this.#ask((context) => this.#gateway.requestBuild(input, context), taken, patience);
  }

  getBuild(id: string): Ask {
    return (taken, patience) =>
      this.#ask((context) => this.#gateway.listBuildRequests({ id }, context), taken, patience);
  }

  getJob(jobId: string | undefined): Ask {
    const input = jobId === undefined ? {} : { job_id: jobId };
    return (taken, patience) => this.#ask((context) => this.#gateway.getJob(input, context), taken, patience);
  }

  async restart(): Promise<void> {
    await this.close();
    this.#gone = new AbortController();
    this.#gateway = this.#create();
  }

  kill(): Promise<void> {
    throw new Error('A gateway within this process cannot be killed');
  }

  /** As the transports do it: the clients' requests end, then the gateway has a moment. */
  async close(): Promise<void> {
    this.#gone.abort();
    await this.#gateway.close(20);
    await Promise.allSettled(this.#underWay);
  }

  #create(): Gateway {
    const { baseUrl, apiKey, dataDir, maxCreditsPerDay, confirmAboveCredits, now } = this.#place;
    const maxCreditsPerCall = this.#place.maxCreditsPerCall?.();
    const principal = principalAt(this.#place);
    return createGateway({
      api: createHttpClient({ baseUrl, apiKey }),
      principal,
      settings: { ...defaultGatewaySettings, maxCreditsPerDay, maxCreditsPerCall, confirmAboveCredits },
      snapshotFile: new SnapshotFile(dataDir, principal.id),
      store: storeAt(this.#place),
      logger: silent,
      clock: { ...systemClock, ...(now !== undefined && { now }) },
      limits: limitsInProcess,
    });
  }

  #ask(
    call: (context: CallContext) => Promise<Outcome>,
    taken: (body: JsonObject) => void,
    { giveUpMs, waitMs = 700, confirmation, crosses = false }: Patience,
  ): Promise<string | undefined> {
    const gone = this.#gone.signal;
    const signal = giveUpMs === undefined ? gone : AbortSignal.any([gone, AbortSignal.timeout(giveUpMs)]);
    const asking = (async () => {
      const outcome = await call({
        signal,
        waitMs,
        progress: () => {},
        confirmation: confirmation ?? 'cannot-ask',
      });
      if (signal.aborted) return 'the client had gone';
      if (crosses) {
        outcome.written?.()();
        await outcome.unconfirmed?.();
        return 'the cancel crossed the answer';
      }
      taken(outcome.body);
      await outcome.delivered?.();
      return undefined;
    })();
    this.#underWay.add(asking);
    return asking.finally(() => this.#underWay.delete(asking));
  }
}
