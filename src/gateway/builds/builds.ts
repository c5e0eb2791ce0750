/** Build requests: paid for once, and waited for. */
import { setTimeout as delay } from 'node:timers/promises';
import { isApiError } from '../../client/errors.ts';
import type { Api } from '../../contract/api.ts';
import type { BuildRequestBody } from '../../contract/endpoints.ts';
import { buildCredits } from '../../contract/limits.ts';
import type { BuildRequest } from '../../contract/resources.ts';
import type { Accounts } from '../accounts/choose-account.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { GatewayError, stopIfCancelled } from '../errors.ts';
import { failureOf } from '../failures.ts';
import type { CallContext, RequestBuildInput } from '../gateway.ts';
import type { Logger } from '../logger.ts';
import type { JsonObject, Outcome } from '../outcomes.ts';
import { admit } from '../runs/budget.ts';
import type { Intent } from '../runs/intents.ts';
import { refusedBefore, submissionUnknown } from '../runs/refusals.ts';
import { judge, notDeducted, Submissions } from '../runs/submission.ts';
import type { GatewaySettings } from '../settings.ts';
import type { GatewayStore, OpenStore } from '../store/gateway-store.ts';
import { cleanText } from '../text.ts';
import { buildBody, existingActions, overview } from './build-body.ts';
import { hasEnded } from './build-details.ts';
import { BuildWatch } from './build-watch.ts';

