/** What the service offers beyond the specification. */
import type { Api, CallOptions } from '../../contract/api.ts';

/** Known from any earlier answer; else a request without a rate limit is made. Rejects with an `ApiError`. */
export async function announcedExtensions(api: Api, options: CallOptions): Promise<ReadonlySet<string>> {
  if (api.extensions.size === 0) await api.listIdentities({}, options);
  return api.extensions;
}
