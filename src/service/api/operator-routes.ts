/** Routes beside the interface: for operators, and the OpenAPI document. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Hono } from 'hono';
import { sql } from 'kysely';
import type { Registry } from 'prom-client';
import { isFromThisMachine } from '../../http/this-machine.ts';
import type { Context } from '../operations/context.ts';
import { type Environment, requireUser } from './authentication.ts';
import { openApiDocument } from './openapi.ts';
import type { RateLimits } from './rate-limits.ts';

/** Milliseconds that the database may take to answer. */
const readyTimeout = 2_000;

export interface OperatorOptions {
  readonly context: Context;
  readonly rateLimits: RateLimits;
  /** Believe the last entry of X-Forwarded-For: the address that our own proxy saw. */
  readonly trustProxy: boolean;
  /** Requests sent to sites so far, for the metrics. */
  readonly fetchCount: (() => number) | undefined;
}

export const operatorPaths = ['/healthz', '/readyz', '/metrics', '/openapi.json'];

export function registerOperatorRoutes(application: Hono<Environment>, options: OperatorOptions): void {
  const { context } = options;
  const { database, stopped } = context;

  /** The process runs. */
  application.get('/healthz', (request) => request.json({ status: 'ok' }));

  /** It can serve: the database answers and nobody stops it. */
  application.get('/readyz', async (request) => {
    const answers = await Promise.race([
      sql`select 1`.execute(database.query).then(
        () => true,
        () => false,
      ),
      delay(readyTimeout, false, { ref: false }),
    ]);
    if (!answers || stopped.aborted) return request.json({ status: 'unavailable' }, 503);
    return request.json({ status: 'ok' });
  });

  let metrics: Registry | undefined;
  /** Open to this machine; to others, and behind a proxy, with a key. */
  application.get('/metrics', async (request) => {
    if (options.trustProxy || !isFromThisMachine(request.env.incoming)) await requireUser(database, request);
    // Loaded when it is asked for: most services never are.
    const { createMetrics } = await import('./metrics.ts');
    metrics ??= createMetrics(database, {
      rateLimited: options.rateLimits.refused,
      fetches: options.fetchCount,
    });
    return request.body(await metrics.metrics(), 200, { 'content-type': metrics.contentType });
  });

  /** Made once, at first use: anybody may ask, and making it takes longer than most requests. */
  let openApi: string | undefined;
  application.get('/openapi.json', (request) => {
    openApi ??= JSON.stringify(openApiDocument(context.apiPrefix));
    return request.body(openApi, 200, { 'content-type': 'application/json' });
  });
}
