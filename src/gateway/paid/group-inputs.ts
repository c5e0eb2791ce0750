/** The inputs of a batch, checked before anything of it is sent. */
import { GatewayError } from '../foundation/errors.ts';
import type { JsonObject } from '../interface/outcomes.ts';

/** Rejects with the first input's `GatewayError`; the place of an issue is that in the batch. */
export async function checkInputs(
  batch: readonly JsonObject[],
  check: (params: JsonObject) => Promise<JsonObject>,
): Promise<JsonObject[]> {
  const checked: JsonObject[] = [];
  for (const [index, params] of batch.entries()) {
    checked.push(await check(params).catch((error: unknown) => Promise.reject(placedError(error, index))));
  }
  return checked;
}

function placedError(error: unknown, index: number): unknown {
  if (!(error instanceof GatewayError)) return error;
  const { code, message, issues, ...extra } = error.body.error;
  const placed = Array.isArray(issues)
    ? issues.map((issue: { path?: unknown }) => ({
        ...issue,
        path: [`batch[${index}]`, issue.path].filter(Boolean).join('.'),
      }))
    : [];
  return new GatewayError({ service: code }, `Input ${index + 1} of the batch: ${message}`, error.body.next, {
    ...extra,
    issues: placed,
  });
}
