/** Where a request comes from: this machine itself, or a proxy or another machine. */
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../contract/web-address.ts';

/** Whether it comes from this machine under a name of its own, not through a proxy on it nor from another site's page. */
export function isFromThisMachine({ headers, socket }: IncomingMessage): boolean {
  const isForwarded = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'].some(
    (name) => headers[name] !== undefined,
  );
  const isOwn = (address: string) => URL.canParse(address) && isLoopback(new URL(address).hostname);
  const isOwnPage = headers.origin === undefined || isOwn(headers.origin);
  return (
    !isForwarded && isOwn(`http://${headers.host}`) && isOwnPage && isLoopback(socket.remoteAddress ?? '')
  );
}
