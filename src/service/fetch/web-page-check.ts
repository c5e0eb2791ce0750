/** Restricts the addresses that actions of the catalog `web` may read, beyond the fetcher's rules. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import { FetchError } from '../foundation/errors.ts';
import { blockedDomains, blockListFile, isListed } from './block-list.ts';

/** Rejects with a `FetchError` for the operator's own origins and for domains of the block list. */
export function createWebPageCheck(options: {
  readonly dataDir: string;
  /** Origins that the operator admits for catalogs and builds. */
  readonly ownOrigins: readonly string[];
  readonly logger: Logger;
}): (url: URL) => Promise<void> {
  const ownOrigins = new Set(options.ownOrigins.map((origin) => new URL(origin).origin));
  return async (url) => {
    if (ownOrigins.has(url.origin))
      throw new FetchError(
        'private',
        'SVC_SERVICE_ALLOW_ORIGINS admits this origin for catalogs and builds only: build an action for the page with request_build',
      );
    const domains = await blockedDomains(join(options.dataDir, blockListFile), options.logger);
    if (isListed(url.hostname.replace(/^\[|\]$/g, ''), domains))
      throw new FetchError('blocked', 'The website is on the list of those that this service does not read');
  };
}
