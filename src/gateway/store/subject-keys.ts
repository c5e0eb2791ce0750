/**
 * The service keys that subjects act with: one each, encrypted with a key file, added and revoked by an operator.
 * Every process of the database needs the same key file. A key is one row, so a death leaves the old one or the new.
 */
import { decrypt, encrypt } from '../../store/encryption.ts';
import { EncryptionKeys } from '../../store/encryption-keys.ts';
import type { Subject } from '../interface/principal.ts';
import type { GatewayDatabase } from './gateway-database.ts';
import { openKeyFile, undecryptable } from './key-file.ts';

export interface SubjectKeyRecord extends Subject {
  readonly addedAt: Date;
}

/** Decrypted keys are kept for as many subjects. */
const maxKnown = 10_000;

export class SubjectKeys {
  readonly #database: GatewayDatabase;
  readonly #keyFile: string;
  readonly #cache = new Map<string, { readonly encrypted: string; readonly apiKey: string }>();
  #encryption: EncryptionKeys | undefined;

  /** `keyFile` is created with the first key that is added, and by nothing else. */
  constructor(database: GatewayDatabase, keyFile: string) {
    this.#database = database;
    this.#keyFile = keyFile;
  }

  /** Gives the subject a key, in place of the one that it had. Rejects with a `SubjectKeyError`. */
  async add(subject: Subject, apiKey: string): Promise<void> {
    const { query } = await this.#database.open();
    const encryption = await openKeyFile(this.#keyFile, this.#database);
    const { keyId, data } = await encrypt(encryption, toBinding(subject), apiKey);
    const values = { key_id: keyId, encrypted_key: data, added_at: Date.now() };
    await query
      .insertInto('gateway_subject_key')
      .values({ ...pickSubject(subject), ...values })
      .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doUpdateSet(values))
      .execute();
  }

  /** By name. The keys themselves are never listed. */
  async list(): Promise<SubjectKeyRecord[]> {
    const { query } = await this.#database.open();
    const rows = await query
      .selectFrom('gateway_subject_key')
      .select(['issuer', 'subject', 'added_at'])
      .orderBy('issuer')
      .orderBy('subject')
      .execute();
    return rows.map(({ issuer, subject, added_at }) => ({ issuer, subject, addedAt: new Date(added_at) }));
  }

  /** Takes effect with the next request, in every process. False: there was none. */
  async revoke({ issuer, subject }: Subject): Promise<boolean> {
    const { query } = await this.#database.open();
    const deleted = await query
      .deleteFrom('gateway_subject_key')
      .where('issuer', '=', issuer)
      .where('subject', '=', subject)
      .executeTakeFirst();
    return deleted.numDeletedRows > 0n;
  }

  /** As the database has it now. Undefined: none. Rejects with a `SubjectKeyError` where it cannot be decrypted. */
  async getKey(subject: Subject): Promise<string | undefined> {
    const { query } = await this.#database.open();
    const row = await query
      .selectFrom('gateway_subject_key')
      .select(['key_id', 'encrypted_key'])
      .where('issuer', '=', subject.issuer)
      .where('subject', '=', subject.subject)
      .executeTakeFirst();
    const [, name] = toBinding(subject);
    if (row === undefined) {
      this.#cache.delete(name);
      return undefined;
    }
    const cached = this.#cache.get(name);
    if (cached?.encrypted === row.encrypted_key) return cached.apiKey;
    this.#encryption ??= await EncryptionKeys.openExisting(this.#keyFile);
    const apiKey =
      this.#encryption &&
      (await decrypt(this.#encryption, toBinding(subject), { keyId: row.key_id, data: row.encrypted_key }));
    if (apiKey === undefined) throw undecryptable(this.#keyFile);
    if (this.#cache.size >= maxKnown) this.#cache.clear();
    this.#cache.set(name, { encrypted: row.encrypted_key, apiKey });
    return apiKey;
  }
}

const pickSubject = ({ issuer, subject }: Subject): Subject => ({ issuer, subject });

const toBinding = ({ issuer, subject }: Subject) => ['subject', JSON.stringify([issuer, subject])] as const;
