/** The key of the user that the embedded service is used as. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { KeyFileError } from '../../store/errors.ts';
import { readOrCreate } from '../../store/secret-file.ts';

/** As users get it: 256 random bits. */
export const generateKey = (): string => `svc_${randomBytes(32).toString('base64url')}`;

/** First written to its file: a service that starts registers it, also if the process dies in between. */
export async function readDefaultKey(dataDir: string): Promise<string> {
  const file = join(dataDir, 'api-key');
  const apiKey = (await readOrCreate(file, () => `${generateKey()}\n`)).trim();
  // The characters a header may carry it in.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new KeyFileError(file, 'the next start makes a new key');
  return apiKey;
}
