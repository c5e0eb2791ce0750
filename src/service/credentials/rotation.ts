import { decrypt, encrypt } from '../../store/encryption.ts';
import type { EncryptionKeys } from '../../store/encryption-keys.ts';
import type { ServiceDatabase } from '../database/schema.ts';
import type { CrashHook } from '../foundation/crash-points.ts';

/**
 * Encrypts every session with a new key and then forgets the old ones. A death in between leaves both in the file,
 * so that everything can be read; rotating again completes it. Returns how many sessions were encrypted anew.
 */
export async function rotateKeys(
  database: ServiceDatabase,
  keys: EncryptionKeys,
  crashPoint: CrashHook = () => undefined,
): Promise<number> {
  await keys.add();
  crashPoint('rotation.before-rows');
  let rotated = 0;
  const rows = await database.query
    .selectFrom('credentials')
    .select(['id', 'key_id', 'encrypted_data'])
    .where('key_id', 'is not', null)
    .execute();
  for (const { id, key_id, encrypted_data } of rows) {
    if (key_id === null || encrypted_data === null) continue;
    const cookies = await decrypt(keys, ['credential', id], { keyId: key_id, data: encrypted_data });
    if (cookies === undefined) continue;
    const encrypted = await encrypt(keys, ['credential', id], cookies);
    const updated = await database.query
      .updateTable('credentials')
      .set({ key_id: encrypted.keyId, encrypted_data: encrypted.data })
      .where('id', '=', id)
      // A login of another process may have stored a newer session meanwhile.
      .where('encrypted_data', '=', encrypted_data)
      .executeTakeFirst();
    rotated += Number(updated.numUpdatedRows);
  }
  crashPoint('rotation.after-rows');
  await keys.dropUnused(await usedKeys(database));
  return rotated;
}

/** A process that has not noticed the rotation may still have stored a session with an older key. */
async function usedKeys(database: ServiceDatabase): Promise<Set<string>> {
  const rows = await database.query
    .selectFrom('credentials')
    .select('key_id')
    .distinct()
    .where('key_id', 'is not', null)
    .execute();
  return new Set(rows.flatMap(({ key_id }) => key_id ?? []));
}
