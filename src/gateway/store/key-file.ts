/** The file of the keys that service keys in the gateway's database are encrypted with; all processes on it share the file. */
import { EncryptionKeys } from '../../store/encryption-keys.ts';
import { SubjectKeyError } from '../foundation/errors.ts';
import type { GatewayDatabase } from './gateway-database.ts';

/**
 * To encrypt with; made with the first key that is kept. Rejects with a `SubjectKeyError` where the database has keys of
 * another file: a new one beside it would leave some of the processes unable to read some of them.
 */
export async function openKeyFile(path: string, database: GatewayDatabase): Promise<EncryptionKeys> {
  const { query } = await database.open();
  const ids = await Promise.all([
    query.selectFrom('gateway_subject_key').select('key_id').distinct().execute(),
    query.selectFrom('gateway_watch_key').select('key_id').distinct().execute(),
  ]);
  const keyIds = ids.flat().map(({ key_id }) => key_id);
  const existing = await EncryptionKeys.openExisting(path);
  await existing?.learn(keyIds);
  if (keyIds.some((id) => existing?.has(id) !== true)) throw undecryptable(path);
  return existing ?? EncryptionKeys.open(path);
}

export const undecryptable = (path: string): SubjectKeyError =>
  new SubjectKeyError(
    `The file ${path} does not contain the key that encrypted the service keys in this database: ` +
      'set SVC_OAUTH_KEYS_FILE to the file that all processes on this database share, ' +
      'or revoke these keys and add them again',
  );
