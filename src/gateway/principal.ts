/** Who a call acts for: an origin and an API key, of which only a fingerprint is ever kept. */
import { createHash } from 'node:crypto';

export interface Principal {
  /** Stable across restarts, safe to store and to log. */
  readonly id: string;
  readonly origin: string;
}

/** `origin` is the constant `embedded` for the embedded service, whose port changes at every start. */
export function principalOf(origin: string, apiKey: string): Principal {
  const fingerprint = createHash('sha256').update(`${origin}\n${apiKey}`).digest('hex').slice(0, 32);
  return { id: fingerprint, origin };
}
