/** What runs of an action have returned, in a few numbers: for one principal, action and account. */
import * as z from 'zod';
import type { Profile } from '../../compare/drift.ts';
import type { Database } from '../../store/database.ts';
import { nowText } from '../../store/database-time.ts';
import { type Statement, statement } from '../../store/statement.ts';
import type { GatewaySchema } from './schema.ts';

/** What the runs of a profile share. */
export interface ProfileKey {
  readonly subject: string;
  /** As of `PaidRow`, an action without accounts with an empty one. */
  readonly account: string;
}

const Field = z.object({ fill: z.number(), kinds: z.array(z.string()), values: z.number() });
const Run = z.object({
  at: z.number(),
  call: z.string(),
  texts: z.string(),
  form: z.string().optional(),
  rows: z.number(),
  list: z.string().optional(),
  fields: z.record(z.string(), Field),
  same: z.record(z.string(), z.number()).optional(),
  doubtful: z.literal(true).optional(),
});
const Stored = z.object({
  runs: z.array(Run),
  known: z.record(z.string(), z.record(z.string(), z.record(z.string(), z.string()))),
});

export class Profiles {
  readonly #database: Database<GatewaySchema>;
  readonly #principal: string;

  constructor(database: Database<GatewaySchema>, principal: string) {
    this.#database = database;
    this.#principal = principal;
  }

  /** Undefined where there is none. */
  async read({ subject, account }: ProfileKey): Promise<Profile | undefined> {
    const row = await this.#database.query
      .selectFrom('gateway_profile')
      .select('profile')
      .where('principal', '=', this.#principal)
      .where('subject', '=', subject)
      .where('account', '=', account)
      .executeTakeFirst();
    return row && Stored.parse(JSON.parse(row.profile));
  }

  /** Writes the profile: a part of the transaction that writes an end. */
  statement({ subject, account }: ProfileKey, profile: Profile): Statement {
    const now = nowText(this.#database.engine);
    return statement(
      `insert into gateway_profile (principal, subject, account, profile, updated_at)
        values ($1, $2, $3, $4, ${now})
        on conflict (principal, subject, account) do update set profile = excluded.profile, updated_at = ${now}`,
      this.#principal,
      subject,
      account,
      JSON.stringify(profile),
    );
  }
}
