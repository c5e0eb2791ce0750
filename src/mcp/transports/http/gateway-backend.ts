/** A gateway behind the HTTP transports. */
import { hkdfSync } from 'node:crypto';
import type { Gateway } from '../../../gateway/interface/gateway.ts';
import { createQuestionCodec } from '../../calls/questions.ts';
import { createMcpServer } from '../../server.ts';
import type { Backend } from './principal.ts';
import { SessionSeal } from './session-seal.ts';

export interface GatewayBackendOptions {
  /** Of the principal; safe to log. */
  readonly id: string;
  readonly apiKey: string;
  readonly gateway: Gateway;
  /** Ends the principal's sign-in pages. */
  readonly endSignIns: () => Promise<void>;
  /** Version of this program. */
  readonly version: string;
  /** The setting `SVC_WAIT_SECONDS`. */
  readonly waitSeconds?: number | undefined;
}

export function gatewayBackend(options: GatewayBackendOptions): Backend {
  const { id, apiKey, gateway, endSignIns, version, waitSeconds } = options;
  // Processes that act for the same principal can check each other's questions; no other principal can.
  const secretFor = (use: string) =>
    new Uint8Array(hkdfSync('sha256', apiKey, '', `svc-mcp ${use} ${id}`, 32));
  const questions = createQuestionCodec(secretFor('questions'));
  return {
    id,
    seal: new SessionSeal(secretFor('sessions')),
    createServer: (parts) => createMcpServer({ gateway, version, waitSeconds, questions, ...parts }),
    onListingChange: (listener) => gateway.onListingChange(listener),
    endWaits: () => gateway.endWaits(),
    endSignIns,
    close: (graceMs) => gateway.close(graceMs),
  };
}
