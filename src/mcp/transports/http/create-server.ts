import type { Server } from '@modelcontextprotocol/server';
import type { Deliveries } from '../../calls/delivery.ts';

/** Makes the server of one request or connection; `requestIdOf` names the HTTP request that a JSON-RPC one came with. */
export type CreateServer = (getRequestId: (id: string | number) => string | undefined) => {
  readonly server: Server;
  readonly deliveries: Deliveries;
};
