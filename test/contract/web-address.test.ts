/** The root of an API, which a principal is bound to. */
import { expect, it } from 'vitest';
import { repeatsPrefix, toApiRoot } from '../../src/contract/web-address.ts';
import { createPrincipal } from '../../src/gateway/interface/principal.ts';

const prefix = '/v1/svc';

it.each([
  ['https://example.com', prefix],
  ['https://example.com/', '/v1/svc/'],
  ['HTTPS://EXAMPLE.com:443//', prefix],
  ['https://example.com/a/..', prefix],
  ['https://example.com/x/%2e%2e/', prefix],
  ['https://example.com/v1', '/svc'],
])('%s with %s is one root', (baseUrl, apiPrefix) => {
  expect(toApiRoot(baseUrl, apiPrefix)).toBe('https://example.com/v1/svc');
});

it('has no slash at its end where there is no prefix', () => {
  expect(toApiRoot('http://localhost:80/one/', '/')).toBe('http://localhost/one');
  expect(toApiRoot('http://[::1]:8080', '')).toBe('http://[::1]:8080');
});

it.each([
  ['another base path', 'https://example.com/two', prefix],
  ['another prefix', 'https://example.com/one', '/v2/svc'],
  ['another origin', 'https://example.org/one', prefix],
])('%s is another principal', (_, baseUrl, apiPrefix) => {
  const one = createPrincipal(toApiRoot('https://example.com/one', prefix), 'key');
  const other = createPrincipal(toApiRoot(baseUrl, apiPrefix), 'key');
  expect(other.id).not.toBe(one.id);
  expect(other.serviceKey).not.toBe(one.serviceKey);
});

it.each([
  ['https://example.com/v1/svc', prefix, true],
  ['https://example.com/v1/svc/', '/v1/svc/', true],
  ['https://example.com/base/v1/svc', prefix, true],
  ['https://example.com/v1', prefix, false],
  ['https://example.com', '/', false],
])('%s with %s: the prefix stands twice: %s', (baseUrl, apiPrefix, isTwice) => {
  expect(repeatsPrefix(baseUrl, apiPrefix)).toBe(isTwice);
});
