/** Connections of the fetcher: each address is vetted when it is connected to, so it cannot change in between. */
import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { FetchError } from '../foundation/errors.ts';
import { isPublicAddress } from './addresses.ts';

export type Resolver = (hostname: string) => Promise<readonly LookupAddress[]>;

const systemResolver: Resolver = (hostname) => dns.lookup(hostname, { all: true, verbatim: true });

function forbidden(): FetchError {
  return new FetchError(
    'forbidden',
    "The site's address is not on the public internet, so it is not fetched",
  );
}

/** A lookup for `net.connect` that fails for a host with any address outside the public internet. */
export function guardedLookup(resolve: Resolver = systemResolver): LookupFunction {
  return (hostname, { all }, callback) => {
    resolve(hostname).then(
      (addresses) => {
        // A mix of private and public addresses is an attack by DNS rebinding.
        const [first] = addresses;
        if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address)))
          callback(forbidden(), []);
        else if (all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

/**
 * A connector that refuses every address outside the public internet, except for exactly the allowed origins.
 * The check sits in the lookup itself, so only addresses that were checked are connected to.
 */
export function guardedConnector(
  allowOrigins: ReadonlySet<string>,
  options: { connectTimeoutMs: number; resolver?: Resolver | undefined },
): buildConnector.connector {
  const lookup = guardedLookup(options.resolver);
  const guarded = buildConnector({ lookup, timeout: options.connectTimeoutMs, autoSelectFamily: true });
  const direct = buildConnector({ timeout: options.connectTimeoutMs, autoSelectFamily: true });

  return (target, callback) => {
    const origin = new URL(`${target.protocol}//${target.host ?? target.hostname}`).origin;
    if (allowOrigins.has(origin)) return direct(target, callback);
    // Literal addresses skip the lookup.
    const literal = target.hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal) !== 0 && !isPublicAddress(literal)) return callback(forbidden(), null);
    return guarded(target, callback);
  };
}
