/** What the service offers beyond the specification. */
import type { Api, CallOptions } from '../../contract/api.ts';

/** Known from any earlier answer; else a request without a rate limit is made. Rejects with an `ApiError`. */
export async function announcedExtensions(api: Api, options: CallOptions): Promise<ReadonlySet<string>> {
  if (api.extensions.size === 0) await api.listIdentities({}, options);
  return api.extensions;
}

/** Milliseconds that a paid call waits at most to learn of the keys. */
const timeoutMs = 2_000;

/**
 * Whether the service takes idempotency keys. A process that has listed its actions from disk asks once, because a key
 * helps only a request that was sent with it. False where nothing answers.
 */
export async function takesIdempotencyKeys(api: Api, signal: AbortSignal): Promise<boolean> {
  if (!api.hasAnswered) await api.listIdentities({}, { signal, timeoutMs }).catch(() => undefined);
  return api.extensions.has('idempotency');
}
