/** The routes for operators: `/healthz`, `/readyz` and `/metrics`. */

import type { Logger } from '../../../gateway/foundation/logger.ts';
import { HttpError } from '../../errors.ts';
import { type Access, createAuthentication } from './authentication.ts';
import type { Metrics } from './metrics.ts';
import { isFromThisMachine } from './request.ts';
import { answer, countRefusals, type Route } from './routes.ts';

export interface OperatorRoutesDependencies {
  readonly access: Access;
  readonly metrics: Metrics;
  readonly isShuttingDown: () => boolean;
  /** Rejects while the server could not answer calls. */
  readonly checkReady: () => Promise<unknown>;
  readonly logger: Logger;
}

export function createOperatorRoutes(dependencies: OperatorRoutesDependencies): readonly Route[] {
  const { access, metrics, isShuttingDown, checkReady, logger } = dependencies;
  const { admit } = createAuthentication(access);
  const readOnly = ['GET', 'HEAD'];
  return [
    { path: '/healthz', methods: readOnly, handle: async () => answer(200, 'ok') },
    {
      path: '/readyz',
      methods: readOnly,
      async handle() {
        if (isShuttingDown()) return answer(503, 'shutting down');
        try {
          await checkReady();
        } catch (error) {
          logger.warn({ err: error }, 'Not ready');
          return answer(503, 'not ready');
        }
        return answer(200, 'ready');
      },
    },
    {
      path: '/metrics',
      methods: ['GET'],
      async handle({ env: { incoming } }) {
        await countRefusals(metrics, 'authentication', () => admit(incoming));
        if (access.token === undefined && !isFromThisMachine(incoming)) {
          throw new HttpError(
            403,
            'Without SVC_HTTP_TOKEN, metrics are shown only to requests from this machine that no proxy forwarded.',
          );
        }
        return answer(200, await metrics.render(), metrics.contentType);
      },
    },
  ];
}
