/** What makes two calls the same: action, params in canonical form (key order does not matter) and credential. */
import { hash } from 'node:crypto';

export interface PaidCall {
  readonly kind: 'run' | 'build';
  /** The action's id; for a build the website's URL. */
  readonly subject: string;
  readonly params: unknown;
  readonly credentialId: string | undefined;
}

export function callHash(call: PaidCall): string {
  const parts = [call.kind, call.subject, call.credentialId ?? '', canonicalJson(call.params)];
  return hash('sha256', parts.map((part) => `${part.length}:${part}`).join(''));
}

/** JSON with sorted keys; an undefined member is no member. The depth is bounded before (arguments' limits). */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(
          Object.entries(part).sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)),
        )
      : part,
  );
}
