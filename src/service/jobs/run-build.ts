/** Runs an accepted build request, and publishes the action in the same transaction as the build's success. */
import type { Logger } from 'pino';
import * as z from 'zod';
import { BuildChoice } from '../../contract/endpoints.ts';
import { notRepaired } from '../../contract/errors.ts';
import { statement } from '../../store/statement.ts';
import { chooseCatalog } from '../catalog/catalogs-of-builds.ts';
import { parseAction } from '../catalog/definition-rows.ts';
import type { Publication } from '../catalog/publication.ts';
import { findLatestVersion, publishBuilt } from '../catalog/publish-build.ts';
import { shortRow } from '../catalog/short-row.ts';
import { findWantedColumns, rememberShown } from '../catalog/shown-columns.ts';
import type { WebsiteCheck } from '../fetch/website.ts';
import type { Builder, BuildOutcome, CatalogHead, RepairOutcome } from '../foundation/ports.ts';
import type { ServiceDatabase, ServiceSchema } from '../store/schema.ts';
import type { JobEnd } from './end.ts';
import { findGoodRun } from './good-run.ts';
import type { Lease } from './leases.ts';

const maxSteps = 50;

const Addressed = z.looseObject({ request: z.looseObject({ url: z.string() }) });

const toJson = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

const failure = (errorType: string, message: string): BuildOutcome => ({ built: false, errorType, message });

interface BuildRunOptions {
  readonly database: ServiceDatabase;
  readonly publication: Publication;
  readonly builder: Builder | undefined;
  readonly checkWebsite: WebsiteCheck;
  readonly logger: Logger;
}

type BuildRequest = ServiceSchema['build_requests'];

export class BuildRuns {
  readonly #options: BuildRunOptions;

  constructor(options: BuildRunOptions) {
    this.#options = options;
  }

  async run(lease: Lease, signal: AbortSignal): Promise<JobEnd> {
    const started = performance.now();
    const executionMs = () => Math.round(performance.now() - started);
    const request = await this.#options.database.query
      .selectFrom('build_requests')
      .selectAll()
      .where('job_id', '=', lease.id)
      .executeTakeFirstOrThrow();
    const { outcome, proof } = await this.#outcomeOf(request, signal);
    if (!outcome.built) {
      return {
        status: 'failed',
        code: outcome.errorType,
        message: outcome.message,
        executionMs: executionMs(),
        alongside: [
          statement(
            `update build_requests set candidates = $2, guess = $3 where id = $1
               and exists (select 1 from jobs where id = $4 and fence = $5 and status = 'failed')`,
            request.id,
            toJson(outcome.candidates),
            toJson(outcome.choose),
            lease.id,
            lease.fence,
          ),
          // What is chosen next is chosen from these.
          ...rememberShown(this.#options.database, request.user_id, request.website_url, outcome.shown ?? []),
        ],
      };
    }
    return {
      status: 'completed',
      data: '{}',
      executionMs: executionMs(),
      publish: async (transaction) => {
        const actionId = await publishBuilt(transaction, request, outcome.action);
        await transaction
          .updateTable('build_requests')
          .set({
            status: 'success',
            action_id: actionId,
            sample: toJson(outcome.sample?.map(shortRow)),
            missing: toJson(outcome.missing),
            proof: toJson(proof),
            updated_at: Date.now(),
          })
          .where('id', '=', request.id)
          .execute();
      },
    };
  }

  /** Checks the block list again: a redirect may have led to a blocked site, or the list may have grown. */
  async #checkSupported(outcome: BuildOutcome): Promise<BuildOutcome> {
    const address = outcome.built ? Addressed.safeParse(outcome.action.recipe).data?.request.url : undefined;
    if (address === undefined) return outcome;
    const checked = await this.#options.checkWebsite(address);
    if (!('refusal' in checked)) return outcome;
    return failure('SITE_UNREACHABLE', 'The address redirects to a website that is not supported');
  }

