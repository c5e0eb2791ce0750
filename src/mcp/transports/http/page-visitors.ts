/** Who opens a sign-in page: a browser, which brings no credentials of ours, or a program that acts for a principal. */
import type { Visitors } from '../../pages/sign-in-handler.ts';
import { type Access, authentication } from './authentication.ts';
import { HttpRefusal } from './refusal.ts';

export interface PageVisitorOptions {
  readonly access: Access;
  /** Of the principal behind a key. */
  readonly principalIdOf: (apiKey: string) => string;
  /** The setting `SVC_PUBLIC_URL`. */
  readonly publicUrl: string | undefined;
}

/** Who brings credentials gets the pages of their principal only; to all others a page does not exist. */
export function pageVisitors({ access, principalIdOf, publicUrl }: PageVisitorOptions): Visitors {
  const { admit, keyOf } = authentication(access);
  return {
    secure: publicUrl?.startsWith('https:') === true,
    async principalOf(sent) {
      const headers = {
        authorization: sent.get('authorization') ?? undefined,
        'x-api-key': sent.get('x-api-key') ?? undefined,
      };
      // Any other authorization is between the browser and a proxy on the way.
      const isOurs = /^Bearer /i.test(headers.authorization ?? '') || headers['x-api-key'] !== undefined;
      if (!isOurs) return undefined;
      try {
        admit({ headers });
        return principalIdOf(keyOf({ headers }));
      } catch (error) {
        if (error instanceof HttpRefusal) return 'refused';
        throw error;
      }
    },
  };
}
