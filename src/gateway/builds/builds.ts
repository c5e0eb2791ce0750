/** Build requests: paid for by the pipeline (`paid-calls/`), and waited for. */
import type { ApiError } from '../../client/errors.ts';
import type { Api } from '../../contract/api.ts';
import type { BuildRequestBody } from '../../contract/endpoints.ts';
import { buildCredits } from '../../contract/limits.ts';
import type { BuildRequest } from '../../contract/resources.ts';
import type { Accounts } from '../accounts/choose-account.ts';
import { fixedTerms } from '../admission/admission.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { GatewayError } from '../errors/errors.ts';
import { toGatewayError } from '../errors/failures.ts';
import type { Clock } from '../foundation/clock.ts';
import { announcedExtensions, takesIdempotencyKeys } from '../foundation/extensions.ts';
import type { Logger } from '../foundation/logger.ts';
import { cleanText } from '../foundation/text.ts';
import type { TimeLimits } from '../foundation/time-limits.ts';
import type { CallContext, RequestBuildInput } from '../interface/gateway.ts';
import type { JsonObject, Outcome } from '../interface/outcomes.ts';
import type { GatewaySettings } from '../interface/settings.ts';
import { getIdempotencyKey, PaidCalls } from '../paid-calls/paid-calls.ts';
import type { Accepting, Purchase } from '../paid-calls/purchase.ts';
import type { Records } from '../paid-calls/records.ts';
import { expectedCost } from '../prices/expected-cost.ts';
import type { GatewayStore } from '../store/gateway-store.ts';
import type { Intent } from '../store/intents.ts';
import { buildBody, existingActions, overview } from './build-body.ts';
import { hasEnded } from './build-details.ts';
import { BuildWatch } from './build-watch.ts';
import { choiceNotSupported } from './preview.ts';
import { settleDoubts } from './settle-doubts.ts';

const listTimeoutMs = 10_000;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface Dependencies {
  readonly api: Api;
  readonly catalog: Catalog;
  readonly accounts: Accounts;
  readonly store: GatewayStore;
  readonly settings: GatewaySettings;
  readonly records: Records;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: Pick<TimeLimits, 'submitMs'>;
}

