/**
 * What a process acts with while watches run and their caller is away: the key that a client sent over HTTP, or the name of
 * a subject, whose own key stays where the operator put it, so that a revoked one runs nothing. Encrypted as those are, bound
 * to the principal, written with its watch (`WatchRows.create`) and deleted with its last one.
 */
import * as z from 'zod';
import { decrypt, type Encrypted, encrypt } from '../../store/encryption.ts';
import { EncryptionKeys } from '../../store/encryption-keys.ts';
import type { GatewayDatabase } from './gateway-database.ts';
import { openKeyFile } from './key-file.ts';

const KeptCaller = z.union([
  z.strictObject({ subject: z.strictObject({ issuer: z.string(), subject: z.string() }) }),
  z.strictObject({ apiKey: z.string() }),
]);
export type KeptCaller = z.infer<typeof KeptCaller>;

export class WatchKeys {
  readonly #database: GatewayDatabase;
  readonly #keyFile: string;

  constructor(database: GatewayDatabase, keyFile: string) {
    this.#database = database;
    this.#keyFile = keyFile;
  }

  /** Rejects with a `SubjectKeyError` where the key file is not the one of this database. */
  async seal(principal: string, caller: KeptCaller): Promise<Encrypted> {
    const encryption = await openKeyFile(this.#keyFile, this.#database);
    return encrypt(encryption, toBinding(principal), JSON.stringify(caller));
  }

  /** Of all principals that have one; `caller` is undefined where it cannot be decrypted. */
  async list(): Promise<readonly { readonly principal: string; readonly caller: KeptCaller | undefined }[]> {
    const { query } = await this.#database.open();
    const rows = await query.selectFrom('gateway_watch_key').selectAll().execute();
    const encryption = rows.length === 0 ? undefined : await EncryptionKeys.openExisting(this.#keyFile);
    return Promise.all(
      rows.map(async ({ principal, key_id: keyId, encrypted_key: data }) => {
        const text = encryption && (await decrypt(encryption, toBinding(principal), { keyId, data }));
        return { principal, caller: text === undefined ? undefined : KeptCaller.parse(JSON.parse(text)) };
      }),
    );
  }
}

const toBinding = (principal: string) => ['watches', principal] as const;