const submitTimeoutMs = 30_000;
/** How often the intent of another process is looked at while that process sends. */
const otherProcessPollMs = 250;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export class Builds {
  readonly #api: Api;
  readonly #catalog: Catalog;
  readonly #accounts: Accounts;
  readonly #store: GatewayStore;
  readonly #settings: GatewaySettings;
  readonly #watch: BuildWatch;
  readonly #submissions = new Submissions<Intent>();

  constructor(parts: {
    api: Api;
    catalog: Catalog;
    accounts: Accounts;
    store: GatewayStore;
    settings: GatewaySettings;
    logger: Logger;
  }) {
    this.#api = parts.api;
    this.#catalog = parts.catalog;
    this.#accounts = parts.accounts;
    this.#store = parts.store;
    this.#settings = parts.settings;
    this.#watch = new BuildWatch(parts);
  }

  /** POST /build-request, once for the same request, then a wait for its end. Rejects as `Runs.run` does. */
  async request(input: RequestBuildInput, context: CallContext): Promise<Outcome> {
    const deadline = Date.now() + context.waitMs;
    const body = await this.#body(input, context.signal);
    const store = await this.#store.open();
    const { website_url, ...params } = body;
    const begun = await store.intents.begin(
      { kind: 'build', subject: website_url, params, credentialId: undefined },
      {
        price: buildCredits,
        submitWithinMs: submitTimeoutMs,
        resubmit: false,
        admit: async (spentToday) => {
          stopIfCancelled(context.signal);
          const purchase = {
            actionId: 'request_build',
            actionName: `Build for ${cleanText(website_url, 120)}`,
            price: buildCredits,
          };
          await admit(purchase, spentToday, this.#settings, context.confirmation);
        },
      },
    );
    if (begun.kind === 'unknown') throw submissionUnknown(begun.intent, undefined);
    if (begun.kind === 'new') {
      context.progress({ progress: 0, message: `Requesting a build (${buildCredits} credits)` });
      this.#submissions.start(begun.intent.id, () => this.#submit(begun.intent, body, store));
    }
    const intent =
      (await this.#submissions.of(begun.intent.id)) ??
      (await this.#answeredElsewhere(begun.intent.id, context.signal, store));
    if (intent?.state === 'unknown') throw submissionUnknown(intent, undefined);
    if (intent?.job_id == null) throw refusedBefore(intent);
    this.#watch.start(intent.job_id);
    const handleAt = Date.now() + (context.handleAfterMs ?? Number.POSITIVE_INFINITY);
    const build = await this.#watch.end(intent.job_id, Math.min(deadline, handleAt), context);
    const attachment =
      begun.kind === 'attached'
        ? { attached: true, submitted_at: new Date(intent.created_at).toISOString() }
        : {};
    return {
      body: { ...(await this.#described(build, intent.job_id)), ...attachment },
      paidCall: intent.id,
      ...deliveredOnce(build, () => store.intents.delivered(intent.id)),
    };
  }

  /** Waits for a build whose intent is known. */
  async follow(
    intent: Intent,
    context: Pick<CallContext, 'signal' | 'waitMs' | 'progress'>,
  ): Promise<Outcome> {
    if (intent.state === 'unknown') throw submissionUnknown(intent, undefined);
    if (intent.state === 'refused') throw refusedBefore(intent);
    const { intents } = await this.#store.open();
    const id = intent.job_id;
    if (id === null) return { body: { status: 'pending' } };
    const build = await this.#watch.end(id, Date.now() + context.waitMs, context);
    return {
      body: await this.#described(build, id),
      ...deliveredOnce(build, () => intents.delivered(intent.id)),
    };
  }

  /** The builds, newest first as the service sends them; with an id that one, waited for. */
  async list(id: string | undefined, context: CallContext): Promise<Outcome> {
    const builds = await this.#watch.list(context.signal);
    if (id === undefined) return { body: overview(builds) };
    const known = builds.find((build) => build.id === id);
    if (known === undefined) {
      throw new GatewayError(
        'BUILD_NOT_FOUND',
        `There is no build request ${cleanText(id, 80)}.`,
        'Call list_build_requests without id to see them all.',
      );
    }
    const build = hasEnded(known) ? known : await this.#watch.end(id, Date.now() + context.waitMs, context);
    const { status: _status, build_request, ...rest } = await this.#described(build ?? known, id);
    return {
      body: { build_requests: [build_request], ...rest },
      ...deliveredOnce(build, async () => {
        const { intents } = await this.#store.open();
        const intent = await intents.byJob(id);
        if (intent !== undefined) await intents.delivered(intent.id);
      }),
    };
  }

  /** Ends every wait now: calls answer with a handle. For a shutdown. */
  endWaits(): void {
    this.#watch.endWaits();
  }

  async close(graceMs: number): Promise<void> {
    this.#watch.close();
    await this.#submissions.settle(graceMs);
  }

  async #body(input: RequestBuildInput, signal: AbortSignal): Promise<BuildRequestBody> {
    const { catalog_id, ...rest } = input;
    if (catalog_id === undefined || uuid.test(catalog_id)) return input;
    return { ...rest, catalog_id: await this.#accounts.catalogId(catalog_id, signal) };
  }

  /** The intent of another process, once that was answered or has given up. */
  async #answeredElsewhere(
    id: string,
    signal: AbortSignal,
    { intents }: OpenStore,
  ): Promise<Intent | undefined> {
    for (;;) {
      const intent = await intents.reread(id);
      if (intent?.state !== 'intended') return intent;
      await delay(otherProcessPollMs, undefined, { signal }).catch(() => undefined);
      stopIfCancelled(signal);
    }
  }

  async #submit(intent: Intent, body: BuildRequestBody, { intents }: OpenStore): Promise<Intent> {
    try {
      const build = await this.#api.requestBuild(body, { timeoutMs: submitTimeoutMs });
      await intents.submitted(intent.id, build.id);
      return { ...intent, state: 'submitted', job_id: build.id };
    } catch (error) {
      if (!isApiError(error)) throw error;
      if (judge(error, notDeducted.build) === 'unknown') {
        await intents.unknown(intent.id);
        throw submissionUnknown(intent, undefined, error);
      }
      const failure = failureOf(error, existingActions(error, await this.#catalog.snapshot()));
      await intents.refused(intent.id, failure.body.error);
      throw failure;
    }
  }

  async #described(build: BuildRequest | undefined, id: string): Promise<JsonObject> {
    return buildBody(build, id, await this.#catalog.snapshot());
  }
}

/**
 * Whoever was told the end and asks for the same again wants another build. An answer before it tells nothing, even if
 * the end comes while it is being written.
 */
const deliveredOnce = (build: BuildRequest | undefined, delivered: () => Promise<void>) =>
  build !== undefined && hasEnded(build) ? { delivered } : {};
