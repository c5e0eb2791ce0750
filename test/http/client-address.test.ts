/** Hosts and addresses of clients, as sockets, URLs and proxies write them. */
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { isLoopback } from '../../src/contract/web-address.ts';
import { clientAddress, networkOf } from '../../src/http/server.ts';

it.each([
  ['127.0.0.1', true],
  ['127.8.9.1', true],
  ['::ffff:127.0.0.1', true],
  ['::1', true],
  ['[::1]', true],
  ['LocalHost', true],
  ['app.localhost', true],
  ['127.0.0.1.example.com', false],
  ['localhost.example.com', false],
  ['10.0.0.1', false],
  ['0.0.0.0', false],
  ['', false],
])('%s is this machine: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

function requestFrom(remoteAddress: string, forwardedFor?: string): IncomingMessage {
  const request = new IncomingMessage(
    Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress }),
  );
  if (forwardedFor !== undefined) request.headers['x-forwarded-for'] = forwardedFor;
  return request;
}

it('an address comes from the socket, and from a proxy only where it is trusted', () => {
  expect(clientAddress(requestFrom('::ffff:10.0.0.7', '1.2.3.4'), false)).toBe('10.0.0.7');
  expect(clientAddress(requestFrom('10.0.0.7', '6.6.6.6, 1.2.3.4'), true)).toBe('1.2.3.4');
  expect(clientAddress(requestFrom('10.0.0.7', 'nonsense'), true)).toBe('10.0.0.7');
});

it('all addresses of an IPv6 subscriber count as one, each IPv4 address for itself', () => {
  expect(networkOf('2001:db8:1:2:3::4')).toBe(networkOf('2001:db8:1:2::9'));
  expect(networkOf('2001:db8:1:3::4')).not.toBe(networkOf('2001:db8:1:2::4'));
  expect(networkOf('1.2.3.4')).toBe('1.2.3.4');
});
