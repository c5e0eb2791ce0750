/** Identifies who opens a sign-in page: a browser without our credentials, or a program that acts for a principal. */
import { HttpError } from '../../errors.ts';
import type { Visitors } from '../../pages/sign-in-handler.ts';
import { type Access, createCallerReader } from './authentication.ts';
import type { ResourceServer } from './oauth/resource-server.ts';
import type { Caller } from './principals.ts';

export interface PageVisitorOptions {
  readonly access: Access;
  readonly resourceServer?: ResourceServer | undefined;
  readonly getPrincipalId: (caller: Caller) => string;
  /** The setting `SVC_PUBLIC_URL`. */
  readonly publicUrl: string | undefined;
}

/** A token for it is a token for the pages. */
const mcp = new URL('http://localhost/mcp');

/** Requests with credentials get the pages of their principal only; other pages do not exist for them. */
export function createPageVisitors(options: PageVisitorOptions): Visitors {
  const { access, resourceServer, getPrincipalId, publicUrl } = options;
  const readCaller = createCallerReader(access, resourceServer);
  return {
    secure: publicUrl?.startsWith('https:') === true,
    async getPrincipalId(requestHeaders) {
      const headers = {
        authorization: requestHeaders.get('authorization') ?? undefined,
        'x-api-key': requestHeaders.get('x-api-key') ?? undefined,
      };
      // Any other authorization is between the browser and a proxy on the way.
      const isOurs = /^Bearer /i.test(headers.authorization ?? '') || headers['x-api-key'] !== undefined;
      if (!isOurs) return undefined;
      try {
        return getPrincipalId(await readCaller({ headers }, mcp));
      } catch (error) {
        if (error instanceof HttpError) return 'refused';
        throw error;
      }
    },
  };
}
