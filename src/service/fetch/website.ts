/** Which addresses may be built for. */
import { buildErrors } from '../../contract/errors.ts';
import type { RequestError } from '../foundation/errors.ts';
import { refuse } from '../foundation/request-error.ts';
import { isListed } from './block-list.ts';
import { isPublicHost } from './network-addresses.ts';

export interface WebsiteRules {
  /** One's own origins, which outrank everything else. */
  readonly allowedOrigins: readonly string[];
  readonly blockedDomains: ReadonlySet<string>;
}

type CheckedWebsite = { readonly url: URL } | { readonly refusal: RequestError };

/** `checkWebsite` by the rules of this moment. */
export type WebsiteCheck = (text: string) => Promise<CheckedWebsite>;

/**
 * The parsed address, or why it is refused: `INVALID_INPUT` if it is not well-formed, `BLOCKED_WEBSITE` if it leads
 * into one's own network or to a blocked domain, and its origin is not an allowed one (specification: POST
 * /build-request).
 */
export function checkWebsite(text: string, { allowedOrigins, blockedDomains }: WebsiteRules): CheckedWebsite {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    return { refusal: refuse(buildErrors, 'INVALID_INPUT', 'website_url is not an http or https address') };
  }
  if (allowedOrigins.includes(url.origin)) return { url };
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (!isPublicHost(url.hostname)) {
    return block(
      `${url.origin} is in the network of this service. Its operator can allow it with SVC_SERVICE_ALLOW_ORIGINS=${url.origin}`,
    );
  }
  if (isListed(host, blockedDomains)) {
    return block(`${host} is on the list of websites that this service does not build for`);
  }
  return { url };
}

const block = (message: string) => ({ refusal: refuse(buildErrors, 'BLOCKED_WEBSITE', message) });