  async #outcomeOf(
    request: BuildRequest,
    signal: AbortSignal,
  ): Promise<{ readonly outcome: BuildOutcome; readonly proof?: Readonly<Record<string, unknown>> }> {
    if (request.repair_by === null)
      return { outcome: await this.#checkSupported(await this.#build(request, signal)) };
    const repair = await this.#repair(request, request.repair_by, signal);
    if (!('repaired' in repair)) return { outcome: repair };
    if (!repair.repaired) {
      const { reason: message, candidates, shown, choose } = repair;
      return { outcome: { built: false, errorType: notRepaired, message, candidates, shown, choose } };
    }
    const { action, proof, before, after, fields } = repair;
    return {
      outcome: await this.#checkSupported({ built: true, action, sample: after.slice(0, 3) }),
      proof: {
        proof,
        version: action.wheel_version,
        rows_before: before,
        rows_after: after,
        columns: fields,
      },
    };
  }

  async #repair(
    { id, replaces, user_id: userId }: BuildRequest,
    goodJobId: string,
    signal: AbortSignal,
  ): Promise<RepairOutcome | BuildOutcome> {
    const { database, builder, logger } = this.#options;
    const latest = replaces === null ? undefined : await findLatestVersion(database.query, replaces);
    if (builder?.repair === undefined) return failure('BUILDER_NOT_AVAILABLE', 'This service has no builder');
    if (replaces === null || latest === undefined || latest.retired_at !== null)
      return failure(notRepaired, 'the action was removed meanwhile');
    const wanted = { userId, actionId: replaces, jobId: goodJobId };
    const good = goodJobId === '' ? undefined : await findGoodRun(database.query, wanted);
    const progress = new BuildProgress(database, id, logger);
    const onProgress = (step: string) => progress.add(step);
    try {
      const task = { action: parseAction(latest.definition), good, onProgress };
      return await builder.repair(task, { signal, user: userId });
    } finally {
      await progress.written();
    }
  }

  /** The catalog that the action will probably be in; the publication decides. */
  async #findCatalog(request: BuildRequest): Promise<CatalogHead> {
    const { database, publication } = this.#options;
    const visible = (await publication.current()).visibleTo(request.user_id);
    const named = visible.find(({ catalog }) => catalog.id === request.catalog_id);
    if (named !== undefined) return named.catalog.definition;
    const { head } = await chooseCatalog(database.query, {
      domain: request.domain,
      websiteUrl: request.website_url,
      userId: request.user_id,
      isPublic: request.visibility === 'public',
    });
    return head;
  }

  async #build(request: BuildRequest, signal: AbortSignal): Promise<BuildOutcome> {
    const { database, builder, logger } = this.#options;
    if (builder === undefined) {
      return failure('BUILDER_NOT_AVAILABLE', 'This service has no builder');
    }
    const catalog = await this.#findCatalog(request);
    const choose = request.choose === null ? undefined : BuildChoice.parse(JSON.parse(request.choose));
    const kept = await findWantedColumns(database.query, choose, request);
    const progress = new BuildProgress(database, request.id, logger);
    try {
      return await builder.build(
        {
          websiteUrl: request.website_url,
          domain: request.domain,
          goal: request.goal,
          name: request.name ?? undefined,
          catalog,
          choose,
          kept,
          onProgress: (step) => progress.add(step),
        },
        { signal, user: request.user_id },
      );
    } finally {
      await progress.written();
    }
  }
}

/** Writes the steps of a build in order. A step that cannot be written does not fail the build. */
class BuildProgress {
  readonly #database: ServiceDatabase;
  readonly #requestId: string;
  readonly #logger: Logger;
  readonly #steps: string[] = [];
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(database: ServiceDatabase, requestId: string, logger: Logger) {
    this.#database = database;
    this.#requestId = requestId;
    this.#logger = logger;
  }

  add(step: string): void {
    if (this.#steps.length >= maxSteps) return;
    this.#steps.push(step);
    const steps = JSON.stringify(this.#steps);
    this.#lastWrite = this.#lastWrite
      .then(() => this.#write(steps))
      .catch((error: unknown) =>
        this.#logger.warn({ err: error, build: this.#requestId }, 'A step was not recorded'),
      );
  }

  /** Resolves when every step so far is written, or failed to be. */
  async written(): Promise<void> {
    await this.#lastWrite;
  }

  #write(steps: string): Promise<unknown> {
    return this.#database.query
      .updateTable('build_requests')
      .set({ steps, updated_at: Date.now() })
      .where('id', '=', this.#requestId)
      .where('status', '=', 'pending')
      .execute();
  }
}
