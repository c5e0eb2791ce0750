/**
 * The consents of people: each pays once. A consent is a row of its own, inserted in the transaction that pays by it (the
 * insert or the claim of a row, a new group or watch, the continuation of a group, a larger total of a watch), and never updated: whatever becomes of what it
 * bought, the same answer buys nothing more.
 *
 * Where the process may die: before that transaction, nothing is paid and the consent is as good as before; after it, what
 * is paid and the consent are both written. What was written and is then not sent has used the consent up, too.
 *
 * Two processes with the same consent are kept apart by the lock of the service key, under which the transaction runs; where
 * that is not enough, the primary key undoes the second transaction.
 */
import { type Statement, statement } from '../../store/statement.ts';

/** `consent` of the answer of a person to one question; undefined: nobody was asked. */
interface Consent {
  readonly principal: string;
  readonly consent: string | undefined;
}

/** The condition that a consent has paid for nothing yet. `parameter` adds a value to the statement. */
export function unusedSql({ principal, consent }: Consent, parameter: (value: unknown) => string): string {
  if (consent === undefined) return '1 = 1';
  return `not exists (select 1 from gateway_consent
    where principal = ${parameter(principal)} and consent = ${parameter(consent)})`;
}

/**
 * Uses the consent up where `paid` is there: the row or the group that a statement before it in the same transaction has
 * written only under `unusedSql`. None where nobody was asked.
 */
export function useStatements(
  { principal, consent }: Consent,
  now: string,
  paid:
    | { readonly row: string; readonly owner: string }
    | { readonly group: string }
    | { readonly watch: string; readonly version: string },
): readonly Statement[] {
  if (consent === undefined) return [];
  const [isPaid, ...values] =
    'group' in paid
      ? ['exists (select 1 from gateway_group where id = $3)', paid.group]
      : 'watch' in paid
        ? ['exists (select 1 from gateway_watch where id = $3 and version = $4)', paid.watch, paid.version]
        : ['exists (select 1 from gateway_intent where id = $3 and owner = $4)', paid.row, paid.owner];
  const use = `insert into gateway_consent (principal, consent, used_at) select $1, $2, ${now}
    where ${isPaid} and not exists (select 1 from gateway_consent where principal = $1 and consent = $2)`;
  return [statement(use, principal, consent, ...values)];
}

/** Whether a consent has paid. */
export const isUsedStatement = (principal: string, consent: string): Statement<{ readonly one: number }> =>
  statement('select 1 as one from gateway_consent where principal = $1 and consent = $2', principal, consent);
