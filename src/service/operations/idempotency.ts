/**
 * Extension `idempotency`: the header Idempotency-Key of POST /task and POST /build-request. The key is stored with
 * the job that it paid for, in the same transaction, and belongs to the user. A refused request stores nothing: the
 * same key may try again.
 */
import { createHash } from 'node:crypto';
import { openErrors } from '../../contract/errors.ts';
import { idempotencyHeader } from '../../contract/extensions.ts';
import { refuse } from '../foundation/request-error.ts';
import type { JobKind, ServiceQuery, ServiceSchema } from '../store/schema.ts';

export interface IdempotencyKey {
  readonly key: string;
  /** SHA-256 of the request, regardless of the order of the body's members. */
  readonly requestHash: string;
}

/** Visible ASCII characters, 255 at most. */
const validKey = /^[\x21-\x7e]{1,255}$/;

/** Undefined where the request has no key. `body` is the parsed body. Throws 400 for a malformed key. */
export function parseIdempotencyKey(
  header: string | undefined,
  kind: JobKind,
  body: unknown,
): IdempotencyKey | undefined {
  if (header === undefined) return undefined;
  if (!validKey.test(header)) {
    throw refuse(
      openErrors,
      'INVALID_INPUT',
      `${idempotencyHeader}: send 1 to 255 visible ASCII characters without spaces`,
    );
  }
  const requestHash = createHash('sha256').update(kind).update(canonicalJson(body)).digest('hex');
  return { key: header, requestHash };
}

const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );

/**
 * The job that an earlier request with this key made. Throws 422 `IDEMPOTENCY_KEY_REUSED` if that request had another
 * body or was for another endpoint.
 */
export async function findEarlierJob(
  query: ServiceQuery,
  userId: string,
  idempotency: IdempotencyKey | undefined,
): Promise<ServiceSchema['jobs'] | undefined> {
  if (idempotency === undefined) return undefined;
  const job = await query
    .selectFrom('jobs')
    .selectAll()
    .where('user_id', '=', userId)
    .where('idempotency_key', '=', idempotency.key)
    .executeTakeFirst();
  if (job !== undefined && job.request_hash !== idempotency.requestHash) {
    throw refuse(
      openErrors,
      'IDEMPOTENCY_KEY_REUSED',
      `This ${idempotencyHeader} was used for a different request. Use a new key for each request`,
    );
  }
  return job;
}
