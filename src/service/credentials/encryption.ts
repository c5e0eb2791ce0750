/** Cookies at rest: JWE (direct A256GCM) with the key's id, bound to the credential's row. */
import { CompactEncrypt, compactDecrypt } from 'jose';
import type { EncryptionKeys } from './keys.ts';

export interface Encrypted {
  readonly keyId: string;
  readonly data: string;
}

export async function encryptCookies(
  keys: EncryptionKeys,
  credentialId: string,
  cookies: string,
): Promise<Encrypted> {
  const { id, key } = keys.current();
  const data = await new CompactEncrypt(new TextEncoder().encode(cookies))
    // `credential` is authenticated with the rest: the text is worth nothing in another row.
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: id, credential: credentialId })
    .encrypt(key);
  return { keyId: id, data };
}

/** Undefined where the key is lost, or the text was changed or belongs to another row. */
export async function decryptCookies(
  keys: EncryptionKeys,
  credentialId: string,
  encrypted: Encrypted,
): Promise<string | undefined> {
  await keys.learn([encrypted.keyId]);
  const key = keys.get(encrypted.keyId);
  if (key === undefined) return undefined;
  try {
    const { plaintext, protectedHeader } = await compactDecrypt(encrypted.data, key, {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
    if (protectedHeader.credential !== credentialId) return undefined;
    return new TextDecoder().decode(plaintext);
  } catch {
    return undefined;
  }
}
