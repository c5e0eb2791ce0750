/** Runs an accepted build request, and publishes the action in the same transaction as the build's success. */
import type { Logger } from 'pino';
import * as z from 'zod';
import { BuildChoice } from '../../contract/endpoints.ts';
import { statement } from '../../store/statement.ts';
import type { ServiceDatabase, ServiceSchema } from '../database/schema.ts';
import type { WebsiteCheck } from '../fetching/website.ts';
import { startDeadline } from '../foundation/deadline.ts';
import { RequestError } from '../foundation/errors.ts';
import type { Builder, BuildOutcome } from '../foundation/ports.ts';
import { publishBuilt } from '../listing/built-actions.ts';
import { chooseCatalog } from '../listing/built-catalogs.ts';
import type { Publication } from '../listing/publication.ts';
import { shortRow } from '../listing/short-row.ts';
import type { CatalogHead } from '../listing/stored-definitions.ts';
import type { JobHandler } from './job-loop.ts';

/** Milliseconds. */
const timeLimit = 10 * 60_000;
const maxSteps = 50;

const Addressed = z.looseObject({ request: z.looseObject({ url: z.string() }) });

const toJson = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

const failure = (errorType: string, message: string): BuildOutcome => ({ built: false, errorType, message });

export function createBuildHandler(options: {
  database: ServiceDatabase;
  publication: Publication;
  builder: Builder | undefined;
  checkWebsite: WebsiteCheck;
  logger: Logger;
}): JobHandler {
  const { database, publication, builder, checkWebsite, logger } = options;

  return async (lease, signal) => {
    const started = performance.now();
    const executionMs = () => Math.round(performance.now() - started);
    const request = await database.query
      .selectFrom('build_requests')
      .selectAll()
      .where('job_id', '=', lease.id)
      .executeTakeFirstOrThrow();
    const outcome = await checkSupported(await build(request, signal));
    if (!outcome.built) {
      return {
        status: 'failed',
        code: outcome.errorType,
        message: outcome.message,
        executionMs: executionMs(),
        alongside: [
          statement(
            'update build_requests set candidates = $2, guess = $3 where id = $1',
            request.id,
            toJson(outcome.candidates),
            toJson(outcome.choose),
          ),
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
            updated_at: Date.now(),
          })
          .where('id', '=', request.id)
          .execute();
      },
    };
  };

  /** A redirect may have led to a site that nothing is built for; the list may have grown meanwhile. */
  async function checkSupported(outcome: BuildOutcome): Promise<BuildOutcome> {
    const address = outcome.built ? Addressed.safeParse(outcome.action.recipe).data?.request.url : undefined;
    if (address === undefined) return outcome;
    try {
      await checkWebsite(address);
      return outcome;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const message = 'The address leads to a website that is not supported';
      return failure('SITE_UNREACHABLE', message);
    }
  }

  /** That the action will be in, as far as can be said before it is published. */
  async function findCatalog(request: ServiceSchema['build_requests']): Promise<CatalogHead> {
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

  async function build(request: ServiceSchema['build_requests'], signal: AbortSignal): Promise<BuildOutcome> {
    if (builder === undefined) {
      return failure('BUILDER_NOT_AVAILABLE', 'This service has no builder');
    }
    const catalog = await findCatalog(request);
    const deadline = startDeadline(timeLimit, signal);
    const steps: string[] = [];
    let lastWrite: Promise<unknown> = Promise.resolve();
    /** A step that could not be shown does not fail a build. */
    const onProgress = (step: string) => {
      if (steps.length >= maxSteps) return;
      steps.push(step);
      const written = JSON.stringify(steps);
      lastWrite = lastWrite
        .then(() =>
          database.query
            .updateTable('build_requests')
            .set({ steps: written, updated_at: Date.now() })
            .where('id', '=', request.id)
            .where('status', '=', 'pending')
            .execute(),
        )
        .catch((error: unknown) => logger.warn({ err: error, build: request.id }, 'A step was not recorded'));
    };
    try {
      return await builder.build(
        {
          websiteUrl: request.website_url,
          domain: request.domain,
          goal: request.goal,
          catalog,
          choose: request.choose === null ? undefined : BuildChoice.parse(JSON.parse(request.choose)),
          onProgress,
        },
        { signal: deadline.signal, timeoutMs: timeLimit },
      );
    } catch (error) {
      if (deadline.isOver()) {
        return failure('TIMEOUT', 'The build took longer than 10 minutes');
      }
      if (signal.aborted) throw error;
      logger.error({ err: error, build: request.id }, 'The builder failed unexpectedly');
      return failure('BUILD_FAILED', 'The build failed unexpectedly');
    } finally {
      deadline.clear();
      await lastWrite;
    }
  }
}
