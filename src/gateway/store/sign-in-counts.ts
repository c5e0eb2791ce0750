/** Sign-ins of one principal by credential: where a service does not tell who is signed in, each one may be another user's. */
import { sql } from 'kysely';
import type { Database } from '../../store/database.ts';
import type { GatewaySchema } from './schema.ts';

export class SignInCounts {
  readonly #database: Database<GatewaySchema>;
  readonly #principal: string;

  constructor(database: Database<GatewaySchema>, principal: string) {
    this.#database = database;
    this.#principal = principal;
  }

  async add(credentialId: string): Promise<void> {
    await this.#database.query
      .insertInto('gateway_sign_in')
      .values({ principal: this.#principal, credential_id: credentialId, signed_in: 1 })
      .onConflict((conflict) =>
        conflict
          .columns(['principal', 'credential_id'])
          .doUpdateSet({ signed_in: sql<number>`gateway_sign_in.signed_in + 1` }),
      )
      .execute();
  }

  async count(credentialId: string): Promise<number> {
    const row = await this.#database.query
      .selectFrom('gateway_sign_in')
      .select('signed_in')
      .where('principal', '=', this.#principal)
      .where('credential_id', '=', credentialId)
      .executeTakeFirst();
    return row?.signed_in ?? 0;
  }
}
