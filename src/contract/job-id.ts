/** Ids of jobs and builds as a service gives them, and as this program stores, shows and repeats them. */
import { maxJobIdChars } from './limits.ts';

/** What ids of this program's own begin with: of a row without a job of the service, and of a batch. */
export const ownPrefix = 'local-';
export const groupPrefix = 'batch-';

/** Begins an id whose characters are encoded. */
const encodedPrefix = 'encoded-';

/** Control and format characters: databases refuse NUL, clients change others, and nobody sees them. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const isAmbiguous = (id: string): boolean =>
  [ownPrefix, groupPrefix, encodedPrefix].some((prefix) => id.startsWith(prefix));

/**
 * The id as it is stored: encoded where it has characters that cannot be stored or seen, or looks like an id of this program's
 * own. A number is read as its text. Undefined for what cannot stand in a path.
 */
export function readJobId(value: unknown): string | undefined {
  const id = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..' || /[\p{Cs}\ufffd]/u.test(id))
    return undefined;
  const stored = unprintable.test(id) || isAmbiguous(id) ? encodedPrefix + encodeURIComponent(id) : id;
  return stored.length <= maxJobIdChars ? stored : undefined;
}

/** The id as the service knows it. */
export function toServiceId(jobId: string): string {
  if (!jobId.startsWith(encodedPrefix)) return jobId;
  try {
    return decodeURIComponent(jobId.slice(encodedPrefix.length));
  } catch {
    // Not one of ours.
    return jobId;
  }
}