export class Builds {
  readonly #dependencies: Dependencies;
  readonly #watch: BuildWatch;
  readonly #paid: PaidCalls<JsonObject>;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#watch = new BuildWatch({ ...dependencies, accepted: (id) => this.#paid.accepted(id) });
    this.#paid = new PaidCalls<JsonObject>(dependencies, {
      notDeducted: ['INTERNAL_ERROR'],
      leastAnswerMs: dependencies.limits.submitMs,
      unanswered: () => ({
        status: 'pending',
        next: 'Call list_build_requests to see whether it was created; do not request it again meanwhile.',
      }),
      conclude: (accepting) => this.#conclude(accepting),
    });
  }

  /** POST /build-request, once for the same request, then a wait for its end. Rejects as `Runs.run` does. */
  async request(input: RequestBuildInput, context: CallContext): Promise<Outcome> {
    const deadline = this.#dependencies.clock.monotonic() + context.waitMs;
    const body = await this.#body(input, context.signal);
    await this.#settleDoubts(context.signal);
    const keyed = await takesIdempotencyKeys(this.#dependencies.api, context.signal);
    return this.#paid.pay(this.#purchase(body, keyed, context), deadline, context);
  }

  /** Waits for a build whose intent is known. */
  follow(intent: Intent, context: CallContext): Promise<Outcome> {
    return this.#paid.follow(intent, context);
  }

  /** The builds from `offset`, newest first as the service sends them. */
  async list(context: CallContext, offset = 0): Promise<Outcome> {
    return { body: overview(await this.#read(context.signal), offset) };
  }

  /** Waits for the build with that id; undefined where the service lists none. */
  async find(id: string, context: CallContext): Promise<Outcome | undefined> {
    const builds = await this.#read(context.signal);
    const existing = builds.find((build) => build.id === id);
    if (existing === undefined) return undefined;
    const build = hasEnded(existing)
      ? existing
      : await this.#watch.end(id, this.#dependencies.clock.monotonic() + context.waitMs, context);
    const { status: _status, build_request, ...rest } = await this.#described(build ?? existing, id);
    return {
      body: { build_requests: [build_request], ...rest },
      ...deliveredOnce(build, async () => {
        const { intents } = await this.#dependencies.store.open();
        const intent = await intents.byJob(id);
        if (intent !== undefined) await intents.delivered(intent.id);
      }),
    };
  }

  /** As `find`. Rejects with BUILD_NOT_FOUND. */
  async get(id: string, context: CallContext): Promise<Outcome> {
    const outcome = await this.find(id, context);
    if (outcome !== undefined) return outcome;
    throw new GatewayError(
      'BUILD_NOT_FOUND',
      `There is no build request ${cleanText(id, 80)}.`,
      'Call list_build_requests without id to see them all.',
    );
  }

  async #read(signal: AbortSignal): Promise<readonly BuildRequest[]> {
    const builds = await this.#watch.list(signal);
    await this.#settleDoubts(signal, builds);
    return builds;
  }

  /** The service's list may settle a request in doubt. If the list cannot be read, the doubt stays. */
  async #settleDoubts(signal: AbortSignal, builds?: readonly BuildRequest[]): Promise<void> {
    const { store, logger } = this.#dependencies;
    try {
      const { intents } = await store.open();
      const doubts = await intents.inDoubt('build');
      if (doubts.length > 0) {
        await settleDoubts(doubts, builds ?? (await this.#watch.list(signal)), intents);
      }
    } catch (error) {
      logger.warn({ error: String(error) }, 'Build requests in doubt could not be looked up');
    }
  }

  /** Ends every wait now: calls answer with a handle. For a shutdown. */
  endWaits(): void {
    this.#paid.endWaits();
    this.#watch.endWaits();
  }

  async close(graceMs: number): Promise<void> {
    this.#watch.close();
    await this.#paid.settle(graceMs);
  }

  async #body(input: RequestBuildInput, signal: AbortSignal): Promise<BuildRequestBody> {
    if (input.choose !== undefined) await this.#checkChoiceSupported(signal);
    const { catalog_id, ...rest } = input;
    if (catalog_id === undefined || uuid.test(catalog_id)) return input;
    return { ...rest, catalog_id: await this.#dependencies.accounts.catalogId(catalog_id, signal) };
  }

  async #checkChoiceSupported(signal: AbortSignal): Promise<void> {
    try {
      const announcedExtensionNames = await announcedExtensions(this.#dependencies.api, {
        signal,
        timeoutMs: listTimeoutMs,
      });
      if (announcedExtensionNames.has('build-choice')) return;
    } catch (error) {
      throw toGatewayError(error);
    }
    throw choiceNotSupported();
  }

  #purchase(body: BuildRequestBody, keyed: boolean, context: CallContext): Purchase<never> {
    const { api, settings, limits } = this.#dependencies;
    const { website_url, ...params } = body;
    return {
      call: { kind: 'build', subject: website_url, params, credentialId: undefined },
      terms: fixedTerms(
        {
          actionId: 'request_build',
          actionName: `Build for ${cleanText(website_url, 120)}`,
          cost: expectedCost({ base: buildCredits, computed: false, maximum: buildCredits }, []),
        },
        settings,
        context,
      ),
      submitWithinMs: limits.submitMs,
      resubmit: false,
      announcement: () => `Requesting a build (${buildCredits} credits)`,
      keyed,
      send: async (intent, timeoutMs) => ({
        jobId: (await api.requestBuild(body, { timeoutMs, ...getIdempotencyKey(intent) })).id,
      }),
      refusal: async (error) => toGatewayError(error, await this.#refusal(error)),
    };
  }

  async #refusal(error: ApiError): Promise<{ next?: string; extra?: JsonObject }> {
    // Documented as refunded (specification: POST /build-request errors); a run's code of this name is in doubt.
    if (error.kind === 'service' && error.code === 'INTERNAL_ERROR')
      return { next: 'The credits were refunded; call request_build again later.' };
    return existingActions(error, await this.#dependencies.catalog.snapshot());
  }

  async #conclude({
    intent,
    jobId,
    attachment,
    deadline,
    context,
    store,
  }: Accepting<never>): Promise<Outcome> {
    this.#watch.start(jobId);
    const build = await this.#watch.end(jobId, deadline, context);
    return {
      body: { ...(await this.#described(build, jobId)), ...attachment },
      ...deliveredOnce(build, () => store.intents.delivered(intent.id)),
    };
  }

  async #described(build: BuildRequest | undefined, id: string): Promise<JsonObject> {
    return buildBody(build, id, await this.#dependencies.catalog.snapshot());
  }
}

/**
 * A caller who has the end and asks for the same again wants another build. An earlier answer does not count, even if
 * the end comes while it is being written.
 */
const deliveredOnce = (build: BuildRequest | undefined, delivered: () => Promise<void>) =>
  build !== undefined && hasEnded(build) ? { delivered } : {};
