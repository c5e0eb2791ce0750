/** What makes two calls the same, the ids that callers know a call by, and what is stored of it as JSON. */
import { hash } from 'node:crypto';
import * as z from 'zod';
import { groupPrefix, ownPrefix } from '../../contract/job-id.ts';
import type { ErrorDetail, JsonObject } from '../interface/outcomes.ts';
import type { PaidRow } from '../store/schema.ts';

/** Action, params in canonical form (the order of keys does not matter), credential and who is signed in with it. */
export interface PaidCall {
  readonly kind: PaidRow['kind'];
  /** The action's id; for a build the website's URL. */
  readonly subject: string;
  readonly params: unknown;
  readonly credentialId: string | undefined;
  /** Names the user behind the credential: a sign-in of another one under its name makes another call. */
  readonly signedIn?: string | undefined;
  /** The due time of a watch that it is for, in milliseconds since the epoch: each is a call of its own. */
  readonly dueAt?: number | undefined;
}

/** Never changes: a call that is open during an upgrade would be paid again. */
export function callHash(call: PaidCall): string {
  const { kind, subject, credentialId = '', signedIn = '', params } = call;
  const parts = [kind, subject, credentialId, canonicalJson(params), ...(signedIn === '' ? [] : [signedIn])];
  const plain = hash('sha256', parts.map((part) => `${part.length}:${part}`).join(''));
  return call.dueAt === undefined ? plain : `${plain}@${call.dueAt}`;
}

/** JSON with sorted keys and without undefined members. The limits on arguments bound the depth. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(
          Object.entries(part).sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)),
        )
      : part,
  );
}

/** What a repair is paid for. Not the action's id alone: what its runs cost is found by that. */
export const repairSubject = (actionId: string): string => `repair of ${actionId}`;

/** The order counts: it is the order of the answer's rows. */
export const groupHash = (hashes: readonly string[]): string => hash('sha256', hashes.join('\n'));

/** The id of a job that has none of the service's: a sync action's, or one whose submission is not answered yet. */
export const ownJobId = (rowId: string): string => `${ownPrefix}${rowId}`;
export const toRowId = (jobId: string): string | undefined =>
  jobId.startsWith(ownPrefix) ? jobId.slice(ownPrefix.length) : undefined;
export const toJobId = ({ job_id, id }: Pick<PaidRow, 'job_id' | 'id'>): string => job_id ?? ownJobId(id);

export const isGroupId = (id: string): boolean => id.startsWith(groupPrefix);

/** The row's id is its idempotency key. */
export const getIdempotencyKey = ({ id, keyed }: Pick<PaidRow, 'id' | 'keyed'>) =>
  keyed === 1 ? { idempotencyKey: id } : {};

const StoredObject = z.record(z.string(), z.unknown());
const StoredError = z.looseObject({ code: z.string(), message: z.string() });
const StoredInput = z.object({
  params: StoredObject,
  credentialId: z.string().optional(),
  signedIn: z.string().optional(),
});
/** What a planned row needs to be sent, by whichever process claims it. */
export type StoredInput = z.infer<typeof StoredInput>;

// Each throws where the text is not what was written.
export const parseObject = (text: string): JsonObject => StoredObject.parse(JSON.parse(text));
export const parseError = (text: string): ErrorDetail => StoredError.parse(JSON.parse(text));
export const parseInput = (text: string): StoredInput => StoredInput.parse(JSON.parse(text));
