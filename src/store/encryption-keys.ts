/** The keys that secrets are encrypted with: a JSON Web Key Set in a file. */
import { randomBytes, randomUUID } from 'node:crypto';
import * as z from 'zod';
import { KeyFileError } from './errors.ts';
import { readIfPresent, readOrCreate } from './secret-file.ts';

const KeySet = z.object({
  keys: z.array(z.object({ kty: z.literal('oct'), kid: z.string(), k: z.string() })).min(1),
});
type KeySet = z.infer<typeof KeySet>;

const newKey = () => ({ kty: 'oct' as const, kid: randomUUID(), k: randomBytes(32).toString('base64url') });
const toText = (set: KeySet): string => `${JSON.stringify(set, undefined, 2)}\n`;

const loss = 'data encrypted with it is then lost';

/** The first key encrypts; further ones, which an operator put into the file, only decrypt. */
export class EncryptionKeys {
  readonly #path: string;
  #keys: ReadonlyMap<string, Uint8Array>;

  private constructor(path: string, keys: ReadonlyMap<string, Uint8Array>) {
    this.#path = path;
    this.#keys = keys;
  }

  /** Reads the file; a missing one is created. Rejects with a `KeyFileError` if it is damaged. */
  static async open(path: string): Promise<EncryptionKeys> {
    return new EncryptionKeys(path, await readOrCreateKeys(path));
  }

  /**
   * Like `open`, but without keys while the file is damaged: everything else works, and each use of a key tries again.
   */
  static async openIfReadable(path: string, report: (error: KeyFileError) => void): Promise<EncryptionKeys> {
    try {
      return await EncryptionKeys.open(path);
    } catch (error) {
      if (!(error instanceof KeyFileError)) throw error;
      report(error);
      return new EncryptionKeys(path, new Map());
    }
  }

  /** Like `open`, but creates nothing: undefined if there is no file. */
  static async openExisting(path: string): Promise<EncryptionKeys | undefined> {
    const text = await readIfPresent(path);
    return text === undefined ? undefined : new EncryptionKeys(path, parseKeys(path, text));
  }

  /** The key to encrypt with. Rejects with a `KeyFileError` while there is none. */
  async current(): Promise<{ id: string; key: Uint8Array }> {
    if (this.#keys.size === 0) this.#keys = await readOrCreateKeys(this.#path);
    const [first] = this.#keys;
    if (first === undefined) throw new KeyFileError(this.#path, loss);
    return { id: first[0], key: first[1] };
  }

  has(id: string): boolean {
    return this.#keys.has(id);
  }

  get(id: string): Uint8Array | undefined {
    return this.#keys.get(id);
  }

  /** Looks at the file again if one of the ids is unknown: another process may have made the key. */
  async learn(ids: readonly (string | null)[]): Promise<void> {
    if (ids.some((id) => id !== null && !this.has(id))) await this.reload();
  }

  /** Reads the file again, because another process may have made it. If the file is missing or broken, the keys in memory stay. */
  async reload(): Promise<void> {
    try {
      const text = await readIfPresent(this.#path);
      if (text !== undefined) this.#keys = parseKeys(this.#path, text);
    } catch (error) {
      if (!(error instanceof KeyFileError)) throw error;
    }
  }
}

const readOrCreateKeys = async (path: string) =>
  parseKeys(path, await readOrCreate(path, () => toText({ keys: [newKey()] })));

function parseKeys(path: string, text: string): ReadonlyMap<string, Uint8Array> {
  try {
    const { keys } = KeySet.parse(JSON.parse(text));
    return new Map(keys.map(({ kid, k }) => [kid, Buffer.from(k, 'base64url')]));
  } catch (error) {
    // The error's own message may quote the file, which is secret.
    throw new KeyFileError(path, loss, {
      cause: error instanceof z.ZodError ? error.issues.map((issue) => issue.path.join('.')) : undefined,
    });
  }
}
