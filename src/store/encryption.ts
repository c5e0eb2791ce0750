/**
 * Secrets at rest: JWE (direct A256GCM) with the key's id, bound to what they belong to. Its library is loaded with the first of
 * them, which few starts have.
 */
import type { EncryptionKeys } from './encryption-keys.ts';

export interface Encrypted {
  readonly keyId: string;
  readonly data: string;
}

/** The row that a secret belongs to, such as `['credential', id]`. In another row it cannot be decrypted. */
export type Binding = readonly [name: string, value: string];

export async function encrypt(
  keys: EncryptionKeys,
  [name, value]: Binding,
  text: string,
): Promise<Encrypted> {
  const { CompactEncrypt } = await import('jose');
  const { id, key } = await keys.current();
  const data = await new CompactEncrypt(new TextEncoder().encode(text))
    // The header is authenticated with the rest.
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: id, [name]: value })
    .encrypt(key);
  return { keyId: id, data };
}

/** Undefined where the key is lost, or the text was changed or belongs to something else. */
export async function decrypt(
  keys: EncryptionKeys,
  [name, value]: Binding,
  encrypted: Encrypted,
): Promise<string | undefined> {
  await keys.learn([encrypted.keyId]);
  const key = keys.get(encrypted.keyId);
  if (key === undefined) return undefined;
  const { compactDecrypt } = await import('jose');
  try {
    const { plaintext, protectedHeader } = await compactDecrypt(encrypted.data, key, {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
    if (protectedHeader[name] !== value) return undefined;
    return new TextDecoder().decode(plaintext);
  } catch {
    return undefined;
  }
}
