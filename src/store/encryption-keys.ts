/** The keys that secrets are encrypted with: a JSON Web Key Set in a file. */
import { randomBytes, randomUUID } from 'node:crypto';
import * as z from 'zod';
import { readIfPresent, readOrCreate } from './secret-file.ts';

const KeySet = z.object({
  keys: z.array(z.object({ kty: z.literal('oct'), kid: z.string(), k: z.string() })).min(1),
});
type KeySet = z.infer<typeof KeySet>;

const newKey = () => ({ kty: 'oct' as const, kid: randomUUID(), k: randomBytes(32).toString('base64url') });
const toText = (set: KeySet): string => `${JSON.stringify(set, undefined, 2)}\n`;

/** The first key encrypts; further ones, which an operator put into the file, only decrypt. */
export class EncryptionKeys {
  readonly #path: string;
  #keys: ReadonlyMap<string, Uint8Array>;

  private constructor(path: string, set: KeySet) {
    this.#path = path;
    this.#keys = toKeys(set);
  }

  /** Reads the file; a missing one is created. Rejects if it is there and unreadable. */
  static async open(path: string): Promise<EncryptionKeys> {
    const text = await readOrCreate(path, () => toText({ keys: [newKey()] }));
    return new EncryptionKeys(path, parse(path, text));
  }

  /** The same without creating anything: undefined where there is no file. */
  static async openExisting(path: string): Promise<EncryptionKeys | undefined> {
    const text = await readIfPresent(path);
    return text === undefined ? undefined : new EncryptionKeys(path, parse(path, text));
  }

  current(): { id: string; key: Uint8Array } {
    const [first] = this.#keys;
    if (first === undefined) throw new Error('A key set has a key');
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
    const text = await readIfPresent(this.#path);
    if (text !== undefined) this.#keys = toKeys(parse(this.#path, text));
  }
}

const toKeys = (set: KeySet): ReadonlyMap<string, Uint8Array> =>
  new Map(set.keys.map(({ kid, k }) => [kid, Buffer.from(k, 'base64url')]));

function parse(path: string, text: string): KeySet {
  try {
    return KeySet.parse(JSON.parse(text));
  } catch (error) {
    // The error's own message may quote the file, which is secret.
    throw new Error(
      `${path} is not a key set: restore it from a backup, or remove it (data encrypted with it is then lost)`,
      { cause: error instanceof z.ZodError ? error.issues.map((issue) => issue.path.join('.')) : undefined },
    );
  }
}
