/** The service's address: its origin, which alone gets the API key, and the paths of its endpoints. */
import { apiPrefixPattern, type EndpointName, endpoints } from '../contract/endpoints.ts';
import { isLoopback, repeatsPrefix, toApiRoot } from '../contract/web-address.ts';
import { ContractError } from './errors.ts';

export interface Address {
  readonly origin: string;
  /** The base URL's own path and the API prefix, without a slash at the end. */
  readonly root: string;
}

/** Reads the base URL and the prefix. Throws a `TypeError` that says what is wrong with which. */
export function readBaseUrl(baseUrl: string, apiPrefix: string): Address {
  if (!URL.canParse(baseUrl)) throw new TypeError('The base URL is not a URL');
  const url = new URL(baseUrl);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError('The base URL must start with http:// or https://');
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('The base URL must not hold a user name or password');
  }
  if (url.search !== '' || url.hash !== '') {
    throw new TypeError('The base URL must end with its path, without ? or #');
  }
  if (!apiPrefixPattern.test(apiPrefix)) {
    throw new TypeError('The API prefix must be a path such as /v1/svc');
  }
  if (repeatsPrefix(baseUrl, apiPrefix)) {
    throw new TypeError(
      `The base URL ends with the API prefix ${apiPrefix} already: leave it out of one of the two`,
    );
  }
  return { origin: url.origin, root: toApiRoot(baseUrl, apiPrefix).slice(url.origin.length) };
}

/** An endpoint's path and query. Throws a `ContractError` for an identifier that no path can carry. */
export function toRequestPath(
  root: string,
  endpoint: EndpointName,
  parameter: string | undefined,
  query: Readonly<Record<string, string | undefined>>,
): string {
  const path = endpoints[endpoint].path.replace(/\{\w+\}/, () => encodeSegment(endpoint, parameter ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.append(name, value);
  }
  return root + path + (search.size === 0 ? '' : `?${search}`);
}

/** Whether nobody in between can change the answers: https, or http that stays on this machine. */
export function isTrustworthyAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, username, password } = new URL(address);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

function encodeSegment(endpoint: EndpointName, value: string): string {
  try {
    // A dot segment would name another resource.
    if (value !== '' && value !== '.' && value !== '..') return encodeURIComponent(value);
  } catch {
    // A lone surrogate has no encoding.
  }
  throw new ContractError(endpoint, 0, 'Nothing was sent: the identifier in the path is empty or invalid');
}
