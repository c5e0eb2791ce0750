/**
 * Session ids that carry what their session began with, encrypted for one principal: another process can go on with the
 * session after a restart or on another replica. Whether the session has ended is recorded elsewhere.
 */
import { CompactEncrypt, compactDecrypt } from 'jose';
import * as z from 'zod';

/** The params of `initialize` that a server looks at. */
const InitializeParams = z.object({
  protocolVersion: z.string().max(100),
  capabilities: z.record(z.string(), z.unknown()),
  clientInfo: z.object({ name: z.string(), version: z.string() }),
});
export type InitializeParams = z.infer<typeof InitializeParams>;

/** Of the JSON; ids travel in a header, which proxies bound at 4 to 8 kB. */
const maxChars = 2_000;
const maxNameChars = 100;

export class SessionSeal {
  readonly #key: Uint8Array;

  /** `key` has 32 bytes. */
  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** A new id. Undefined when the params do not fit into one. */
  async seal(params: unknown): Promise<string | undefined> {
    const read = InitializeParams.safeParse(params);
    if (!read.success) return undefined;
    const { protocolVersion, capabilities, clientInfo } = read.data;
    const [name, version] = [clientInfo.name, clientInfo.version].map((text) => text.slice(0, maxNameChars));
    const text = JSON.stringify({
      protocolVersion,
      capabilities,
      clientInfo: { name, version },
    });
    if (text.length > maxChars) return undefined;
    return new CompactEncrypt(Buffer.from(text))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .encrypt(this.#key);
  }

  /** Undefined for an id that was not made with this key. */
  async open(id: string): Promise<InitializeParams | undefined> {
    try {
      const options = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] };
      const { plaintext } = await compactDecrypt(id, this.#key, options);
      return InitializeParams.parse(JSON.parse(Buffer.from(plaintext).toString('utf8')));
    } catch {
      return undefined;
    }
  }
}
