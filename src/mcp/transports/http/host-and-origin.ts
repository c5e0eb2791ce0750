/**
 * Host and Origin: a page in a browser on this machine must not reach the server, neither directly nor under a name
 * that it lets point here (DNS rebinding).
 */

import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import {
  localhostAllowedHostnames,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { HttpError } from '../../errors.ts';

/** As a URL spells it: an IPv6 address stands in brackets. */
const inUrl = (host: string) => (isIP(host) === 6 ? `[${host}]` : host.toLowerCase());

export const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::' || host === '';

export interface Addresses {
  /** What the server listens on. */
  readonly host: string;
  readonly publicUrl?: string | undefined;
}

export interface HostAndOriginChecks {
  /** Throws a 403 for a request that names another host. */
  host(request: IncomingMessage): void;
  /** Throws a 403 for one that comes from another site's page. */
  origin(request: IncomingMessage): void;
}

export function hostAndOriginChecks({ host, publicUrl }: Addresses): HostAndOriginChecks {
  const names = localhostAllowedHostnames();
  // The address listened on is ours unless it stands for all of them.
  if (!isWildcard(host)) names.push(inUrl(host));
  if (publicUrl !== undefined) names.push(new URL(publicUrl).hostname);
  return {
    host({ headers }) {
      const named = validateHostHeader(headers.host, names);
      if (named.ok) return;
      throw new HttpError(403, `${named.message}. The host that clients use is set by SVC_PUBLIC_URL.`);
    },
    origin({ headers }) {
      const from = validateOriginHeader(headers.origin, names);
      if (!from.ok) throw new HttpError(403, `${from.message}. Pages of other sites are not served.`);
    },
  };
}
